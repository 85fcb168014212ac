//! Samples that the author of a document wrote.
use super::super::{CodeSample, SampleLanguage};
use crate::tree::{Node, Value};

/// The maximum number of samples.
const MAX_SAMPLES: usize = 20;
/// The maximum size of a sample, in bytes; longer ones are left out.
const MAX_SOURCE: usize = 64 * 1024;

/// The samples of an operation (`x-codeSamples`, formerly `x-code-samples`); `None` if it is `false`, so that no
/// samples are wanted.
pub(super) fn samples(operation: &Node) -> Option<Vec<CodeSample>> {
    let stated = operation.get("x-codeSamples").or_else(|| operation.get("x-code-samples"));
    if stated.is_some_and(|stated| matches!(stated.value, Value::Bool(false))) {
        return None;
    }
    let items = stated.into_iter().flat_map(Node::items);
    Some(items.filter_map(sample).take(MAX_SAMPLES).collect())
}

fn sample(item: &Node) -> Option<CodeSample> {
    let source = item.text_of("source").filter(|source| source.len() <= MAX_SOURCE)?;
    let lang = item.text_of("lang").or_else(|| item.text_of("label"))?;
    let known = SampleLanguage::named(lang).map(SampleLanguage::label);
    let label = item.text_of("label").or(known).unwrap_or(lang);
    Some(CodeSample { lang: lang.to_owned(), label: label.to_owned(), source: source.to_owned(), given: true })
}
