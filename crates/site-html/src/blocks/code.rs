//! Code.
use super::tokens::{Token, is_rust, lines};
use super::{Blocks, classes};
use crate::diagram;
use crate::texts::Word;
use diagrams::Mode;
use domain::content::document::{Block, Code, Inline, Overflow};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The number of lines of folded code that are shown, unless the block states one.
const FOLDED_LINES: u32 = 10;

/// Code without its markup: the text, and the notes in it.
#[derive(Default)]
struct Source {
    text: String,
    /// Notes, and the bytes of the text that they come after.
    notes: Vec<(usize, Markup)>,
}

pub(super) fn code(blocks: &mut Blocks<'_>, block: &Block, data: &Code) -> Markup {
    match diagram::source(block, data).and_then(|source| diagram_images(blocks, data, &source)) {
        Some(images) => {
            html! { (images) details { summary { (blocks.word(Word::Source)) } (written(blocks, block, data)) } }
        }
        None => written(blocks, block, data),
    }
}

/// A diagram as an image for each mode; `None` if it cannot be rendered.
fn diagram_images(blocks: &mut Blocks<'_>, data: &Code, source: &str) -> Option<Markup> {
    blocks.diagrams += 1;
    if blocks.diagrams > diagram::MAX_DIAGRAMS {
        return None;
    }
    let image = blocks.context.diagrams.diagram(source)?;
    let (width, height) = (image.width, image.height);
    let title = data.title.as_deref().filter(|title| !title.is_empty());
    let alt = diagrams::title(source).or(title).unwrap_or(blocks.word(Word::Drawing));
    let [light, dark] =
        [Mode::Light, Mode::Dark].map(|mode| diagram::path(blocks.context.base, blocks.context.page, source, mode));
    let image = |class: &str, src: &str| {
        html! { img class=(class) src=(src) alt=(alt) width=(width) height=(height) loading="lazy" decoding="async"; }
    };
    Some(html! {
        div.o-images {
            figure.o-image {
                a.o-zoom href=(light) data-dark=(dark) { (image("o-light", &light)) (image("o-dark", &dark)) }
                @if let Some(title) = title { figcaption { (title) } }
            }
        }
    })
}

fn written(blocks: &mut Blocks<'_>, block: &Block, data: &Code) -> Markup {
    let syntax = data.syntax.as_deref().map(str::trim).filter(|syntax| !syntax.is_empty());
    let source = source(blocks, &block.content);
    let text = source.text.trim_end_matches('\n');
    let is_diff = syntax.is_some_and(|syntax| ["diff", "patch"].iter().any(|diff| syntax.eq_ignore_ascii_case(diff)));
    let numbered = data.line_numbers == Some(true);
    let mut rendered = lines(text, syntax);
    // Notes and marks are for places in all of the code.
    if source.notes.is_empty() && data.highlighted.is_empty() && syntax.is_some_and(is_rust) {
        leave_out_hidden(&mut rendered);
    }
    let body = Lines {
        is_diff,
        by_line: numbered || is_diff || !data.highlighted.is_empty(),
        marked: Some(&data.highlighted),
        notes: source.notes,
    };
    let cut = data.collapsed_line_count.unwrap_or(FOLDED_LINES).max(1);
    let is_cut = data.expandable == Some(true) && usize::try_from(cut).is_ok_and(|cut| cut < rendered.len());
    // The height is known before the script that folds the code is there.
    let height = is_cut.then(|| blocks.class(&format!("--lines:{cut}")));
    let class = classes(
        "o-code",
        &[
            (height.as_deref().unwrap_or_default(), is_cut),
            ("o-numbered", numbered),
            ("o-wrap", data.overflow == Some(Overflow::Wrap)),
            ("o-wide", data.full_width == Some(true)),
        ],
    );
    html! {
        figure class=(class) data-collapse=[is_cut.then_some(cut)] {
            @if let Some(title) = data.title.as_deref().filter(|title| !title.is_empty()) { figcaption { (title) } }
            pre tabindex="0" { code data-lang=[syntax] translate="no" dir="ltr" { (body.render(&rendered)) } }
        }
    }
}

