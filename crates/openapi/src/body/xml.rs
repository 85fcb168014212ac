//! Values as XML, by the keyword `xml` of their schemas.
use crate::schema::{LocatedNode, Merged, Schemas};
use crate::tree::{Members, Node, Value};

/// The maximum number of properties of schemas that are read for a document; the others are left out.
const MAX_PROPERTIES: usize = 500_000;
/// The maximum depth of elements that are written.
const MAX_DEPTH: usize = 100;

/// The value as an XML document.
pub(crate) fn xml<'a>(schemas: &Schemas<'a>, schema: &LocatedNode<'a>, value: &Node) -> String {
    let merged = schemas.merged(schema);
    let component = merged.layers.iter().find_map(|layer| layer.located.component());
    let mut writer =
        Writer { schemas, out: String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"), left: MAX_PROPERTIES };
    writer.element(component.as_deref().unwrap_or("root"), &merged, value, 0);
    writer.out
}

struct Writer<'a, 's> {
    schemas: &'s Schemas<'a>,
    out: String,
    /// The number of properties of schemas that can still be read.
    left: usize,
}

impl<'a> Writer<'a, '_> {
    /// Writes an element, or several for a list that has no element around it.
    fn element(&mut self, name: &str, merged: &Merged<'a>, value: &Node, depth: usize) {
        let Some(left) = self.left.checked_sub(1 + merged.property_count()) else { return };
        self.left = left;
        if depth > MAX_DEPTH {
            return;
        }
        match &value.value {
            Value::List(items) => self.list(name, merged, items, depth),
            Value::Map(members) => self.mapping(name, merged, members, depth),
            _ => {
                let style = merged.get("xml");
                let tag = tag(name, style);
                self.line(depth, &format!("<{tag}{}>{}</{tag}>", namespace(style), escaped(&text_of(value))));
            }
        }
    }

    fn list(&mut self, name: &str, merged: &Merged<'a>, items: &[Node], depth: usize) {
        let style = merged.get("xml");
        let below = self.schemas.merged_all(&merged.below("items"));
        let is_wrapped = depth == 0 || style.is_some_and(|style| style.is_true("wrapped"));
        if !is_wrapped {
            // Items without a name of their own have that of the list.
            let name = own_name(style).unwrap_or(name);
            items.iter().for_each(|item| self.element(name, &below, item, depth + 1));
            return;
        }
        let tag = tag(name, style);
        self.line(depth, &format!("<{tag}{}>", namespace(style)));
        items.iter().for_each(|item| self.element(name, &below, item, depth + 1));
        self.line(depth, &format!("</{tag}>"));
    }

    fn mapping(&mut self, name: &str, merged: &Merged<'a>, members: &Members, depth: usize) {
        let style = merged.get("xml");
        let properties = merged.properties();
        let mut attributes = namespace(style);
        let mut children = Vec::new();
        for (name, member) in members {
            let located_nodes = properties.get(&**name).cloned();
            let below = self.schemas.merged_all(&located_nodes.unwrap_or_else(|| merged.below("additionalProperties")));
            let style = below.get("xml");
            if style.is_some_and(is_attribute) {
                attributes.push_str(&format!(" {}=\"{}\"", tag(name, style), escaped(&text_of(&member.node))));
            } else {
                children.push((name, below, &member.node));
            }
        }
        let tag = tag(name, style);
        if children.is_empty() {
            return self.line(depth, &format!("<{tag}{attributes}/>"));
        }
        self.line(depth, &format!("<{tag}{attributes}>"));
        for (name, below, value) in children {
            self.element(name, &below, value, depth + 1);
        }
        self.line(depth, &format!("</{tag}>"));
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.out.extend(std::iter::repeat_n("  ", depth));
        self.out.push_str(text);
        self.out.push('\n');
    }
}

/// Whether a value with this `xml` is an attribute.
fn is_attribute(style: &Node) -> bool {
    style.is_true("attribute") || style.text_of("nodeType") == Some("attribute")
}

/// The name that `xml` states.
fn own_name(style: Option<&Node>) -> Option<&str> {
    style?.text_of("name")
}

/// The name of an element or attribute, with its prefix: that of `xml`, or else this one.
fn tag(name: &str, style: Option<&Node>) -> String {
    let name = own_name(style).unwrap_or(name);
    match style.and_then(|style| style.text_of("prefix")) {
        Some(prefix) => format!("{}:{}", valid_name(prefix), valid_name(name)),
        None => valid_name(name),
    }
}

/// The attribute that declares the namespace of an element.
fn namespace(style: Option<&Node>) -> String {
    let Some(address) = style.and_then(|style| style.text_of("namespace")) else { return String::new() };
    let prefix = style.and_then(|style| style.text_of("prefix"));
    let prefix = prefix.map(|prefix| format!(":{}", valid_name(prefix))).unwrap_or_default();
    format!(" xmlns{prefix}=\"{}\"", escaped(address))
}

/// The name with `_` for each character that XML does not allow in names.
fn valid_name(name: &str) -> String {
    let mut out: String = name
        .chars()
        .map(|char| if char.is_alphanumeric() || matches!(char, '_' | '-' | '.') { char } else { '_' })
        .collect();
    if !out.starts_with(|char: char| char.is_alphabetic() || char == '_') {
        out.insert(0, '_');
    }
    out
}

fn text_of(value: &Node) -> String {
    match value.as_text() {
        Some(text) => text.to_owned(),
        None if matches!(value.value, Value::Null) => String::new(),
        None => value.to_json(),
    }
}

/// The text with references for what would be markup. Characters that XML does not have are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(char),
            '\r' => out.push_str("&#13;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            char => out.push(char),
        }
    }
    out
}
