//! The files of settings: variables (`vars.yaml`) and tags (`tags.yaml`) of a space.
//!
//! Problems are reported. An export writes the file unchanged while the space has the entries that were understood.
use super::encoding::decode;
use super::plan::MAX_VARIABLE;
use crate::document::Color;
use crate::markdown::{FrontMatter, spelled};
use crate::page::{Tag, Variable, check_slug, slugify};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The content of a file of settings.
#[derive(Debug, PartialEq)]
pub(crate) struct Settings<T> {
    /// The entries that were understood, by name.
    pub entries: BTreeMap<String, T>,
    /// The problems.
    pub problems: Vec<String>,
}

impl<T> Settings<T> {
    fn none(problems: Vec<String>) -> Self {
        Self { entries: BTreeMap::new(), problems }
    }

    fn not_understood() -> Self {
        Self::none(vec!["it is not understood; an export writes it as it came".to_owned()])
    }
}

/// An entry of a file of settings.
pub(crate) trait Setting: Clone + PartialEq {
    /// Reads a file.
    fn read(text: &[u8]) -> Settings<Self>;
    /// Writes a file.
    fn write(entries: &[(String, Self)]) -> String;
}

impl Setting for Variable {
    fn read(text: &[u8]) -> Settings<Self> {
        let text = decode(text).0;
        let Some(yaml) = FrontMatter::of_yaml(&text).filter(|yaml| !yaml.is_malformed()) else {
            return Settings::not_understood();
        };
        let mut settings = Settings::none(Vec::new());
        let written = yaml.as_written();
        for (name, value) in yaml.entries() {
            let variable = match value {
                Value::Bool(flag) => Self::Bool(*flag),
                // A version such as 1.10 is not the number 1.1.
                Value::Number(number) => match written.get(name) {
                    Some(Value::String(written)) => Self::Text(written.clone()),
                    _ => Self::Number(number.clone()),
                },
                Value::String(text) if text.chars().count() <= MAX_VARIABLE => Self::Text(text.clone()),
                Value::String(_) => {
                    let problem = format!("{name} is longer than {MAX_VARIABLE} characters and left out");
                    settings.problems.push(problem);
                    continue;
                }
                Value::Null | Value::Array(_) | Value::Object(_) => {
                    settings.problems.push(format!("{name} is no text, number or boolean and left out"));
                    continue;
                }
            };
            settings.entries.insert(name.to_owned(), variable);
        }
        settings
    }

    fn write(entries: &[(String, Self)]) -> String {
        let mut yaml = FrontMatter::default();
        for (name, value) in entries {
            yaml.set(name, serde_json::to_value(value).ok());
        }
        let text = yaml.write();
        text.strip_prefix("---\n").and_then(|text| text.strip_suffix("---\n")).unwrap_or(&text).to_owned()
    }
}

/// A tag as an export writes it.
#[derive(Serialize)]
struct Written<'a> {
    tag: &'a str,
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: &'a Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    emoji: &'a Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<Color>,
}

impl Setting for Tag {
    /// Reads a list of tags (`- tag: new`), of words, or a mapping of names to tags or labels.
    fn read(text: &[u8]) -> Settings<Self> {
        let source = decode(text).0;
        let Ok(yaml) = serde_saphyr::from_str::<Option<Value>>(&source) else { return Settings::not_understood() };
        let (tags, others) = within(spelled(&source, &yaml.unwrap_or_default()));
        let entries: Vec<(Option<String>, Value)> = match tags {
            Value::Null => Vec::new(),
            Value::Array(items) => items.into_iter().map(|item| (None, item)).collect(),
            Value::Object(map) => map.into_iter().map(|(name, value)| (Some(name), value)).collect(),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => return Settings::not_understood(),
        };
        let left_out = |name: &str| format!("{name} is not understood and left out");
        let mut settings = Settings::none(others.iter().map(|name| left_out(name)).collect());
        for (at, (name, value)) in entries.into_iter().enumerate() {
            let called = name.clone().unwrap_or_else(|| format!("entry {}", at + 1));
            let Some((slug, tag)) = tag(name, &value) else {
                settings.problems.push(left_out(&called));
                continue;
            };
            let color = value.get("color").filter(|color| !color.is_null());
            if color.is_some_and(|color| read_color(color).is_none()) {
                settings.problems.push(format!("{called}: the color is not known; the tag has the default color"));
            }
            settings.entries.insert(slug, tag);
        }
        settings
    }

