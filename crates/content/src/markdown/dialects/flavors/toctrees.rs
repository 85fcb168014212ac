//! The tables of contents and the labels of a file of MyST.
use super::directives::{Ends, Open, Options};
use super::myst::{Directive, anchor_of, is_heading, label};
use super::{Line, MAX_DEPTH, Written, escaped, line_count, pointed, without_blanks};
use crate::document::MAX_PARTS;
use crate::markdown::dialects::walk::Walk;
use crate::markdown::raw::Formulas;
use crate::markdown::{front_matter, normal_lines, plain_line};

/// The longest title of a label, in characters. Each of many labels can have the same one.
const MAX_TITLE: usize = 200;

/// What other files depend on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Its tables of contents.
    pub toctrees: Vec<Toctree>,
    /// Its labels.
    pub labels: Vec<LabelAt>,
}

/// A label.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LabelAt {
    /// Its name.
    pub name: String,
    /// The text of the heading after it; empty if there is none.
    pub title: String,
    /// Its anchor; `None` for the title of the file.
    pub anchor: Option<String>,
}

/// A table of contents.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Toctree {
    /// Its title.
    pub caption: Option<String>,
    /// Whether its entries can be patterns of names.
    pub is_glob: bool,
    /// Its entries.
    pub entries: Vec<ToctreeEntry>,
}

/// An entry of a table of contents.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ToctreeEntry {
    /// The title that it has here.
    pub title: Option<String>,
    /// A path without an extension, a pattern, or an address.
    pub target: String,
    /// Its line, from 1.
    pub line: usize,
}

impl Parts {
    /// The parts of a file in Markdown.
    pub(crate) fn of(text: &str) -> Self {
        let mut parts = Self::default();
        if !text.contains("toctree}") && !text.contains(")=") {
            return parts;
        }
        let text = normal_lines(text);
        // It is kept as source.
        if line_count(&text) > MAX_PARTS {
            return parts;
        }
        let (_, body) = front_matter::split(&text);
        let first = 1 + text[..text.len() - body.len()].matches('\n').count();
        let lines: Vec<Line<'_>> = (first..).zip(body.split('\n')).collect();
        parts.add(&lines, 0);
        parts
    }

    /// The tables of contents of a file in reStructuredText: `.. toctree::`, and indented lines.
    pub(crate) fn of_restructured_text(text: &str) -> Self {
        let lines: Vec<Line<'_>> = (1..).zip(text.lines()).collect();
        let mut parts = Self::default();
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at].1;
            at += 1;
            if line.trim() != ".. toctree::" {
                continue;
            }
            let column = line.len() - line.trim_start().len();
            let is_inside = |line: &str| line.trim().is_empty() || line.len() - line.trim_start().len() > column;
            let count = lines[at..].iter().take_while(|(_, line)| is_inside(line)).count();
            let (options, content) = Options::take(&lines[at..at + count]);
            parts.toctrees.push(Toctree::of(&options, content));
            at += count;
        }
        parts
    }

    fn add(&mut self, lines: &[Line<'_>], depth: usize) {
        let texts: Vec<&str> = lines.iter().map(|(_, text)| *text).collect();
        let formulas = Formulas::of(&texts);
        let ends = Ends::of(&texts);
        let mut walk = Walk::new(&formulas, texts.len(), Some(0));
        // Only the first block of a file is its title.
        let mut is_first = depth == 0;
        let mut names: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < texts.len() {
            let line = texts[at];
            let is_free = walk.is_free_for(at, line);
            let open = Open::lex(line).filter(|_| is_free);
            if let Some((end, open)) = open.and_then(|open| Some((ends.of_line(at)?, open))) {
                let inside = without_blanks(&lines[at + 1..end], open.blanks);
                if open.name == "toctree" {
                    let (options, content) = Options::take(&inside);
                    self.toctrees.push(Toctree::of(&options, content));
                } else if !open.name.contains("code") && depth < MAX_DEPTH {
                    self.add(&inside, depth + 1);
                }
                self.label(&mut names, "", false);
                (at, is_first) = (end + 1, false);
                continue;
            }
            let seen = walk.line(at, line);
            at += 1;
            if line.trim().is_empty() || line.starts_with('%') {
                continue;
            }
            if let Some(name) = label(line).filter(|_| is_free && seen.may_begin && !seen.in_item) {
                names.push(name);
                continue;
            }
            if is_free && is_heading(line) {
                self.label(&mut names, line, is_first && line.starts_with("# "));
            } else {
                self.label(&mut names, "", false);
            }
            is_first = false;
        }
        self.label(&mut names, "", false);
    }

    /// Adds labels of a heading, or of something else.
    fn label(&mut self, names: &mut Vec<&str>, heading: &str, is_title: bool) {
        if names.is_empty() {
            return;
        }
        let title = heading.trim_matches(['#', ' ']);
        let title = title.strip_suffix('}').and_then(|title| title.rsplit_once('{')).map_or(title, |(title, _)| title);
        let title: String = plain_line(title.trim()).chars().take(MAX_TITLE).collect();
        self.labels.extend(names.drain(..).map(|name| {
            let anchor = if is_title { None } else { anchor_of(name) };
            LabelAt { name: name.to_owned(), title: title.clone(), anchor }
        }));
    }
}

impl Toctree {
    fn of(options: &Options<'_>, content: &[Line<'_>]) -> Self {
        let caption = options.text("caption").map(str::to_owned);
        let entries = content.iter().filter_map(|(line, text)| ToctreeEntry::of(text, *line)).collect();
        Self { caption, is_glob: options.get("glob").is_some(), entries }
    }
}

impl ToctreeEntry {
    fn of(text: &str, line: usize) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text == "self" {
            return None;
        }
        let titled = text.strip_suffix('>').and_then(|text| text.rsplit_once('<'));
        let titled = titled.filter(|(title, target)| !title.trim().is_empty() && !target.trim().is_empty());
        Some(match titled {
            Some((title, target)) => {
                Self { title: Some(title.trim().to_owned()), target: target.trim().to_owned(), line }
            }
            None => Self { title: None, target: text.to_owned(), line },
        })
    }
}

/// A table of contents in a text: a list of links to its pages, unless it is hidden.
pub(super) fn written(directive: &Directive<'_, '_>) -> Vec<Written> {
    let toctree = Toctree::of(&directive.options, directive.content);
    if directive.options.get("hidden").is_some() {
        return vec![directive.line("")];
    }
    let mut written = Vec::new();
    if let Some(caption) = toctree.caption {
        written.extend([directive.line(format!("**{}**", escaped(&caption))), directive.line("")]);
    }
    for entry in toctree.entries {
        let Some(href) = pointed(&entry.target).filter(|_| !(toctree.is_glob && is_pattern(&entry.target))) else {
            continue;
        };
        let (label, about) = match &entry.title {
            Some(title) => (escaped(title), ""),
            None if entry.target.contains("://") => (escaped(&entry.target), ""),
            None => (escaped(&entry.target), " \"mention\""),
        };
        written.push((entry.line, format!("* [{label}]({href}{about})")));
    }
    written.push(directive.line(""));
    written
}

/// Whether an entry stands for all files whose names match it.
pub(crate) fn is_pattern(target: &str) -> bool {
    target.contains(['*', '?'])
}
