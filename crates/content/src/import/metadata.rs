//! The fields of a page in front matter: reading and writing.
use super::MAX_VARIABLE;
use crate::href::{by_id, read_by_id};
use crate::markdown::{FrontMatter, Hrefs, LinkUse, Links};
use crate::page::{Cover, CoverMask, CoverSize, Layout, MetaLinks, PageEntry, PageTag, Variable, Width, read_slug};
use crate::reference::ContentRef;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Sets the values of a page from its front matter; a value that it does not have gets its default. Without a title in
/// the front matter, the title stays. Returns the keys whose values were not understood.
pub(crate) fn read(front: &FrontMatter, page: &mut PageEntry, links: &dyn Links) -> Vec<String> {
    let mut reader = Reader { front, links, strange: Vec::new() };
    if let Some(title) = reader.text("title") {
        page.title = title;
    }
    page.description = reader.text("description");
    page.icon = reader.text("icon");
    page.emoji = reader.text("emoji");
    page.condition = reader.text("if");
    page.hidden = reader.flag("hidden");
    page.no_index = reader.flag("noIndex");
    page.no_robots_index = reader.flag("noRobotsIndex");
    page.layout = reader.value("layout", read_layout).unwrap_or_default();
    page.cover = reader.cover().map(Box::new);
    let written = match front.get("vars").or_else(|| front.get("tags")) {
        Some(_) => front.as_written(),
        None => Map::new(),
    };
    let as_written = |key: &str, value: &Value| written.get(key).unwrap_or(value).clone();
    let variables = reader.value("vars", |value, _| read_variables(&as_written("vars", value)));
    page.variables = variables.unwrap_or_default();
    page.tags = reader.value("tags", |value, _| read_tags(&as_written("tags", value))).unwrap_or_default();
    page.meta_links = reader.value("metaLinks", read_meta_links).unwrap_or_default();
    reader.strange
}

/// The slug in a front matter, if it is valid.
pub(crate) fn slug(front: &FrontMatter) -> Option<String> {
    read_slug(front.text("slug")?).ok()
}

/// Updates a front matter to the values of a page. Entries that have the right value stay as they are written, and so
/// do unknown entries. The title is written only if it replaces another one.
pub(crate) fn write(page: &PageEntry, front: &mut FrontMatter, links: &dyn Links, hrefs: &dyn Hrefs) {
    let mut said = page.clone();
    read(front, &mut said, links);
    let text = |text: &Option<String>| text.clone().map(Value::String);
    let flag = |flag: bool| flag.then_some(Value::Bool(true));
    let href = |target: &Option<ContentRef>| target.as_ref().map(|target| Value::String(href(target, hrefs)));
    let mut set = |differs: bool, key: &str, value: Option<Value>| {
        if differs {
            front.set(key, value);
        }
    };
    set(said.title != page.title, "title", Some(Value::String(page.title.clone())));
    set(said.description != page.description, "description", text(&page.description));
    set(said.icon != page.icon, "icon", text(&page.icon));
    set(said.emoji != page.emoji, "emoji", text(&page.emoji));
    if said.cover != page.cover {
        let cover = page.cover.clone().unwrap_or_default();
        set(true, "cover", href(&cover.source));
        set(true, "coverDark", href(&cover.source_dark));
        set(true, "coverY", page.cover.as_ref().map(|cover| cover.y_pos.into()));
        set(true, "coverHeight", cover.height.map(Into::into));
    }
    set(said.hidden != page.hidden, "hidden", flag(page.hidden));
    set(said.no_index != page.no_index, "noIndex", flag(page.no_index));
    set(said.no_robots_index != page.no_robots_index, "noRobotsIndex", flag(page.no_robots_index));
    set(said.layout != page.layout, "layout", write_layout(&page.layout));
    set(said.variables != page.variables, "vars", write_map(&page.variables));
    set(said.tags != page.tags, "tags", write_tags(&page.tags));
    set(said.meta_links != page.meta_links, "metaLinks", write_meta_links(&page.meta_links, hrefs));
    set(said.condition != page.condition, "if", text(&page.condition));
}

fn href(target: &ContentRef, hrefs: &dyn Hrefs) -> String {
    match target {
        ContentRef::Url { url } => url.clone(),
        target => hrefs.href(target).unwrap_or_default(),
    }
}

fn resolve(href: &str, use_: LinkUse, links: &dyn Links) -> ContentRef {
    links.resolve(href, use_).unwrap_or_else(|| ContentRef::Url { url: href.to_owned() })
}

