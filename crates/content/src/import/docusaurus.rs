//! `sidebars.js` of Docusaurus: the sidebars of a site, as a table of contents.
use super::address;
use super::literal::Literal;
use super::navigation::{Files, Navigation};
use super::path;
use super::sidebar::{self, Kind, Pages, SITES, Sidebar, has_pages, text, titled};
use super::versions::{self, Version};
use crate::markdown::FrontMatter;

/// The names of the settings of the site and of its sidebars, without extensions.
const CONFIG: &str = "docusaurus.config";
const SIDEBARS: &str = "sidebars";

/// The names of the page of the outermost folder, and that of the shorter title of a page in front matter.
const INDEX: [&str; 2] = ["index", "README"];
const SHORT_TITLES: [&str; 1] = ["sidebar_label"];

/// The end of the names of most sidebars, which says nothing.
const SIDEBAR: &str = "sidebar";

/// Reads the file. `None` if there is none. Without sidebars, the folders of a site order its pages.
pub(super) fn read(files: &Files<'_>) -> Option<Navigation> {
    let config_file = sidebar::settings(files.tree, SITES, CONFIG);
    let literal = config_file.as_deref().and_then(|file| files.literal(file));
    let config = literal.as_ref().map(Literal::unwrapped);
    let options = config.and_then(options);
    let sidebars = sidebars(files, config_file.as_deref(), options);
    let site = path::folder(config_file.as_deref().or(sidebars.as_deref())?).to_owned();
    let named = options.and_then(|options| path::resolve(&site, text(options, "path")?));
    let named = named.filter(|folder| has_pages(files.tree, folder));
    let current = named.or_else(|| versions::current(files.tree, &site));
    let latest = || Version::latest(files.tree, &site, &|path| files.text(path));
    let (root, contents) = match current {
        Some(folder) => (folder, sidebars),
        None => latest().map(|Version { folder, sidebars }| (folder, sidebars))?,
    };
    let title = config.and_then(|config| text(config, "title"));
    let Some(contents) = contents else {
        let mut sidebar = Sidebar::new(files, config_file.as_deref()?, &root);
        sidebar.set_short_titles(&SHORT_TITLES);
        sidebar.add(0, Kind::Folder(root), titled(None), 1);
        return sidebar.finish(title, &INDEX);
    };
    let literal = files.literal(&contents);
    let Some(sidebars) = literal.as_ref().map(Literal::unwrapped).and_then(Literal::entries) else {
        sidebar::not_understood(files, &contents);
        return None;
    };
    let pages = Pages::new(files, &root, id, given_id);
    let mut reader = Reader { pages, sidebar: Sidebar::new(files, &contents, &root), root };
    reader.sidebar.set_short_titles(&SHORT_TITLES);
    reader.sidebars(sidebars, config);
    reader.sidebar.finish(title, &INDEX)
}

/// The file with the sidebars of the current pages.
fn sidebars(files: &Files<'_>, config_file: Option<&str>, options: Option<&Literal>) -> Option<String> {
    let Some(site) = config_file.map(path::folder) else {
        return sidebar::settings(files.tree, SITES, SIDEBARS);
    };
    let named = options.and_then(|options| path::resolve(site, file_name(options.get("sidebarPath")?)?));
    let named = named.filter(|named| files.tree.contains(named));
    named.or_else(|| sidebar::settings(files.tree, &[site], SIDEBARS))
}

/// The settings of the pages, in those of a preset or of a plugin.
fn options(config: &Literal) -> Option<&Literal> {
    let list = |key| config.get(key).and_then(Literal::list).unwrap_or_default();
    let of_preset = list("presets").iter().find_map(|preset| preset.list()?.get(1)?.get("docs"));
    of_preset.or_else(|| {
        list("plugins").iter().find_map(|plugin| match plugin.list()? {
            [name, options, ..] if name.text()?.contains("content-docs") => Some(options),
            _ => None,
        })
    })
}

/// The name of a file that is written as a text, or in a call such as `require.resolve('./sidebars.js')`.
fn file_name(literal: &Literal) -> Option<&str> {
    literal.text().or_else(|| literal.call()?.1.iter().rev().find_map(Literal::text))
}

/// A title from the key of a sidebar, such as `tutorialSidebar`.
fn title_of(key: &str) -> String {
    let mut words = String::new();
    let mut letters = key.chars().peekable();
    let mut was_lower = false;
    while let Some(letter) = letters.next() {
        let begins_word = was_lower && letter.is_uppercase();
        if begins_word {
            words.push(' ');
        }
        match begins_word && letters.peek().is_some_and(|next| next.is_lowercase()) {
            true => words.extend(letter.to_lowercase()),
            false => words.push(letter),
        }
        was_lower = letter.is_lowercase();
    }
    let short = words.strip_suffix(SIDEBAR).map(|rest| rest.trim_end_matches([' ', '-', '_']));
    let words = short.filter(|short| !short.is_empty()).unwrap_or(&words);
    address::title_of(&format!("{words}.md"))
}

/// The id of a page, from its path without an extension: without the numbers at the start of names.
fn id(path: &str) -> String {
    path.split('/').map(without_number).collect::<Vec<_>>().join("/")
}

