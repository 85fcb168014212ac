//! Instructions of an organization to agents that work on its content.
use crate::content::document::Document;
use crate::id::UserId;
use chrono::{DateTime, Utc};

/// Instructions of an organization to agents.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentInstructions {
    /// The text; empty until a user writes one.
    pub instructions: Document,
    /// When the text was last written; until then, when the organization was created.
    pub updated_at: DateTime<Utc>,
    /// The user who wrote the text; absent if it was never written, or if the server's operator wrote it.
    pub updated_by: Option<UserId>,
}
