//! Loading the stored data of a version: its parts, its summary, and excerpts of its document.
use super::document::{read_summary, summarised};
use crate::content::map::Map;
use crate::content::object::{Hash, MemoryObjects, fetch, together};
use crate::openapi_spec::OpenapiVersion;
use crate::paging::{Order, PageRequest};
use crate::usecases::Error;
use crate::usecases::work::Work;
use bytes::Bytes;
use openapi::excerpt::Excerpt;
use openapi::parts::{SUMMARY_KEY, Summary};
use openapi::tree::Node;
use std::sync::Arc;

/// The bytes of an object.
pub(in crate::usecases) async fn object(work: &mut Work<'_>, hash: Hash) -> Result<Bytes, Error> {
    let loaded = work.content().objects(&[hash]).await?;
    let found = loaded.into_iter().next().map(|(_, bytes)| bytes);
    found.ok_or_else(|| Error::Corrupt(format!("object {hash} is missing")))
}

/// The version of the same spec before a version.
pub(in crate::usecases) async fn previous(
    work: &mut Work<'_>,
    version: &OpenapiVersion,
) -> Result<Option<OpenapiVersion>, Error> {
    let older = PageRequest { after: Some(version.id.to_string()), limit: 1, order: Order::Desc };
    Ok(work.openapi_specs().versions(&version.spec, &older).await?.items.pop())
}

/// The parts of a version by their keys.
pub(in crate::usecases) async fn parts(
    work: &mut Work<'_>,
    version: &OpenapiVersion,
) -> Result<Vec<(String, Bytes)>, Error> {
    let parts = Map::<Hash>::at(Some(version.parts));
    work.compute(&mut MemoryObjects::default(), |objects| {
        let entries = parts.entries(objects)?;
        let bytes = fetch(objects, entries.iter().map(|(_, hash)| *hash))?;
        Ok(entries.into_iter().map(|(key, _)| key).zip(bytes).collect())
    })
    .await
}

/// The summary of a version: its operations, webhooks and schemas.
pub(in crate::usecases) async fn summary(work: &mut Work<'_>, version: &OpenapiVersion) -> Result<Arc<Summary>, Error> {
    if let Some(known) = work.spec_cache().summary(&version.parts) {
        return Ok(known);
    }
    let summary = Arc::new(summaries(work, &[version]).await?.pop().unwrap_or_default());
    work.spec_cache().add_summary(version.parts, summary.clone());
    Ok(summary)
}

/// The summaries of versions, in their order. Versions from before summaries were stored are read whole.
pub(in crate::usecases) async fn summaries(
    work: &mut Work<'_>,
    versions: &[&OpenapiVersion],
) -> Result<Vec<Summary>, Error> {
    let (hashes, stored) = work
        .compute(&mut MemoryObjects::default(), |objects| {
            let maps = versions.iter().map(|version| Map::<Hash>::at(Some(version.parts)));
            let hashes: Vec<Option<Hash>> = together(maps.map(|map| map.get(objects, SUMMARY_KEY)))?;
            let stored = fetch(objects, hashes.iter().flatten().copied())?;
            Ok((hashes, stored))
        })
        .await?;
    let mut stored = stored.into_iter();
    let mut all = Vec::with_capacity(versions.len());
    for (version, hash) in versions.iter().zip(hashes) {
        all.push(match hash.and_then(|_| stored.next()) {
            Some(bytes) => read_summary(&bytes)?,
            None => summarised(&parts(work, version).await?)?,
        });
    }
    Ok(all)
}

/// The parts of a version that an excerpt needs, as a document. `parts` is the hash of all its parts.
pub(super) async fn excerpt(work: &mut Work<'_>, parts: &Hash, excerpt: Excerpt) -> Result<Node, Error> {
    Ok(filled(work, parts, excerpt).await?.document())
}

/// Loads the parts of a version that an excerpt needs, in rounds. `parts` is the hash of all its parts.
pub(super) async fn filled(work: &mut Work<'_>, parts: &Hash, mut excerpt: Excerpt) -> Result<Excerpt, Error> {
    let map = Map::<Hash>::at(Some(*parts));
    loop {
        let wanted = excerpt.wanted();
        if wanted.is_empty() {
            return Ok(excerpt);
        }
        let keys: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let loaded = work
            .compute(&mut MemoryObjects::default(), |objects| {
                let hashes = map.get_many(objects, &keys)?;
                let bytes = fetch(objects, hashes.iter().flatten().copied())?;
                Ok((hashes, bytes))
            })
            .await?;
        let (hashes, bytes) = loaded;
        let mut bytes = bytes.iter();
        for (key, hash) in wanted.iter().zip(hashes) {
            let part = hash.and_then(|_| bytes.next());
            let part = part.map(|bytes| std::str::from_utf8(bytes));
            excerpt.add(key, part.transpose().map_err(|error| Error::Corrupt(format!("part {key}: {error}")))?);
        }
    }
}
