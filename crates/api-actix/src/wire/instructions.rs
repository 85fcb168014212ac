//! What organizations tell agents.
use super::described;
use super::text::{JsonDocument, note};
use crate::input::Wire;
use chrono::{DateTime, Utc};
use domain::agent_instructions;
use domain::content::document::Document;
use domain::content::document::wire::WireDocument;
use domain::id::OrganizationId;
use domain::text::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What an organization tells agents that work on its content.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentInstructions {
    #[schema(example = "agent-instructions")]
    object: &'static str,
    #[schema(value_type = described::Document)]
    instructions: WireDocument<Document>,
    /// When they were written; when the organization was made, until somebody writes any.
    updated_at: DateTime<Utc>,
    /// The id of who wrote them; empty when nobody did, or the server's operator.
    updated_by: String,
    urls: AgentInstructionsUrls,
}

/// Addresses of what an organization tells agents.
#[derive(Serialize, ToSchema)]
pub(crate) struct AgentInstructionsUrls {
    location: String,
}

/// Shows what an organization tells agents.
pub(crate) fn instructions(
    told: agent_instructions::AgentInstructions,
    organization: &OrganizationId,
    links: &crate::links::Links,
) -> AgentInstructions {
    AgentInstructions {
        object: "agent-instructions",
        instructions: WireDocument(told.instructions),
        updated_at: told.updated_at,
        updated_by: told.updated_by.map(String::from).unwrap_or_default(),
        urls: AgentInstructionsUrls { location: format!("{}/agent-instructions", links.organization(organization)) },
    }
}

/// What agents are to be told.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateAgentInstructions {
    /// Rich text. What of it may be left out is left out, so it is described by words alone.
    #[schema(value_type = Object)]
    instructions: JsonDocument,
}

impl Wire for UpdateAgentInstructions {
    type Command = Document;

    fn command(self) -> Result<Document, Invalid> {
        note("instructions", self.instructions)
    }
}
