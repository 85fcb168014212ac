//! Requests and responses, and the fields of a schema that belong to each.
use crate::tree::Node;

/// The direction of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the API: fields that are `readOnly` are absent.
    Request,
    /// From the API: fields that are `writeOnly` are absent.
    Response,
}

impl Direction {
    /// Whether a value of this schema is absent. For a reference, only the fields beside it count.
    pub fn hides(self, schema: &Node) -> bool {
        let keyword = match self {
            Self::Request => "readOnly",
            Self::Response => "writeOnly",
        };
        schema.is_true(keyword)
    }
}
