//! Instructions of organizations to agents that work on their content.
use super::record::record;
use super::{Error, Input, Precondition, open};
use crate::access::Granted;
use crate::actor::Actor;
use crate::agent_instructions::AgentInstructions;
use crate::content::document::Document;
use crate::event::Change;
use crate::id::OrganizationId;
use crate::organization::Organization;
use crate::ports::{Clock, Ids, Store, Tx};
use std::sync::Arc;

/// Reads and writes agent instructions.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Instructions {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
}

async fn current(tx: &mut dyn Tx, home: &Granted<Organization>) -> Result<AgentInstructions, Error> {
    let found = tx.organizations().agent_instructions(&home.id).await?;
    Ok(found.unwrap_or_else(|| unwritten(home)))
}

fn unwritten(organization: &Granted<Organization>) -> AgentInstructions {
    let updated_at = organization.created_at;
    AgentInstructions { instructions: Document::default(), updated_at, updated_by: None }
}

impl Instructions {
    /// The agent instructions of an organization; an empty text until a user writes one.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for guests.
    pub async fn get(&self, actor: &Actor, organization: &OrganizationId) -> Result<AgentInstructions, Error> {
        let mut tx = self.store.read().await?;
        let home = open::organization(&mut *tx, actor, organization, |may| may.read).await?;
        current(&mut *tx, &home).await
    }

    /// Writes the agent instructions of an organization.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn put(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        precondition: Precondition<AgentInstructions>,
        instructions: Input<Document>,
    ) -> Result<AgentInstructions, Error> {
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        tx.lock(&[organization.into()]).await?;
        let home = open::organization(&mut *tx, actor, organization, |may| may.admin).await?;
        let instructions = instructions.read()?;
        precondition.check_shown(current(&mut *tx, &home)).await?;
        let now = self.clock.now();
        let written = AgentInstructions { instructions, updated_at: now, updated_by: actor.user().cloned() };
        tx.organizations().save_agent_instructions(organization, &written).await?;
        let change = Change::AgentInstructionsUpdated { organization: organization.clone() };
        record(&mut *tx, &*self.ids, actor, Some(organization), now, change).await?;
        tx.commit().await?;
        Ok(written)
    }
}
