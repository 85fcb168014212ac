//! What an organization tells agents that work on its content.
use crate::content::document::Document;
use crate::id::UserId;
use chrono::{DateTime, Utc};

/// What an organization tells agents.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentInstructions {
    /// The text; empty until somebody writes one.
    pub instructions: Document,
    /// When it was written; when the organization was made, until somebody does.
    pub updated_at: DateTime<Utc>,
    /// Who wrote it; absent when nobody did, or the server's operator.
    pub updated_by: Option<UserId>,
}
