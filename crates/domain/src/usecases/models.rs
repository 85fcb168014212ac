//! Language models: whether an organization allows them, and what is counted of their use.
use super::Error;
use super::work::Work;
use crate::id::OrganizationId;
use crate::ports::{ChatQuestion, EngineUse};
use crate::translation::run::{CHAT, EngineUsage, day};

impl Work<'_> {
    /// Whether language models may see texts of an organization.
    pub(super) async fn allows_models(&mut self, organization: &OrganizationId) -> Result<bool, Error> {
        let found = self.organizations().find(organization, None).await?;
        Ok(found.is_some_and(|found| found.organization.ai))
    }

    /// Adds questions to what a language model did for an organization today.
    pub(super) async fn count_questions(
        &mut self,
        organization: &OrganizationId,
        questions: &[ChatQuestion],
        EngineUse { requests, tokens }: EngineUse,
    ) -> Result<(), Error> {
        let characters = questions.iter().map(|question| question.user.chars().count() as u64).sum();
        let usage = EngineUsage { characters, requests, tokens, ..EngineUsage::default() };
        let today = day(self.now());
        Ok(self.translation_memory().use_engine(organization, today, CHAT, usage).await?)
    }
}
