//! Strategies for arbitrary documents: every kind of block and inline content, valid and in normal form.
mod inlines;
mod tables;
mod values;

pub use inlines::lines;
pub use values::references;

use super::*;
use crate::reference::ContentRef;
use chrono::DateTime;
use inlines::{line_with, notes, text_inline};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option::of;
use proptest::prelude::*;
use serde_json::Map;
use tables::table;
use values::{bools, files, id, ids, keys, lengths, queries, some_of, tags, texts, values};

/// Arbitrary valid documents in normal form, of up to a few dozen blocks.
pub fn documents() -> BoxedStrategy<Document> {
    flow(blocks()).prop_map(|blocks| Document::from_blocks(blocks).expect("a valid document")).boxed()
}

/// Arbitrary blocks that may be at the top of a document. They have no keys, or keys that others may have too.
pub fn blocks() -> BoxedStrategy<Block> {
    leaf().prop_recursive(4, 32, 4, |inner| prop_oneof![1 => leaf(), 2 => parent(inner)]).boxed()
}

/// The same document with no keys and without merged cells, which need them.
pub fn without_keys(mut document: Document) -> Document {
    document.walk_mut(&mut |block| {
        block.key = Key::default();
        if let Kind::Table(table) = &mut block.kind {
            table.cell_merges.clear();
        }
    });
    document
}

/// Documents of the maximum nesting depth, each with other kinds of blocks.
pub fn deepest() -> Vec<Document> {
    let nested = |step: usize, around: fn(Vec<Block>) -> Block| {
        let mut blocks = Vec::new();
        for _ in 0..MAX_DEPTH / step {
            blocks = vec![around(blocks)];
        }
        Document::from_blocks(blocks).expect("a valid document")
    };
    vec![
        nested(1, |blocks| Block::new(Kind::Blockquote).with_children(blocks)),
        nested(2, |blocks| {
            Block::new(Kind::ListUnordered)
                .with_children(vec![Block::new(Kind::ListItem(ListItem::default())).with_children(blocks)])
        }),
        nested(2, |body| paragraph("a".into()).with_content(vec![note(body)])),
        nested(2, |body| {
            let heading = TableColumn { id: "c".into(), heading: vec![note(body)], ..TableColumn::default() };
            Block::new(Kind::Table(Box::new(Table { columns: vec![heading], ..Table::default() })))
        }),
        nested(3, |blocks| {
            let column = TableColumn { id: "c".into(), ..TableColumn::default() };
            let cell = TableCell { column: "c".into(), value: None };
            let cell = Block::new(Kind::TableCell(cell)).with_children(blocks);
            Block::new(Kind::Table(Box::new(Table { columns: vec![column], ..Table::default() })))
                .with_children(vec![Block::new(Kind::TableRow).with_children(vec![cell])])
        }),
    ]
}

fn note(body: Vec<Block>) -> Inline {
    Inline::Annotation(Box::new(Annotation { body, ..Annotation::default() }))
}

fn paragraph(text: String) -> Block {
    Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec![text.into()])
}

fn block(kind: impl Strategy<Value = Kind> + 'static) -> BoxedStrategy<Block> {
    (keys(), kind).prop_map(|(key, kind)| Block { key, ..Block::new(kind) }).boxed()
}

fn with_line(block: BoxedStrategy<Block>) -> BoxedStrategy<Block> {
    (block, lines()).prop_map(|(block, line)| block.with_content(line)).boxed()
}

fn flow(inner: BoxedStrategy<Block>) -> BoxedStrategy<Vec<Block>> {
    vec(inner, 0..4).boxed()
}

fn aligns() -> impl Strategy<Value = Option<Align>> {
    of(some_of([Align::Start, Align::Center, Align::End]))
}

fn anchors() -> impl Strategy<Value = Option<String>> {
    of(prop_oneof!["[a-z0-9.+_-]{1,5}", "\\PC{1,5}"])
}

