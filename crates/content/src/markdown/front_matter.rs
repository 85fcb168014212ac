//! Front matter: the metadata of a page in its Markdown file, in YAML between two lines of `---`.
//!
//! It is edited as a text: an unchanged entry is written back byte for byte, with its comments. Front matter in TOML,
//! between two lines of `+++`, is written back byte for byte until an entry changes; then it is in YAML, without
//! its comments.
use super::spelling::spelled;
use super::toml;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The front matter of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontMatter {
    /// The source, while nothing is changed and it cannot be split into entries or is not YAML.
    whole: Option<String>,
    malformed: bool,
    toml: bool,
    preamble: String,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    key: String,
    value: Value,
    source: String,
}

macro_rules! known {
    ($($(#[$doc:meta])* $name:ident $key:literal: $how:ident -> $type:ty;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self) -> $type {
            self.$how($key)
        }
    )*};
}

impl FrontMatter {
    known! {
        /// The page's title, in place of the one in its text.
        title "title": text -> Option<&str>;
        /// The page's description.
        description "description": text -> Option<&str>;
        /// The name of its icon.
        icon "icon": text -> Option<&str>;
        /// Its emoji.
        emoji "emoji": text -> Option<&str>;
        /// Whether it is left out of the table of contents.
        hidden "hidden": flag -> Option<bool>;
        /// Whether the site's search leaves it out.
        no_index "noIndex": flag -> Option<bool>;
        /// Whether search engines are asked to leave it out.
        no_robots_index "noRobotsIndex": flag -> Option<bool>;
        /// The parts around its text that are shown, free-form.
        layout "layout": get -> Option<&Value>;
        /// The address of its cover.
        cover "cover": text -> Option<&str>;
        /// The vertical offset of the cover, in pixels from its middle.
        cover_y "coverY": get -> Option<&Value>;
        /// Its tags.
        tags "tags": get -> Option<&Value>;
        /// Its variables.
        vars "vars": get -> Option<&Value>;
        /// The condition on which it is shown.
        condition "if": text -> Option<&str>;
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The value of a key, if it is a text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }

    /// The value of a key, if it is a boolean.
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.get(key).and_then(Value::as_bool)
    }

    /// Keys and values, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|entry| (entry.key.as_str(), &entry.value))
    }

    /// Whether it is neither a YAML mapping nor TOML. Then it has no entries, and is written back unchanged.
    pub fn is_malformed(&self) -> bool {
        self.malformed
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.whole.is_none() && self.preamble.is_empty() && self.entries.is_empty()
    }

    /// Sets the value of a key, or removes it. A new key comes last. Setting the present value changes nothing.
    /// Malformed source stays, before the new entries.
    pub fn set(&mut self, key: &str, value: Option<Value>) {
        if self.get(key) == value.as_ref() && self.is_written_as_json(key) {
            return;
        }
        match self.whole.take() {
            Some(source) if self.malformed => self.preamble = source,
            _ => self.toml &= self.malformed,
        }
        let at = self.entries.iter().position(|entry| entry.key == key);
        match (at, value) {
            (Some(at), None) => {
                self.entries.remove(at);
            }
            (Some(at), Some(value)) => self.entries[at] = Entry::new(key, value),
            (None, Some(value)) => self.entries.push(Entry::new(key, value)),
            (None, None) => {}
        }
    }

    /// Its text, with the lines around it.
    pub fn write(&self) -> String {
        let mark = if self.toml { "+++\n" } else { "---\n" };
        let mut out = String::from(mark);
        match &self.whole {
            Some(source) => out.push_str(source),
            None => {
                out.push_str(&self.preamble);
                self.entries.iter().for_each(|entry| out.push_str(&entry.source));
            }
        }
        out.push_str(mark);
        out
    }

    /// The written form of a value that takes one line, without quotation marks and comment: `1.10` where
    /// [`get`](Self::get) returns the number 1.1. `None` if the value takes several lines, or if the source is unknown.
    pub fn written(&self, key: &str) -> Option<&str> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        let (_, value) = entry.source.trim_end().split_once(':').filter(|(_, value)| !value.contains('\n'))?;
        let value = value.split_once(" #").map_or(value, |(value, _)| value).trim();
        (!value.is_empty() && !value.starts_with(['"', '\'', '&', '!', '*'])).then_some(value)
    }

    /// Its values, with texts for the numbers that JSON writes in another way: `1.10` where [`get`](Self::get) returns
    /// the number 1.1.
    pub(crate) fn as_written(&self) -> Map<String, Value> {
        let entries = self.entries.iter().map(|entry| (entry.key.clone(), entry.value.clone()));
        let text: String = match self.toml {
            true => self.entries.iter().map(|entry| entry.source.as_str()).collect(),
            false => self.write(),
        };
        let source = text.strip_prefix("---\n").and_then(|text| text.strip_suffix("---\n")).unwrap_or(&text);
        match spelled(source, &Value::Object(entries.collect())) {
            Value::Object(entries) => entries,
            _ => Map::new(),
        }
    }

    /// Whether the numbers within the value of a key are written as JSON writes them.
    fn is_written_as_json(&self, key: &str) -> bool {
        match self.get(key) {
            value @ Some(Value::Object(_) | Value::Array(_)) => self.as_written().get(key) == value,
            _ => true,
        }
    }

    /// Reads a YAML mapping that is not between lines of `---`; `None` if it is not a mapping.
    pub(crate) fn of_yaml(text: &str) -> Option<Self> {
        Self::read(text)
    }

    /// Reads the source between the lines of `---`; `None` if it is not front matter.
    fn read(source: &str) -> Option<Self> {
        let whole = Some(source.to_owned());
        let Ok(parsed) = serde_saphyr::from_str::<Mapping>(source) else {
            return if source.trim().is_empty() {
                Some(Self { whole, ..Self::default() })
            } else {
                begins_with_key(source).then_some(Self { whole, malformed: true, ..Self::default() })
            };
        };
        let (preamble, sources) = chunks(source);
        let matches = sources.len() == parsed.0.len()
            && sources.iter().zip(&parsed.0).all(|((key, _), (parsed, _))| key == parsed);
        if !matches {
            // Entries in braces have no lines of their own; this restores their numbers as written.
            let written = spelled(source, &Value::Object(parsed.0.iter().cloned().collect()));
            let entry = |(key, value): (String, Value)| {
                let source = match (&value, written.get(&key)) {
                    (Value::Number(_), Some(Value::String(text))) => format!("{}: {text}\n", name(&key)),
                    (_, written) => render(&key, written.unwrap_or(&value)),
                };
                Entry { key, value, source }
            };
            let entries = parsed.0.into_iter().map(entry).collect();
            return Some(Self { whole, entries, ..Self::default() });
        }
        let entries = (sources.into_iter().zip(parsed.0))
            .map(|((_, source), (key, value))| Entry { key, value, source: source.to_owned() })
            .collect();
        Some(Self { preamble: preamble.to_owned(), entries, ..Self::default() })
    }

    /// Reads the source between the lines of `+++`; `None` if it is not front matter.
    fn read_toml(source: &str) -> Option<Self> {
        let read = Self { whole: Some(source.to_owned()), toml: true, ..Self::default() };
        match toml::entries(source) {
            Some(entries) => {
                let entries = entries.into_iter().map(|(key, value)| Entry::new(&key, value)).collect();
                Some(Self { entries, ..read })
            }
            None => toml::begins(source).then_some(Self { malformed: true, ..read }),
        }
    }
}

impl Entry {
    fn new(key: &str, value: Value) -> Self {
        Self { key: key.to_owned(), source: render(key, &value), value }
    }
}

/// Splits the text of a file into its front matter and the rest.
pub(super) fn split(text: &str) -> (Option<FrontMatter>, &str) {
    let Some((first, rest)) = text.split_once('\n') else { return (None, text) };
    let (mark, read): (_, fn(&str) -> Option<FrontMatter>) = match first.trim_end() {
        "---" => ("---", FrontMatter::read),
        "+++" => ("+++", FrontMatter::read_toml),
        _ => return (None, text),
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == mark {
            let body = &rest[at + line.len()..];
            return match read(&rest[..at]) {
                Some(front_matter) => (Some(front_matter), body),
                None => (None, text),
            };
        }
        at += line.len();
    }
    (None, text)
}

