//! The meaning of directives, labels and comments of MyST.
use super::directives::{Ends, Open, Options};
use super::{Block, Flavor, Line, MAX_DEPTH, Place, Syntax, Written, as_comment, blocks, escaped, fenced, pointed};
use super::{code, deflists, figures, inline, tables, toctrees};
use crate::markdown::admonitions;
use crate::markdown::dialects::title_of_tag;

const END_OF_HINT: &str = "{% endhint %}";

/// Directives of which only the content stays.
const LEFT_OUT: [&str; 8] =
    ["card-carousel", "container", "div", "grid", "grid-item", "sd-table", "tab-set-code", "table-wrapper"];

/// Names of other directives that are known.
const OTHERS: [&str; 30] = [
    "admonition",
    "aside",
    "button-link",
    "button-ref",
    "card",
    "centered",
    "contents",
    "csv-table",
    "deprecated",
    "details",
    "dropdown",
    "figure",
    "glossary",
    "grid-item-card",
    "group-tab",
    "image",
    "list-table",
    "margin",
    "math",
    "rubric",
    "sidebar",
    "tab",
    "tab-item",
    "tab-set",
    "table",
    "tableofcontents",
    "tabs",
    "toctree",
    "topic",
    "versionadded",
];

/// Whether a directive is known and has what it needs, so that it is [written](directive).
pub(super) fn is_known(open: &Open<'_>) -> bool {
    let name = open.name.to_ascii_lowercase();
    if matches!(name.as_str(), "figure" | "image" | "button-link" | "button-ref") {
        return !open.argument.is_empty() && pointed(open.argument).is_some();
    }
    let is_code = code::language(&name).is_some();
    let is_version = matches!(name.as_str(), "versionchanged" | "versionremoved");
    let is_other = LEFT_OUT.contains(&name.as_str()) || OTHERS.contains(&name.as_str());
    is_code || is_version || is_other || admonition_style(&name).is_some()
}

/// Whether a directive is [known](is_known), and its content is in the text. `after` are the lines after its first one,
/// without the blanks before it; only some of them are read.
pub(super) fn is_read(open: &Open<'_>, after: &[Line<'_>]) -> bool {
    is_known(open) && !tables::is_elsewhere(open, after)
}

/// Writes a directive; `None` if it is not [read](is_read).
pub(super) fn directive(
    open: &Open<'_>,
    number: usize,
    inside: &[Line<'_>],
    flavor: &Flavor<'_>,
    depth: usize,
) -> Option<Vec<Written>> {
    if !is_read(open, inside) {
        return None;
    }
    let (options, content) = Options::take(inside);
    let directive = Directive { open, number, options, content, flavor, depth };
    let name = open.name.to_ascii_lowercase();
    if depth >= MAX_DEPTH {
        return Some(directive.too_deep(inside));
    }
    if let Some(language) = code::language(&name) {
        return Some(code::directive(&directive, language));
    }
    if LEFT_OUT.contains(&name.as_str()) {
        return Some(directive.inside());
    }
    match name.as_str() {
        "admonition" | "sidebar" | "topic" | "margin" | "aside" => Some(directive.titled()),
        "dropdown" | "details" => Some(directive.expandable(open.argument)),
        "versionadded" | "versionchanged" | "deprecated" | "versionremoved" => Some(directive.version(&name)),
        "math" => Some(directive.math()),
        "image" | "figure" => figures::directive(&directive),
        "toctree" => Some(toctrees::written(&directive)),
        "contents" | "tableofcontents" => Some(Vec::new()),
        "tab-set" | "tabs" => Some(directive.tabs()),
        "tab-item" | "tab" | "group-tab" => Some(directive.with_title(open.argument)),
        "card" | "grid-item-card" => Some(directive.card()),
        "button-link" | "button-ref" => directive.button(&name),
        "rubric" | "centered" => Some(directive.with_title(open.argument)),
        "table" => Some(directive.with_title(open.argument)),
        "list-table" => Some(tables::of_lists(&directive)),
        "csv-table" => Some(tables::of_values(&directive)),
        "glossary" => Some(deflists::glossary(&directive)),
        name => admonition_style(name).map(|(style, title)| directive.hint(&style, title)),
    }
}

/// The style of a hint, and the title that it has in Sphinx if its name does not say enough.
fn admonition_style(name: &str) -> Option<(String, &'static str)> {
    let title = match name {
        "seealso" => "See also",
        "todo" => "Todo",
        "note" | "important" | "hint" | "tip" | "warning" | "caution" | "attention" | "danger" | "error" => "",
        _ => return None,
    };
    let kind = if name == "seealso" { "info" } else { name };
    admonitions::style(kind).map(|(style, _)| (style.to_string(), title))
}

/// A title as an attribute of a tag. What cannot be one is the first line of the text.
fn title_of(title: &str) -> (String, Vec<String>) {
    match title_of_tag(title) {
        Some(title) => (format!(" title=\"{title}\""), Vec::new()),
        None if title.trim().is_empty() => (String::new(), Vec::new()),
        None => (String::new(), vec![format!("**{}**", escaped(title))]),
    }
}

/// A directive with its options and its content.
pub(super) struct Directive<'d, 't> {
    pub(super) open: &'d Open<'t>,
    /// The number of its first line.
    pub(super) number: usize,
    pub(super) options: Options<'t>,
    pub(super) content: &'d [Line<'t>],
    pub(super) flavor: &'d Flavor<'d>,
    pub(super) depth: usize,
}

