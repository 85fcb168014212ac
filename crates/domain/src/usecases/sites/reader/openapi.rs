//! What the blocks of OpenAPI specs on a page show.
use super::Visiting;
use crate::content::document::{Document, SpecificationPart};
use crate::openapi_spec::OpenapiVersion;
use crate::site::reader::{OpenapiBlock, OpenapiKey};
use crate::usecases::Error;
use crate::usecases::openapi_specs::shown::ShownSpecs;
use crate::usecases::openapi_specs::{ShownOperation, WantedOperation, drawn};
use crate::usecases::work::Work;
use std::collections::BTreeMap;

/// The most blocks of a page that are drawn. Further ones are shown as missing.
const MAX_DRAWN: usize = 200;

impl Visiting<'_> {
    /// What the blocks of a text show.
    pub(super) async fn openapi(&mut self, document: &Document) -> Result<BTreeMap<OpenapiKey, OpenapiBlock>, Error> {
        let uses = document.specification_uses();
        if uses.is_empty() {
            return Ok(BTreeMap::new());
        }
        let specs = ShownSpecs::load(&mut self.work, &self.site.organization, &uses).await?;
        let mut blocks = BTreeMap::new();
        for found in &uses {
            let key = OpenapiKey::of(found);
            if blocks.contains_key(&key) || blocks.len() == MAX_DRAWN {
                continue;
            }
            let Some((version, _)) = specs.version(found) else { continue };
            if let Some(block) = draw(&mut self.work, version, &found.shows).await? {
                blocks.insert(key, block);
            }
        }
        Ok(blocks)
    }
}

async fn draw(
    work: &mut Work<'_>,
    version: &OpenapiVersion,
    shows: &SpecificationPart,
) -> Result<Option<OpenapiBlock>, Error> {
    if let SpecificationPart::Schemas { schemas } = shows {
        let rows = drawn::schemas(work, version, schemas).await?;
        return Ok((!rows.is_empty()).then_some(OpenapiBlock::Schemas(rows)));
    }
    let Some(wanted) = WantedOperation::of(shows) else { return Ok(None) };
    let shown = drawn::operation(work, version, &wanted).await?;
    Ok(shown.map(|ShownOperation { view, examples, samples }| OpenapiBlock::Operation {
        view: Box::new(view),
        examples: Box::new(examples),
        samples,
    }))
}
