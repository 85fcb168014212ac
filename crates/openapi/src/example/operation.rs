//! All examples of an operation.
use super::{ContentExample, Examples};
use crate::direction::Direction;
use crate::schema::LocatedNode;
use crate::tree::Node;
use crate::view::find::{self, Found};
use serde::Serialize;

/// The maximum size of the texts of all examples of an operation, in bytes.
pub(super) const MAX_TEXTS: usize = 300 * 1024;
/// The maximum number of bodies of an operation that have examples.
const MAX_BODIES: usize = 200;

/// The examples of the bodies of an operation.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationExamples {
    /// The examples of the request body, by its media types.
    pub body: Vec<BodyExamples>,
    /// The examples of the responses.
    pub responses: Vec<ResponseExamples>,
    /// The number of bodies without examples here, because there are too many before them.
    pub left_out: usize,
}

/// The examples of a response.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseExamples {
    /// The status: `200`, `4XX` or `default`.
    pub status: String,
    /// The examples, by the media types of the body.
    pub content: Vec<BodyExamples>,
}

/// The examples of a body in one media type.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BodyExamples {
    /// The media type, as the document writes it.
    pub media_type: String,
    /// The examples.
    pub examples: Vec<ContentExample>,
}

/// The examples of an operation of a path; `None` if the document does not have it. The path matches with and without a
/// slash at its end, the method without regard to case.
pub fn operation_examples(document: &Node, path: &str, method: &str) -> Option<OperationExamples> {
    let examples = Examples::of_operation(document);
    let (_, found) = find::operation(examples.schemas(), path, method)?;
    Some(Collect::of(&examples, &found, [Direction::Request, Direction::Response]))
}

/// The examples of an operation of a webhook; `None` if the document does not have it. The API sends the request, so it
/// has the fields that other operations have in responses.
pub fn webhook_examples(document: &Node, name: &str, method: &str) -> Option<OperationExamples> {
    let examples = Examples::of_operation(document);
    let found = find::webhook(examples.schemas(), name, method)?;
    Some(Collect::of(&examples, &found, [Direction::Response, Direction::Request]))
}

/// Collects examples within the limits.
struct Collect<'a, 'e> {
    examples: &'e Examples<'a>,
    bytes: usize,
    bodies: usize,
    left_out: usize,
}

impl<'a> Collect<'a, '_> {
    fn of(examples: &Examples<'a>, found: &Found<'a>, [request, response]: [Direction; 2]) -> OperationExamples {
        let mut collect = Collect { examples, bytes: 0, bodies: 0, left_out: 0 };
        let body = found.operation.key("requestBody");
        let body = body.map(|body| collect.content(body, request)).unwrap_or_default();
        let responses = found.operation.members("responses").map(|(status, located)| ResponseExamples {
            status: status.to_owned(),
            content: collect.content(located, response),
        });
        let responses = responses.filter(|response| !response.content.is_empty()).collect();
        OperationExamples { body, responses, left_out: collect.left_out }
    }

    /// The examples of a request body or a response.
    fn content(&mut self, owner: LocatedNode<'a>, direction: Direction) -> Vec<BodyExamples> {
        let Some(owner) = self.examples.schemas().behind(owner) else { return Vec::new() };
        let mut all = Vec::new();
        for (key, content) in owner.members("content") {
            if self.bytes >= MAX_TEXTS || self.bodies >= MAX_BODIES {
                self.left_out += 1;
                continue;
            }
            let Some(content) = self.examples.schemas().behind(content) else { continue };
            let examples = self.examples.of_body(&content, key, direction);
            self.bodies += 1;
            self.bytes += examples.iter().filter_map(|example| example.text.as_ref()).map(String::len).sum::<usize>();
            if !examples.is_empty() {
                all.push(BodyExamples { media_type: key.to_owned(), examples });
            }
        }
        all
    }
}
