//! Gets the vectors of issues from an engine. Where it fails, the static vectors count, and it is asked again later.
use super::ask::{again_after_unusable, paused_until};
use super::state::Analysed;
use super::{Analyst, Lease, Stop};
use crate::id::OrganizationId;
use crate::ports::{Embedder, EngineError, EngineUse};
use chrono::{DateTime, Utc};

/// The maximum number of texts in one request.
const TEXTS: usize = 64;

/// An engine that computes vectors of texts, for an organization that allows it.
pub(super) struct Vectors<'l> {
    embedder: &'l dyn Embedder,
    organization: &'l OrganizationId,
    /// When to ask it again, after it failed.
    pub(super) paused_until: Option<DateTime<Utc>>,
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
        Ok(allows.then(|| Self { embedder: &**embedder, organization, paused_until: None }))
    }

    /// Adds vectors to issues. If issues of a conversation get none, schedules another question about it.
    pub(super) async fn add(&mut self, lease: &Lease<'_>, analysed: &mut [Analysed]) -> Result<(), Stop> {
        let texts: Vec<String> = analysed.iter().flat_map(Analysed::texts).map(str::to_owned).collect();
        let mut vectors = self.of_texts(lease, &texts).await?.into_iter();
        let now = lease.now();
        for one in analysed {
            one.vectors = vectors.by_ref().take(one.found.issues.len()).collect();
            if one.vectors.len() < one.found.issues.len() {
                let again = self.paused_until.or_else(|| again_after_unusable(&one.conversation, now));
                one.ask_again_at = one.ask_again_at.into_iter().chain(again).min();
            }
        }
        Ok(())
    }

    /// The vectors of texts, in order. If the engine fails, the remaining texts get none.
    pub(super) async fn of_texts(&mut self, lease: &Lease<'_>, texts: &[String]) -> Result<Vec<Vec<f32>>, Stop> {
        let mut vectors = Vec::with_capacity(texts.len());
        let wanted: &[String] = if self.paused_until.is_some() { &[] } else { texts };
        for some in wanted.chunks(TEXTS) {
            let answer = self.embedder.embed(some).await;
            self.count(lease, some, EngineUse::of(&answer)).await?;
            let found = answer.and_then(|(found, _)| match found.len() == some.len() {
                true => Ok(found),
                false => Err(EngineError::InvalidAnswer("it has not one vector for each text")),
            });
            match found {
                Ok(found) => vectors.extend(found),
                Err(error) => {
                    self.paused_until = paused_until(&error, lease.now());
                    break;
                }
            }
        }
        Ok(vectors)
    }

    async fn count(&self, lease: &Lease<'_>, texts: &[String], used: EngineUse) -> Result<(), Stop> {
        let characters = texts.iter().map(|text| text.chars().count() as u64).sum();
        let mut work = lease.step().await?;
        work.count_texts(self.organization, characters, used).await?;
        work.commit().await?;
        Ok(())
    }
}
