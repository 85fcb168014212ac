//! Sources of computed content in requests, and the content generated from them.
use super::page::Pages;
use super::revision::{File, ReusableContent};
use super::schemas;
use crate::request::Wire;
use domain::content::computed::ComputedSource;
use domain::id::PageId;
use domain::text::Invalid;
use domain::usecases::content::ComputedPreview;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The maximum length of a seed: the ids of generated pages begin with it.
const MAX_SEED: usize = 40;

/// A source to preview.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PreviewComputed {
    #[schema(value_type = schemas::ComputedSource)]
    source: Value,
    /// The prefix of the ids of generated pages.
    #[schema(value_type = Option<String>, max_length = 40, example = "preview")]
    seed: Option<PageId>,
}

impl Wire for PreviewComputed {
    type Command = ComputedPreview;

    fn command(self) -> Result<ComputedPreview, Invalid> {
        if self.seed.as_ref().is_some_and(|seed| seed.as_str().len() > MAX_SEED) {
            return Err(Invalid::new("seed", format!("must have at most {MAX_SEED} characters")));
        }
        Ok(ComputedPreview { source: source("source", &self.source)?, seed: self.seed })
    }
}

/// Reads the source in a field.
///
/// # Errors
/// The field and the rule that it breaks.
pub(crate) fn source(field: &str, value: &Value) -> Result<ComputedSource, Invalid> {
    let rule = "must be an object with a type such as builtin:openapi, dependencies and props, of at most 16 KiB";
    ComputedSource::read(value).ok_or_else(|| Invalid::new(field, rule))
}

/// Content that is generated from a source.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComputedRevision<'a> {
    #[schema(value_type = Vec<super::page::Page>)]
    pub(crate) pages: Pages<'a>,
    /// Always empty.
    pub(crate) files: Vec<File<'a>>,
    /// Always empty.
    pub(crate) reusable_contents: Vec<ReusableContent<'a>>,
}
