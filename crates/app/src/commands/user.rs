//! `octavo user`: accounts.
use super::choose;
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
use domain::usecases::UseCases;
use domain::usecases::accounts::NewUser;
use domain::user::User;
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Create an account, and add it to an organization.
    #[command(after_long_help = "\
Examples:
  octavo user create ada@example.org --name 'Ada Lovelace' --role edit
  octavo user create ci@example.org --role read
  octavo token create --user ci@example.org")]
    Create(Create),

    /// List accounts.
    List(List),

    /// Mark the e-mail address of an account as verified.
    ///
    /// A user with a verified address can join the organizations that allow its domain. Accounts from `octavo user
    /// create` are verified unless created with `--unverified`; accounts from an invite are not.
    Verify(Verify),
}

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// The e-mail address.
    #[arg(value_name = "EMAIL")]
    email: Email,
    /// The display name [default: the address without its domain].
    #[arg(long, value_name = "NAME")]
    name: Option<DisplayName>,
    /// The organization to join [default: the only one].
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,
    /// The role in the organization: admin, create, edit, review, comment, read, or guest for no role.
    #[arg(long, value_name = "ROLE", default_value = "read")]
    role: RoleOrGuest,
    /// Do not mark the address as verified.
    #[arg(long)]
    unverified: bool,
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

#[derive(Args, Debug)]
pub(crate) struct Verify {
    /// The e-mail address.
    #[arg(value_name = "EMAIL")]
    email: Email,
}

/// A role, or none for a guest.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleOrGuest(pub(super) Option<Role>);

impl std::str::FromStr for RoleOrGuest {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        if raw == "guest" {
            return Ok(Self(None));
        }
        raw.parse().map(|role| Self(Some(role))).map_err(|rule: domain::text::Rule| format!("{rule}, guest"))
    }
}

impl UserCommand {
    /// Runs the command.
    pub(crate) async fn run(self, use_cases: &UseCases) -> Result<()> {
        match self {
            Self::Create(command) => command.run(use_cases).await,
            Self::List(command) => command.run(use_cases).await,
            Self::Verify(command) => command.run(use_cases).await,
        }
    }
}

impl Create {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let display_name = self.name.unwrap_or_else(|| DisplayName::fitted(self.email.local(), "user"));
        let new = NewUser { email: self.email, display_name, email_verified: !self.unverified };
        let organization = choose::organization(use_cases, self.organization.as_ref()).await?;
        let joins = Some((organization, self.role.0));
        let user = match use_cases.accounts.create_user(&Actor::Operator, new, joins).await {
            Err(Error::Conflict(conflict)) => {
                return Err(Failure::new(conflict).advise("list the accounts with `octavo user list`").into());
            }
            other => other?,
        };
        let output = Output::new(self.json);
        if output.is_json() {
            output.json(&described(&user));
        } else {
            output.note(format!(
                "Created an account for {}. Create a token for it with `octavo token create --user {}`.",
                user.email, user.email
            ));
            output.line(&user.id);
        }
        Ok(())
    }
}

impl List {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let users = choose::users(use_cases).await?;
        let output = Output::new(self.json);
        if output.is_json() {
            output.json(&users.iter().map(described).collect());
            return Ok(());
        }
        let row = |user: &User| {
            let verified = if user.email_verified { "yes" } else { "no" };
            [
                user.id.to_string(),
                user.email.to_string(),
                verified.to_owned(),
                user.display_name.to_string(),
                made(user),
            ]
        };
        let columns = ["id", "address", "verified", "name", "created"];
        output.table(columns, users.iter().map(row).collect(), "There are no accounts.");
        Ok(())
    }
}

impl Verify {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        match use_cases.accounts.verify(&Actor::Operator, &self.email).await {
            Ok(true) => Output::people().note(format_args!("{} is verified.", self.email)),
            Ok(false) => Output::people().note(format_args!("{} was already verified.", self.email)),
            Err(Error::NotFound(_)) => {
                let missing = Failure::new(format!("there is no account {}", self.email));
                return Err(missing.advise("list the accounts with `octavo user list`").into());
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

fn made(user: &User) -> String {
    user.created_at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn described(user: &User) -> Value {
    json!({
        "id": user.id,
        "email": user.email,
        "emailVerified": user.email_verified,
        "displayName": user.display_name,
        "createdAt": made(user),
    })
}