/// Removes the lines of Rust that only complete an example for its test, as rustdoc and mdBook do: they begin with `# `.
fn leave_out_hidden(lines: &mut Vec<Vec<Token<'_>>>) {
    let is_hidden = |line: &Vec<Token<'_>>| {
        let text: String = line.iter().map(|token| token.text).collect();
        let text = text.trim_start();
        // In a string or a comment, they are part of it.
        let class = line.iter().find(|token| !token.text.trim().is_empty()).and_then(|token| token.class);
        (text.starts_with("# ") || text.trim_end() == "#") && !matches!(class, Some("o-ts" | "o-tc"))
    };
    if lines.iter().any(is_hidden) && !lines.iter().all(is_hidden) {
        lines.retain(|line| !is_hidden(line));
        let blank = lines.iter().take_while(|line| line.is_empty()).count();
        lines.drain(..blank.min(lines.len() - 1));
    }
}

/// Source code of a sample or an example, with a title.
pub(super) fn sample(code: &str, language: &str, title: Option<&Markup>) -> Markup {
    let lines = lines(code.trim_end_matches('\n'), Some(language));
    let body = Lines { is_diff: false, by_line: false, marked: None, notes: Vec::new() };
    html! {
        figure.o-code {
            @if let Some(title) = title { figcaption { (title) } }
            pre tabindex="0" { code data-lang=(language) translate="no" dir="ltr" { (body.render(&lines)) } }
        }
    }
}

fn source(blocks: &mut Blocks<'_>, content: &[Inline]) -> Source {
    let mut source = Source::default();
    for inline in content {
        match inline {
            Inline::Text(text) => source.text.push_str(&text.text),
            Inline::Annotation(annotation) => {
                source.text.push_str(&domain::content::document::inline_text(&annotation.content));
                let note = blocks.note(annotation);
                source.notes.push((source.text.len(), note));
            }
            // Expressions that are still here are none, and nothing else can be in code.
            _ => {}
        }
    }
    source
}

/// How lines of code are rendered.
struct Lines<'d> {
    is_diff: bool,
    /// Whether each line is an element of its own.
    by_line: bool,
    /// The lines that are marked, from 0.
    marked: Option<&'d BTreeSet<u32>>,
    notes: Vec<(usize, Markup)>,
}

impl Lines<'_> {
    fn render(&self, lines: &[Vec<Token<'_>>]) -> Markup {
        let mut notes = self.notes.iter().peekable();
        let mut end = 0;
        let mut rendered = Vec::with_capacity(lines.len());
        for line in lines {
            rendered.push(html! {
                @for token in line { (self.token(token, &mut end, &mut notes)) }
                // Notes to an empty line.
                @while let Some((_, note)) = notes.next_if(|(at, _)| *at <= end) { (note) }
            });
            end += 1;
        }
        html! {
            @for (at, tokens) in rendered.iter().enumerate() {
                @let feed = if at + 1 < lines.len() { "\n" } else { "" };
                @if self.by_line {
                    span class=(self.class(at, &lines[at])) { (tokens) (feed) }
                } @else {
                    (tokens) (feed)
                }
            }
        }
    }

    /// A token with the notes that end in it.
    fn token<'n>(
        &self,
        token: &Token<'_>,
        end: &mut usize,
        notes: &mut std::iter::Peekable<impl Iterator<Item = &'n (usize, Markup)>>,
    ) -> Markup {
        let mut rest = token.text;
        let mut parts = Vec::new();
        while let Some((at, note)) = notes.next_if(|(at, _)| *at <= *end + rest.len()) {
            let (before, after) = rest.split_at_checked(at.saturating_sub(*end)).unwrap_or((rest, ""));
            parts.push((before, Some(note)));
            *end += before.len();
            rest = after;
        }
        *end += rest.len();
        parts.push((rest, None));
        html! {
            @for (text, note) in parts {
                @match token.class {
                    Some(class) if !text.is_empty() => { span class=(class) { (text) } },
                    _ => { (text) },
                }
                @if let Some(note) = note { (note) }
            }
        }
    }

    fn class(&self, at: usize, line: &[Token<'_>]) -> String {
        let text = line.first().map_or("", |token| token.text);
        let is_marked = u32::try_from(at).is_ok_and(|at| self.marked.is_some_and(|marked| marked.contains(&at)));
        classes(
            "o-line",
            &[
                ("o-marked", is_marked),
                ("o-added", self.is_diff && text.starts_with('+') && !text.starts_with("+++")),
                ("o-removed", self.is_diff && text.starts_with('-') && !text.starts_with("---")),
            ],
        )
    }
}
