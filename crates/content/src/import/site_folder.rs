//! The folder of the pages in a repository of a site generator, which has other texts beside it, such as templates.
use super::path;
use super::source::SourceTree;

/// Names of a generator's settings, without extensions, and the folder of its pages.
const GENERATORS: [(&[&str], &str); 4] = [
    (&["hugo", "config/_default/hugo", "config/_default/config"], "content"),
    (&["docusaurus.config"], "docs"),
    (&["astro.config"], "src/content/docs"),
    (&["mkdocs"], "docs"),
];

/// Extensions of settings.
const EXTENSIONS: [&str; 9] = ["toml", "yaml", "yml", "json", "js", "ts", "mjs", "cjs", "mts"];

/// The folder of the pages; empty for the root of the repository.
pub(super) fn of(tree: &SourceTree) -> &'static str {
    let has = |stem: &&str| EXTENSIONS.iter().any(|extension| tree.contains(&format!("{stem}.{extension}")));
    let has_pages =
        |folder: &str| tree.paths().any(|path| path::inside(folder, path).is_some() && path::is_markdown(path));
    let found = GENERATORS.into_iter().find(|(settings, folder)| settings.iter().any(has) && has_pages(folder));
    found.map_or("", |(_, folder)| folder)
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
