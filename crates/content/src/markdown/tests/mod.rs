//! Laws and samples of reading and writing.
mod corpus;
mod growth;
mod hostile;
mod inputs;
mod laws;
mod reading;
mod samples;

use super::*;

/// The document that was read.
fn document(source: &MarkdownFile) -> &Document {
    source.document.as_ref().expect("not too many parts")
}

/// Writes what was read.
fn written(source: &MarkdownFile) -> String {
    write_page(source.front_matter.as_ref(), source.title.as_deref(), document(source), &Unresolved)
}

/// Reads, writes and reads again: the document must be the same, and so must the text.
fn round_trip(text: &str) -> (MarkdownFile, String) {
    let first = parse(text, &Unresolved);
    let once = written(&first);
    let second = parse(&once, &Unresolved);
    assert_eq!(second.title, first.title, "of {text:?}\nwritten {once:?}");
    assert_eq!(second.document, first.document, "of {text:?}\nwritten {once:?}");
    assert_eq!(written(&second), once, "of {text:?}");
    (first, once)
}