struct Reader<'a> {
    front: &'a FrontMatter,
    links: &'a dyn Links,
    strange: Vec<String>,
}

impl Reader<'_> {
    fn value<T>(&mut self, key: &str, read: impl FnOnce(&Value, &dyn Links) -> Option<T>) -> Option<T> {
        let value = self.front.get(key).filter(|value| !value.is_null())?;
        let read = read(value, self.links);
        if read.is_none() {
            self.strange.push(key.to_owned());
        }
        read
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let written = self.front.written(key);
        let text = self.value(key, |value, _| match value {
            Value::String(text) => Some(text.clone()),
            // As written, so that the title 1.10 does not become 1.1.
            Value::Number(_) | Value::Bool(_) => Some(written.map_or_else(|| value.to_string(), str::to_owned)),
            _ => None,
        });
        text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn flag(&mut self, key: &str) -> bool {
        self.value(key, |value, _| value.as_bool()).unwrap_or_default()
    }

    fn cover(&mut self) -> Option<Cover> {
        let picture = |value: &Value, links: &dyn Links| Some(resolve(value.as_str()?, LinkUse::Image, links));
        let cover = Cover {
            source: self.value("cover", picture),
            source_dark: self.value("coverDark", picture),
            y_pos: self.value("coverY", |value, _| whole(value)?.try_into().ok()).unwrap_or_default(),
            height: self.value("coverHeight", |value, _| whole(value)?.try_into().ok()),
        };
        (cover != Cover::default()).then_some(cover)
    }
}

fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().map(|number| number.round() as i64))
}

/// The parts of a layout that are shown or not.
const PARTS: [&str; 10] = [
    "cover",
    "title",
    "description",
    "tableOfContents",
    "outline",
    "pagination",
    "metadata",
    "tags",
    "actions",
    "anchors",
];

fn part<'a>(layout: &'a mut Layout, name: &str) -> &'a mut bool {
    match name {
        "cover" => &mut layout.cover,
        "title" => &mut layout.title,
        "description" => &mut layout.description,
        "tableOfContents" => &mut layout.table_of_contents,
        "outline" => &mut layout.outline,
        "pagination" => &mut layout.pagination,
        "metadata" => &mut layout.metadata,
        "tags" => &mut layout.tags,
        "actions" => &mut layout.actions,
        _ => &mut layout.anchors,
    }
}

fn word<T: DeserializeOwned>(value: Option<&Value>) -> Option<T> {
    serde_json::from_value(value?.clone()).ok()
}

fn word_of<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn read_layout(value: &Value, _: &dyn Links) -> Option<Layout> {
    // A word names a template of another program.
    if value.is_string() {
        return Some(Layout::default());
    }
    let map = value.as_object()?;
    let mut layout = Layout::default();
    for name in PARTS {
        let shown = map.get(name).and_then(|part| part.as_bool().or_else(|| part.get("visible")?.as_bool()));
        *part(&mut layout, name) = shown.unwrap_or(true);
    }
    layout.width = word::<Width>(map.get("width")).unwrap_or_default();
    let cover = map.get("cover");
    layout.cover_size = word::<CoverSize>(cover.and_then(|cover| cover.get("size"))).unwrap_or_default();
    layout.cover_mask = word::<CoverMask>(cover.and_then(|cover| cover.get("mask"))).unwrap_or_default();
    Some(layout)
}

fn write_layout(layout: &Layout) -> Option<Value> {
    let mut layout = layout.clone();
    let mut map = Map::new();
    if layout.width != Width::default() {
        map.insert("width".to_owned(), word_of(&layout.width));
    }
    for name in PARTS {
        let shown = *part(&mut layout, name);
        let mut said = Map::new();
        if !shown || name == "cover" && (layout.cover_size, layout.cover_mask) != Default::default() {
            said.insert("visible".to_owned(), shown.into());
        }
        if name == "cover" && layout.cover_size != CoverSize::default() {
            said.insert("size".to_owned(), word_of(&layout.cover_size));
        }
        if name == "cover" && layout.cover_mask != CoverMask::default() {
            said.insert("mask".to_owned(), word_of(&layout.cover_mask));
        }
        if !said.is_empty() {
            map.insert(name.to_owned(), said.into());
        }
    }
    (!map.is_empty()).then_some(map.into())
}

fn read_variables(value: &Value) -> Option<BTreeMap<String, Variable>> {
    let fits = |variable: Variable| match variable {
        Variable::Text(text) if text.chars().count() > MAX_VARIABLE => None,
        variable => Some(variable),
    };
    let entries = value.as_object()?.iter();
    entries.map(|(name, value)| Some((name.clone(), fits(word(Some(value))?)?))).collect()
}

