//! The content of blocks that show OpenAPI specs on a page.
use super::Visiting;
use super::places::VariantPages;
use crate::content::document::{Document, Kind, SpecificationPart};
use crate::content::reference::ContentRef;
use crate::id::{FileId, SpaceId};
use crate::openapi_spec::OpenapiVersion;
use crate::ports::FilesError;
use crate::site::reader::{OpenapiBlock, OpenapiKey};
use crate::usecases::Error;
use crate::usecases::openapi_specs::document::upgraded;
use crate::usecases::openapi_specs::drawn::operation_of;
use crate::usecases::openapi_specs::shown::ShownSpecs;
use crate::usecases::openapi_specs::{ShownOperation, WantedOperation, drawn};
use crate::usecases::work::Work;
use openapi::tree::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most blocks of a page that are loaded. Further ones are shown as missing.
const MAX_DRAWN: usize = 200;
/// The most files with documents that the blocks of a page show.
const MAX_FILES: usize = 4;
/// The longest such file, in bytes.
const MAX_FILE: u64 = 2 * 1024 * 1024;
/// The most values of such a file: reading more takes long.
const MAX_VALUES: usize = 100_000;

impl Visiting<'_> {
    /// The content of the blocks of a text.
    pub(super) async fn openapi(
        &mut self,
        pages: &VariantPages,
        document: &Document,
    ) -> Result<BTreeMap<OpenapiKey, OpenapiBlock>, Error> {
        let mut blocks = self.openapi_files(pages, document).await?;
        let uses = document.specification_uses();
        if uses.is_empty() {
            return Ok(blocks);
        }
        let specs = ShownSpecs::load(&mut self.work, &self.site.organization, &uses).await?;
        for found in &uses {
            let key = OpenapiKey::of(found);
            if blocks.contains_key(&key) || blocks.len() >= MAX_DRAWN {
                continue;
            }
            let Some((version, _)) = specs.version(found) else { continue };
            if let Some(block) = draw(&mut self.work, version, &found.shows).await? {
                blocks.insert(key, block);
            }
        }
        Ok(blocks)
    }

    /// The content of the blocks of a text that show documents in files of the space.
    async fn openapi_files(
        &mut self,
        pages: &VariantPages,
        document: &Document,
    ) -> Result<BTreeMap<OpenapiKey, OpenapiBlock>, Error> {
        let own = |space: &Option<SpaceId>| space.as_ref().is_none_or(|space| *space == pages.space);
        let mut by_file: BTreeMap<FileId, BTreeSet<SpecificationPart>> = BTreeMap::new();
        for block in document.walk() {
            if let Kind::Swagger(data) = &block.kind
                && let ContentRef::File { file, space } = &data.source.0
                && own(space)
            {
                let shows = SpecificationPart::Operation { method: data.method.clone(), path: data.path.clone() };
                by_file.entry(file.clone()).or_default().insert(shows);
            }
        }
        let mut blocks = BTreeMap::new();
        for (file, parts) in by_file.into_iter().take(MAX_FILES) {
            let Some(whole) = self.small_document(&pages.space, &file).await? else { continue };
            for shows in parts {
                if blocks.len() >= MAX_DRAWN {
                    return Ok(blocks);
                }
                let shown = WantedOperation::of(&shows).and_then(|wanted| operation_of(&whole, None, &wanted));
                blocks.extend(shown.map(|shown| (OpenapiKey::of_file(&file, shows), block_of(shown))));
            }
        }
        Ok(blocks)
    }

    /// The document in a file of a space, if it is small and can be read. The last ones are cached between visits.
    async fn small_document(&mut self, space: &SpaceId, id: &FileId) -> Result<Option<Arc<Node>>, Error> {
        let Self { cache, work, contents, files, .. } = self;
        let Some(opened) = contents.get(work, space).await? else { return Ok(None) };
        let entry = opened.read(work, |snapshot, objects| snapshot.file(objects, id)).await?;
        let Some(entry) = entry.filter(|entry| entry.size <= MAX_FILE) else { return Ok(None) };
        if let Some(known) = cache.documents.get(&entry.blob) {
            return Ok(known);
        }
        let mut reader = match files.open(&entry.blob, 0, entry.size).await {
            Ok(reader) => reader,
            // The rest of the page is shown nevertheless.
            Err(FilesError::NotFound) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut bytes = Vec::new();
        loop {
            match reader.chunk().await? {
                chunk if chunk.is_empty() => break,
                chunk => bytes.extend_from_slice(&chunk),
            }
        }
        let document = upgraded(&bytes, MAX_VALUES).map(Arc::new);
        cache.documents.keep(entry.blob, document.clone());
        Ok(document)
    }
}

fn block_of(ShownOperation { view, examples, samples }: ShownOperation) -> OpenapiBlock {
    OpenapiBlock::Operation { view: Box::new(view), examples: Box::new(examples), samples }
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
    Ok(shown.map(block_of))
}
