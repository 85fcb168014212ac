//! Ten times as much text takes about ten times as long.
use super::inputs::{Input, inputs};
use super::*;
use crate::document::wire::WireDocument;
use rstest::rstest;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

/// So much longer may a text of ten times the length take: twice ten, because a short text nests less deep than it may
/// and stays in the caches of the processor. What takes the square of its length takes a hundred times as long.
const MOST: f64 = 20.0;
/// The lengths that are compared, in bytes. They are small because tests are not optimised; `benches/markdown.rs` goes
/// to a megabyte, and allows twelve times.
const LENGTHS: (usize, usize) = (2_200, 22_000);
/// How often each is tried, for the least time of all.
const TRIES: usize = 6;
/// In how many tests the inputs are tried, so that they run side by side.
const PARTS: usize = 12;

/// The processor time of this thread in seconds: what else the machine does counts for little.
fn processor_time() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// How long a text takes to be read, made a document, written as Markdown and as JSON.
fn time_of(text: &str) -> f64 {
    let start = processor_time();
    let source = parse(text, &Unresolved);
    if let Ok(document) = source.into_document() {
        black_box(write(&document, &Unresolved));
        black_box(serde_json::to_vec(&WireDocument(&document)).expect("JSON"));
    }
    processor_time() - start
}

/// How long markup of tools takes to become Markdown.
fn time_of_markup(text: &str) -> f64 {
    let syntaxes = flavors::ALL.iter().copied().collect();
    let start = processor_time();
    black_box(flavors::read(text, &flavors::Flavor::new(&syntaxes, &|_| None)));
    processor_time() - start
}

/// By how much the time grows from the shorter length to the longer one.
fn growth(make: &dyn Fn(usize) -> String, time_of: fn(&str) -> f64) -> f64 {
    let (short, long) = (make(LENGTHS.0), make(LENGTHS.1));
    let lengths = long.len() as f64 / short.len() as f64;
    let (mut least, mut most) = (f64::MAX, f64::MAX);
    let mut growth = f64::MAX;
    for _ in 0..TRIES {
        least = least.min(time_of(&short)).min(time_of(&short));
        most = most.min(time_of(&long));
        // Some texts are longer or shorter than they were asked for.
        growth = most / least / lengths * 10.0;
        if growth <= MOST {
            break;
        }
    }
    growth
}

#[rstest]
fn the_time_that_a_text_takes_grows_with_its_length(#[values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)] part: usize) {
    let part = inputs().into_iter().enumerate().filter(|(at, _)| at % PARTS == part);
    let slow: Vec<String> = part
        .map(|(_, (name, make)): (usize, Input)| (growth(&make, time_of), name))
        .filter(|(growth, _)| *growth > MOST)
        .map(|(growth, name)| format!("{name} takes {growth:.1} times as long"))
        .collect();
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

/// Markup of tools, to be repeated.
const MARKUP: &[&str] = &[
    "==a ",
    "==a== ",
    "==<a ",
    "==`a ",
    "^^[a",
    "++a",
    "++a++ ",
    ":material-a:{ ",
    ":material-a: bcdefghij ",
    "[:material-a:](b) ",
    "%%a ",
    "%%\n",
    "](<",
    "[](a",
    "{ref}`b",
    "{ref}`a` ",
    "```{note}\n",
    "```{note}\n```\n",
    ":::{note}\n",
    ":::{note}\n:::\n",
    ":::{figure}\n",
    ":::{tab-set}\n:::{tab-item} a\n",
    "- a\n\n  ```{note}\n",
    "```{toctree}\na\n```\n",
    "```{list-table}\n",
    "```{list-table}\n* - a\n  - b\n```\n",
    "* - a\n",
    "```{csv-table}\na,\"b\n",
    ":::{csv-table}\n:file: a\n",
    ":::{literalinclude} a\n",
    "(a)=\n",
    "(a)=\n# b\n",
    "% a\n",
    "a\n: b\n",
    "a\n: b\n\n  c\n\n",
    "a\nb\nc\n: d\n",
    "<div markdown>\n",
    "<div markdown>\n</div>\n",
    "- a\n  <div markdown>\n",
    "<figure markdown>\n",
    "{{< highlight go >}}\n",
    "{{< card >}}\n{{< /card >}}\n",
];

#[test]
fn the_time_that_markup_of_tools_takes_grows_with_its_length() {
    let many = |unit: &str, size: usize| unit.repeat((size / unit.len()).max(1));
    let slow: Vec<String> = (MARKUP.iter())
        .map(|unit| (growth(&|size| many(unit, size), time_of_markup), unit))
        .chain([
            (growth(&|size| nested(size / 14, ":::{note}\n", ":::\n"), time_of_markup), &"nested directives"),
            (growth(&|size| nested(size / 15, ":::{other}\n", ":::\n"), time_of_markup), &"other directives"),
            (growth(&|size| nested(size / 16, ":::{figure}\n", ":::\n"), time_of_markup), &"figures without a file"),
            (
                growth(&|size| many_in("```{list-table}\n", "* - a|b\n  - $$ \\\n", size), time_of_markup),
                &"a list-table",
            ),
            (growth(&|size| many_in("```{csv-table}\n", "a,\"b\n", size), time_of_markup), &"a csv-table"),
            (growth(&|size| many_in("```{csv-table}\n", "\" ", size), time_of_markup), &"quoted blanks"),
            (growth(&|size| nested(size / 22, ":::{csv-table}\n", ":::\n"), time_of_markup), &"nested tables"),
            (growth(&|size| nested(size / 22, "<div markdown>\n", "</div>\n"), time_of_markup), &"nested elements"),
        ])
        .filter(|(growth, _)| *growth > MOST)
        .map(|(growth, name)| format!("{name:?} takes {growth:.1} times as long"))
        .collect();
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

fn many_in(open: &str, unit: &str, size: usize) -> String {
    open.to_owned() + &unit.repeat((size / unit.len()).max(1)) + "```\n"
}

fn nested(count: usize, open: &str, close: &str) -> String {
    open.repeat(count) + &close.repeat(count)
}
