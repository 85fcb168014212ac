//! What files say about the places of pages and folders among their siblings.
use super::encoding::decode;
use super::path::{is_markdown, name};
use crate::markdown::{self, FrontMatter, Unresolved};
use serde_json::Value;

/// Names in front matter that number a page among its siblings.
const ORDER_KEYS: [&str; 4] = ["order", "weight", "sidebar_position", "nav_order"];

/// Names of the files of settings of a folder.
const SETTINGS: [&str; 3] = ["_category_.json", "_category_.yml", "_category_.yaml"];

/// What a file says about its page, or about its folder, among the siblings.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Sibling {
    /// The number that gives it a position.
    pub number: Option<f64>,
    /// The title of a folder.
    pub label: Option<String>,
}

impl Sibling {
    /// Reads a file: the front matter of Markdown, or the settings of a folder (`_category_.json`).
    pub(crate) fn read(path: &str, file: &[u8]) -> Self {
        if is_markdown(path) {
            return Self { number: order_number(file), label: None };
        }
        // JSON is YAML.
        let settings = FrontMatter::of_yaml(&decode(file).0).unwrap_or_default();
        let label = settings.text("label").map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned);
        Self { number: settings.get("position").and_then(Value::as_f64), label }
    }
}

/// Whether a file has the settings of its folder, by its name.
pub(crate) fn is_settings(path: &str) -> bool {
    SETTINGS.contains(&name(path))
}

/// The number in the front matter of a file that gives its page a position among its siblings.
pub(crate) fn order_number(file: &[u8]) -> Option<f64> {
    let front = front_matter(&decode(file).0)?;
    ORDER_KEYS.iter().find_map(|key| front.get(key)?.as_f64())
}

/// The front matter of a file, without reading its text.
pub(super) fn front_matter(text: &str) -> Option<FrontMatter> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = ["---", "+++"].into_iter().find(|mark| text.starts_with(mark))?;
    let end = text[mark.len()..].find(&format!("\n{mark}"))? + "---\n---".len();
    let front = text.get(..end)?;
    markdown::parse(&format!("{front}\n"), &Unresolved).front_matter
}