/// A mapping in the order of its keys.
struct Mapping(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Mapping {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Mapping;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a mapping")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Mapping, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Mapping(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

fn begins_with_key(source: &str) -> bool {
    let line = source.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    key_of(line).is_some()
}

/// The key at the beginning of a line, if it is one of the outermost mapping.
fn key_of(line: &str) -> Option<String> {
    let (key, after) = line.split_once(':')?;
    let plain = key.trim_end();
    let unquoted = plain.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(plain);
    let unquoted = plain.strip_prefix('\'').and_then(|key| key.strip_suffix('\'')).unwrap_or(unquoted);
    let fine = unquoted.chars().all(|each| each.is_alphanumeric() || "_-. /".contains(each));
    let starts = unquoted.starts_with(|first: char| first.is_alphanumeric() || first == '_');
    (fine && starts && (after.is_empty() || after.starts_with([' ', '\t', '\n']))).then(|| unquoted.to_owned())
}

/// The source before the first entry, and the source of each entry with all its lines.
fn chunks(source: &str) -> (&str, Vec<(String, &str)>) {
    let mut starts: Vec<(String, usize)> = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        starts.extend(key_of(line).map(|key| (key, at)));
        at += line.len();
    }
    let first = starts.first().map_or(source.len(), |(_, at)| *at);
    let ends = starts.iter().skip(1).map(|(_, at)| *at).chain([source.len()]);
    let entries = starts.iter().zip(ends).map(|((key, start), end)| (key.clone(), &source[*start..end])).collect();
    (&source[..first], entries)
}

/// The written form of a key.
fn name(key: &str) -> String {
    if is_plain(key) { key.to_owned() } else { Value::from(key).to_string() }
}

fn render(key: &str, value: &Value) -> String {
    let name = name(key);
    let json = format!("{name}: {value}\n");
    let nice = match value {
        Value::String(text) if is_plain(text) => format!("{name}: {text}\n"),
        Value::Object(map) if !map.is_empty() => block(&name, value),
        Value::Array(items) if !items.is_empty() => block(&name, value),
        _ => return json,
    };
    // JSON is YAML; the more readable form is used only if it means the same, and writes numbers in the same way.
    let says_it = |read: Mapping| {
        let [(read_key, read)] = &read.0[..] else { return false };
        read_key == key
            && read == value
            && spelled(&nice, &Value::Object(Map::from_iter([(key.to_owned(), value.clone())])))[key] == *value
    };
    let same = serde_saphyr::from_str::<Mapping>(&nice).is_ok_and(says_it);
    let one_entry = nice.lines().skip(1).all(|line| line.starts_with([' ', '-']));
    if same && one_entry { nice } else { json }
}

fn block(name: &str, value: &Value) -> String {
    let mut out = format!("{name}:\n");
    for line in serde_saphyr::to_string(value).unwrap_or_default().lines() {
        out.push_str("  ");
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn is_plain(text: &str) -> bool {
    let fine = text.chars().all(|each| each.is_alphanumeric() || " _-.,/()".contains(each));
    let word = !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text.to_lowercase().as_str());
    let starts = text.starts_with(|first: char| first.is_alphabetic() || first == '_');
    fine && word && starts && !text.ends_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    const SOURCE: &str = "---\n# about\ndescription: >-\n  Two\n  lines\nicon: house # nice\nlayout:\n  title:\n    visible: true\n\nhidden: true\nx-own: [1, 2]\n---\n# T\n";

    fn read(text: &str) -> FrontMatter {
        split(text).0.expect("front matter")
    }

    #[test]
    fn known_and_unknown_keys_are_read() {
        let front_matter = read(SOURCE);
        assert_eq!(front_matter.description(), Some("Two lines"));
        assert_eq!(front_matter.icon(), Some("house"));
        assert_eq!(front_matter.hidden(), Some(true));
        assert_eq!(front_matter.title(), None);
        assert_eq!(front_matter.layout(), Some(&json!({"title": {"visible": true}})));
        assert_eq!(front_matter.get("x-own"), Some(&json!([1, 2])));
        let keys: Vec<&str> = front_matter.entries().map(|(key, _)| key).collect();
        assert_eq!(keys, ["description", "icon", "layout", "hidden", "x-own"]);
        assert_eq!(split(SOURCE).1, "# T\n");
    }

    #[rstest]
    #[case(SOURCE)]
    #[case("---\n{a: 1, b: 2}\n---\n")]
    #[case("---\n---\n")]
    #[case("---\ntitle: a: b: [\n---\n")]
    #[case("---\n\"a b\": 1\n'c': 2\n---\n")]
    #[case("---\n- a\nb: c\n---\n")]
    #[case("+++\ntitle = 'a' # b\n\n[c.d]\ne = [1,\n  2]\n+++\n")]
    #[case("+++\ntitle = [\n+++\n")]
    #[case("+++\n+++\n")]
    fn unchanged_front_matter_is_written_byte_for_byte(#[case] text: &str) {
        let Some(front_matter) = split(text).0 else { return assert!(text.contains("- a"), "{text}") };
        let end = text.len() - split(text).1.len();
        assert_eq!(front_matter.write(), text[..end]);
    }

    #[test]
    fn a_change_leaves_the_other_entries_alone() {
        let mut front_matter = read(SOURCE);
        front_matter.set("hidden", None);
        front_matter.set("icon", Some(json!("a: b")));
        front_matter.set("tags", Some(json!(["x", {"y": null}])));
        front_matter.set("description", Some(json!("Two lines")));
        let written = front_matter.write();
        assert!(
            written.starts_with("---\n# about\ndescription: >-\n  Two\n  lines\nicon: \"a: b\"\nlayout:\n"),
            "{written}"
        );
        assert!(!written.contains("hidden"), "{written}");
        let again = read(&written);
        assert_eq!(again.entries().collect::<Vec<_>>(), front_matter.entries().collect::<Vec<_>>());
        assert_eq!(again.write(), written);
    }

    #[test]
    fn a_number_in_place_of_one_that_is_written_otherwise_is_set() {
        let mut front_matter = read("---\nvars:\n  a: 1.10\nx: [1.1] # kept\n---\n");
        assert_eq!(front_matter.as_written().get("vars"), Some(&json!({"a": "1.10"})));
        front_matter.set("vars", Some(json!({"a": 1.1})));
        front_matter.set("x", Some(json!([1.1])));
        assert_eq!(front_matter.as_written().get("vars"), Some(&json!({"a": 1.1})));
        assert!(front_matter.write().ends_with("x: [1.1] # kept\n---\n"));
    }

    #[test]
    fn numbers_in_braces_stay_as_they_are_written() {
        let mut front_matter = read("---\n{title: 1.10, vars: {a: 2.50}, coverY: 3, icon: x}\n---\n");
        assert_eq!((front_matter.written("title"), front_matter.written("coverY")), (Some("1.10"), Some("3")));
        front_matter.set("icon", None);
        let again = read(&front_matter.write());
        assert_eq!((again.written("title"), again.written("coverY")), (Some("1.10"), Some("3")));
        assert_eq!(again.as_written().get("vars"), Some(&json!({"a": "2.50"})));
    }

    #[test]
    fn malformed_front_matter_is_kept_and_has_no_entries() {
        let mut front_matter = read("---\ntitle: [\nx\n---\nbody");
        assert!(front_matter.is_malformed());
        assert_eq!(front_matter.entries().count(), 0);
        front_matter.set("icon", Some(json!("x")));
        assert_eq!(front_matter.write(), "---\ntitle: [\nx\nicon: x\n---\n");
    }

    #[test]
    fn front_matter_in_toml_is_read_and_becomes_yaml_when_it_changes() {
        let mut front_matter = read("+++\ntitle = \"A: b\"\nversion = 1.10\n[vars]\na = 2.50\nb = 1\n+++\n");
        assert_eq!((front_matter.title(), front_matter.text("version")), (Some("A: b"), Some("1.10")));
        assert_eq!(front_matter.as_written().get("vars"), Some(&json!({"a": "2.50", "b": 1})));
        front_matter.set("title", Some(json!("A: b")));
        assert!(front_matter.write().starts_with("+++\ntitle = "));
        front_matter.set("icon", Some(json!("x")));
        let written = front_matter.write();
        assert!(written.starts_with("---\ntitle: \"A: b\"\n") && written.ends_with("icon: x\n---\n"), "{written}");
        assert_eq!(read(&written).as_written(), front_matter.as_written());
    }

    #[test]
    fn malformed_front_matter_in_toml_is_kept() {
        let mut front_matter = read("+++\ntitle = [\n+++\n");
        assert!(front_matter.is_malformed());
        front_matter.set("icon", Some(json!("x")));
        let written = front_matter.write();
        assert_eq!(written, "+++\ntitle = [\nicon: x\n+++\n");
        assert!(read(&written).is_malformed());
    }

    #[rstest]
    #[case("")]
    #[case("---\n")]
    #[case("---\ntitle: x\n")]
    #[case("a\n---\nb: c\n---\n")]
    #[case("---\n\nSome words.\n\n---\n")]
    #[case("---\n* a\n---\n")]
    #[case("+++\ntitle = \"x\"\n---\n")]
    #[case("+++\nSome words.\n+++\n")]
    #[case("+++\n[a](b)\n+++\n")]
    fn what_is_no_front_matter_is_text(#[case] text: &str) {
        assert_eq!(split(text), (None, text));
    }

    #[rstest]
    #[case(json!("plain words"))]
    #[case(json!("yes"))]
    #[case(json!("1.5"))]
    #[case(json!(" spaced "))]
    #[case(json!("a\nb: c # d"))]
    #[case(json!("---"))]
    #[case(json!(null))]
    #[case(json!(-1.5))]
    #[case(json!({}))]
    #[case(json!({"a": {"b": ["c", "x\ny"]}, "d": []}))]
    #[case(json!([[1], [{"k": "---"}]]))]
    fn every_value_that_is_set_is_read_again(#[case] value: Value) {
        let mut front_matter = FrontMatter::default();
        front_matter.set("key", Some(value.clone()));
        front_matter.set("if", Some(json!("a && \"b\"")));
        let again = read(&front_matter.write());
        assert_eq!(again.get("key"), Some(&value));
        assert_eq!(again.condition(), Some("a && \"b\""));
    }
}
