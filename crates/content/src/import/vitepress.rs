//! `.vitepress/config.js` of VitePress: the sidebar of a site, as a table of contents.
use super::address::{self, has_scheme};
use super::literal::Literal;
use super::navigation::{Files, Navigation};
use super::path::{self, MAX_PATH};
use super::sidebar::{self, Kind, SITES, Sidebar, has_pages, text, titled};
use std::collections::{HashMap, HashSet};

/// The folder of the settings, and their names without extensions.
const FOLDER: &str = ".vitepress/";
const CONFIGS: [&str; 2] = [".vitepress/config", ".vitepress/config/index"];

/// Keys that lead to the sidebar.
const KEYS: [&str; 4] = ["", "themeConfig", "locales", "sidebar"];

/// Reads the file. `None` if there is none, or if it has no sidebar.
pub(super) fn read(files: &Files<'_>) -> Option<Navigation> {
    let contents = CONFIGS.iter().find_map(|name| sidebar::settings(files.tree, SITES, name))?;
    let (site, _) = contents.split_once(FOLDER)?;
    let literal = files.literal(&contents);
    let config = literal.as_ref().map(Literal::unwrapped);
    let Some(theme) = config.and_then(theme) else {
        if config.is_none_or(is_computed) {
            sidebar::not_understood(files, &contents);
        }
        return None;
    };
    let source = config.and_then(|config| text(config, "srcDir")).unwrap_or_default();
    let root = path::resolve(site, source).filter(|root| has_pages(files.tree, root))?;
    let mut reader = Reader { sidebar: Sidebar::new(files, &contents, &root), parts: HashMap::new() };
    let given = theme.get("sidebar")?;
    match (given.list(), given.entries()) {
        (Some(items), _) => reader.items(items, Around { part: 0, base: "" }, 0),
        (None, Some(sidebars)) => reader.sidebars(theme, sidebars),
        (None, None) => reader.sidebar.unknown(given.line),
    }
    reader.sidebar.finish(config.and_then(|config| text(config, "title")), &["index"])
}

/// The settings of the theme with a sidebar: those of all languages, of the language at the root of the site, or of
/// another language.
fn theme(config: &Literal) -> Option<&Literal> {
    let locales = config.get("locales");
    let others = locales.and_then(Literal::entries).unwrap_or_default().iter().map(|(_, locale)| locale);
    let root = locales.and_then(|locales| locales.get("root"));
    let places = [config].into_iter().chain(root).chain(others);
    let themes = places.filter_map(|place| place.unwrapped().get("themeConfig"));
    themes.map(Literal::unwrapped).find(|theme| theme.get("sidebar").is_some())
}

/// Whether a sidebar may be in a part of the settings that is computed.
fn is_computed(config: &Literal) -> bool {
    let may_have = |(key, value): &(String, Literal)| KEYS.contains(&key.as_str()) && value.is_unknown();
    let has = |literal: &Literal| literal.entries().is_none_or(|entries| entries.iter().any(may_have));
    let locales = config.get("locales").and_then(Literal::entries).unwrap_or_default();
    has(config)
        || config.get("themeConfig").is_some_and(has)
        || locales.iter().any(|(_, locale)| has(locale.unwrapped()))
}

struct Reader<'f> {
    sidebar: Sidebar<'f>,
    /// The numbers of the sidebars of parts of the site, by the prefixes of addresses in these parts.
    parts: HashMap<String, usize>,
}

/// What the entries of a list have in common.
#[derive(Clone, Copy)]
struct Around<'a> {
    /// The number of their sidebar.
    part: usize,
    /// What their addresses are below.
    base: &'a str,
}

