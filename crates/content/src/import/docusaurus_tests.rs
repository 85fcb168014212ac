//! Sites of Docusaurus and VitePress whose settings are in several files, and sites with versions.
use super::sidebar_tests::{assert_warned, outline, world};
use rstest::rstest;

const CONFIG: (&str, &str) = ("docusaurus.config.js", "export default {title: 'Site'}");
const NAMES: (&str, &str) = ("versions.json", "[\"2.0\", \"1.0\"]");

#[test]
fn sidebars_of_docusaurus_can_be_in_several_files() {
    let sidebars = "import type { SidebarsConfig } from '@docusaurus/plugin-content-docs'
import guide, { title } from './sidebars/guide'
const api = require('./sidebars/api.json')
export default {
  docs: [...guide, { type: 'category', label: title, items: api.items }, ...require('./sidebars/gone')],
} satisfies SidebarsConfig
";
    let settings = [
        CONFIG,
        ("sidebars.ts", sidebars),
        (
            "sidebars/guide.ts",
            "import { last } from '../last.js'\nexport const title = 'Calls'\nexport default ['b', last]",
        ),
        ("sidebars/api.json", "{\"items\": [\"d\"]}"),
        ("last.ts", "export const last = 'a'"),
    ];
    let pages = [("docs/a.md", "A"), ("docs/b.md", "B"), ("docs/c.md", "C"), ("docs/d.md", "D")];
    let world = world(&settings, &pages);
    assert_eq!(outline(&world), ["B = b", "A = a", "Calls = calls (no text)", "- D = calls/d", "C = c"]);
    assert_warned(&world, &["sidebars.ts:5: this part"]);
}

#[test]
fn the_languages_of_a_site_of_vitepress_can_have_their_own_files() {
    let config = "import { defineConfig } from 'vitepress'
import { en } from './en'
import { de } from './de'
export default defineConfig({
  title: 'Site',
  locales: { root: { label: 'English', ...en }, de: { label: 'Deutsch', ...de } },
})
";
    let english = "export const en = defineConfig({ lang: 'en', themeConfig: { sidebar: sidebar() } })
function sidebar() {
  return { '/guide/': { base: '/guide/', items: guide() }, '/reference/': { base: '/reference/', items: all() } }
}
function guide() { return [{ text: 'One', link: 'one' }, { text: 'All', base: '/reference/', link: 'all' }] }
function all() { return [{ text: 'All of it', link: 'all' }, { text: 'Two', link: 'two' }] }
";
    let settings = [
        ("docs/.vitepress/config/index.ts", config),
        ("docs/.vitepress/config/en.ts", english),
        ("docs/.vitepress/config/de.ts", "export const de = defineConfig({ lang: 'de' })"),
    ];
    let pages = [("docs/guide/one.md", "One"), ("docs/reference/all.md", "All"), ("docs/reference/two.md", "Two")];
    let world = world(&settings, &pages);
    // A page is in its own part, although all parts of the sidebar come from the same line.
    let expected = [
        "Guide = guide (group)",
        "- One = guide/one",
        "- All -> Page",
        "Reference = reference (group)",
        "- All = reference/all",
        "- Two = reference/two",
    ];
    assert_eq!(outline(&world), expected);
    assert_warned(&world, &[]);
}

#[rstest]
#[case::outside("module.exports = require('../../etc/x')")]
#[case::itself("module.exports = require('./sidebars')")]
#[case::each_other("module.exports = require('./other')")]
#[case::text("module.exports = require('./docs/a.md')")]
#[case::not_read("module.exports = require('./broken')")]
fn without_a_readable_file_of_sidebars_folders_decide(#[case] sidebars: &str) {
    let settings = [
        CONFIG,
        ("sidebars.js", sidebars),
        ("other.js", "module.exports = require('./sidebars.js')"),
        ("broken.js", "module.exports = {docs: ["),
    ];
    let world = world(&settings, &[("docs/b.md", "B"), ("docs/a.md", "A")]);
    assert_eq!(outline(&world), ["A = a", "B = b"]);
    assert_warned(&world, &["sidebars.js: its navigation is not understood"]);
}

#[test]
fn without_sidebars_the_folders_of_a_site_of_docusaurus_order_its_pages() {
    let settings =
        [("website/docusaurus.config.js", CONFIG.1), ("website/docs/c/_category_.json", "{\"label\": \"Sea\"}")];
    let pages = [("website/docs/b.md", "B"), ("website/docs/a.md", "A"), ("website/docs/c/d.md", "D"), ("x.md", "X")];
    let world = world(&settings, &pages);
    assert_eq!(outline(&world), ["A = a", "B = b", "Sea = c (no text)", "- D = c/d"]);
    assert_eq!(world.imported().title.as_deref(), Some("Site"));
    assert_warned(&world, &["x.md: "]);
}

const PAGES: [(&str, &str); 5] = [
    ("docs/a.md", "A"),
    ("docs/b.md", "B"),
    ("versioned_docs/version-2.0/a.md", "A of 2"),
    ("versioned_docs/version-2.0/b.md", "B of 2"),
    ("versioned_docs/version-1.0/a.md", "A of 1"),
];

