//! Vectors of issues from an engine. Where it fails, the static ones decide, and it is asked again later.
use super::ask::{again_after_garbled, rest};
use super::state::Analysed;
use super::{Analyst, Lease, Stop};
use crate::id::OrganizationId;
use crate::ports::{Embedder, EngineError, EngineUse};
use chrono::{DateTime, Utc};

/// The most texts of one request.
const TEXTS: usize = 64;

/// An engine that turns texts into vectors, for an organization that allows it to see them.
pub(super) struct Vectors<'l> {
    embedder: &'l dyn Embedder,
    organization: &'l OrganizationId,
    /// Until when it is not asked, after it failed.
    pub(super) rests_until: Option<DateTime<Utc>>,
}

impl<'l> Vectors<'l> {
    /// The engine, if there is one and the organization allows it.
    pub(super) async fn of(
        lease: &Lease<'_>,
        analyst: &'l Analyst,
        organization: &'l OrganizationId,
    ) -> Result<Option<Self>, Stop> {
        let Some(embedder) = &analyst.embedder else { return Ok(None) };
        let allows = lease.read().await?.allows_models(organization).await?;
        Ok(allows.then(|| Self { embedder: &**embedder, organization, rests_until: None }))
    }

    /// Adds vectors to issues. Conversations whose issues get none are asked about again.
    pub(super) async fn add(&mut self, lease: &Lease<'_>, analysed: &mut [Analysed]) -> Result<(), Stop> {
        let texts: Vec<String> = analysed.iter().flat_map(Analysed::texts).map(str::to_owned).collect();
        let mut vectors = self.of_texts(lease, &texts).await?.into_iter();
        let now = lease.now();
        for one in analysed {
            one.vectors = vectors.by_ref().take(one.found.issues.len()).collect();
            if one.vectors.len() < one.found.issues.len() {
                let again = self.rests_until.or_else(|| again_after_garbled(&one.conversation, now));
                one.ask_again_at = one.ask_again_at.into_iter().chain(again).min();
            }
        }
        Ok(())
    }

    /// The vectors of texts. If the engine fails, the last ones get none.
    pub(super) async fn of_texts(&mut self, lease: &Lease<'_>, texts: &[String]) -> Result<Vec<Vec<f32>>, Stop> {
        let mut vectors = Vec::with_capacity(texts.len());
        let wanted: &[String] = if self.rests_until.is_some() { &[] } else { texts };
        for some in wanted.chunks(TEXTS) {
            match self.embed(lease, some).await? {
                Ok(found) => vectors.extend(found),
                Err(error) => {
                    self.rests_until = rest(&error, lease.now());
                    break;
                }
            }
        }
        Ok(vectors)
    }

    async fn embed(&self, lease: &Lease<'_>, texts: &[String]) -> Result<Result<Vec<Vec<f32>>, EngineError>, Stop> {
        let answer = self.embedder.embed(texts).await;
        let used = answer.as_ref().map_or(EngineUse { requests: 1, tokens: 0 }, |(_, used)| *used);
        let characters = texts.iter().map(|text| text.chars().count() as u64).sum();
        let mut work = lease.step().await?;
        work.count_texts(self.organization, characters, used).await?;
        work.commit().await?;
        Ok(answer.map(|(vectors, _)| vectors).and_then(|vectors| match vectors.len() == texts.len() {
            true => Ok(vectors),
            false => Err(EngineError::Garbled("it has not one vector for each text")),
        }))
    }
}