/// The id of a page whose front matter has one.
fn given_id(path: &str, front: &FrontMatter) -> Option<String> {
    Some(path::join(path::folder(&id(path)), front.text("id")?))
}

/// A name without a number before it that only gives it a position. Versions and dates stay.
fn without_number(name: &str) -> &str {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = rest.trim_start().trim_start_matches(['-', '_', '.']).trim_start();
    let has_number = rest.len() < name.len() && after.len() < rest.trim_start().len();
    if has_number && !after.is_empty() && !after.starts_with(|c: char| c.is_ascii_digit()) { after } else { name }
}

struct Reader<'f> {
    pages: Pages<'f>,
    sidebar: Sidebar<'f>,
    /// The folder of the pages.
    root: String,
}

impl Reader<'_> {
    /// Adds sidebars. Of several, each is a group.
    fn sidebars(&mut self, sidebars: &[(String, Literal)], config: Option<&Literal>) {
        let bar = config.and_then(|config| config.get("themeConfig")?.get("navbar")?.get("items"));
        let bar = sidebar::bar(bar, "sidebarId", "label");
        for (key, sidebar) in sidebars {
            let is_empty =
                sidebar.list().is_some_and(<[_]>::is_empty) || sidebar.entries().is_some_and(<[_]>::is_empty);
            if sidebar.is_unknown() {
                self.sidebar.unknown(sidebar.line);
            } else if sidebars.len() == 1 {
                self.items(sidebar, 0);
            } else if !is_empty {
                let label = bar.iter().find(|(sidebar, _)| sidebar == key).map(|(_, label)| (*label).to_owned());
                let title = label.unwrap_or_else(|| title_of(key));
                self.sidebar.add(0, Kind::Section, titled(Some(&title)), sidebar.line);
                self.items(sidebar, 1);
            }
        }
    }

    /// Adds the entries of a list, or those of an object with a list for each title.
    fn items(&mut self, items: &Literal, level: usize) {
        match (items.list(), items.entries()) {
            (Some(list), _) => list.iter().for_each(|item| self.item(item, level)),
            (None, Some(categories)) => self.categories(categories, level),
            (None, None) => self.sidebar.unknown(items.line),
        }
    }

    fn categories(&mut self, categories: &[(String, Literal)], level: usize) {
        for (title, items) in categories {
            if items.is_unknown() {
                self.sidebar.unknown(items.line);
            } else {
                self.sidebar.add(level, Kind::Bare, titled(Some(title)), items.line);
                self.items(items, level + 1);
            }
        }
    }

    fn item(&mut self, item: &Literal, level: usize) {
        let (line, title) = (item.line, titled(text(item, "label")));
        let kind = match (item.text(), text(item, "type"), item.entries()) {
            (Some(id), ..) => Some(self.page(id)),
            (None, Some("html"), _) => return,
            (None, Some("category"), _) => {
                let page = item.get("link").and_then(|link| text(link, "id"));
                Some(page.map_or(Kind::Bare, |id| self.page(id)))
            }
            (None, Some(kind), _) => self.kind(kind, item),
            (None, None, Some(categories)) if item.get("type").is_none() => return self.categories(categories, level),
            (None, None, _) => None,
        };
        match kind {
            Some(kind) => self.sidebar.add(level, kind, title, line),
            None => self.sidebar.unknown(line),
        }
        if let Some(items) = item.get("items") {
            self.items(items, level + 1);
        }
    }

    /// What an item of this type is.
    fn kind(&mut self, kind: &str, item: &Literal) -> Option<Kind> {
        match kind {
            "doc" => Some(self.page(text(item, "id")?)),
            "ref" => Some(self.page(text(item, "id")?).into_reference()),
            "link" => Some(self.sidebar.kind_at(text(item, "href")?, item.line, false).into_reference()),
            "autogenerated" => path::resolve(&self.root, text(item, "dirName")?).map(Kind::Folder),
            _ => None,
        }
    }

    /// The page with an id.
    fn page(&self, id: &str) -> Kind {
        self.pages.find(id).map_or_else(|| Kind::Missing(path::join(&self.root, id)), Kind::Page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("intro", "intro")]
    #[case("01-guides/02_first.steps", "guides/first.steps")]
    #[case("1 - a/2. b", "a/b")]
    #[case("2024-01-02-news", "2024-01-02-news")]
    #[case("7.0-foo", "7.0-foo")]
    #[case("10x", "10x")]
    #[case("10-", "10-")]
    fn an_id_has_no_numbers_of_positions(#[case] path: &str, #[case] expected: &str) {
        assert_eq!(id(path), expected);
    }

    #[rstest]
    #[case("tutorialSidebar", "Tutorial")]
    #[case("docs", "Docs")]
    #[case("sidebar", "Sidebar")]
    #[case("api_reference-sidebar", "Api reference")]
    #[case("gettingStarted", "Getting started")]
    #[case("someSDKDocs", "Some SDKDocs")]
    fn a_key_gives_a_title(#[case] key: &str, #[case] title: &str) {
        assert_eq!(title_of(key), title);
    }
}
