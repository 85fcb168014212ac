//! Instructions of organizations to agents that work on their content.
use super::work::{Units, Work};
use super::{Error, Input, Precondition};
use crate::access::Granted;
use crate::actor::Actor;
use crate::agent_instructions::AgentInstructions;
use crate::content::document::Document;
use crate::event::Change;
use crate::id::OrganizationId;
use crate::organization::Organization;

/// Reads and writes agent instructions.
#[derive(Clone)]
pub struct Instructions {
    /// Units of work.
    pub units: Units,
}

async fn current(work: &mut Work<'_>, home: &Granted<Organization>) -> Result<AgentInstructions, Error> {
    let found = work.organizations().agent_instructions(&home.id).await?;
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
        let mut work = self.units.read(actor).await?;
        let home = work.organization(organization, |may| may.read).await?;
        current(&mut work, &home).await
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
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let home = work.organization(organization, |may| may.admin).await?;
        let instructions = instructions.read()?;
        let before = current(&mut work, &home).await?;
        precondition.check(&before)?;
        if instructions == before.instructions {
            return Ok(before);
        }
        let now = work.now();
        let written = AgentInstructions { instructions, updated_at: now, updated_by: actor.user().cloned() };
        work.organizations().save_agent_instructions(organization, &written).await?;
        let change = Change::AgentInstructionsUpdated { organization: organization.clone() };
        work.record(organization, change).await?;
        work.commit().await?;
        Ok(written)
    }
}
