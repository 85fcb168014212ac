//! Redirects of `.gitbook.yaml` from an import: from an old path to a file, and so to its page.
use super::Snapshot;
use crate::import::Repository;
use crate::import::config::Config;
use crate::import::path::{decode, folder, is_markdown, is_readme, join, stem};
use crate::object::{Objects, Read};
use values::id::PageId;
use values::text::folded;

impl Snapshot {
    /// The target of a redirect of `.gitbook.yaml` from a path without a page: the page that was imported from the file
    /// of the redirect, or else the page at the path of that file.
    pub fn redirected(&self, objects: &dyn Objects, path: &str) -> Read<Option<PageId>> {
        let Some(hash) = self.repository() else { return Ok(None) };
        let Some(target) = Repository::load(objects, &hash)?.redirect(path) else { return Ok(None) };
        let likely = self.page_like(objects, &page_path(&target))?;
        if let Some(id) = &likely
            && self.page(objects, id)?.is_some_and(|page| page.git.is_some_and(|git| git.path == target))
        {
            return Ok(likely);
        }
        let of_file = |id: PageId, path: Option<&str>| (path == Some(&target)).then_some(id);
        let mut pages = self.pages(objects)?.into_iter();
        let imported = pages.find_map(|(id, page)| of_file(id, page.git.as_ref().map(|git| git.path.as_str())));
        Ok(imported.or(likely))
    }

    /// The source paths of the redirects in `.gitbook.yaml`, as paths of pages.
    pub fn redirected_paths(&self, objects: &dyn Objects) -> Read<Vec<String>> {
        let Some(hash) = self.repository() else { return Ok(Vec::new()) };
        let redirects = Repository::load(objects, &hash)?.config().redirects;
        let paths = redirects.keys().map(|from| page_path(&decode(from)));
        Ok(paths.filter(|path| !path.is_empty()).collect())
    }
}

impl Repository {
    /// The file in a redirect of `.gitbook.yaml` from the path of a page. Case does not matter, nor do slashes at the
    /// ends and a file extension.
    fn redirect(&self, path: &str) -> Option<String> {
        // Most repositories have no redirects; then no parser is needed.
        self.config.as_ref().filter(|text| text.contains("redirects"))?;
        let wanted = folded(path.trim_matches('/'));
        let redirects = self.config().redirects;
        let (_, target) = redirects.iter().find(|(from, _)| folded(&page_path(&decode(from))) == wanted)?;
        Config::target(target)
    }
}

/// The path of a file's page: without the extension, and for `README.md` that of its folder.
fn page_path(file: &str) -> String {
    let file = file.trim_matches('/');
    match file {
        readme if is_readme(readme) => folder(readme).to_owned(),
        file if is_markdown(file) || file.ends_with(".html") => join(folder(file), stem(file)),
        path => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::import::testing::World;
    use rstest::rstest;

    const CONFIG: &str = "redirects:\n  old: new.md\n  /Old/Page.html: ./deep/er/page.md\n  start: README.md\n  gone: gone.md\n  \
                          part: new.md#part\n  made: deep/er\n  a%20b: new.md\n  nothing:\n  out: ../../x.md\n";
    const SUMMARY: &str = "* [Start](README.md)\n* [New](new.md)\n  * [Below](deep/er/page.md)\n";

    #[rstest]
    #[case("old", Some("new"))]
    #[case("OLD/", Some("new"))]
    #[case("old/page", Some("new/page"))]
    #[case("start", Some("start"))]
    #[case("part", Some("new"))]
    #[case("a b", Some("new"))]
    #[case::no_page_has_the_file("gone", None)]
    #[case::no_page_is_there("made", None)]
    #[case("nothing", None)]
    #[case("out", None)]
    #[case("other", None)]
    fn a_redirect_leads_to_the_page_of_a_file(#[case] path: &str, #[case] page: Option<&str>) {
        let files = [
            (".gitbook.yaml", CONFIG),
            ("SUMMARY.md", SUMMARY),
            ("README.md", "# Start\n"),
            ("new.md", "# New\n"),
            ("deep/er/page.md", "# Below\n"),
        ];
        let world = World::of(&files);
        let found = world.snapshot.redirected(&world.objects, path).unwrap();
        let found = found.and_then(|id| world.snapshot.path(&world.objects, &id).unwrap());
        assert_eq!(found.as_deref(), page);
    }

    #[test]
    fn the_paths_of_redirects_are_listed_as_paths_of_pages() {
        let world = World::of(&[(".gitbook.yaml", CONFIG), ("README.md", "# Start\n")]);
        let paths = world.snapshot.redirected_paths(&world.objects).unwrap();
        assert_eq!(paths, ["Old/Page", "a b", "gone", "made", "old", "out", "part", "start"]);
    }

    #[test]
    fn a_repository_without_redirects_has_none() {
        for files in
            [vec![("README.md", "# Start\n")], vec![(".gitbook.yaml", "root: ./\n"), ("README.md", "# Start\n")]]
        {
            let world = World::of(&files);
            assert_eq!(world.snapshot.redirected(&world.objects, "old"), Ok(None));
            assert_eq!(world.snapshot.redirected_paths(&world.objects), Ok(Vec::new()));
        }
    }
}
