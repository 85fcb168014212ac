//! Language models: whether an organization allows them, and the counting of their usage.
use super::Error;
use super::work::Work;
use crate::id::OrganizationId;
use crate::ports::{ChatQuestion, EngineUse};
use crate::translation::run::{CHAT, EMBEDDINGS, EngineUsage, day};

impl Work<'_> {
    /// Whether language models may see texts of an organization.
    pub(super) async fn allows_models(&mut self, organization: &OrganizationId) -> Result<bool, Error> {
        let found = self.organizations().find(organization, None).await?;
        Ok(found.is_some_and(|found| found.organization.ai))
    }

    /// Adds questions to an organization's usage of a language model today.
    pub(super) async fn count_questions(
        &mut self,
        organization: &OrganizationId,
        questions: &[ChatQuestion],
        used: EngineUse,
    ) -> Result<(), Error> {
        let characters = questions.iter().map(|question| question.user.chars().count() as u64).sum();
        self.count_use(organization, CHAT, characters, used).await
    }

    /// Adds texts to an organization's usage of an engine for vectors today.
    pub(super) async fn count_texts(
        &mut self,
        organization: &OrganizationId,
        characters: u64,
        used: EngineUse,
    ) -> Result<(), Error> {
        self.count_use(organization, EMBEDDINGS, characters, used).await
    }

    async fn count_use(
        &mut self,
        organization: &OrganizationId,
        engine: &str,
        characters: u64,
        EngineUse { requests, tokens }: EngineUse,
    ) -> Result<(), Error> {
        let usage = EngineUsage { characters, requests, tokens, ..EngineUsage::default() };
        let today = day(self.now());
        Ok(self.translation_memory().use_engine(organization, today, engine, usage).await?)
    }
}
