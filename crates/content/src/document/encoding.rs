//! The canonical encoding: the bytes that are stored and hashed.
//!
//! It is the JSON of the types themselves, with short names for the fields that every block has, and without fields
//! that have their default. A document in normal form has exactly one encoding.
use super::{Document, MAX_DEPTH};
use serde::Deserialize;

/// The maximum nesting of the arrays and objects of an encoding. A level of content takes at most five of them, and
/// free-form data adds at most [`MAX_DEPTH`].
const MAX_NESTING: usize = MAX_DEPTH * 6 + 16;

/// Why bytes are not an encoded document.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// They nest deeper than any document may.
    #[error("the document nests too deep")]
    TooDeep,
    /// They are not an encoding.
    #[error("not an encoded document: {0}")]
    Malformed(#[from] serde_json::Error),
}

impl Document {
    /// The document without any block.
    pub const fn empty() -> Self {
        Self { blocks: Vec::new() }
    }

    /// The canonical bytes of the document.
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("every map has text for keys, so there is nothing that JSON cannot say")
    }

    /// Decodes these bytes.
    ///
    /// # Errors
    /// If the bytes are not from [`Document::encode`]. The rules were checked when the bytes were written. Only nesting
    /// is checked again, because it would endanger the process.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        // Most documents nest less than serde_json allows. Read as text, they need no further check.
        if let Some(document) = str::from_utf8(bytes).ok().and_then(|text| serde_json::from_str(text).ok()) {
            return Ok(document);
        }
        if nesting(bytes) > MAX_NESTING {
            return Err(DecodeError::TooDeep);
        }
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        reader.disable_recursion_limit();
        let document = Self::deserialize(&mut reader)?;
        reader.end()?;
        Ok(document)
    }
}

/// How deep the arrays and objects of a JSON text nest.
fn nesting(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::super::arbitrary::{deepest, documents};
    use super::super::*;
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[test]
    fn the_encoding_of_a_small_document_is_exactly_this() {
        let bold = Text { text: "bold".into(), marks: Marks { bold: true, ..Default::default() } };
        let link = Link {
            target: Target(crate::reference::ContentRef::Url { url: "https://example.org".into() }),
            content: vec!["there".into()],
            ..Default::default()
        };
        let keyed = |key: &str, block: Block| Block { key: Key(key.into()), ..block };
        let heading = Block::new(Kind::Heading(Heading { level: 2, ..Default::default() }));
        let paragraph = Block::new(Kind::Paragraph(Paragraph::default()));
        let item = Block::new(Kind::ListItem(ListItem { checked: Some(false) }));
        let line = paragraph.with_content(vec!["A ".into(), Inline::Text(bold), Inline::Link(Box::new(link))]);
        let list = Block::new(Kind::ListTasks).with_children(vec![keyed("item", item)]);
        let document = Document {
            blocks: vec![
                keyed("head", heading.with_content(vec!["Title".into()])),
                keyed("line", line),
                keyed("list", list),
                keyed("rule", Block::new(Kind::Divider)),
            ],
        };
        let bytes = concat!(
            r#"[{"k":"head","b":{"heading":{"level":2}},"t":[{"text":{"text":"Title"}}]},"#,
            r#"{"k":"line","b":{"paragraph":{}},"t":[{"text":{"text":"A "}},"#,
            r#"{"text":{"text":"bold","marks":{"bold":true}}},"#,
            r#"{"link":{"target":{"kind":"url","url":"https://example.org"},"content":[{"text":{"text":"there"}}]}}]},"#,
            r#"{"k":"list","b":"list-tasks","c":[{"k":"item","b":{"list-item":{"checked":false}}}]},"#,
            r#"{"k":"rule","b":"divider"}]"#,
        );
        assert_eq!(String::from_utf8(document.encode()).expect("text"), bytes);
        assert_eq!(Document::empty().encode(), b"[]");
    }

    #[rstest]
    #[case(b"", "EOF")]
    #[case(b"{}", "invalid type")]
    #[case(b"[] []", "trailing")]
    #[case(br#"[{"k":"a"}]"#, "missing field `b`")]
    #[case(br#"[{"k":"a","b":"no-such-kind"}]"#, "unknown variant")]
    #[case(b"[{\"k\":\"\xff\",\"b\":\"divider\"}]", "invalid unicode")]
    fn bytes_that_are_no_document_are_refused(#[case] bytes: &[u8], #[case] rule: &str) {
        let error = Document::decode(bytes).expect_err("no document").to_string();
        assert!(error.contains(rule), "{error}");
    }

    #[test]
    fn bytes_that_nest_too_deep_are_refused_before_they_are_read() {
        let nested = [b"[".repeat(1_000_000), b"]".repeat(1_000_000)].concat();
        assert!(matches!(Document::decode(&nested), Err(DecodeError::TooDeep)));
    }

    #[test]
    fn brackets_in_text_are_no_nesting() {
        assert_eq!(nesting(br#"[{"a":"[[[{{{\"[["},["\\"],[]]"#), 2);
        assert_eq!(nesting(b"]]]["), 1);
    }

    #[test]
    fn the_deepest_documents_there_may_be_are_read_and_dropped() {
        for document in deepest() {
            assert_eq!(document.check(), Ok(()));
            assert_eq!(Document::decode(&document.encode()).expect("it decodes"), document);
        }
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(document in documents()) {
            let bytes = document.encode();
            let decoded = Document::decode(&bytes).expect("it decodes");
            prop_assert_eq!(&decoded, &document);
            prop_assert_eq!(decoded.encode(), bytes);
        }
    }
}