fn write_map<V: Serialize>(map: &BTreeMap<String, V>) -> Option<Value> {
    (!map.is_empty()).then(|| word_of(map))
}

fn read_tags(value: &Value) -> Option<Vec<PageTag>> {
    let tag = |name: &str| match read_by_id(name) {
        Some(tag @ ContentRef::Tag { .. }) => tag,
        _ => ContentRef::Tag { tag: name.to_owned(), space: None },
    };
    let named = |value: &Value| match value {
        Value::String(name) => Some(tag(name)),
        Value::Number(number) => Some(tag(&number.to_string())),
        _ => None,
    };
    let one = |value: &Value| match value {
        Value::Object(map) => {
            let primary = map.get("primary").and_then(Value::as_bool).unwrap_or_default();
            Some(PageTag { tag: named(map.get("tag")?)?, primary })
        }
        name => Some(PageTag { tag: named(name)?, primary: false }),
    };
    value.as_array()?.iter().map(one).collect()
}

fn write_tags(tags: &[PageTag]) -> Option<Value> {
    let name = |tag: &ContentRef| match tag {
        ContentRef::Tag { tag, space: None } => tag.clone(),
        tag => by_id(tag).unwrap_or_default(),
    };
    let one = |tag: &PageTag| match tag.primary {
        true => json!({ "tag": name(&tag.tag), "primary": true }),
        false => json!({ "tag": name(&tag.tag) }),
    };
    (!tags.is_empty()).then(|| tags.iter().map(one).collect::<Vec<_>>().into())
}

fn read_meta_links(value: &Value, links: &dyn Links) -> Option<MetaLinks> {
    let map = value.as_object()?;
    let target = |value: &Value| Some(resolve(value.as_str()?, LinkUse::Link, links));
    let alternates =
        map.get("alternates").map_or(Some(Vec::new()), |list| list.as_array()?.iter().map(target).collect());
    let canonical = map.get("canonical").filter(|value| !value.is_null());
    Some(MetaLinks { canonical: canonical.map(target).unwrap_or_default(), alternates: alternates? })
}

