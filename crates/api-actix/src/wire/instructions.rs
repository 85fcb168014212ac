//! Agent instructions of organizations.
use super::schemas;
use super::text::{JsonDocument, note};
use crate::request::Wire;
use chrono::{DateTime, Utc};
use domain::agent_instructions;
use domain::content::document::Document;
use domain::content::document::wire::WireDocument;
use domain::id::OrganizationId;
use domain::text::Invalid;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Instructions of an organization for agents that work on its content.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentInstructions {
    #[schema(example = "agent-instructions")]
    object: &'static str,
    #[schema(value_type = schemas::Document)]
    instructions: WireDocument<Document>,
    /// When the instructions were last updated; if never, when the organization was created.
    updated_at: DateTime<Utc>,
    /// The id of the user who last updated them; empty if there is none, or if the server's operator did.
    updated_by: String,
    urls: AgentInstructionsUrls,
}

/// URLs of agent instructions.
#[derive(Serialize, ToSchema)]
pub(crate) struct AgentInstructionsUrls {
    location: String,
}

pub(crate) fn instructions(
    told: agent_instructions::AgentInstructions,
    organization: &OrganizationId,
    links: &crate::answer::links::Links,
) -> AgentInstructions {
    AgentInstructions {
        object: "agent-instructions",
        instructions: WireDocument(told.instructions),
        updated_at: told.updated_at,
        updated_by: told.updated_by.map(String::from).unwrap_or_default(),
        urls: AgentInstructionsUrls { location: format!("{}/agent-instructions", links.organization(organization)) },
    }
}

/// New agent instructions.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateAgentInstructions {
    /// Rich text. Optional parts may be omitted, so the schema is not given in detail.
    #[schema(value_type = Object)]
    instructions: JsonDocument,
}

impl Wire for UpdateAgentInstructions {
    type Command = Document;

    fn command(self) -> Result<Document, Invalid> {
        note("instructions", self.instructions)
    }
}
