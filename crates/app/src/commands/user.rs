//! `octavo user`: accounts.
use super::choose;
use crate::compose::Ports;
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use chrono::SecondsFormat;
use clap::{Args, Subcommand};
use domain::access::Role;
use domain::actor::Actor;
use domain::id::OrganizationId;
use domain::text::{DisplayName, Email};
use domain::usecases::Error;
use domain::user::User;
use serde_json::{Value, json};

/// What can be done with accounts.
#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Make an account, a member of an organization.
    #[command(after_long_help = "\
Examples:
  octavo user create ada@example.org --name 'Ada Lovelace' --role edit
  octavo user create ci@example.org --role read && octavo token create --user ci@example.org")]
    Create(Create),

    /// List accounts.
    List(List),
}

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// The address.
    #[arg(value_name = "EMAIL")]
    email: Email,
    /// The name that others see [default: the address without its domain].
    #[arg(long, value_name = "NAME")]
    name: Option<DisplayName>,
    /// The organization to join [default: the only one].
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,
    /// The role in the organization: admin, create, edit, review, comment, read, or guest for none.
    #[arg(long, value_name = "ROLE", default_value = "read")]
    role: Membership,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct List {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A role, or none for guests.
#[derive(Clone, Copy, Debug)]
struct Membership(Option<Role>);

impl std::str::FromStr for Membership {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        if raw == "guest" {
            return Ok(Self(None));
        }
        raw.parse().map(|role| Self(Some(role))).map_err(|rule: domain::text::Rule| format!("{rule}, guest"))
    }
}

impl UserCommand {
    /// Does it.
    pub(crate) async fn run(self, ports: &Ports) -> Result<()> {
        match self {
            Self::Create(command) => command.run(ports).await,
            Self::List(command) => command.run(ports).await,
        }
    }
}

impl Create {
    async fn run(self, ports: &Ports) -> Result<()> {
        let local = self.email.as_str().split('@').next().unwrap_or_default();
        let name = self.name.unwrap_or_else(|| DisplayName::fitted(local, "user"));
        let organization = choose::organization(ports, self.organization.as_ref()).await?;
        let joins = Some((organization, self.role.0));
        let user = match ports.accounts().create_user(&Actor::Operator, self.email, name, joins).await {
            Err(Error::Conflict(conflict)) => {
                return Err(Failure::new(conflict).advise("`octavo user list` shows the accounts").into());
            }
            other => other?,
        };
        let output = Output::new(self.json);
        if output.is_json() {
            output.json(&described(&user));
        } else {
            output.note(format!(
                "An account for {}. `octavo token create --user {}` makes a token for it.",
                user.email, user.email
            ));
            output.line(&user.id);
        }
        Ok(())
    }
}

impl List {
    async fn run(self, ports: &Ports) -> Result<()> {
        let users = choose::users(ports).await?;
        let output = Output::new(self.json);
        if output.is_json() {
            output.json(&users.iter().map(described).collect());
            return Ok(());
        }
        let row =
            |user: &User| [user.id.to_string(), user.email.to_string(), user.display_name.to_string(), made(user)];
        output.table(["id", "address", "name", "made"], users.iter().map(row).collect(), "There are no accounts.");
        Ok(())
    }
}

fn made(user: &User) -> String {
    user.created_at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn described(user: &User) -> Value {
    json!({ "id": user.id, "email": user.email, "displayName": user.display_name, "createdAt": made(user) })
}
