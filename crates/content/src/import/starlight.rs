//! `astro.config.mjs` with Starlight: the sidebar of a site, as a table of contents.
use super::literal::Literal;
use super::navigation::{Files, Navigation};
use super::path;
use super::sidebar::{self, Kind, Pages, SITES, Sidebar, has_pages, text, titled};
use crate::markdown::FrontMatter;

/// The name of the settings, without its extension.
const CONFIG: &str = "astro.config";

/// The function that has the settings, and the package that it is in.
const FUNCTION: &str = "starlight";
const PACKAGE: &str = "@astrojs/starlight";

/// The folder of the pages in a site.
const DOCS: &str = "src/content/docs";

/// Reads the file. `None` if there is none, or if it has no sidebar.
pub(super) fn read(files: &Files<'_>) -> Option<Navigation> {
    let contents = sidebar::settings(files.tree, SITES, CONFIG)?;
    let literal = files.literal(&contents);
    let config = literal.as_ref().map(Literal::unwrapped);
    let Some(options) = config.and_then(options) else {
        if files.text(&contents).is_some_and(|text| text.contains(PACKAGE)) {
            sidebar::not_understood(files, &contents);
        }
        return None;
    };
    let given = options.get("sidebar")?;
    let root = root(files, path::folder(&contents), options)?;
    let pages = Pages::new(files, &root, id, given_id);
    let mut reader = Reader { pages, sidebar: Sidebar::new(files, &contents, &root), root };
    match given.list() {
        Some(items) => reader.items(items, 0),
        None => reader.sidebar.unknown(given.line),
    }
    let title = options.get("title");
    let title = title.and_then(|title| title.text().or_else(|| title.entries()?.first()?.1.text()));
    reader.sidebar.finish(title, &["index"])
}

/// The settings of Starlight in those of Astro.
fn options(config: &Literal) -> Option<&Literal> {
    let integrations = config.get("integrations")?.list()?;
    let (_, arguments) = integrations.iter().filter_map(Literal::call).find(|(function, _)| *function == FUNCTION)?;
    arguments.first()
}

/// The folder of the pages in the default language.
fn root(files: &Files<'_>, site: &str, options: &Literal) -> Option<String> {
    let all = path::join(site, DOCS);
    let has_root = options.get("locales").is_some_and(|locales| locales.get("root").is_some());
    let language = text(options, "defaultLocale").filter(|_| !has_root);
    let own = language.and_then(|language| path::resolve(&all, language));
    own.into_iter().chain([all]).find(|folder| has_pages(files.tree, folder))
}

/// The id of a page, from its path without an extension: its address, in lower case and with hyphens.
fn id(path: &str) -> String {
    let slug = |name: &str| {
        let kept = name.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    let id = path.trim_matches('/').split('/').map(slug).collect::<Vec<_>>().join("/");
    let page = id.strip_suffix("index").filter(|folder| folder.is_empty() || folder.ends_with('/'));
    page.map_or(id.as_str(), |folder| folder.trim_end_matches('/')).to_owned()
}

/// The id of a page whose front matter has an address.
fn given_id(_path: &str, front: &FrontMatter) -> Option<String> {
    front.text("slug").map(id)
}

struct Reader<'f> {
    pages: Pages<'f>,
    sidebar: Sidebar<'f>,
    /// The folder of the pages.
    root: String,
}

impl Reader<'_> {
    fn items(&mut self, items: &[Literal], level: usize) {
        items.iter().for_each(|item| self.item(item, level));
    }

    fn item(&mut self, item: &Literal, level: usize) {
        let (line, shown) = (item.line, titled(text(item, "label")));
        if let Some(slug) = item.text().or_else(|| text(item, "slug")) {
            let page = self.page(slug);
            return self.sidebar.add(level, page, shown, line);
        }
        if let Some(link) = text(item, "link") {
            let kind = self.sidebar.kind_at(link, line, false);
            return self.sidebar.add(level, kind, shown, line);
        }
        let directory = item.get("autogenerate").and_then(|folder| text(folder, "directory"));
        let folder = directory.and_then(|directory| path::resolve(&self.root, directory.trim_start_matches('/')));
        let items = item.get("items").and_then(Literal::list);
        if folder.is_none() && items.is_none() {
            return self.sidebar.unknown(line);
        }
        let mut inner = level;
        if item.get("label").is_some() {
            self.sidebar.add(level, Kind::Section, shown, line);
            inner += 1;
        }
        if let Some(folder) = folder {
            self.sidebar.add(inner, Kind::Folder(folder), titled(None), line);
        }
        self.items(items.unwrap_or_default(), inner);
    }

    /// The page with an id.
    fn page(&self, slug: &str) -> Kind {
        let slug = slug.trim_matches('/');
        self.pages.find(slug).map_or_else(|| Kind::Missing(path::join(&self.root, slug)), Kind::Page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("index", "")]
    #[case("guides/index", "guides")]
    #[case("guides/My Page (1)", "guides/my-page-1")]
    #[case("/reference/a_b/", "reference/a_b")]
    #[case("reindex", "reindex")]
    fn an_id_is_an_address(#[case] path: &str, #[case] expected: &str) {
        assert_eq!(id(path), expected);
    }
}