#[rstest]
#[case::with_sidebars(&[CONFIG, NAMES, ("sidebars.js", "module.exports = {docs: ['b', 'a']}")], &["B = b", "A = a"])]
#[case::without_sidebars(&[CONFIG, NAMES], &["A = a", "B = b"])]
#[case::without_settings(&[NAMES], &["Docs = docs (no text)", "- A = docs/a", "- B = docs/b"])]
fn only_the_current_version_of_a_site_is_imported(#[case] settings: &[(&str, &str)], #[case] expected: &[&str]) {
    let world = world(settings, &PAGES);
    assert_eq!(outline(&world), expected);
    assert_warned(&world, &["versions.json: other versions are left out: 2 (pages: 3)"]);
}

#[test]
fn a_site_without_current_pages_has_those_of_the_latest_version() {
    let sidebars = "{\"docs\": [{\"type\": \"autogenerated\", \"dirName\": \".\"}]}";
    let own = ("sidebars.js", "module.exports = {docs: ['gone']}");
    let with_sidebars = [CONFIG, NAMES, own, ("versioned_sidebars/version-2.0-sidebars.json", sidebars)];
    for settings in [&with_sidebars[..], &with_sidebars[..3], &with_sidebars[..2], &with_sidebars[1..2]] {
        let world = world(settings, &PAGES[2..]);
        assert_eq!(outline(&world), ["A of 2 = a", "B of 2 = b"], "{settings:?}");
        assert_warned(&world, &["versions.json: other versions are left out: 1 (pages: 1)"]);
    }
}

#[test]
fn the_sidebars_of_the_latest_version_order_its_pages() {
    let settings = [CONFIG, NAMES, ("versioned_sidebars/version-2.0-sidebars.json", "{\"docs\": [\"b\", \"a\"]}")];
    assert_eq!(outline(&world(&settings, &PAGES[2..])), ["B of 2 = b", "A of 2 = a"]);
}

#[test]
fn a_site_with_versions_can_be_in_a_folder_that_has_the_usual_name_of_that_of_its_pages() {
    let settings = [("docs/docusaurus.config.js", CONFIG.1), ("docs/versions.json", NAMES.1)];
    let pages = [
        ("docs/README.md", "About the site"),
        ("docs/versioned_docs/version-2.0/a.md", "A of 2"),
        ("docs/versioned_docs/version-1.0/a.md", "A of 1"),
    ];
    for settings in [&settings[..], &settings[1..]] {
        let world = world(settings, &pages);
        assert_eq!(outline(&world), ["A of 2 = a"]);
        let left_out = "docs/versions.json: other versions are left out: 1 (pages: 1)";
        assert_warned(&world, &["docs/README.md: ", left_out]);
    }
}

#[test]
fn an_old_site_elsewhere_in_a_repository_does_not_replace_its_pages() {
    let pages = [
        ("guide.md", "Guide"),
        ("packages/x/versioned_docs/version-2.0/a.md", "A of 2"),
        ("packages/x/versioned_docs/version-1.0/a.md", "A of 1"),
    ];
    let world = world(&[("packages/x/versions.json", NAMES.1)], &pages);
    let expected = ["Guide", "Packages", "- X", "- - Versioned docs", "- - - Version 2.0", "- - - - A of 2"];
    let titles: Vec<String> =
        outline(&world).iter().filter_map(|line| Some(line.split_once(" = ")?.0.into())).collect();
    assert_eq!(titles, expected);
    assert_warned(&world, &["packages/x/versions.json: other versions are left out: 1 (pages: 1)"]);
}

#[test]
fn a_site_with_versions_can_be_in_a_folder_and_have_several_parts() {
    let settings = [
        ("website/docusaurus.config.js", CONFIG.1),
        ("website/versions.json", NAMES.1),
        ("website/api_versions.json", NAMES.1),
    ];
    let pages = [
        ("website/docs/a.md", "A"),
        ("website/versioned_docs/version-1.0/a.md", "A of 1"),
        ("website/api_versioned_docs/version-1.0/a.md", "API of 1"),
    ];
    let world = world(&settings, &pages);
    assert_eq!(outline(&world), ["A = a"]);
    assert_warned(&world, &["website/versions.json: other versions", "website/api_versions.json: other versions"]);
}

#[rstest]
#[case::no_names(&[])]
#[case::not_json(&[("versions.json", "[")])]
fn pages_of_unknown_versions_are_imported_if_there_are_no_others(#[case] settings: &[(&str, &str)]) {
    let world = world(settings, &PAGES[2..]);
    let titles: Vec<String> =
        outline(&world).iter().filter_map(|line| Some(line.split_once(" = ")?.0.into())).collect();
    let expected = ["Versioned docs", "- Version 1.0", "- - A of 1", "- Version 2.0", "- - A of 2", "- - B of 2"];
    assert_eq!(titles, expected);
    assert_warned(&world, &[]);
}
