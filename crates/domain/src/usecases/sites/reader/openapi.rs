//! The content of blocks that show OpenAPI specs on a page.
use super::Visiting;
use super::cache::FileDocument;
use super::places::VariantPages;
use crate::content::document::{Document, Kind, SpecificationPart};
use crate::content::object::Hash;
use crate::content::reference::ContentRef;
use crate::id::{FileId, SpaceId};
use crate::ports::FilesError;
use crate::site::reader::{OpenapiBlock, OpenapiKey, OpenapiSource, OpenapiSources, SitePage};
use crate::usecases::Error;
use crate::usecases::openapi_specs::document::upgraded;
use crate::usecases::openapi_specs::shown::ShownVersions;
use crate::usecases::openapi_specs::views::operation_of;
use crate::usecases::openapi_specs::{ShownOperation, WantedOperation, views};
use crate::usecases::work::Work;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most blocks of a page that are loaded. Further ones are shown as missing.
const MAX_BLOCKS: usize = 200;
/// The most files with documents that the blocks of a page show.
const MAX_FILES: usize = 4;
/// The longest such file, in bytes.
const MAX_FILE: u64 = 2 * 1024 * 1024;
/// The most values of such a file: reading more takes long.
const MAX_VALUES: usize = 100_000;

impl Visiting<'_> {
    /// The documents that the blocks of a text show.
    pub(super) async fn openapi_sources(
        &mut self,
        pages: &VariantPages,
        document: &Document,
    ) -> Result<OpenapiSources, Error> {
        let mut sources = self.file_sources(pages, document).await?;
        let uses = document.specification_uses();
        let specs = ShownVersions::load(&mut self.work, &self.site.organization, &uses).await?;
        for found in &uses {
            let Some(version) = specs.version(found) else { continue };
            if sources.len() >= MAX_BLOCKS {
                break;
            }
            let url = version.source.as_ref().map(ToString::to_string);
            let source = OpenapiSource::Version { parts: version.parts, url };
            sources.entry(OpenapiKey::of(found)).or_insert(source);
        }
        Ok(OpenapiSources(sources))
    }

    /// The documents in files of the space that the blocks of a text show.
    async fn file_sources(
        &mut self,
        pages: &VariantPages,
        document: &Document,
    ) -> Result<BTreeMap<OpenapiKey, OpenapiSource>, Error> {
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
        let mut sources = BTreeMap::new();
        for (file, parts) in by_file.into_iter().take(MAX_FILES) {
            let Self { work, contents, .. } = self;
            let Some(opened) = contents.get(work, &pages.space).await? else { continue };
            let entry = opened.read(work, |snapshot, objects| snapshot.file(objects, &file)).await?;
            let Some(entry) = entry.filter(|entry| entry.size <= MAX_FILE) else { continue };
            let source = OpenapiSource::File { blob: entry.blob, size: entry.size };
            let room = MAX_BLOCKS - sources.len();
            sources.extend(parts.into_iter().take(room).map(|part| (OpenapiKey::of_file(&file, part), source.clone())));
        }
        Ok(sources)
    }

    /// Loads the content of the OpenAPI blocks of a page. Returns whether all documents could be read: if not, the page
    /// must not be cached, because the file of a document can be there again later.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn load_openapi(&mut self, page: &mut SitePage) -> Result<bool, Error> {
        let (blocks, is_complete) = self.openapi_blocks(&page.openapi).await?;
        page.references.openapi = blocks;
        Ok(is_complete)
    }

    /// The content of blocks, and whether all documents could be read. A block that its document does not have is left
    /// out.
    pub(super) async fn openapi_blocks(
        &mut self,
        sources: &OpenapiSources,
    ) -> Result<(BTreeMap<OpenapiKey, OpenapiBlock>, bool), Error> {
        let (mut blocks, mut is_complete) = (BTreeMap::new(), true);
        for (key, source) in &sources.0 {
            let block = match source {
                OpenapiSource::Version { parts, url } => {
                    block_in_version(&mut self.work, parts, url.as_deref(), &key.shows).await?
                }
                OpenapiSource::File { blob, size } => {
                    let found = self.file_document(blob, *size).await?;
                    is_complete &= found.is_some();
                    match (found, WantedOperation::of(&key.shows)) {
                        (Some(FileDocument::Read(root)), Some(wanted)) => {
                            operation_of(&root, None, &wanted).map(block_of)
                        }
                        _ => None,
                    }
                }
            };
            blocks.extend(block.map(|block| (key.clone(), block)));
        }
        Ok((blocks, is_complete))
    }

    /// The document in a file; `None` if the bytes of the file are missing. The last ones are cached between visits.
    async fn file_document(&mut self, blob: &Hash, size: u64) -> Result<Option<FileDocument>, Error> {
        if let Some(known) = self.cache.documents.get(blob) {
            return Ok(Some(known));
        }
        let mut reader = match self.files.open(blob, 0, size).await {
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
        let document = match upgraded(&bytes, MAX_VALUES) {
            Some(root) => FileDocument::Read(Arc::new(root)),
            None => FileDocument::Unreadable,
        };
        self.cache.documents.keep(*blob, document.clone());
        Ok(Some(document))
    }
}

fn block_of(ShownOperation { view, examples, samples }: ShownOperation) -> OpenapiBlock {
    OpenapiBlock::Operation { view: Box::new(view), examples: Box::new(examples), samples }
}

async fn block_in_version(
    work: &mut Work<'_>,
    parts: &Hash,
    url: Option<&str>,
    shows: &SpecificationPart,
) -> Result<Option<OpenapiBlock>, Error> {
    if let SpecificationPart::Schemas { schemas } = shows {
        let rows = views::schemas(work, parts, schemas).await?;
        return Ok((!rows.is_empty()).then_some(OpenapiBlock::Schemas(rows)));
    }
    let Some(wanted) = WantedOperation::of(shows) else { return Ok(None) };
    Ok(views::operation(work, parts, url, &wanted).await?.map(block_of))
}
