//! `octavo member`: the members of an organization.
use super::choose;
use super::user::RoleOrGuest;
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use chrono::SecondsFormat;
use clap::{Args, Subcommand};
use domain::access::Role;
use domain::actor::Actor;
use domain::id::OrganizationId;
use domain::paging::{Order, PageRequest};
use domain::patch::Patch;
use domain::ports::store::members::MemberFilter;
use domain::usecases::UseCases;
use domain::usecases::members::{MemberPatch, ShownMember};
use domain::usecases::{Error, Precondition};
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(crate) enum MemberCommand {
    /// List the members of an organization.
    List(List),

    /// Add an account to an organization.
    Add(Add),

    /// Change the role of a member.
    ///
    /// This can also restore an organization without an administrator.
    #[command(after_long_help = "\
Examples:
  octavo member role ada@example.org admin
  octavo member role ada@example.org guest --organization ID")]
    Role(Add),

    /// Disable a membership: no later request of the user can reach the organization.
    Disable(Named),

    /// Enable a disabled membership.
    Enable(Named),

    /// Remove a member from an organization, with all their grants in it.
    Remove(Named),
}

#[derive(Args, Debug)]
pub(crate) struct List {
    /// The organization [default: the only one].
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Named {
    /// The user: an e-mail address or an id.
    #[arg(value_name = "EMAIL")]
    user: String,
    /// The organization [default: the only one].
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,
}

#[derive(Args, Debug)]
pub(crate) struct Add {
    #[command(flatten)]
    named: Named,
    /// The role: admin, create, edit, review, comment, read, or guest for no role.
    #[arg(value_name = "ROLE")]
    role: RoleOrGuest,
}

impl MemberCommand {
    /// Runs the command.
    pub(crate) async fn run(self, use_cases: &UseCases) -> Result<()> {
        let (disabled, enabled) = (
            MemberPatch { disabled: Some(true), ..MemberPatch::default() },
            MemberPatch { disabled: Some(false), ..MemberPatch::default() },
        );
        match self {
            Self::List(command) => command.run(use_cases).await,
            Self::Add(command) => command.add(use_cases).await,
            Self::Role(Add { named, role }) => {
                let role = role.0.map_or(Patch::Clear, Patch::Set);
                named.update(use_cases, MemberPatch { role, ..MemberPatch::default() }).await
            }
            Self::Disable(named) => named.update(use_cases, disabled).await,
            Self::Enable(named) => named.update(use_cases, enabled).await,
            Self::Remove(named) => named.remove(use_cases).await,
        }
    }
}

impl List {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let organization = choose::organization(use_cases, self.organization.as_ref()).await?;
        let usecase = &use_cases.members;
        let members = choose::all(async |page| {
            let query = (MemberFilter::default(), PageRequest { order: Order::Asc, ..page });
            usecase.list(&Actor::Operator, &organization, query.into()).await
        });
        let members = members.await?;
        let output = Output::new(self.json);
        if output.is_json() {
            output.json(&members.iter().map(described).collect());
            return Ok(());
        }
        let row = |shown: &ShownMember| {
            let state = if shown.member.membership.disabled { "disabled" } else { "active" };
            let role = role_word(shown.member.membership.role);
            let (id, address) =
                (shown.user.id.to_string(), shown.user.email.as_ref().map(ToString::to_string).unwrap_or_default());
            [id, address, role.to_owned(), state.to_owned(), joined(shown)]
        };
        let columns = ["id", "address", "role", "state", "joined"];
        output.table(columns, members.iter().map(row).collect(), "There are no members.");
        Ok(())
    }
}

impl Add {
    async fn add(self, use_cases: &UseCases) -> Result<()> {
        let Self { named, role } = self;
        let user = choose::user(use_cases, Some(&named.user)).await?;
        let organization = choose::organization(use_cases, named.organization.as_ref()).await?;
        if use_cases.members.add(&Actor::Operator, &organization, &user.id, role.0).await? {
            Output::people().note(format_args!("{} is now a member: {}.", user.email, role_word(role.0)));
            return Ok(());
        }
        let known = Failure::new(format!("{} is already a member", user.email));
        Err(known.advise("change the role with `octavo member role`").into())
    }
}

impl Named {
    async fn update(self, use_cases: &UseCases, patch: MemberPatch) -> Result<()> {
        let user = choose::user(use_cases, Some(&self.user)).await?;
        let organization = choose::organization(use_cases, self.organization.as_ref()).await?;
        let updated = use_cases
            .members
            .update(&Actor::Operator, &organization, &user.id, Precondition::none(), patch.into())
            .await;
        let member = updated.map_err(|error| explained(error, user.email.as_str()))?.member;
        let counts = if member.membership.disabled { ", disabled" } else { "" };
        Output::people().note(format_args!("{}: {}{counts}.", user.email, role_word(member.membership.role)));
        Ok(())
    }

    async fn remove(self, use_cases: &UseCases) -> Result<()> {
        let user = choose::user(use_cases, Some(&self.user)).await?;
        let organization = choose::organization(use_cases, self.organization.as_ref()).await?;
        let removed = use_cases.members.remove(&Actor::Operator, &organization, &user.id, Precondition::none()).await;
        if removed.map_err(|error| explained(error, user.email.as_str()))? {
            Output::people().note(format_args!("{} is no longer a member.", user.email));
            return Ok(());
        }
        Err(explained(Error::NotFound("member"), user.email.as_str()))
    }
}

fn explained(error: Error, email: &str) -> anyhow::Error {
    match error {
        Error::NotFound(_) => Failure::new(format!("{email} is not a member of the organization"))
            .advise("list the members with `octavo member list`, or add one with `octavo member add`")
            .into(),
        Error::Conflict(conflict) => Failure::new(conflict)
            .advise("make another member an administrator with `octavo member role EMAIL admin`")
            .into(),
        other => other.into(),
    }
}

fn role_word(role: Option<Role>) -> &'static str {
    role.map_or("guest", Role::as_str)
}

fn joined(shown: &ShownMember) -> String {
    shown.member.joined_at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn described(shown: &ShownMember) -> Value {
    json!({
        "id": shown.user.id,
        "email": shown.user.email,
        "displayName": shown.user.display_name,
        "role": shown.member.membership.role,
        "disabled": shown.member.membership.disabled,
        "joinedAt": joined(shown),
    })
}
