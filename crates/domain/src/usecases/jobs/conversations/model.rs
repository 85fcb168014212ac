//! The language model that finds the issues of conversations and describes clusters.
use super::ask::{self, Answers};
use super::clusters::{count_issues, save_clusters};
use super::state::{Described, IssueSource, State};
use super::{Analyst, Lease, Stop};
use crate::conversation::{Conversation, ConversationContent};
use crate::id::OrganizationId;
use crate::ports::{Chat, ChatQuestion, EngineError};
use chrono::{DateTime, Utc};
use conversations::model::{ModelDescription, ModelIssues};
use serde::de::DeserializeOwned;

/// The maximum number of clusters that a language model describes in one run of the job.
const DESCRIBED: usize = 24;

/// A language model that the organization allows.
pub(super) struct Model<'l> {
    chat: &'l dyn Chat,
    organization: &'l OrganizationId,
    /// When to ask it again, after it failed.
    paused_until: Option<DateTime<Utc>>,
}

impl<'l> Model<'l> {
    /// The model, if there is one and the organization allows it.
    pub(super) async fn of(
        lease: &Lease<'_>,
        analyst: &'l Analyst,
        organization: &'l OrganizationId,
    ) -> Result<Option<Self>, Stop> {
        let Some(chat) = &analyst.chat else { return Ok(None) };
        let allows = lease.read().await?.allows_models(organization).await?;
        Ok(allows.then(|| Self { chat: &**chat, organization, paused_until: None }))
    }

    /// Asks for the issues of conversations.
    pub(super) async fn extract(
        &mut self,
        lease: &Lease<'_>,
        waiting: &[(Conversation, ConversationContent)],
    ) -> Result<Vec<IssueSource>, Stop> {
        if let Some(until) = self.paused_until {
            return Ok(waiting.iter().map(|_| IssueSource::Rules(Some(until))).collect());
        }
        let questions: Vec<ChatQuestion> = waiting.iter().map(|(one, content)| ask::extraction(one, content)).collect();
        let answers = self.ask::<ModelIssues>(lease, &questions).await?;
        let now = lease.now();
        let sources = waiting.iter().zip(answers).map(|((conversation, _), answer)| match answer {
            Ok(issues) => IssueSource::Model(issues),
            Err(error) => {
                let paused = ask::paused_until(&error, now);
                IssueSource::Rules(paused.or_else(|| ask::again_after_unusable(conversation, now)))
            }
        });
        Ok(sources.collect())
    }

    /// Asks for descriptions of clusters. Returns when to continue, if some are left.
    pub(super) async fn describe(
        &mut self,
        lease: &Lease<'_>,
        mut state: State,
    ) -> Result<Option<DateTime<Utc>>, Stop> {
        let clusters = state.to_describe(DESCRIBED + 1);
        if self.paused_until.is_some() || clusters.is_empty() {
            return Ok(self.paused_until.filter(|_| !clusters.is_empty()));
        }
        let some = &clusters[..clusters.len().min(DESCRIBED)];
        let questions: Vec<ChatQuestion> = some.iter().map(ask::description).collect();
        let answers = self.ask::<ModelDescription>(lease, &questions).await?;
        let pairs = some.iter().zip(answers);
        let described: Vec<Described> =
            pairs.filter_map(|(cluster, answer)| state.describe_as(cluster, answer.ok()?)).collect();
        let mut work = lease.step_with(&[self.organization.into()]).await?;
        let now = work.now();
        if count_issues(&mut work, self.organization).await? != state.stored {
            work.commit().await?;
            return Ok(Some(now));
        }
        save_clusters(&mut work, self.organization, &described, now).await?;
        work.commit().await?;
        // Do not ask an engine forever if no description is usable.
        let is_useful = !described.is_empty();
        Ok(self.paused_until.or_else(|| (clusters.len() > DESCRIBED && is_useful).then_some(now)))
    }

    async fn ask<T: DeserializeOwned + Send>(
        &mut self,
        lease: &Lease<'_>,
        questions: &[ChatQuestion],
    ) -> Result<Vec<Result<T, EngineError>>, Stop> {
        let Answers { answers, used } = ask::ask(self.chat, questions).await;
        let now = lease.now();
        self.paused_until = answers.iter().filter_map(|answer| ask::paused_until(answer.as_ref().err()?, now)).max();
        let mut work = lease.step().await?;
        work.count_questions(self.organization, questions, used).await?;
        work.commit().await?;
        Ok(answers)
    }
}