impl Directive<'_, '_> {
    /// A line that comes from its first line.
    pub(super) fn line(&self, text: impl Into<String>) -> Written {
        (self.number, text.into())
    }

    /// Its content.
    pub(super) fn inside(&self) -> Vec<Written> {
        let mut written = blocks(self.content, self.flavor, self.depth + 1);
        while written.last().is_some_and(|(_, line)| line.trim().is_empty()) {
            written.pop();
        }
        written
    }

    /// Its content between two tags, with lines before it.
    fn between(&self, begin: &str, before: Vec<String>, end: &str) -> Vec<Written> {
        let mut written = vec![self.line(begin)];
        let has_title = !before.is_empty();
        written.extend(before.into_iter().map(|line| self.line(line)));
        let inside = self.inside();
        if has_title && !inside.is_empty() {
            written.push(self.line(""));
        }
        let last = self.content.last().map_or(self.number, |(number, _)| *number);
        written.extend(inside);
        written.extend([(last, String::new()), (last, end.to_owned())]);
        written
    }

    /// A text of its first line, in which roles are read.
    pub(super) fn words(&self, text: &str) -> String {
        inline::rewritten(text, self.flavor).unwrap_or_else(|| text.to_owned())
    }

    /// A title in bold, unless it has marks of its own.
    pub(super) fn bold(&self, title: &str) -> String {
        let title = self.words(title);
        if title.contains(['[', '*']) { title } else { format!("**{title}**") }
    }

    /// Its content after a title.
    pub(super) fn with_title(&self, title: &str) -> Vec<Written> {
        let mut written = Vec::new();
        if !title.is_empty() {
            written.extend([self.line(self.bold(title)), self.line("")]);
        }
        written.extend(self.inside());
        written
    }

    /// A hint, or an expandable if its class says so.
    fn hint(&self, style: &str, title: &str) -> Vec<Written> {
        let argument = self.open.argument;
        if self.is_folded() {
            let name = capitalized(self.open.name);
            let title = [argument, title].into_iter().find(|title| !title.is_empty()).unwrap_or(&name);
            return self.expandable(title);
        }
        let begin = format!("{{% hint style=\"{style}\" %}}");
        let titled = |title: &str| if title.is_empty() { Vec::new() } else { vec![self.bold(title)] };
        let is_title = self.flavor.has(Syntax::MystTitles) && !self.content.is_empty();
        if argument.is_empty() || is_title {
            let title = if argument.is_empty() { title } else { argument };
            return self.between(&begin, titled(title), END_OF_HINT);
        }
        let mut content = vec![(self.number, argument)];
        content.extend_from_slice(self.content);
        self.with_content(&content).between(&begin, titled(title), END_OF_HINT)
    }

    fn is_folded(&self) -> bool {
        self.options.get("class").is_some_and(|class| class.split_whitespace().any(|class| class == "dropdown"))
    }

    /// A hint with a title of its own.
    fn titled(&self) -> Vec<Written> {
        let title = self.open.argument;
        if self.is_folded() {
            return self.expandable(title);
        }
        let classes = self.options.get("class").unwrap_or_default();
        let style = classes.split_whitespace().find_map(admonition_style);
        let style = style.map_or_else(|| "info".to_owned(), |(style, _)| style);
        let before = if title.is_empty() { Vec::new() } else { vec![self.bold(title)] };
        self.between(&format!("{{% hint style=\"{style}\" %}}"), before, END_OF_HINT)
    }

    fn expandable(&self, title: &str) -> Vec<Written> {
        let (title, before) = title_of(title);
        let open = if self.options.get("open").is_some() { " open=\"true\"" } else { "" };
        self.between(&format!("{{% expandable{title}{open} %}}"), before, "{% endexpandable %}")
    }

    fn version(&self, name: &str) -> Vec<Written> {
        let (style, words) = match name {
            "versionadded" => ("info", "New in version"),
            "versionchanged" => ("info", "Changed in version"),
            "versionremoved" => ("warning", "Removed in version"),
            _ => ("warning", "Deprecated since version"),
        };
        let (version, about) = self.open.argument.split_once(' ').unwrap_or((self.open.argument, ""));
        let title = format!("**{words} {}** {}", escaped(version), self.words(about.trim()));
        self.between(&format!("{{% hint style=\"{style}\" %}}"), vec![title.trim_end().to_owned()], END_OF_HINT)
    }