fn write_meta_links(links: &MetaLinks, hrefs: &dyn Hrefs) -> Option<Value> {
    let mut map = Map::new();
    if let Some(canonical) = &links.canonical {
        map.insert("canonical".to_owned(), href(canonical, hrefs).into());
    }
    if !links.alternates.is_empty() {
        let alternates: Vec<String> = links.alternates.iter().map(|target| href(target, hrefs)).collect();
        map.insert("alternates".to_owned(), alternates.into());
    }
    (!map.is_empty()).then_some(map.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::{self, Unresolved};
    use crate::order::OrderKey;
    use crate::page::PageKind;
    use chrono::DateTime;
    use rstest::rstest;

    fn page() -> PageEntry {
        let order = OrderKey::sequence(1).remove(0);
        PageEntry::new(PageKind::Document { document: None }, "T", "t", order, DateTime::UNIX_EPOCH)
    }

    fn front(yaml: &str) -> FrontMatter {
        markdown::parse(&format!("---\n{yaml}---\n"), &Unresolved).front_matter.expect("a front matter")
    }

    const FULL: &str = "title: Other\ndescription: >-\n  Two\n  lines\nicon: star\nemoji: 1f44b\ncover: https://x.org/a.png\n\
        coverY: -12.4\ncoverHeight: 240\nhidden: true\nnoIndex: true\nnoRobotsIndex: true\nlayout:\n  width: wide\n  cover:\n    \
        visible: true\n    size: full\n  outline:\n    visible: false\n  title: false\nvars:\n  a: x\n  b: 1\n  c: true\n\
        tags:\n  - tag: new\n    primary: true\n  - old\nmetaLinks:\n  canonical: https://x.org\n  alternates:\n    - https://y.org\n\
        if: visitor.claims.beta\n";

    #[test]
    fn every_field_of_a_front_matter_is_read() {
        let mut read_page = page();
        assert_eq!(read(&front(FULL), &mut read_page, &Unresolved), [""; 0]);
        assert_eq!((read_page.title.as_str(), read_page.description.as_deref()), ("Other", Some("Two lines")));
        assert_eq!(read_page.cover.as_ref().map(|cover| (cover.y_pos, cover.height)), Some((-12, Some(240))));
        assert!(read_page.hidden && read_page.no_index && read_page.no_robots_index);
        assert!(!read_page.layout.outline && !read_page.layout.title && read_page.layout.cover);
        assert_eq!((read_page.layout.width, read_page.layout.cover_size), (Width::Wide, CoverSize::Full));
        assert_eq!((read_page.variables.len(), read_page.tags.len()), (3, 2));
        assert!(read_page.tags[0].primary && !read_page.tags[1].primary);
        assert_eq!(read_page.condition.as_deref(), Some("visitor.claims.beta"));
    }

    #[rstest]
    #[case("title: 1.10\n", "1.10")]
    #[case("title: 2.0 # the version\n", "2.0")]
    #[case("'title': 007\n", "007")]
    #[case("title:   1e3  \n", "1e3")]
    #[case("title: True\n", "True")]
    #[case("title: \"1.10\"\n", "1.10")]
    #[case("title: C# 1\n", "C# 1")]
    fn a_title_that_is_a_number_stays_as_it_is_written(#[case] yaml: &str, #[case] title: &str) {
        let mut read_page = page();
        let mut source = front(&format!("{yaml}description: 0x10\n"));
        assert_eq!(read(&source, &mut read_page, &Unresolved), [""; 0]);
        assert_eq!((read_page.title.as_str(), read_page.description.as_deref()), (title, Some("0x10")));
        let before = source.write();
        write(&read_page, &mut source, &Unresolved, &Unresolved);
        assert_eq!(source.write(), before);
    }

    #[test]
    fn variables_and_tags_that_are_numbers_stay_as_they_are_written() {
        let mut read_page = page();
        let mut source =
            front("vars:\n  version: 1.10\n  count: 7\ntags:\n  - tag: 1.10\n    primary: true\n  - 2024\n");
        assert_eq!(read(&source, &mut read_page, &Unresolved), [""; 0]);
        let tag = |name: &str| ContentRef::Tag { tag: name.to_owned(), space: None };
        assert_eq!(read_page.variables["version"], Variable::Text("1.10".to_owned()));
        assert_eq!(read_page.variables["count"], Variable::Number(7.into()));
        assert_eq!(read_page.tags.iter().map(|one| &one.tag).collect::<Vec<_>>(), [&tag("1.10"), &tag("2024")]);
        let before = source.write();
        write(&read_page, &mut source, &Unresolved, &Unresolved);
        assert_eq!(source.write(), before);
        for number in [1.1, 4e-6, 1e21] {
            let number = serde_json::Number::from_f64(number).expect("a number");
            read_page.variables.insert("version".to_owned(), Variable::Number(number.clone()));
            write(&read_page, &mut source, &Unresolved, &Unresolved);
            let mut again = page();
            read(&source, &mut again, &Unresolved);
            assert_eq!(again.variables["version"], Variable::Number(number));
        }
    }

    #[test]
    fn what_is_written_reads_back_and_what_is_said_already_stays_as_it_is_written() {
        let mut full = page();
        let mut source = front(FULL);
        read(&source, &mut full, &Unresolved);
        let before = source.write();
        write(&full, &mut source, &Unresolved, &Unresolved);
        assert_eq!(source.write(), before);
        let mut made = FrontMatter::default();
        full.title = page().title;
        write(&full, &mut made, &Unresolved, &Unresolved);
        let again = markdown::parse(&made.write(), &Unresolved).front_matter.expect("a front matter");
        let mut back = page();
        assert_eq!(read(&again, &mut back, &Unresolved), [""; 0]);
        assert_eq!(back, full);
    }

    #[test]
    fn what_is_no_longer_true_is_taken_out_and_what_is_unknown_stays() {
        let mut source = front("icon: star # mine\nunknown: [1, 2]\nhidden: true\n");
        write(&page(), &mut source, &Unresolved, &Unresolved);
        assert_eq!(source.write(), "---\nunknown: [1, 2]\n---\n");
    }

    #[test]
    fn the_template_of_another_program_is_no_layout() {
        let mut read_page = page();
        assert_eq!(read(&front("layout: default\n"), &mut read_page, &Unresolved), [""; 0]);
        assert_eq!(read_page.layout, Layout::default());
    }

    #[test]
    fn what_is_not_understood_is_named_and_has_its_default() {
        let mut read_page = page();
        let long = format!("vars:\n  a: {}\n", "x".repeat(257));
        let strange =
            read(&front(&format!("hidden: 7\ntags: x\nlayout: [1]\ncoverY: x\n{long}")), &mut read_page, &Unresolved);
        assert_eq!(strange, ["hidden", "layout", "coverY", "vars", "tags"]);
        assert_eq!(read_page, page());
    }
}