/// Blocks without blocks inside.
fn leaf() -> BoxedStrategy<Block> {
    let text = prop_oneof![
        aligns().prop_map(|align| Kind::Paragraph(Paragraph { align })),
        (1..=6_u8, anchors(), aligns()).prop_map(|(level, id, align)| Kind::Heading(Heading { level, id, align })),
        (texts(), bools()).prop_map(|(url, full_width)| Kind::Embed(Embed { url, full_width })),
        files().prop_map(|source| Kind::File(Box::new(FileBlock { source: Target(source) }))),
    ];
    let bare = prop_oneof![
        Just(Kind::Divider),
        texts().prop_map(|formula| Kind::Math(Math { formula })),
        of(files()).prop_map(|source| Kind::Drawing(Box::new(Drawing { source }))),
        (references(), queries(), of("[A-Z][a-zé_*\\[]{0,6}")).prop_map(|(target, query, label)| {
            let query = query.filter(|_| target.is_page());
            Kind::ContentRef(Box::new(ContentRefBlock { target: Target(target), query, label }))
        }),
        included().prop_map(|target| Kind::ReusableContent(Box::new(ReusableContentBlock { target: Target(target) }))),
        integration(),
        openapi(),
        (texts(), texts()).prop_map(|(source, syntax)| Kind::Verbatim(Verbatim { source, syntax })),
    ];
    prop_oneof![4 => with_line(block(text)), 4 => block(bare), 1 => code()].boxed()
}

fn included() -> impl Strategy<Value = ContentRef> {
    prop_oneof![
        (id(), of(id())).prop_map(|(reusable_content, space)| ContentRef::ReusableContent { reusable_content, space }),
        texts().prop_map(|url| ContentRef::Url { url }),
    ]
}

fn integration() -> impl Strategy<Value = Kind> {
    let props = btree_map(texts(), values(), 0..3).prop_map(|map| map.into_iter().collect::<Map<_, _>>());
    (texts(), texts(), props, of(values()), of(texts()), bools()).prop_map(
        |(integration, block, props, action, url, full_width)| {
            Kind::Integration(Box::new(Integration { integration, block, props, action, url, full_width }))
        },
    )
}

fn openapi() -> impl Strategy<Value = Kind> {
    prop_oneof![
        (texts(), texts(), files(), bools(), bools(), anchors()).prop_map(
            |(path, method, source, expanded, full_width, id)| {
                Kind::Swagger(Box::new(Swagger { path, method, source: Target(source), expanded, full_width, id }))
            }
        ),
        (texts(), texts(), ids(), of(ids()), bools(), anchors()).prop_map(
            |(path, method, spec, version, headless, id)| {
                Kind::OpenapiOperation(Box::new(OpenapiOperation { path, method, spec, version, headless, id }))
            }
        ),
        (vec(texts(), 0..3), bools(), of(texts()), ids(), of(ids()), anchors()).prop_map(
            |(schemas, grouped, title, spec, version, id)| {
                Kind::OpenapiSchemas(Box::new(OpenapiSchemas { schemas, grouped, title, spec, version, id }))
            }
        ),
        (texts(), texts(), ids(), of(ids()), bools(), anchors()).prop_map(
            |(name, method, spec, version, headless, id)| {
                Kind::OpenapiWebhook(Box::new(OpenapiWebhook { name, method, spec, version, headless, id }))
            }
        ),
    ]
}

fn code() -> BoxedStrategy<Block> {
    let looks = (of(texts()), of(texts()), of(some_of([Overflow::Scroll, Overflow::Wrap])));
    let lines = (bools(), bools(), bools(), of(1..99_u32), btree_set(0..4_u32, 0..3));
    let kind = (looks, lines).prop_map(|((syntax, title, overflow), lines)| {
        let (line_numbers, full_width, expandable, collapsed_line_count, highlighted) = lines;
        Kind::Code(Box::new(Code {
            syntax,
            title,
            overflow,
            line_numbers,
            full_width,
            expandable,
            collapsed_line_count,
            highlighted,
        }))
    });
    let note = notes(text_inline(), vec(texts().prop_map(paragraph), 0..2).boxed());
    let content = prop_oneof![
        4 => texts().prop_map(Inline::from),
        1 => texts().prop_map(|expression| Inline::Expression { expression }),
        1 => note,
    ];
    (block(kind), vec(content, 0..4)).prop_map(|(block, content)| block.with_content(content)).boxed()
}