    fn write(entries: &[(String, Self)]) -> String {
        let written: Vec<Written<'_>> = (entries.iter())
            .map(|(slug, Self { label, color, emoji, icon })| Written {
                tag: slug,
                label,
                icon,
                emoji,
                color: (*color != Color::default()).then_some(*color),
            })
            .collect();
        // JSON is YAML; the more readable form is used only if it reads back the same.
        let nice = serde_saphyr::to_string(&written).unwrap_or_default();
        let read = Self::read(nice.as_bytes());
        if read.problems.is_empty() && read.entries.iter().eq(entries.iter().map(|(slug, tag)| (slug, tag))) {
            nice
        } else {
            serde_json::to_string_pretty(&written).unwrap_or_default() + "\n"
        }
    }
}

/// What a tag has, in files of settings.
const FIELDS: [&str; 9] = ["tag", "slug", "id", "name", "label", "title", "color", "emoji", "icon"];

/// The tags of a file that has them all under `tags`, and the names of its other entries. In any other file, `tags` is
/// a tag like others.
fn within(yaml: Value) -> (Value, Vec<String>) {
    let Value::Object(mut map) = yaml else { return (yaml, Vec::new()) };
    let has_them = match map.get("tags") {
        // A tag is never a list.
        Some(Value::Array(_)) => true,
        Some(Value::Object(tags)) => map.len() == 1 && !tags.iter().any(|(name, value)| is_field(name, value)),
        Some(Value::Null) => map.len() == 1,
        _ => false,
    };
    if !has_them {
        return (map.into(), Vec::new());
    }
    let tags = map.remove("tags").unwrap_or_default();
    (tags, map.into_iter().map(|(name, _)| name).collect())
}

/// Whether an entry is a field of a tag, and not a tag.
fn is_field(name: &str, value: &Value) -> bool {
    FIELDS.contains(&name) && !value.is_object()
}

