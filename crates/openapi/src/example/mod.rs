//! Examples of schemas, bodies, parameters and headers.
//!
//! An example comes from the media type or the parameter, or else from the schema (`examples`, `example`, `default`,
//! `const`, the first of `enum`), or else it is generated from the schema. A value in a schema is used only if it is
//! valid for that schema, as far as that is known: an invalid value must not make the whole example invalid.
//!
//! Examples of requests have no `readOnly` fields, and those of responses have no `writeOnly` ones; values from a media
//! type stay unchanged.
mod content;
mod fits;
mod given;
mod make;
mod operation;
mod reader;
#[cfg(test)]
mod tests;
mod work;

pub use content::{ContentExample, ExampleOrigin};
pub use make::{MAX_BYTES, MAX_FIELDS};
pub use operation::{BodyExamples, OperationExamples, ResponseExamples, operation_examples, webhook_examples};

use crate::direction::Direction;
use crate::schema::{LocatedNode, Schemas};
use crate::tree::{Node, Value};
use reader::{Memory, Reader};
use work::Work;

/// The maximum work for an example. Examples of real documents take up to 24,000 for a whole operation.
const MAX_WORK: usize = 60_000;
/// The maximum work for the examples of an operation.
const MAX_OPERATION_WORK: usize = 400_000;

/// Finds and generates the examples of a document of 3.1 or 3.2, or of an [`excerpt`](crate::excerpt) of one.
#[derive(Debug)]
pub struct Examples<'a> {
    schemas: Schemas<'a>,
    /// The work for all examples.
    work: Work,
}

impl<'a> Examples<'a> {
    /// The examples of this document.
    pub fn new(document: &'a Node) -> Self {
        Self { schemas: Schemas::new(document), work: Work::new(usize::MAX) }
    }

    /// The examples of an operation of this document. Those beyond a limit are `null`, so that an operation with many
    /// large schemas ends.
    pub(crate) fn of_operation(document: &'a Node) -> Self {
        Self { schemas: Schemas::new(document), work: Work::new(MAX_OPERATION_WORK) }
    }

    /// An example of the schema at a JSON Pointer; `None` if nothing is there.
    pub fn schema(&self, pointer: &str, direction: Direction) -> Option<Node> {
        Some(self.of_schema(&self.schemas.at(pointer)?, direction).0)
    }

    /// The examples of the media type object at a JSON Pointer, whose last step is the media type: those that it gives,
    /// or else one of its schema. Empty if it has neither.
    pub fn body(&self, pointer: &str, direction: Direction) -> Vec<ContentExample> {
        let key = pointer.rsplit('/').next().map(crate::tree::unescape).unwrap_or_default();
        let content = self.schemas.at(pointer).and_then(|located| self.schemas.behind(located));
        content.map(|content| self.of_body(&content, &key, direction)).unwrap_or_default()
    }

    /// The examples of the parameter or header at a JSON Pointer: those that it gives, or else one of its schema.
    /// Parameters belong to requests, headers to either direction.
    pub fn parameter(&self, pointer: &str, direction: Direction) -> Vec<ContentExample> {
        let parameter = self.schemas.at(pointer).and_then(|located| self.schemas.behind(located));
        parameter.map(|parameter| self.of_parameter(&parameter, direction)).unwrap_or_default()
    }

    /// The schemas of the document.
    pub(crate) fn schemas(&self) -> &Schemas<'a> {
        &self.schemas
    }

    /// The example of a schema, and its origin.
    pub(crate) fn of_schema(&self, schema: &LocatedNode<'a>, direction: Direction) -> (Node, ExampleOrigin) {
        let allowed = self.work.left().min(MAX_WORK);
        if allowed == 0 {
            return (Node::made(Value::Null), ExampleOrigin::Made);
        }
        let work = Work::new(allowed);
        let memory = Memory::default();
        let reader = Reader { schemas: &self.schemas, direction, work: &work, memory: &memory };
        let located_nodes = std::slice::from_ref(schema);
        let given = reader
            .prepared(located_nodes)
            .and_then(|prepared| given::given(reader, located_nodes, &prepared.merged, 0));
        let example = match given.filter(|given| make::size(given) <= MAX_BYTES) {
            Some(given) => (given, ExampleOrigin::Schema),
            None => (make::make(reader, located_nodes), ExampleOrigin::Made),
        };
        self.work.spend(allowed - work.left());
        example
    }
}