    fn math(&self) -> Vec<Written> {
        let mut lines: Vec<Line<'_>> = self.content.to_vec();
        if !self.open.argument.is_empty() {
            lines.insert(0, (self.number, self.open.argument));
        }
        let has = |sign: &str| lines.iter().any(|(_, line)| line.contains(sign));
        // Several lines are aligned in Sphinx, too.
        let (before, after) = match has("\\\\") && !has("\\begin") {
            true => (Some("\\begin{aligned}"), Some("\\end{aligned}")),
            false => (None, None),
        };
        let last = lines.last().map_or(self.number, |(number, _)| *number);
        lines.splice(0..0, before.map(|line| (self.number, line)));
        lines.extend(after.map(|line| (last, line)));
        fenced(self.number, "math", &lines)
    }

    /// Tabs, if each block in it is one.
    fn tabs(&self) -> Vec<Written> {
        let Some(items) = self.items() else { return self.inside() };
        let last = self.content.last().map_or(self.number, |(number, _)| *number);
        let mut written = vec![self.line("{% tabs %}")];
        for (number, open, inside) in &items {
            let (options, content) = Options::take(inside);
            let (title, before) = title_of(&open.argument.replace(['`', '*'], ""));
            let (number, flavor, depth) = (*number, self.flavor, self.depth + 1);
            let item = Directive { open, number, options, content, flavor, depth };
            written.extend(item.between(&format!("{{% tab{title} %}}"), before, "{% endtab %}"));
        }
        written.push((last, "{% endtabs %}".to_owned()));
        written
    }
}

/// An item: the number of its first line, its first line, and its content.
type Item<'t> = (usize, Open<'t>, Vec<Line<'t>>);

impl<'t> Directive<'_, 't> {
    /// The tabs in it, if there is nothing else.
    fn items(&self) -> Option<Vec<Item<'t>>> {
        let texts: Vec<&str> = self.content.iter().map(|(_, line)| *line).collect();
        let ends = Ends::of(&texts);
        let (mut items, mut at) = (Vec::new(), 0);
        while let Some(&(number, line)) = self.content.get(at) {
            if line.trim().is_empty() {
                at += 1;
                continue;
            }
            let open = Open::lex(line).filter(|open| matches!(open.name, "tab-item" | "tab" | "group-tab"))?;
            let end = ends.of_line(at)?;
            items.push((number, open, super::without_blanks(&self.content[at + 1..end], open.blanks)));
            at = end + 1;
        }
        (!items.is_empty() && self.depth + 1 < MAX_DEPTH).then_some(items)
    }

    /// The same with other content.
    fn with_content<'c>(&'c self, content: &'c [Line<'t>]) -> Directive<'c, 't> {
        let Self { open, number, flavor, depth, .. } = *self;
        Directive { open, number, options: Options::default(), content, flavor, depth }
    }

    /// A card: a title with a link, and its content.
    fn card(&self) -> Vec<Written> {
        // This line is after the head of a card. The one before its foot is a break between blocks.
        let is_line = |line: &str| line.trim_end() == "^^^";
        let lines = self.content.iter().map(|(number, line)| (*number, if is_line(line) { "" } else { line }));
        let content: Vec<Line<'_>> = lines.collect();
        let inside = self.with_content(&content);
        let href = self.options.text("link").and_then(|link| self.href(link, self.options.text("link-type")));
        let title = self.words(self.open.argument);
        match href {
            Some(href) if !title.is_empty() && !title.contains('[') => {
                inside.with_line(format!("**[{title}]({href})**"))
            }
            Some(href) => {
                let mut written = inside.with_title(self.open.argument);
                let label = escaped(self.options.text("link").unwrap_or_default());
                let last = written.last().map_or(self.number, |(number, _)| *number);
                written.extend([(last, String::new()), (last, format!("[{label}]({href} \"mention\")"))]);
                written
            }
            None => inside.with_title(self.open.argument),
        }
    }

    /// Its content after a line.
    fn with_line(&self, line: String) -> Vec<Written> {
        let mut written = vec![self.line(line), self.line("")];
        written.extend(self.inside());
        written
    }

    /// A button: a link.
    fn button(&self, name: &str) -> Option<Vec<Written>> {
        let href = self.href(self.open.argument, (name == "button-ref").then_some("ref"))?;
        let words: Vec<&str> = self.content.iter().map(|(_, line)| line.trim()).collect();
        let words = words.join(" ");
        let words = match words.trim() {
            "" => escaped(self.open.argument),
            words => {
                Some(self.words(words)).filter(|words| !words.contains(['[', ']'])).unwrap_or_else(|| escaped(words))
            }
        };
        Some(vec![self.line(format!("[{words}]({href})"))])
    }

    /// The address of a link of this type.
    fn href(&self, link: &str, kind: Option<&str>) -> Option<String> {
        let label = if matches!(kind, Some("url" | "doc")) { None } else { (self.flavor.label)(link) };
        pointed(label.as_ref().map_or(link, |label| label.href.as_str())).filter(|_| !link.is_empty())
    }

    /// Source of a directive that is too deep in others: its text, as code.
    fn too_deep(&self, inside: &[Line<'t>]) -> Vec<Written> {
        let last = inside.last().map_or(self.number, |(number, _)| *number);
        let mark = self.open.mark.to_string().repeat(self.open.length());
        let first = format!("{mark}{{{}}} {}", self.open.name, self.open.argument);
        let mut lines = vec![(self.number, first.trim_end())];
        lines.extend_from_slice(inside);
        lines.push((last, &mark));
        fenced(self.number, "markdown", &lines)
    }
}

