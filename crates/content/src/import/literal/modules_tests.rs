//! Values that files import from each other.
use super::tests::shown;
use super::*;
use rstest::rstest;
use std::cell::RefCell;

/// Files by their paths. An address means the file whose path it is without `./`.
struct Files<'f> {
    files: &'f [(&'f str, &'f str)],
    reads: RefCell<Vec<String>>,
}

impl Imports for Files<'_> {
    fn find(&self, _from: &str, address: &str) -> Option<String> {
        let path = address.strip_prefix("./")?;
        self.files.iter().any(|(known, _)| *known == path).then(|| path.to_owned())
    }

    fn read(&self, path: &str) -> Option<String> {
        self.reads.borrow_mut().push(path.to_owned());
        self.files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
    }
}

/// The value that a file exports which is beside other ones, and the files that were read.
fn read(text: &str, files: &[(&str, &str)]) -> (Option<Literal>, Vec<String>) {
    let files = Files { files, reads: RefCell::default() };
    let value = Literal::exported_by("main", text, &Cell::new(MAX_VALUE), &files);
    (value, files.reads.into_inner())
}

fn exported(text: &str, files: &[(&str, &str)]) -> String {
    read(text, files).0.as_ref().map_or_else(|| "none".to_owned(), shown)
}

const ESM: &str = "import type { T } from './types'
const b = ['one']
export const a: T = { list: [...b, 2] }, c = 'C'
export function make() { return [b] }
export { b as other, c as 'text' }
export * from './more'
export * as more from './more'
export { deep } from './more'
export default { a, name: 'default' }
";
const MORE: &str = "export const deep = { er: [3] }; export default 4";
const COMMON: &str = "const { deep, ...rest } = require('./more'), x = 1\nmodule.exports = { deep, x }";
const ASSIGNED: &str = "const list = ['a']\nmodule.exports = { list: ['b', ...list] }";
const NAMED: &str = "exports.a = [1]\nmodule.exports.b = require('./json')\n";

fn files() -> Vec<(&'static str, &'static str)> {
    let json = ("json", "{\"k\": [\"v\"]}");
    vec![("esm", ESM), ("more", MORE), ("common", COMMON), ("assigned", ASSIGNED), ("named", NAMED), json]
}

#[rstest]
#[case::default("import x from './esm'; export default x", r#"{a: {list: ["one", 2]}, name: "default"}"#)]
#[case::named("import { a, c as d } from './esm'; export default [a, d]", r#"[{list: ["one", 2]}, "C"]"#)]
#[case::both("import x, { c } from \"./esm\"\nexport default [x.name, c]", r#"["default", "C"]"#)]
#[case::renamed("import { other } from './esm'; export default other", r#"["one"]"#)]
#[case::all(
    "import * as esm from './esm'; export default [esm.c, esm.default.name, esm.deep.er]",
    r#"["C", "default", [3]]"#
)]
#[case::all_of_another("import { more } from './esm'; export default [more.deep, more.default]", "[{er: [3]}, 4]")]
#[case::of_another("import { deep } from './esm'; export default [...deep.er]", "[3]")]
#[case::function("import { make } from './esm'; export default make()", r#"[["one"]]"#)]
#[case::function_of_all("import * as esm from './esm'; export default esm.make()", r#"[["one"]]"#)]
#[case::member(
    "import { a } from './esm'; export default {...a, x: a.list, y: a.gone}",
    r#"{list: ["one", 2], x: ["one", 2], y: ?}"#
)]
#[case::json("import x from './json' with { type: 'json' }; export default x", r#"{k: ["v"]}"#)]
#[case::json_member("import { k } from './json'; export default k", r#"["v"]"#)]
#[case::required("module.exports = [require('./json'), ...require('./json').k]", r#"[{k: ["v"]}, "v"]"#)]
#[case::required_default("module.exports = require('./esm').default.name", r#""default""#)]
#[case::required_constant("const x = require('./common'); module.exports = {...x}", "{deep: {er: [3]}, x: 1}")]
#[case::of_another_name("const { list } = require('./assigned'); module.exports = list", r#"["b", "a"]"#)]
#[case::required_parts(
    "const { a, b: c } = require('./named'); module.exports = [a, c, c.k]",
    r#"[[1], {k: ["v"]}, ["v"]]"#
)]
#[case::exported_again("export { default } from './more'", "4")]
#[case::exported_later("const x = [1]; export { x as default }", "[1]")]
#[case::of_a_constant("const x = {y: {z: [1]}}; export default x.y.z", "[1]")]
#[case::in_a_definition("import { d } from './d'; export default { root: {...d}, own: d.a }", "{root: {a: 1}, own: 1}")]
fn values_of_other_files_are_read(#[case] text: &str, #[case] expected: &str) {
    let files: Vec<_> = files().into_iter().chain([("d", "export const d = defineConfig({a: 1})")]).collect();
    assert_eq!(exported(text, &files), expected);
}

