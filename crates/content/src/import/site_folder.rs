//! The folder of the pages in a repository of a site generator, which has other texts beside it, such as templates.
use super::sidebar::has_pages;
use super::source::SourceTree;

/// Names of a generator's settings, without extensions, and the folder of its pages.
const GENERATORS: [(&[&str], &str); 5] = [
    (&["hugo", "config/_default/hugo", "config/_default/config"], "content"),
    (&["docusaurus.config"], "docs"),
    (&["astro.config"], "src/content/docs"),
    (&["docs/.vitepress/config", "docs/.vitepress/config/index"], "docs"),
    (&["mkdocs"], "docs"),
];

/// Names in the front matter of Hugo of a shorter title of a page.
const SHORT_TITLES: [&str; 2] = ["linkTitle", "linktitle"];

/// Extensions of settings.
const EXTENSIONS: [&str; 9] = ["toml", "yaml", "yml", "json", "js", "ts", "mjs", "cjs", "mts"];

/// The folder of the pages; empty for the root of the repository.
pub(super) fn of(tree: &SourceTree) -> &'static str {
    let is_one = |(settings, folder): &(&[&str], &str)| has_settings(tree, settings) && has_pages(tree, folder);
    let found = GENERATORS.into_iter().find(is_one);
    found.map_or("", |(_, folder)| folder)
}

/// Names in front matter of a shorter title of a page.
pub(super) fn short_titles(tree: &SourceTree) -> &'static [&'static str] {
    let (hugo, _) = GENERATORS[0];
    if has_settings(tree, hugo) { &SHORT_TITLES } else { &[] }
}

fn has_settings(tree: &SourceTree, stems: &[&str]) -> bool {
    let has = |stem: &&str| EXTENSIONS.iter().any(|extension| tree.contains(&format!("{stem}.{extension}")));
    stems.iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(&["hugo.toml", "content/a.md", "README.md"], "content")]
    #[case(&["config/_default/hugo.yaml", "content/en/a.md"], "content")]
    #[case(&["docusaurus.config.ts", "docs/a.mdx", "blog/b.md"], "docs")]
    #[case(&["astro.config.mjs", "src/content/docs/a.md"], "src/content/docs")]
    #[case(&["docs/.vitepress/config.mts", "docs/a.md", "README.md"], "docs")]
    #[case(&[".vitepress/config.mts", "docs/a.md", "README.md"], "")]
    #[case(&["mkdocs.yml", "docs/a.md"], "docs")]
    #[case(&["hugo.toml", "contents/a.md", "content/a.png"], "")]
    #[case(&["sub/hugo.toml", "content/a.md"], "")]
    #[case(&["content/a.md", "docs/b.md"], "")]
    fn the_settings_of_a_generator_say_where_its_pages_are(#[case] paths: &[&str], #[case] folder: &str) {
        let mut tree = SourceTree::default();
        paths.iter().for_each(|path| tree.insert(*path));
        assert_eq!(of(&tree), folder);
    }
}
