//! `docs.json` and `mint.json` of Mintlify: the navigation of a site, as a table of contents.
use super::address::{has_scheme, title_of};
use super::finder::Finder;
use super::navigation::{Entries, Files, Link, MAX_SECTIONS, Navigation, Shown, Site};
use super::path::{self, is_markdown};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Names of the file. Outside of the root of a repository, it must name its schema.
const NAMES: [&str; 2] = ["docs.json", "mint.json"];

/// The lists of sections, with the name of the title of each section.
const SECTIONS: [(&str, &str); 8] = [
    ("groups", "group"),
    ("languages", "language"),
    ("versions", "version"),
    ("products", "product"),
    ("tabs", "tab"),
    ("dropdowns", "dropdown"),
    ("menu", "item"),
    ("anchors", "anchor"),
];

/// Sections whose pages are made from API descriptions.
const DESCRIPTIONS: [&str; 2] = ["openapi", "asyncapi"];

/// Methods of operations, which are entries without files, and the word before the name of a webhook.
const METHODS: [&str; 8] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE"];
const WEBHOOK: &str = "WEBHOOK";

/// The folder of parts of pages.
const SNIPPETS: &str = "snippets";

/// Reads the file. `None` if there is none, or if its navigation is not one of Mintlify.
pub(super) fn read(files: &Files<'_>) -> Option<Navigation> {
    let depth = |path: &str| path.matches('/').count();
    let is_one = |path: &&str| NAMES.contains(&path::name(path)) && depth(path) <= 1;
    let mut found: Vec<&str> = files.tree.paths().filter(is_one).collect();
    found.sort_by_key(|path| (depth(path), *path));
    found.into_iter().find_map(|path| read_file(files, path))
}

fn read_file(files: &Files<'_>, contents: &str) -> Option<Navigation> {
    let text = files.text(contents)?;
    let Ok(settings) = serde_json::from_str::<Value>(&text) else {
        if text.contains("mintlify") {
            files.fail(contents, "it is not JSON; the folders order the pages");
        }
        return None;
    };
    let schema = settings.get("$schema").and_then(Value::as_str).unwrap_or_default();
    let navigation = settings.get("navigation").filter(|navigation| is_navigation(navigation))?;
    let folder = path::folder(contents);
    if !folder.is_empty() && !schema.contains("mintlify") {
        return None;
    }
    let mut reader = Reader {
        files,
        contents,
        folder,
        finder: Finder::new(&text, 1),
        entries: Entries::default(),
        seen: HashSet::new(),
        site: Site { short_titles: &["sidebarTitle"], ..Site::default() },
        operations: None,
    };
    match navigation {
        Value::Array(groups) => reader.sections(groups, "group", Place::default()),
        Value::Object(navigation) => {
            reader.content(navigation, Place::default());
            if let Some(global) = navigation.get("global").and_then(Value::as_object) {
                reader.content(global, Place::default());
            }
        }
        _ => return None,
    }
    let Reader { entries, mut site, operations, .. } = reader;
    if let Some((line, count, first)) = operations {
        let message = format!("entries of API descriptions are left out: {count}, such as {first:?}");
        site.warn(contents, line, message);
    }
    let snippets = format!("{}/", path::join(folder, SNIPPETS));
    let parts = files.tree.paths().filter(|path| path.starts_with(&snippets) && is_markdown(path));
    site.non_pages.extend(parts.map(str::to_owned));
    let title = settings.get("name").and_then(Value::as_str).map(|name| name.trim().to_owned());
    let (contents, items) = (contents.to_owned(), entries.into_items());
    Some(Navigation { contents, title, items, site, readme: None })
}

/// Whether a value has the form of a navigation of Mintlify: lists of sections or pages, and in older files of groups.
fn is_navigation(value: &Value) -> bool {
    match value {
        Value::Array(groups) => {
            let is_group = |group: &Value| group.get("group").is_some_and(Value::is_string) && has_list(group, "pages");
            !groups.is_empty() && groups.iter().all(is_group)
        }
        Value::Object(_) => has_list(value, "pages") || SECTIONS.iter().any(|(list, _)| has_list(value, list)),
        _ => false,
    }
}

fn has_list(value: &Value, name: &str) -> bool {
    value.get(name).is_some_and(Value::is_array)
}

/// The place of an entry.
#[derive(Clone, Copy, Default)]
struct Place {
    level: usize,
    /// How many sections are around it. Those that are the only ones of their kind have no level.
    depth: usize,
    is_hidden: bool,
}

struct Reader<'r> {
    files: &'r Files<'r>,
    contents: &'r str,
    folder: &'r str,
    finder: Finder<'r>,
    entries: Entries,
    /// The files that have an entry.
    seen: HashSet<String>,
    site: Site,
    /// The line of the first entry of an API description, their number, and the first one.
    operations: Option<(usize, usize, String)>,
}

