//! Writing a stored document in the API's form without decoding it.
//!
//! Both forms are JSON, so a text has the same bytes in both. What most documents consist of is copied from the stored
//! bytes: the blocks that hold lines or other blocks, the texts and the links. All else is decoded and written by the
//! other modules, one block or one piece of a line at a time. The bytes around what is copied are cut out of what those
//! modules write for a sample, so the form is defined only there.
mod frames;

use super::WireDocument;
use super::write::Written;
use super::write_inline::Node;
use crate::document::{Block, DecodeError, Document, Inline, MAX_DEPTH};
use bytes::Bytes;
use frames::{BLOCKS, BlockFrame, DOCUMENT, LEAVES, LINK, LeafFrame, Nodes, TEXTS};
use serde::de::DeserializeOwned;

/// A document in the encoding of [`Document::encode`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDocument(Bytes);

impl StoredDocument {
    /// The document with this encoding.
    pub fn new(encoded: Bytes) -> Self {
        Self(encoded)
    }

    /// The document.
    ///
    /// # Errors
    /// See [`Document::decode`].
    pub fn decode(&self) -> Result<Document, DecodeError> {
        Document::decode(&self.0)
    }

    /// Appends what [`WireDocument`] writes for the document.
    ///
    /// # Errors
    /// See [`Document::decode`].
    pub fn write(&self, out: &mut Vec<u8>) -> Result<(), DecodeError> {
        let start = out.len();
        // The API's form is two to three times as long.
        out.reserve(self.0.len() * 5 / 2);
        if str::from_utf8(&self.0).is_ok() && Reader::new(&self.0).document(out).is_some() {
            return Ok(());
        }
        out.truncate(start);
        Ok(serde_json::to_writer(out, &WireDocument(self.decode()?))?)
    }
}