/// A tag with its slug; `None` if it has neither name nor label.
fn tag(name: Option<String>, value: &Value) -> Option<(String, Tag)> {
    let text = |keys: &[&str]| keys.iter().find_map(|key| word(value.get(key)?));
    let plain = |label: String| Tag { label, color: Color::default(), emoji: None, icon: None };
    let (slug, tag) = match value {
        Value::Object(_) => {
            let slug = name.or_else(|| text(&["tag", "slug", "id", "name"]));
            let label = text(&["label", "title", "name"]).or_else(|| slug.clone())?;
            let tag = Tag {
                color: value.get("color").and_then(read_color).unwrap_or_default(),
                emoji: text(&["emoji"]),
                icon: text(&["icon"]),
                ..plain(label)
            };
            (slug.unwrap_or_else(|| tag.label.clone()), tag)
        }
        Value::Null => name.map(|name| (name.clone(), plain(name)))?,
        Value::Array(_) => return None,
        scalar => {
            let label = word(scalar)?;
            (name.unwrap_or_else(|| label.clone()), plain(label))
        }
    };
    let slug = if check_slug(&slug).is_ok() { slug } else { slugify(&slug) };
    Some((slug, tag))
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn read_color(value: &Value) -> Option<Color> {
    serde_json::from_value(value.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn tags(text: &str) -> Vec<String> {
        let shown = |(slug, tag): (String, Tag)| {
            let Tag { label, color, emoji, icon } = tag;
            let color = serde_json::to_value(color).expect("a word");
            let color = color.as_str().filter(|color| *color != "default").unwrap_or_default().to_owned();
            let parts = [slug, label, color, emoji.unwrap_or_default(), icon.unwrap_or_default()];
            parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" ")
        };
        Tag::read(text.as_bytes()).entries.into_iter().map(shown).collect()
    }

    #[rstest]
    #[case::list("- tag: beta\n  label: Beta\n  icon: egg\n  color: $success\n- tag: new\n  label: New\n  emoji: 🎉\n",
        &["beta Beta $success egg", "new New 🎉"])]
    #[case::other_names("- slug: a\n  title: One\n- name: b\n- label: Two words\n", &["a One", "b b", "two-words Two words"])]
    #[case::map_to_tags("new:\n    label: New\n    color: green\nold:\n", &["new New green", "old old"])]
    #[case::map_to_labels("new: New\nold: Not new\n2024: 7\n", &["2024 7", "new New", "old Not new"])]
    #[case::versions("- tag: v1\n  label: 1.10\n- {tag: v2, label: 2.0}\n- 3.10\n", &["3.10 3.10", "v1 1.10", "v2 2.0"])]
    #[case::map_to_versions("v1: 1.10\nv2: {label: 007}\n", &["v1 1.10", "v2 007"])]
    #[case::words("- new\n- In progress\n- 2024\n", &["2024 2024", "in-progress In progress", "new new"])]
    #[case::flow("[a, {tag: b, label: B}]", &["a a", "b B"])]
    #[case::list_below_tags("tags:\n  - tag: a\n    label: A\n", &["a A"])]
    #[case::map_below_tags("tags:\n  a:\n    label: A\n", &["a A"])]
    #[case::labels_below_tags("tags:\n  a: A\n  b:\n", &["a A", "b b"])]
    #[case::nothing_below_tags("tags:\n", &[])]
    #[case::a_tag_called_tags("tags: All\n", &["tags All"])]
    #[case::a_tag_called_tags_with_a_label("tags: {label: All}\n", &["tags All"])]
    #[case::a_tag_called_tags_and_another("a:\ntags:\n", &["a a", "tags tags"])]
    #[case::empty("# none\n", &[])]
    fn tags_are_read_in_every_form(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(tags(text), expected);
        assert_eq!(Tag::read(text.as_bytes()).problems, [""; 0]);
    }

    #[rstest]
    #[case("- tag: a\n- [x]\n- color: red\n", &["a a"], &["entry 2 is not understood and left out", "entry 3 is not understood and left out"])]
    #[case("a: {label: A, color: pale}\n", &["a A"], &["a: the color is not known; the tag has the default color"])]
    #[case("version: 1\ntags:\n  - tag: a\n", &["a a"], &["version is not understood and left out"])]
    #[case("words only", &[], &["it is not understood; an export writes it as it came"])]
    #[case("a: [", &[], &["it is not understood; an export writes it as it came"])]
    fn what_is_no_tag_is_named(#[case] text: &str, #[case] expected: &[&str], #[case] problems: &[&str]) {
        assert_eq!(tags(text), expected);
        assert_eq!(Tag::read(text.as_bytes()).problems, problems);
    }

    #[test]
    fn settings_in_an_older_encoding_are_read() {
        assert_eq!(Variable::read(b"name: Caf\xe9").entries["name"], Variable::Text("Café".into()));
        assert_eq!(Tag::read(b"- tag: a\n  label: Caf\xe9\n").entries["a"].label, "Café");
        assert_eq!(Tag::read(b"\xff\xfea\0:\0 \0\xe9\0").entries["a"].label, "é");
    }

    #[test]
    fn written_tags_are_a_list_that_reads_back() {
        let text = "- tag: a\n  label: A\n  icon: egg\n  color: $success\n- tag: b\n  label: 'yes'\n";
        let entries: Vec<(String, Tag)> = Tag::read(text.as_bytes()).entries.into_iter().collect();
        let written = Tag::write(&entries);
        assert!(written.starts_with("- tag: a\n  label: A\n  icon: egg\n  color: $success\n- tag: b\n"), "{written}");
        assert_eq!(Tag::read(written.as_bytes()), Tag::read(text.as_bytes()));
    }

    #[test]
    fn variables_are_read_one_by_one_and_versions_stay_as_written() {
        let text = "version: 1.10 # the next\ncount: 7\nflag: true\nname: 'x'\nnothing:\nlist: [1]\n";
        let Settings { entries, problems } = Variable::read(text.as_bytes());
        let expected = [
            ("count", Variable::Number(7.into())),
            ("flag", Variable::Bool(true)),
            ("name", Variable::Text("x".into())),
            ("version", Variable::Text("1.10".into())),
        ];
        assert!(entries.iter().map(|(name, value)| (name.as_str(), value.clone())).eq(expected), "{entries:?}");
        let expected =
            ["nothing is no text, number or boolean and left out", "list is no text, number or boolean and left out"];
        assert_eq!(problems, expected);
        let entries: Vec<_> = entries.into_iter().collect();
        let written = Variable::write(&entries);
        assert!(Variable::read(written.as_bytes()).entries.into_iter().eq(entries), "{written}");
    }

    #[test]
    fn versions_stay_as_written_in_braces_too() {
        let entries = Variable::read(b"{version: 1.10, count: 7}").entries;
        assert_eq!(entries.get("version"), Some(&Variable::Text("1.10".into())));
        assert_eq!(entries.get("count"), Some(&Variable::Number(7.into())));
    }

    #[rstest]
    #[case("- a\n")]
    #[case("a: [\n")]
    #[case("just words\n")]
    fn a_file_without_variables_is_not_understood(#[case] text: &str) {
        assert_eq!(Variable::read(text.as_bytes()), Settings::not_understood());
    }
}
