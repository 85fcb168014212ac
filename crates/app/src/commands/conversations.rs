//! `octavo conversations`: conversations with customers, and their issues.
use super::choose;
use crate::config::whole;
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use chrono::SecondsFormat;
use clap::{Args, Subcommand};
use domain::actor::Actor;
use domain::conversation::ClusterOrder;
use domain::id::{OrganizationId, SpaceId};
use domain::paging::{Order, PageRequest};
use domain::usecases::change_requests::{ChangeRequests, Proposed};
use domain::usecases::conversations::{ConversationRef, ShownCluster};
use domain::usecases::{Error, Precondition, UseCases};
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(crate) enum ConversationsCommand {
    /// List the clusters of issues of customers, the largest first.
    Clusters(Clusters),

    /// Create a change request for each cluster that needs one and has none.
    ///
    /// A cluster needs one if at least 5 of its issues are from the last 4 weeks, its impact is medium or high, and it
    /// is not muted. Run this from time to time, for example by cron.
    #[command(after_long_help = "\
Example:
  octavo conversations propose --space 01a20db6-27d0-75f5-a840-dd5f86a552b0 \\
    --user ada@example.org --draft")]
    Propose(Propose),

    /// Delete a conversation with its messages and issues.
    #[command(after_long_help = "\
Examples:
  octavo conversations forget 01a20db6-27d0-75f5-a840-dd5f86a552b0
  octavo conversations forget ticket-4711")]
    Forget(Forget),
}

#[derive(Args, Debug)]
pub(crate) struct Clusters {
    /// Maximum number of clusters, 1 to 1000.
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = whole::<u16>(1..=1000))]
    limit: u16,
    /// The organization [default: the only one].
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Propose {
    /// The space to change.
    #[arg(long, value_name = "ID")]
    space: SpaceId,
    /// The account that creates them: its e-mail address or id [default: the only account].
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// Let the server's language model draft the changes.
    #[arg(long)]
    draft: bool,
    /// Maximum number of new change requests, 1 to 100.
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = whole::<u16>(1..=100))]
    limit: u16,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Forget {
    /// The conversation: its id, or the id that its sender gave it.
    #[arg(value_name = "CONVERSATION")]
    conversation: String,
    /// The organization [default: the only one].
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,
}

impl ConversationsCommand {
    /// Runs the command.
    pub(crate) async fn run(self, use_cases: &UseCases) -> Result<()> {
        match self {
            Self::Clusters(command) => command.run(use_cases).await,
            Self::Propose(command) => command.run(use_cases).await,
            Self::Forget(command) => command.run(use_cases).await,
        }
    }
}

impl Clusters {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let organization = choose::organization(use_cases, self.organization.as_ref()).await?;
        let page = PageRequest { limit: self.limit.into(), order: Order::Desc, ..PageRequest::default() };
        let query = (ClusterOrder::Issues, page).into();
        let found = use_cases.conversations.clusters(&Actor::Operator, &organization, query).await?;
        let output = Output::new(self.json);
        if output.is_json() {
            output.json(&found.items.iter().map(described).collect());
            return Ok(());
        }
        let row = |shown: &ShownCluster| {
            let ShownCluster { cluster, numbers } = shown;
            [
                cluster.id.to_string(),
                cluster.label.to_string(),
                cluster.impact.to_string(),
                numbers.issues.to_string(),
                numbers.conversations.to_string(),
                if cluster.muted { "muted".to_owned() } else { String::new() },
            ]
        };
        let columns = ["id", "label", "impact", "issues", "conversations", "state"];
        let rows = found.items.iter().map(row).collect();
        output.table(columns, rows, "There are no clusters of two or more issues.");
        Ok(())
    }
}

impl Propose {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let author = choose::user(use_cases, self.user.as_deref()).await?;
        // The server drafts, not this command.
        let change_requests = ChangeRequests { drafts: true, ..use_cases.change_requests.clone() };
        let made = change_requests.propose(&Actor::Operator, &self.space, &author.id, self.draft, self.limit.into());
        let made = match made.await {
            Err(Error::NotFound("space")) => return Err(choose::no_space(&self.space).into()),
            made => made?,
        };
        let output = Output::new(self.json);
        if output.is_json() {
            let described = |one: &Proposed| {
                let request = &one.request.request;
                json!({"cluster": one.cluster, "changeRequest": request.id, "number": request.number, "subject": request.subject})
            };
            output.json(&made.iter().map(described).collect());
            return Ok(());
        }
        let row = |one: &Proposed| {
            let request = &one.request.request;
            [request.number.to_string(), request.subject.to_string(), one.cluster.to_string()]
        };
        let rows = made.iter().map(row).collect();
        output.table(["number", "subject", "cluster"], rows, "No cluster needs a change request.");
        Ok(())
    }
}

impl Forget {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let organization = choose::organization(use_cases, self.organization.as_ref()).await?;
        let which = ConversationRef(self.conversation.clone());
        let conversations = &use_cases.conversations;
        if conversations.remove(&Actor::Operator, &organization, &which, Precondition::none()).await? {
            Output::people().note(format_args!("Deleted the conversation {} with its issues.", self.conversation));
            return Ok(());
        }
        let advice = "give its id, or the id that its sender gave it if only one source uses that";
        Err(Failure::new(format!("there is no conversation {}", self.conversation)).advise(advice).into())
    }
}

fn described(shown: &ShownCluster) -> Value {
    let ShownCluster { cluster, numbers } = shown;
    json!({
        "id": cluster.id,
        "label": cluster.label,
        "impact": cluster.impact,
        "muted": cluster.muted,
        "issues": numbers.issues,
        "conversations": numbers.conversations,
        "weeklyPulse": numbers.weekly_pulse,
        "sources": numbers.sources,
        "updatedAt": cluster.updated_at.to_rfc3339_opts(SecondsFormat::Secs, true),
    })
}