/// Reads stored bytes. All methods return `None` for bytes that [`Document::encode`] does not make, and for a document
/// that nests too deep; then the bytes are decoded as a whole.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, depth: 0 }
    }

    fn document(mut self, out: &mut Vec<u8>) -> Option<()> {
        out.extend_from_slice(&DOCUMENT.0);
        self.blocks(out)?;
        out.extend_from_slice(&DOCUMENT.1);
        (self.at == self.bytes.len()).then_some(())
    }

    /// Copies a list of blocks.
    fn blocks(&mut self, out: &mut Vec<u8>) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.list(out, Self::block)?;
        self.depth -= 1;
        Some(())
    }

    fn list(&mut self, out: &mut Vec<u8>, each: impl Fn(&mut Self, &mut Vec<u8>) -> Option<()>) -> Option<()> {
        self.need(b"[")?;
        out.push(b'[');
        if !self.take(b"]") {
            each(self, out)?;
            while self.take(b",") {
                out.push(b',');
                each(self, out)?;
            }
            self.need(b"]")?;
        }
        out.push(b']');
        Some(())
    }

    fn block(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let start = self.at;
        self.need(br#"{"k":"#)?;
        let key = self.text()?;
        self.need(br#","b":"#)?;
        let rest = &self.bytes[self.at..];
        // The third byte is the first one in which kinds differ: comparing it first takes less time.
        let is = |frame: &&BlockFrame| rest.get(2) == frame.kind.get(2) && rest.starts_with(&frame.kind);
        let frequent = BLOCKS.iter().find(is);
        let other = match frequent {
            Some(frame) => {
                self.at += frame.kind.len();
                None
            }
            None => BlockFrame::of(decoded(self.value()?)?),
        };
        let Some(frame) = frequent.or(other.as_ref()) else {
            self.at = start;
            let block: Block = decoded(self.value()?)?;
            return serde_json::to_writer(out, &Written(&block)).ok();
        };
        out.extend_from_slice(&frame.before_key);
        out.extend_from_slice(key);
        out.extend_from_slice(&frame.before_nodes);
        match frame.holds {
            Nodes::Line if self.take(br#","t":"#) => self.line(out)?,
            Nodes::Blocks if self.take(br#","c":"#) => self.blocks(out)?,
            Nodes::Line | Nodes::Blocks => out.extend_from_slice(b"[]"),
        }
        out.extend_from_slice(&frame.after_nodes);
        self.need(b"}")
    }

    /// Copies the content of a line. Neighbouring texts are the leaves of one node.
    fn line(&mut self, out: &mut Vec<u8>) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.need(b"[")?;
        out.push(b'[');
        let (mut is_first, mut in_text) = (true, false);
        while !self.take(b"]") {
            if !is_first {
                self.need(b",")?;
                out.push(b',');
            }
            let is_text = self.bytes[self.at..].starts_with(br#"{"text":"#);
            if in_text && !is_text {
                // The comma comes after the node that ends here.
                out.pop();
                out.extend_from_slice(&TEXTS.1);
                out.push(b',');
            }
            if is_text {
                if !in_text {
                    out.extend_from_slice(&TEXTS.0);
                }
                self.leaf(out)?;
            } else {
                self.other_inline(out)?;
            }
            (is_first, in_text) = (false, is_text);
        }
        if in_text {
            out.extend_from_slice(&TEXTS.1);
        }
        out.push(b']');
        self.depth -= 1;
        Some(())
    }

    fn leaf(&mut self, out: &mut Vec<u8>) -> Option<()> {
        self.need(br#"{"text":{"#)?;
        let text = if self.take(br#""text":"#) { self.text()? } else { br#""""# };
        // The field before it ends with a comma, unless the text is empty.
        self.take(b",");
        let marks = if self.take(br#""marks":"#) { self.value()? } else { b"" };
        self.need(b"}}")?;
        // Empty slices are not compared: their addresses are none of memory, and some processors take long to compare
        // no bytes there.
        let is = |frame: &&LeafFrame| if marks.is_empty() { frame.marks.is_empty() } else { frame.marks == marks };
        let frequent = LEAVES.iter().find(is);
        let other = if frequent.is_none() { LeafFrame::of(&decoded(marks)?) } else { None };
        let frame = frequent.or(other.as_ref())?;
        out.extend_from_slice(&frame.before);
        out.extend_from_slice(text);
        out.extend_from_slice(&frame.after);
        Some(())
    }

    fn other_inline(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let start = self.at;
        if self.take(br#"{"link":{"target":"#) {
            let target = self.value()?;
            if self.take(br#","content":"#) {
                let [before, between, after] = &*LINK;
                out.extend_from_slice(before);
                out.extend_from_slice(target);
                out.extend_from_slice(between);
                self.line(out)?;
                out.extend_from_slice(after);
                return self.need(b"}}");
            }
        }
        self.at = start;
        let inline: Inline = decoded(self.value()?)?;
        serde_json::to_writer(out, &Node(&[inline])).ok()
    }

    fn take<const N: usize>(&mut self, bytes: &[u8; N]) -> bool {
        let taken = self.bytes[self.at..].first_chunk() == Some(bytes);
        self.at += if taken { N } else { 0 };
        taken
    }

    fn need<const N: usize>(&mut self, bytes: &[u8; N]) -> Option<()> {
        self.take(bytes).then_some(())
    }

    /// A text with its quotes.
    fn text(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.need(b"\"")?;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', &self.bytes[self.at..])?;
            if self.take(b"\"") {
                return Some(&self.bytes[start..self.at]);
            }
            // An escape is at least two bytes long, and a quote can only be the second one.
            self.at += 2;
            if self.at > self.bytes.len() {
                return None;
            }
        }
    }

    /// Any value.
    fn value(&mut self) -> Option<&'a [u8]> {
        let (start, mut depth) = (self.at, 0_usize);
        loop {
            match self.bytes.get(self.at)? {
                b'"' => {
                    self.text()?;
                }
                b'[' | b'{' => {
                    depth += 1;
                    self.at += 1;
                }
                b']' | b'}' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                // A number or a word in an object or list, or between its parts.
                _ if depth > 0 => self.at += 1,
                _ => return None,
            }
            if depth == 0 {
                return Some(&self.bytes[start..self.at]);
            }
        }
    }
}

fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::super::super::arbitrary::{deepest, documents};
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn written(encoded: &[u8]) -> String {
        let mut out = b"before".to_vec();
        StoredDocument::new(encoded.to_vec().into()).write(&mut out).expect("a document");
        String::from_utf8(out).expect("text")
    }

    fn decoded_and_written(document: &Document) -> String {
        format!("before{}", serde_json::to_string(&WireDocument(document)).expect("JSON"))
    }

    fn is_copied(encoded: &[u8]) -> bool {
        Reader::new(encoded).document(&mut Vec::new()).is_some()
    }

    #[test]
    fn every_block_is_copied_as_it_is_written() {
        let value = serde_json::from_str(include_str!("every_block.json")).expect("the fixture is JSON");
        let document = Document::from_wire(&value).expect("a valid document");
        let encoded = document.encode();
        assert!(is_copied(&encoded));
        assert_eq!(written(&encoded), decoded_and_written(&document));
    }

    #[test]
    fn the_deepest_documents_there_may_be_are_written() {
        for document in deepest() {
            assert_eq!(written(&document.encode()), decoded_and_written(&document));
        }
    }

    #[rstest]
    #[case::no_blocks("[]")]
    #[case::a_sample_in_the_text(r#"[{"k":"sample","b":{"hint":{"icon":"\"nodes\":[]"}}}]"#)]
    #[case::an_empty_text(r#"[{"k":"a","b":{"paragraph":{}},"t":[{"text":{}},{"text":{"marks":{"bold":true}}}]}]"#)]
    #[case::escapes(r#"[{"k":"a","b":{"paragraph":{}},"t":[{"text":{"text":"\\\"\n\u0001 é"}}]}]"#)]
    #[case::rare_marks(r#"[{"k":"a","b":{"paragraph":{}},"t":[{"text":{"text":"a","marks":{"keyboard":true}}}]}]"#)]
    fn a_document_is_copied_as_it_is_written(#[case] encoded: &str) {
        let document = Document::decode(encoded.as_bytes()).expect("a document");
        assert!(is_copied(encoded.as_bytes()));
        assert_eq!(written(encoded.as_bytes()), decoded_and_written(&document));
    }

    #[rstest]
    #[case(b"")]
    #[case(b"[")]
    #[case(b"[] []")]
    #[case(b"[{\"k\":\"\\")]
    #[case(b"[{\"k\":\"a\",\"b\":\"no-such-kind\"}]")]
    #[case(b"[{\"k\":\"\xff\",\"b\":\"list-unordered\"}]")]
    fn what_is_no_document_is_an_error_and_leaves_nothing(#[case] encoded: &'static [u8]) {
        let mut out = b"before".to_vec();
        assert!(StoredDocument::new(Bytes::from_static(encoded)).write(&mut out).is_err());
        assert_eq!(out, b"before");
    }

    proptest! {
        #[test]
        fn a_document_is_written_without_decoding_as_it_is_with_it(document in documents()) {
            prop_assert_eq!(written(&document.encode()), decoded_and_written(&document));
        }
    }
}