impl Reader<'_> {
    /// Adds the sidebars of several parts of a site. Each becomes a group, if it is not one section.
    fn sidebars(&mut self, theme: &Literal, sidebars: &[(String, Literal)]) {
        let numbers = numbers(sidebars);
        let prefixes = sidebars.iter().map(|(prefix, _)| prefix.trim_matches('/').to_owned());
        self.parts = prefixes.zip(numbers.iter().copied()).collect();
        let bar = sidebar::bar(theme.get("nav"), "link", "text");
        let mut seen = HashSet::new();
        for ((prefix, given), part) in sidebars.iter().zip(numbers) {
            let items = given.list().or_else(|| given.get("items")?.list());
            let Some(items) = items else {
                self.sidebar.unknown(given.line);
                continue;
            };
            if items.is_empty() || !seen.insert(part) {
                continue;
            }
            let around = Around { part, base: base(given).unwrap_or_default() };
            let is_one = matches!(items, [item] if item.get("link").is_none() && item.get("items").is_some());
            if sidebars.len() == 1 || is_one {
                self.items(items, around, 0);
            } else {
                let title = label(&bar, prefix).map_or_else(|| title_of(prefix), str::to_owned);
                self.sidebar.add(0, Kind::Section, titled(Some(&title)), given.line);
                self.items(items, around, 1);
            }
        }
    }

    /// Adds the entries of a list.
    fn items(&mut self, items: &[Literal], around: Around<'_>, level: usize) {
        for item in items {
            let (link, inside) = (item.get("link"), item.get("items"));
            let is_known = item.entries().is_some() && !link.is_some_and(Literal::is_unknown);
            if !is_known || inside.is_some_and(|inside| inside.list().is_none()) {
                self.sidebar.unknown(item.line);
            }
            let around = Around { base: base(item).unwrap_or(around.base), ..around };
            let (shown, inside) = (titled(text(item, "text")), inside.and_then(Literal::list));
            let is_entry = link.is_some() || item.get("text").is_some();
            match link.and_then(Literal::text) {
                Some(link) => {
                    let link = below(around.base, link);
                    let kind = self.sidebar.kind_at(&link, item.line, inside.is_some());
                    // A page belongs to the sidebar that is shown beside it.
                    let is_here = self.part_of(&link).is_none_or(|part| part == around.part);
                    let kind = if is_here { kind } else { kind.into_reference() };
                    self.sidebar.add(level, kind, shown, item.line);
                }
                None if is_entry && inside.is_some() => self.sidebar.add(level, Kind::Section, shown, item.line),
                None => {}
            }
            self.items(inside.unwrap_or_default(), around, level + usize::from(is_entry));
        }
    }

    /// The number of the sidebar of the part of the site that has an address.
    fn part_of(&self, link: &str) -> Option<usize> {
        // A longer address has no file, and its prefixes would take much time.
        let link = Some(link.trim_start_matches('/')).filter(|link| link.len() <= MAX_PATH)?;
        let ends = [link.len()].into_iter().chain(link.rmatch_indices('/').map(|(at, _)| at)).chain([0]);
        ends.map(|end| &link[..end]).find_map(|prefix| self.parts.get(prefix)).copied()
    }
}

/// The numbers of sidebars. Several parts often have the same sidebar, which then has one number. Sidebars of another
/// file can all have the same line, so that only their values tell them apart.
fn numbers(sidebars: &[(String, Literal)]) -> Vec<usize> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let number = |(at, (_, given)): (usize, &(String, Literal))| *known.entry(format!("{given:?}")).or_insert(at);
    sidebars.iter().enumerate().map(number).collect()
}

/// What the addresses in a part of a sidebar are below. One that is too long would be repeated for each of them.
fn base(literal: &Literal) -> Option<&str> {
    text(literal, "base").filter(|base| base.len() <= MAX_PATH)
}

/// An address below another one.
fn below(base: &str, link: &str) -> String {
    if base.is_empty() || has_scheme(link) {
        return link.to_owned();
    }
    format!("{}/{}", base.trim_end_matches('/'), link.trim_start_matches('/'))
}

/// The title of a part of a site in the bar at its top.
fn label<'l>(bar: &[(&'l str, &'l str)], prefix: &str) -> Option<&'l str> {
    let prefix = Some(prefix.trim_matches('/')).filter(|prefix| !prefix.is_empty())?;
    let leads_there = |link: &str| {
        let rest = link.trim_start_matches('/').strip_prefix(prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    bar.iter().find(|(link, _)| leads_there(link)).map(|(_, title)| *title)
}

/// A title from the prefix of the addresses of a part, such as `/guide/`.
fn title_of(prefix: &str) -> String {
    address::title_of(&format!("{}/README.md", path::name(prefix.trim_matches('/'))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("", "/a", "/a")]
    #[case("/guide/", "a", "/guide/a")]
    #[case("/guide", "/a/", "/guide/a/")]
    #[case("/guide/", "https://e.org", "https://e.org")]
    fn an_address_is_below_its_base(#[case] base: &str, #[case] link: &str, #[case] expected: &str) {
        assert_eq!(below(base, link), expected);
    }

    #[test]
    fn a_part_has_the_title_of_the_entry_that_leads_there() {
        let bar = [("/guides/a", "Guides"), ("/guide/what", "The guide"), ("api", "API")];
        assert_eq!(
            ["/guide/", "/api/", "/ap", "/"].map(|prefix| label(&bar, prefix)),
            [Some("The guide"), Some("API"), None, None]
        );
    }

    #[test]
    fn a_base_that_is_too_long_is_left_out() {
        let text = format!("[{{base: '/a/'}}, {{base: '/{}'}}]", "b".repeat(MAX_PATH));
        let literal = Literal::exported(&text).expect("a value");
        let bases: Vec<_> = literal.list().expect("a list").iter().map(base).collect();
        assert_eq!(bases, [Some("/a/"), None]);
    }

    #[rstest]
    #[case("/guide/", "Guide")]
    #[case("/zh/api-docs/", "Api docs")]
    #[case("/", "Introduction")]
    fn a_prefix_gives_a_title(#[case] prefix: &str, #[case] title: &str) {
        assert_eq!(title_of(prefix), title);
    }
}