/// A comment, a label or a break between blocks.
pub(super) fn line(place: &Place<'_, '_>, flavor: &Flavor<'_>) -> Option<Block> {
    let (number, line) = place.lines[place.at];
    let body = line.trim_start();
    let one = |text: String| Some(Block { end: place.at + 1, written: vec![(number, text)] });
    if flavor.escapes {
        let text = || inline::rewritten(body, flavor).unwrap_or_else(|| body.to_owned());
        return if body.starts_with('%') || label(body).is_some() { one(escaped_first(text())) } else { None };
    }
    if let Some(comment) = body.strip_prefix('%') {
        return one(format!("<!-- {} -->", as_comment(comment.trim())));
    }
    if body.starts_with("+++") {
        return one(String::new());
    }
    label(body)?;
    let mut anchors = Vec::new();
    let mut next = place.at;
    while let Some(text) = place.texts.get(next) {
        match label(text.trim_start()) {
            Some(label) => anchors.extend(anchor_of(label)),
            None if text.trim().is_empty() => {}
            None => break,
        }
        next += 1;
    }
    let mut written = Vec::new();
    let heading = place.lines.get(next).filter(|(_, text)| is_heading(text));
    if let Some((at, heading)) = heading {
        let text = heading.trim_end();
        let open = text.trim_end_matches('#');
        let mut heading = if open.ends_with(' ') { open.trim_end() } else { text }.to_owned();
        if !heading.ends_with('}')
            && let Some(anchor) = anchors.pop()
        {
            heading.push_str(&format!(" {{#{anchor}}}"));
        }
        written.push((*at, inline::rewritten(&heading, flavor).unwrap_or(heading)));
    }
    let place_of = |anchor: String| [(number, format!("<a id=\"{anchor}\"></a>")), (number, String::new())];
    // A title is the first block of its file, so other places are after it.
    if heading.is_some() && !anchors.is_empty() {
        written.push((number, String::new()));
    }
    written.extend(anchors.into_iter().flat_map(place_of));
    if written.is_empty() {
        written.push((number, String::new()));
    }
    Some(Block { end: next + usize::from(heading.is_some()), written })
}

/// A text with a backslash before it.
fn escaped_first(text: String) -> String {
    if text.starts_with('\\') { text } else { format!("\\{text}") }
}

pub(super) fn is_heading(line: &str) -> bool {
    let marks = line.len() - line.trim_start_matches('#').len();
    (1..=6).contains(&marks) && line[marks..].starts_with(' ') && !line[marks..].trim().is_empty()
}

/// The label in a line of its own: `(label)=`.
pub(super) fn label(line: &str) -> Option<&str> {
    let label = line.trim_end().strip_prefix('(')?.strip_suffix(")=")?;
    (!label.trim().is_empty() && label.len() <= MAX_LABEL && !label.contains(['(', ')'])).then_some(label.trim())
}

/// The longest label, in bytes.
const MAX_LABEL: usize = 200;

/// The anchor of a label, as Sphinx makes it.
pub(super) fn anchor_of(label: &str) -> Option<String> {
    let mut anchor = String::with_capacity(label.len());
    for each in label.chars() {
        if each.is_ascii_alphanumeric() {
            anchor.push(each.to_ascii_lowercase());
        } else if !anchor.is_empty() && !anchor.ends_with('-') {
            anchor.push('-');
        }
    }
    let anchor = anchor.trim_start_matches(|first: char| !first.is_ascii_alphabetic()).trim_end_matches('-');
    (!anchor.is_empty()).then(|| anchor.to_owned())
}

fn capitalized(name: &str) -> String {
    let (first, rest) = name.split_at(name.len().min(1));
    first.to_ascii_uppercase() + rest
}
