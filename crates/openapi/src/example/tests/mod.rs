mod corpus;

use super::Examples;
use crate::direction::Direction;
use crate::text::read;
use crate::tree::Node;

fn tree(text: &str) -> Node {
    read(text.as_bytes()).root.expect("the text of a test can be read")
}