#[rstest]
#[case::no_file("import x from './gone'; export default [x, 1]", "[?, 1]")]
#[case::no_name("import { gone } from './esm'; export default [gone, 1]", "[?, 1]")]
#[case::package("import x from 'esm'; export default [x, 1]", "[?, 1]")]
#[case::absolute("import x from '/esm'; export default [x, 1]", "[?, 1]")]
#[case::types("import type x from './esm'; import type { c } from './esm'; export default [x, c, 1]", "[?, ?, 1]")]
#[case::whole("import * as esm from './named'; export default [esm, 1]", "[?, 1]")]
#[case::dynamic("const x = await import('./esm'); export default [x, import('./esm'), 1]", "[?, import(\"./esm\"), 1]")]
#[case::computed(
    "export default [require('./e' + 'sm'), require(`./esm`), 1]",
    "[require(?), {a: {list: [\"one\", 2]}, name: \"default\"}, 1]"
)]
#[case::called("import x from './esm'; export default [x(), x.name(), 1]", "[x(), x.name(), 1]")]
#[case::not_closed("import { a from './esm'; export default 1", "none")]
#[case::only_imports("import './esm'\nimport x from './esm'\n", "none")]
fn what_is_not_in_another_file_is_unknown(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(exported(text, &files()), expected);
}

#[test]
fn a_value_of_another_file_has_the_line_where_it_is_named() {
    let files = [("x", "\n\n\nexport default [\n  1,\n  [make()],\n]"), ("y", "export { default as z } from './x'")];
    let text = "import x from './x'\nimport { z } from './y'\nexport default [\n  x,\n  7,\n  z,\n]";
    let exported = read(text, &files).0.expect("a value");
    let lines: Vec<usize> = exported.list().expect("a list").iter().map(|item| item.line).collect();
    // A name of an import is in the line of its import.
    assert_eq!(lines, [1, 5, 2]);
    let inside = exported.list().expect("a list")[0].list().expect("a list");
    assert!(inside.iter().all(|item| item.line == 1));
}

#[test]
fn each_file_is_read_once() {
    let text = "import a, { b, c } from './a'; export default [a, b, c, a, b, require('./a'), require('./gone')]";
    let (_, reads) = read(text, &[("a", "export const b = 1, c = 2; export default b")]);
    assert_eq!(reads, ["a"]);
}

#[rstest]
#[case::themselves(&[("a", "import a from './a'; export default [a, ...a]")])]
#[case::each_other(&[("a", "import b from './b'; export default b"), ("b", "export { default } from './a'")])]
#[case::lists(&[
    ("a", "import b from './b'; export default [b, b]"),
    ("b", "import a from './a'; export default [a, a]"),
])]
#[case::everything(&[
    ("a", "export * from './b'; export * from './a'"),
    ("b", "export * from './a'; export * from './b'"),
])]
#[case::members(&[("a", "import * as a from './a'; export { a }; export default a.a.a.a")])]
fn files_that_import_each_other_end(#[case] files: &[(&str, &str)]) {
    let text = "import a, { x, a as y } from './a'; export default [a, x, y, 1]";
    let exported = read(text, files).0.expect("a value");
    assert!(exported.list().is_some_and(|list| !list.is_empty()));
}

#[test]
fn the_number_of_files_is_limited() {
    let texts: Vec<(String, String)> = (0..200)
        .map(|at| (format!("f{at}"), format!("import x from './f{}'; export default [{at}, ...x]", at + 1)))
        .collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let imports: String = (0..200).map(|at| format!("import f{at} from './f{at}';")).collect();
    let names: String = (0..200).map(|at| format!("f{at},")).collect();
    let (exported, reads) = read(&format!("{imports} export default [{names}]"), &files);
    assert!(exported.is_some());
    assert!((10..64).contains(&reads.len()), "{}", reads.len());
}

#[test]
fn the_size_of_files_is_limited() {
    let text = "import a from './a'; import b from './b'; import c from './c'; export default [a, b, c, a]";
    let large = format!("export default 1 //{}", " ".repeat(900_000));
    let files = ["a", "b", "c"].map(|path| (path, large.as_str()));
    assert_eq!(exported(text, &files), "[1, 1, ?, 1]");
}

#[rstest]
#[case::long_names("const a = ", &"b.".repeat(200_000))]
#[case::many_keys("const a = {", &"b:1,".repeat(200_000))]
#[case::many_names("import {", &"a as b,".repeat(120_000))]
#[case::many_exports("export {", &"a as b,".repeat(120_000))]
#[case::many_sources("", &"export * from './a';".repeat(40_000))]
#[case::many_braces("import ", &"{".repeat(900_000))]
#[case::many_imports("", &"import ".repeat(140_000))]
#[case::many_stars("import ", &"*,".repeat(400_000))]
#[case::many_requires("const ", &"{a} = require('./a'), ".repeat(40_000))]
fn hostile_files_are_read_soon(#[case] start: &str, #[case] many: &str) {
    let uses = "a.b,".repeat(50_000);
    let main = format!("import a from './x'; import {{ b }} from './x'; export default [{uses} a, b]");
    for end in ["", "}\nexport default [a.b, a.b, a.b]", "} from './x'; export { a }"] {
        let text = format!("{start}{many}{end}");
        drop(read(&main, &[("x", &text)]));
        drop(read(&text, &[("x", &text)]));
    }
}
