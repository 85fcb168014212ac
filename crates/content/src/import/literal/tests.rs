use super::*;
use proptest::prelude::*;
use rstest::rstest;

/// No other files.
struct Nothing;

impl Imports for Nothing {
    fn find(&self, _from: &str, _address: &str) -> Option<String> {
        None
    }

    fn read(&self, _path: &str) -> Option<String> {
        None
    }
}

impl Literal {
    /// The value that a file exports that imports nothing.
    fn exported_within(text: &str, left: &Cell<usize>) -> Option<Self> {
        Self::exported_by("a.js", text, left, &Nothing)
    }

    /// The same, with enough left for the largest value.
    pub(in crate::import) fn exported(text: &str) -> Option<Self> {
        Self::exported_within(text, &Cell::new(MAX_VALUE))
    }
}

/// A value in a form like JSON: `?` is unknown.
pub(super) fn shown(literal: &Literal) -> String {
    let list = |items: &[Literal]| items.iter().map(shown).collect::<Vec<_>>().join(", ");
    match &literal.value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => format!("{text:?}"),
        Value::List(items) => format!("[{}]", list(items)),
        Value::Object(entries) => {
            let entry = |(key, value): &(String, Literal)| format!("{key}: {}", shown(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Value::Call { function, arguments } => format!("{function}({})", list(arguments)),
        Value::Function { result, .. } => format!("=> {}", shown(result)),
        Value::Name(_) | Value::Spread(_) | Value::Imported { .. } | Value::Unknown => "?".to_owned(),
    }
}

fn exported(text: &str) -> String {
    Literal::exported(text).as_ref().map_or_else(|| "none".to_owned(), shown)
}

/// The value of an expression.
fn value(text: &str) -> String {
    exported(&format!("export default [{text}]"))
}

#[rstest]
#[case("'a', \"b\", `c`", r#"["a", "b", "c"]"#)]
#[case("'', 'it\\'s', \"\\u0041\\x42\\u{1F600}\\ud83d\\ude00\", 'é\\é'", r#"["", "it's", "AB😀😀", "éé"]"#)]
#[case("'a\\\nb', `a\nb`, 'a\\nb', `$5 \\${x}`", r#"["ab", "a\nb", "a\nb", "$5 ${x}"]"#)]
#[case("1, -2, 1.5, 1e3, 1_000, 0x1f", "[1, -2, 1.5, 1000, 1000, ?]")]
#[case("true, false, null, undefined", "[true, false, null, null]")]
#[case("[], [1,], [[2], ], {}", "[[], [1], [[2]], {}]")]
#[case("{a: 1, 'b-c': 2, \"d\": 3, 404: 4, $e_: 5,}", "[{a: 1, b-c: 2, d: 3, 404: 4, $e_: 5}]")]
#[case("/* a, b */ 1, // 2\n 3, ('x'), ({y: 4})", r#"[1, 3, "x", {y: 4}]"#)]
#[case("'a' as const, {b: 1} as Foo<Bar, [Baz]>['x'] satisfies Other.Type[], c!", r#"["a", {b: 1}, ?]"#)]
#[case(
    "require('./a'), x.y.z({b: 1}, [2]), define<A, B>({c: 3})",
    r#"[require("./a"), x.y.z({b: 1}, [2]), define({c: 3})]"#
)]
#[case(
    "() => [1], async () => ({a: 1}), (x, y) => { return [2] }, function () { return 3; }",
    "[=> [1], => {a: 1}, => [2], => 3]"
)]
fn literals_are_read(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(value(text), expected);
}