impl Reader<'_> {
    /// Adds the content of a section.
    fn content(&mut self, section: &Map<String, Value>, place: Place) {
        let list = |name: &str| section.get(name).and_then(Value::as_array).map(Vec::as_slice);
        for page in list("pages").unwrap_or_default() {
            match page {
                Value::String(page) => self.page(page, place),
                Value::Object(group) => self.section(group, "group", place),
                _ => {}
            }
        }
        for (name, title) in SECTIONS {
            self.sections(list(name).unwrap_or_default(), title, place);
        }
        for name in DESCRIPTIONS {
            if let Some(description) = section.get(name) {
                self.operation(description);
            }
        }
    }

    fn sections(&mut self, sections: &[Value], title: &str, place: Place) {
        for section in sections {
            match section {
                Value::String(page) => self.page(page, place),
                // A single tab or version is not shown as one.
                Value::Object(only) if sections.len() == 1 && title != "group" && !only.contains_key("href") => {
                    self.inside(only, Place { depth: place.depth + 1, ..place });
                }
                Value::Object(section) => self.section(section, title, place),
                _ => {}
            }
        }
    }

    fn section(&mut self, section: &Map<String, Value>, title: &str, place: Place) {
        let text =
            |name: &str| section.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let Some(title) = text(title) else {
            return self.inside(section, place);
        };
        let line = self.finder.find(&Value::from(title).to_string());
        let icon = text("icon").map(str::to_owned);
        if let Some(href) = text("href") {
            let link = Link { href, title, icon };
            if !self.entries.link(self.files.tree, self.contents, place.level, link, line) {
                self.site.warn_of_link(self.contents, line, href);
            }
            return;
        }
        let is_hidden = place.is_hidden || section.get("hidden").and_then(Value::as_bool) == Some(true);
        let shown = Shown { icon, is_hidden, ..Shown::titled(title) };
        let before = self.entries.len();
        match text("root").and_then(|root| self.file(root)).filter(|root| !self.seen.contains(root)) {
            Some(root) => {
                self.entries.page(place.level, &root, &shown, line);
                self.seen.insert(root);
                self.inside(section, Place { level: place.level + 1, depth: place.depth + 1, is_hidden });
            }
            None => {
                self.entries.section(place.level, &shown, line);
                self.inside(section, Place { level: place.level + 1, depth: place.depth + 1, is_hidden });
                self.entries.remove_empty(before);
            }
        }
    }

    fn inside(&mut self, section: &Map<String, Value>, place: Place) {
        if place.depth < MAX_SECTIONS {
            self.content(section, place);
        }
    }

    fn page(&mut self, page: &str, place: Place) {
        if is_operation(page) {
            return self.operation(&Value::from(page));
        }
        let line = self.finder.find(&Value::from(page).to_string());
        let shown = Shown { is_hidden: place.is_hidden, ..Shown::default() };
        if has_scheme(page) {
            let link = Link { href: page, title: page, icon: None };
            self.entries.link(self.files.tree, self.contents, place.level, link, line);
        } else if let Some(path) = self.file(page) {
            if self.seen.contains(&path) {
                let (href, title) = (format!("/{}", path::encode(&path)), title_of(&path));
                let link = Link { href: &href, title: &title, icon: None };
                self.entries.link(self.files.tree, self.contents, place.level, link, line);
                return;
            }
            self.entries.page(place.level, &path, &shown, line);
            self.seen.insert(path);
        } else if let Some(path) = path::resolve(self.folder, page.trim_start_matches('/')) {
            self.entries.missing(place.level, &path, line);
        }
    }

    /// The file of a page. Its path is one from the folder of the navigation, mostly without an extension.
    fn file(&self, page: &str) -> Option<String> {
        let path = path::resolve(self.folder, page.trim_start_matches('/'))?;
        self.files.markdown(&path).or_else(|| self.files.markdown(&path::join(&path, "index")))
    }

    /// Counts an entry of an API description.
    fn operation(&mut self, value: &Value) {
        let line = self.finder.find(&value.to_string());
        let named = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let first = || (line, 0, named.chars().take(100).collect());
        self.operations.get_or_insert_with(first).1 += 1;
    }
}

/// Whether an entry names an operation: `GET /pets`, also after the file or address of its description.
fn is_operation(page: &str) -> bool {
    let words: Vec<&str> = page.split_whitespace().take(3).collect();
    words.windows(2).any(|pair| {
        let method = pair[0].to_ascii_uppercase();
        method == WEBHOOK || (METHODS.contains(&method.as_str()) && pair[1].starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case(json!([{"group": "A", "pages": ["a"]}]), true)]
    #[case(json!({"groups": [{"group": "A", "pages": ["a"]}]}), true)]
    #[case(json!({"pages": ["a"]}), true)]
    #[case(json!({"tabs": []}), true)]
    #[case(json!([]), false)]
    #[case(json!(["a"]), false)]
    #[case(json!([{"title": "A", "pages": ["a"]}]), false)]
    #[case(json!({"items": ["a"]}), false)]
    #[case(json!({"pages": "a"}), false)]
    #[case(json!("a"), false)]
    fn a_navigation_is_recognized_by_its_form(#[case] value: Value, #[case] expected: bool) {
        assert_eq!(is_navigation(&value), expected);
    }

    #[rstest]
    #[case("GET /pets", true)]
    #[case("openapi.json post /pets/{id}", true)]
    #[case("webhook orderShipped", true)]
    #[case("get", false)]
    #[case("patch notes", false)]
    #[case("guides/get started", false)]
    fn operations_are_recognized_by_their_method(#[case] page: &str, #[case] expected: bool) {
        assert_eq!(is_operation(page), expected);
    }
}
