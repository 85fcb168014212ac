//! Upgrades, in tables: the text before, and what must be at a place after.
mod corpus;
mod laws;
mod schemas;
mod swagger;

use super::upgrade;
use crate::text::read;
use crate::tree::Node;
use serde_json::{Value, from_str};

/// The tree of a text.
fn tree(text: &str) -> Node {
    read(text.as_bytes()).root.expect("the text of a test can be read")
}

/// What is at a pointer of the upgraded document; `null` where nothing is.
fn upgraded(text: &str, source: Option<&str>, pointer: &str) -> Value {
    let root = upgrade(tree(text), source);
    root.at_pointer(pointer).map_or(Value::Null, json)
}

fn json(node: &Node) -> Value {
    from_str(&node.to_json()).expect("a tree is valid JSON")
}