#[rstest]
#[case("a + b", "?")]
#[case("'a' + 'b'", "?")]
#[case("`a${b + `c}${']'}`}`", "?")]
#[case("a ? [1, 2] : {b: 3}", "?")]
#[case("process.env.X || 'b'", "?")]
#[case("[1].map((x) => ({y: [x, 2]}))", "?")]
#[case("require('x').default", "?")]
#[case("...others", "?")]
#[case("a.replace(/[/'\"\\]]/g, '')", "a.replace(?, \"\")")]
#[case("a / 2 / '3'.length", "?")]
#[case("new Set([1, 2])", "?")]
#[case("<b>text</b>", "?")]
#[case("x => ({a: 1})", "?")]
#[case("(x) => { const y = [1]; return {y} }", "=> ?")]
#[case("class { a() { return ']' } }", "?")]
#[case("await import('x')", "?")]
fn what_is_computed_is_unknown_and_the_rest_is_read(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(value(&format!("1, {text}, 'z'")), format!(r#"[1, {expected}, "z"]"#));
    let object = exported(&format!("export default {{a: 1, b: {text}, c: 'z'}}"));
    if !text.starts_with("...") {
        assert_eq!(object, format!(r#"{{a: 1, b: {expected}, c: "z"}}"#));
    }
}

#[test]
fn entries_without_a_readable_key_are_unknown() {
    let text = "export default {[a]: 1, b() { return 1 }, get c() {}, ...d, async e() {}, f, g: 2}";
    assert_eq!(exported(text), "{: ?, b: ?, get: ?, : ?, async: ?, f: ?, g: 2}");
}

#[rstest]
#[case("module.exports = {a: 1};", "{a: 1}")]
#[case("'use strict'\nconst x = require('x')\nmodule.exports = [1]\n", "[1]")]
#[case("export default {a: 1} satisfies X", "{a: 1}")]
#[case("{\"a\": [1]}\n", "{a: [1]}")]
#[case("\u{feff}[1]", "[1]")]
#[case("const a: Map<string, () => void> = {b: 1}\nexport default a;", "{b: 1}")]
#[case("const a = {b: 1} as const, c = [a]\nexport default c", "[{b: 1}]")]
#[case("const config = make(1)\n  .then(2)\nexport default [config, 3]", "[?, 3]")]
#[case("export default async function config(): Promise<X> {\n  return {a: 1};\n}", "=> {a: 1}")]
#[case("type A = {b: 'x'}\ninterface C { d: [e] }\nexport default [1]", "[1]")]
#[case("const r = /['\"`]/\nif (a) { module.exports = 1 }\nmodule.exports = 2", "2")]
#[case("import a from 'a'\n", "none")]
#[case("exports.a = 1; module.exports.b = 2; x = module.exports", "none")]
#[case("", "none")]
fn the_exported_value_is_found(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(exported(text), expected);
}

#[test]
fn names_of_constants_stand_for_their_values() {
    let text = "
        const title = 'T';
        export const guide = [{text: title}], more = {'/b/': [2]}
        function nav(): Item[] {
          return [1]
        }
        const api = () => [3];
        function given(x) { return [x] }
        export default {title, guide, all: [...guide, ...gone], map: {'/a/': nav(), ...more}, api: api(), x: given(1)}";
    let expected = r#"{title: "T", guide: [{text: "T"}], all: [{text: "T"}, ?], map: {/a/: [1], /b/: [2]}, api: [3], x: given(1)}"#;
    assert_eq!(exported(text), expected);
}

#[test]
fn a_real_looking_file_of_settings_is_read() {
    let text = "// @ts-check
import {themes as prismThemes} from 'prism-react-renderer';
const year = new Date().getFullYear();

/** @type {import('@docusaurus/types').Config} */
const config = {
  title: 'My Site',
  onBrokenLinks: process.env.CI ? 'throw' : 'warn',
  presets: [
    [
      'classic',
      /** @type {import('@docusaurus/preset-classic').Options} */
      ({
        docs: { path: '../docs', sidebarPath: require.resolve('./sidebars.js') },
        theme: { customCss: './src/css/custom.css' },
      }),
    ],
  ],
  themeConfig: /** @type {X} */ ({ footer: { copyright: `© ${year} Me` }, prism: prismThemes.github }),
};

export default config;
";
    let config = Literal::exported(text).expect("a value");
    let found = shown(&config);
    let expected = r#"{title: "My Site", onBrokenLinks: ?, presets: [["classic", {docs: {path: "../docs", sidebarPath: require.resolve("./sidebars.js")}, theme: {customCss: "./src/css/custom.css"}}]], themeConfig: {footer: {copyright: ?}, prism: ?}}"#;
    assert_eq!(found, expected);
    assert_eq!((config.line, config.get("presets").map(|presets| presets.line)), (6, Some(9)));
}

#[test]
fn parts_of_a_value_are_at_hand() {
    let text = "export default define(wrap(() => ({a: 'x', b: [1, f(2)], a: 'y'})), 3)";
    let exported = Literal::exported(text).expect("a value");
    let value = exported.unwrapped();
    assert_eq!(value.get("a").and_then(Literal::text), Some("y"));
    assert_eq!(value.entries().map(<[_]>::len), Some(3));
    let list = value.get("b").and_then(Literal::list).expect("a list");
    assert!(!list[0].is_unknown() && list[1].is_unknown());
    assert_eq!(list[1].call().map(|(name, arguments)| (name, arguments.len())), Some(("f", 1)));
    assert_eq!((exported.text(), value.list(), value.get("c"), list[0].call()), (None, None, None, None));
}

#[rstest]
#[case::open_lists("[", 300_000)]
#[case::open_objects("{a:", 300_000)]
#[case::open_calls("a(", 300_000)]
#[case::open_parentheses("(", 300_000)]
#[case::functions("()=>", 200_000)]
#[case::templates("`${", 200_000)]
#[case::patterns("/[", 300_000)]
#[case::comments("/*", 300_000)]
#[case::types("x as a<", 100_000)]
#[case::spreads("...", 200_000)]
#[case::members("a.", 300_000)]
#[case::bangs("!", 900_000)]
#[case::strings("'a", 300_000)]
#[case::values("0,", 400_000)]
#[case::keys("a,", 400_000)]
#[case::constants("\nconst a=1", 80_000)]
#[case::words("a ", 400_000)]
fn texts_of_many_parts_end_soon(#[case] part: &str, #[case] count: usize) {
    let many = part.repeat(count);
    for start in ["export default ", "export default [", "const a = ", "", "{"] {
        let text = format!("{start}{many}");
        if text.len() <= MAX_FILE {
            drop(Literal::exported(&text));
        }
    }
}

#[rstest]
#[case("const a = [a, a, a, a]; export default a")]
#[case("const a = [...a, 1, ...a]; export default a")]
#[case("const a = {...a, b: a, ...a}; export default a")]
#[case("const f = () => [f(), f(), f()]; export default f()")]
#[case("const a = b; const b = a; export default a")]
fn constants_that_contain_themselves_end(#[case] text: &str) {
    assert!(Literal::exported(text).is_some());
}

#[test]
fn a_constant_that_is_used_often_has_a_limited_size() {
    let long = "x".repeat(1 << 17);
    let uses = "a,".repeat(1 << 18);
    let exported = Literal::exported(&format!("const a = '{long}'; export default [{uses}]")).expect("a value");
    let texts = exported.list().expect("a list").iter().filter(|item| item.text().is_some()).count();
    assert!((100..=MAX_VALUE >> 17).contains(&texts), "{texts}");
}

#[test]
fn values_that_are_too_deep_count_for_the_size() {
    let (numbers, uses) = ("0,".repeat(1 << 13), "a,".repeat(1 << 8));
    let (open, close) = ("[".repeat(MAX_DEPTH - 1), "]".repeat(MAX_DEPTH - 1));
    let text = format!("const a = [{numbers}]; export default {open}{uses}{close}");
    let exported = Literal::exported(&text).expect("a value");
    let (mut waiting, mut values) = (vec![&exported], 0);
    while let Some(literal) = waiting.pop() {
        values += 1;
        waiting.extend(literal.list().unwrap_or_default().iter());
    }
    assert!((1 << 13..=MAX_VALUE / SIZE + MAX_DEPTH).contains(&values), "{values}");
}

#[rstest]
#[case("export default [a]")]
#[case("export default f(0, a)")]
#[case("export default () => f(0, a)")]
#[case("export default {b: [...'', ...[a, 1]]}")]
fn the_size_of_a_value_is_taken_from_the_rest(#[case] text: &str) {
    let left = Cell::new(3_000);
    let text = format!("const a = '{}'; {text}", "x".repeat(1_000));
    let sizes = [0; 3].map(|_| {
        let before = left.get();
        drop(Literal::exported_within(&text, &left));
        before - left.get()
    });
    assert!(sizes[0] > 1_000 && sizes[0] == sizes[1] && left.get() < 1_000, "{sizes:?}");
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    assert_eq!(exported(&format!("export default 1{}", " ".repeat(MAX_FILE))), "none");
}

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    ",",
    ":",
    ";",
    "'",
    "\"",
    "`",
    "${",
    "$",
    "\\",
    "\\u",
    "\n",
    " ",
    "//",
    "/*",
    "*/",
    "/",
    "=",
    "=>",
    "...",
    ".",
    "!",
    "-",
    "1",
    "a",
    "é",
    "\u{feff}",
    "as ",
    "const ",
    "export default ",
    "module.exports",
    "function ",
    "async ",
    "return ",
    "satisfies ",
    "in ",
    "x: 'y'",
];

proptest! {
    #[test]
    fn any_text_is_read(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        drop(Literal::exported(&pieces.concat()));
    }

    #[test]
    fn any_value_in_json_is_read(texts in prop::collection::vec("\\PC{0,8}", 0..6), number in any::<i32>()) {
        let value = |text: &String| serde_json::json!([text, {"n": number}]);
        let entries = texts.iter().enumerate().map(|(at, text)| (format!("k{at}"), value(text)));
        let json = serde_json::Value::Object(entries.collect());
        let literal = Literal::exported(&json.to_string()).expect("a value");
        for (at, text) in texts.iter().enumerate() {
            let list = literal.get(&format!("k{at}")).and_then(Literal::list).expect("a list");
            prop_assert_eq!(list[0].text(), Some(text.as_str()));
            prop_assert_eq!(&list[1].get("n").expect("a number").value, &Value::Number(f64::from(number)));
        }
    }

    #[test]
    fn a_value_does_not_change_with_what_is_around_it(
        before in prop::sample::select(vec!["", "a.b(c)", "x => [y, {z: 1}]", "'a' + b", "`${c}`"]),
        after in prop::sample::select(vec!["", ", d ? [e] : f", ", ...g", ", /[,/]/.test(h)"]),
    ) {
        let comma = if before.is_empty() { "" } else { "," };
        let text = format!("export default {{a: [{before}{comma} {{x: 'y'}}{after}], b: 1}}");
        let literal = Literal::exported(&text).expect("a value");
        let list = literal.get("a").and_then(Literal::list).expect("a list");
        prop_assert_eq!(list.iter().filter(|item| item.get("x").and_then(Literal::text) == Some("y")).count(), 1);
        prop_assert!(literal.get("b").is_some());
    }
}
