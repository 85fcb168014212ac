//! Strategies for inline content.
use super::values::{colors, files, lengths, queries, references, some_of, texts, values};
use crate::document::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

pub(super) fn marks() -> impl Strategy<Value = Marks> {
    let colors = of((colors(), colors()).prop_map(|(text, background)| TextColor { text, background }));
    (any::<[bool; 7]>(), colors).prop_map(|(on, color)| Marks {
        bold: on[0],
        italic: on[1],
        code: on[2],
        keyboard: on[3],
        strikethrough: on[4],
        superscript: on[5],
        subscript: on[6],
        color,
    })
}

pub(super) fn text_inline() -> BoxedStrategy<Inline> {
    let marks = prop_oneof![Just(Marks::default()), marks()];
    (texts(), marks).prop_map(|(text, marks)| Inline::Text(Text { text, marks })).boxed()
}

/// Arbitrary inline content of a line.
pub fn lines() -> BoxedStrategy<Vec<Inline>> {
    line_with(vec(texts().prop_map(super::paragraph), 0..2).boxed())
}

/// Inline content that may be in a link.
pub(super) fn linked() -> BoxedStrategy<Inline> {
    let size = of(some_of([InlineImageSize::Original, InlineImageSize::Line]));
    let image = (files(), of(files()), of(texts()), of(texts()), size, of(lengths()), of(lengths())).prop_map(
        |(source, source_dark, caption, alt, size, width, height)| {
            let source = Target(source);
            Inline::Image(Box::new(InlineImage { source, source_dark, caption, alt, size, width, height }))
        },
    );
    prop_oneof![
        4 => text_inline(),
        1 => "[0-9a-f]{1,5}(-[0-9a-f]{4})?".prop_map(|code| Inline::Emoji { code }),
        1 => (texts(), of(colors())).prop_map(|(icon, color)| Inline::Icon(Icon { icon, color })),
        1 => texts().prop_map(|expression| Inline::Expression { expression }),
        1 => texts().prop_map(|formula| Inline::Math { formula }),
        1 => image,
        1 => texts().prop_map(|source| Inline::Verbatim { source }),
    ]
    .boxed()
}

pub(super) fn link() -> BoxedStrategy<Inline> {
    (references(), queries(), of(texts()), vec(linked(), 0..3))
        .prop_map(|(target, query, title, content)| {
            let query = query.filter(|_| target.is_page());
            Inline::Link(Box::new(Link { target: Target(target), query, title, content }))
        })
        .boxed()
}

pub(super) fn notes(content: BoxedStrategy<Inline>, body: BoxedStrategy<Vec<Block>>) -> BoxedStrategy<Inline> {
    (vec(content, 0..3), body, of(texts()))
        .prop_map(|(content, body, label)| Inline::Annotation(Box::new(Annotation { content, body, label })))
        .boxed()
}

pub(super) fn button() -> BoxedStrategy<Inline> {
    let size = of(some_of(["small".to_owned(), "medium".into(), "large".into()]));
    let kind = some_of([ButtonKind::Primary, ButtonKind::Secondary]);
    let looks = (texts(), kind, size, of(texts()));
    (looks, of(references()), of(values()))
        .prop_map(|((label, kind, size, icon), target, action)| {
            Inline::Button(Box::new(Button { label, kind, size, icon, target, action }))
        })
        .boxed()
}

pub(super) fn line_with(body: BoxedStrategy<Vec<Block>>) -> BoxedStrategy<Vec<Inline>> {
    let inline = prop_oneof![
        6 => linked(),
        2 => link(),
        1 => notes(prop_oneof![linked(), link()].boxed(), body),
        1 => references().prop_map(|target| Inline::Mention { target: Box::new(target) }),
        1 => button(),
    ];
    vec(inline, 0..4).boxed()
}
