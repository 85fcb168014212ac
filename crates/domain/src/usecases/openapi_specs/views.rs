//! Views of parts of a version.
use super::reading::{ShownOperation, WantedOperation};
use super::stored::{excerpt, filled};
use crate::content::document::SpecificationPart;
use crate::content::object::Hash;
use crate::usecases::Error;
use crate::usecases::work::Work;
use openapi::direction::Direction;
use openapi::example::{operation_examples, webhook_examples};
use openapi::excerpt::Excerpt;
use openapi::sample::{SampleOptions, operation_samples};
use openapi::tree::Node;
use openapi::view::{self, Budget, SchemaRow};

/// The view of an operation or a webhook of the version with these parts; `None` if the version does not have it.
/// `source` is the address that the version was fetched from.
pub(in crate::usecases) async fn operation(
    work: &mut Work<'_>,
    parts: &Hash,
    source: Option<&str>,
    wanted: &WantedOperation,
) -> Result<Option<ShownOperation>, Error> {
    let document = excerpt(work, parts, reached(wanted)).await?;
    Ok(operation_of(&document, source, wanted))
}

/// The view of an operation or a webhook of a document; `None` if the document does not have it.
pub(in crate::usecases) fn operation_of(
    document: &Node,
    source: Option<&str>,
    wanted: &WantedOperation,
) -> Option<ShownOperation> {
    let budget = Budget::default();
    match wanted {
        WantedOperation::Path { path, method } => {
            let options = SampleOptions { source, ..SampleOptions::default() };
            view::operation(document, path, method, &budget).map(|view| ShownOperation {
                view,
                examples: operation_examples(document, path, method).unwrap_or_default(),
                samples: operation_samples(document, path, method, &options).unwrap_or_default(),
            })
        }
        WantedOperation::Webhook { name, method } => {
            view::webhook(document, name, method, &budget).map(|view| ShownOperation {
                view,
                examples: webhook_examples(document, name, method).unwrap_or_default(),
                samples: Vec::new(),
            })
        }
    }
}

/// The excerpt that an operation or a webhook reaches.
fn reached(wanted: &WantedOperation) -> Excerpt {
    match wanted {
        WantedOperation::Path { path, method } => Excerpt::operation(path, method),
        WantedOperation::Webhook { name, method } => Excerpt::webhook(name, method),
    }
}

/// The view of a schema that a part of the version with these parts reaches, by its JSON Pointer and the direction of
/// its values. `None` if the part does not reach it.
pub(in crate::usecases) async fn schema(
    work: &mut Work<'_>,
    parts: &Hash,
    part: &SpecificationPart,
    (pointer, direction): (&str, Option<Direction>),
    budget: &Budget,
) -> Result<Option<SchemaRow>, Error> {
    let wanted = WantedOperation::of(part);
    let reached = match (&wanted, part) {
        (Some(wanted), _) => reached(wanted),
        (None, SpecificationPart::Schemas { schemas }) => Excerpt::schemas(schemas),
        (None, _) => return Ok(None),
    };
    let reached = filled(work, parts, reached).await?;
    if !reached.reaches(pointer) {
        return Ok(None);
    }
    let document = reached.document();
    let head = Budget { rows: 0, ..*budget };
    let operation = match &wanted {
        Some(WantedOperation::Path { path, method }) => view::operation(&document, path, method, &head),
        Some(WantedOperation::Webhook { name, method }) => view::webhook(&document, name, method, &head),
        None => None,
    };
    // Readers do not see internal operations.
    if operation.is_some_and(|operation| operation.internal) {
        return Ok(None);
    }
    Ok(view::schema(&document, pointer, direction, budget))
}

/// The views of schemas of the version with these parts; missing ones are left out.
pub(in crate::usecases) async fn schemas(
    work: &mut Work<'_>,
    parts: &Hash,
    names: &[String],
) -> Result<Vec<SchemaRow>, Error> {
    let document = excerpt(work, parts, Excerpt::schemas(names)).await?;
    Ok(view::models(&document, names, &Budget::default()))
}