/// Blocks that have `inner` blocks inside.
fn parent(inner: BoxedStrategy<Block>) -> BoxedStrategy<Block> {
    let inside = |kind: BoxedStrategy<Kind>, children: BoxedStrategy<Vec<Block>>| {
        (block(kind), children).prop_map(|(block, children)| block.with_children(children)).boxed()
    };
    let some = || flow(inner.clone());
    let items = |item: BoxedStrategy<Kind>| vec(inside(item, some()), 0..3).boxed();
    let hint_style = some_of([HintStyle::Info, HintStyle::Warning, HintStyle::Danger, HintStyle::Success]);
    let hint = (hint_style, of(texts())).prop_map(|(style, icon)| Kind::Hint(Hint { style, icon })).boxed();
    let expandable = (bools(), anchors()).prop_map(|(default_expanded, id)| Expandable { default_expanded, id });
    let lists = prop_oneof![
        of(any::<u64>()).prop_map(|start| Kind::ListOrdered(ListOrdered { start })),
        Just(Kind::ListUnordered),
        Just(Kind::ListTasks),
    ];
    let item = bools().prop_map(|checked| Kind::ListItem(ListItem { checked })).boxed();
    let tab = (of(texts()), of(texts()), of(texts()), anchors())
        .prop_map(|(title, icon, slug, id)| Kind::TabsItem(Box::new(TabsItem { title, icon, slug, id })));
    let step = of(texts()).prop_map(|icon| Kind::StepperStep(StepperStep { icon }));
    let vertical = of(some_of([VerticalAlign::Top, VerticalAlign::Middle, VerticalAlign::Bottom]));
    let column = (of(lengths()), vertical)
        .prop_map(|(width, vertical_alignment)| Kind::Column(Box::new(Column { width, vertical_alignment })));
    let format = some_of([UpdatesFormat::Full, UpdatesFormat::Numeric, UpdatesFormat::Short]);
    let date = (-9_999_999_999..99_999_999_999_i64, prop_oneof![Just(0), 0..999_999_999_u32])
        .prop_map(|(seconds, nanos)| DateTime::from_timestamp(seconds, nanos).expect("a time"));
    let update = (date, vec(tags(), 0..2)).prop_map(|(date, tags)| Kind::Update(Update { date, tags }));
    let noted = line_with(some()).prop_map(|line| paragraph(String::new()).with_content(line));
    prop_oneof![
        inside(lists.boxed(), items(item)),
        inside(Just(Kind::Blockquote).boxed(), some()),
        inside(hint, some()),
        with_line(inside(expandable.prop_map(Kind::Expandable).boxed(), some())),
        inside(bools().prop_map(|full_width| Kind::Tabs(Tabs { full_width })).boxed(), items(tab.boxed())),
        inside(Just(Kind::Stepper).boxed(), items(step.boxed())),
        inside(bools().prop_map(|full_width| Kind::Columns(Columns { full_width })).boxed(), items(column.boxed())),
        inside(format.prop_map(|format| Kind::Updates(Updates { format })).boxed(), items(update.boxed())),
        prop_oneof![
            inside(texts().prop_map(|expression| Kind::If(If { expression })).boxed(), some()),
            noted,
            prompt(),
            images()
        ],
        table(inner.clone()),
    ]
    .boxed()
}

fn prompt() -> BoxedStrategy<Block> {
    let expanded = of(some_of(["hidden".to_owned(), "partial".into(), "full".into()]));
    let kind = (texts(), of(texts()), of(vec(texts(), 0..2)), expanded).prop_map(
        |(description, icon, open_in_ai_providers, default_expanded)| {
            Kind::Prompt(Box::new(Prompt { description, icon, open_in_ai_providers, default_expanded }))
        },
    );
    (block(kind), code()).prop_map(|(block, code)| block.with_children(vec![code])).boxed()
}

fn images() -> BoxedStrategy<Block> {
    let align = of(some_of([ImageAlign::Center, ImageAlign::Left, ImageAlign::Right]));
    let row = (align, bools(), bools())
        .prop_map(|(align, full_width, with_frame)| Kind::Images(Images { align, full_width, with_frame }));
    let image = (files(), of(files()), of(lengths()), of(lengths()), of(texts())).prop_map(
        |(source, source_dark, width, height, alt)| {
            Kind::Image(Box::new(Image { source: Target(source), source_dark, width, height, alt }))
        },
    );
    let images = vec(with_line(block(image)), 0..3);
    (block(row), images).prop_map(|(row, images)| row.with_children(images)).boxed()
}
