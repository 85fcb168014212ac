//! `octavo access`: why a user has their access.
use super::choose;
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use clap::{Args, Subcommand};
use domain::access::{DefaultLevel, Grant, Membership, Place, Reason, Role};
use domain::actor::Actor;
use domain::id::SpaceId;
use domain::text::Email;
use domain::usecases::Error;
use domain::usecases::UseCases;
use domain::usecases::explain::{Explanation, Step};
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(crate) enum AccessCommand {
    /// Explain the level of a user on a space.
    ///
    /// Shows the settings of the organization, the collections and the space for this user, and which one decides.
    #[command(
        after_long_help = "Example:\n  octavo access explain ada@example.org 019aa0f2-4f6e-7cc3-9d4e-1f3f5b8c2a10"
    )]
    Explain(Explain),
}

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// The e-mail address of the account.
    #[arg(value_name = "USER")]
    user: Email,
    /// The id of the space.
    #[arg(value_name = "SPACE")]
    space: SpaceId,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl AccessCommand {
    /// Runs the command.
    pub(crate) async fn run(self, use_cases: &UseCases) -> Result<()> {
        match self {
            Self::Explain(command) => command.run(use_cases).await,
        }
    }
}

impl Explain {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let why = match use_cases.explain.space(&Actor::Operator, &self.user, &self.space).await {
            Err(Error::NotFound("user")) => {
                let missing = Failure::new(format!("{} has no account", self.user));
                return Err(missing.advise("list the accounts with `octavo user list`").into());
            }
            Err(Error::NotFound("space")) => return Err(choose::no_space(&self.space).into()),
            other => other?,
        };
        let output = Output::new(self.json);
        if output.is_json() {
            output.json(&described(&why));
            return Ok(());
        }
        output.line(headline(&why));
        output.line("");
        let asked = places_decide(why.reason);
        let mark = |decides: bool| if decides { "->" } else { "" }.to_owned();
        let mut rows = vec![[
            mark(!asked || why.reason == Reason::Membership),
            "organization".to_owned(),
            why.organization.clone(),
            membership(why.membership),
        ]];
        let row = |decides: bool, step: &Step| {
            let settings = if asked { settings_of(&step.rules) } else { "does not count".to_owned() };
            [mark(decides), step.id.kind().to_owned(), step.title.clone(), settings]
        };
        for (at, step) in why.steps.iter().enumerate().rev() {
            if at == 0 {
                let decide = matches!(why.reason, Reason::Sites(_));
                rows.extend(why.sites.iter().map(|site| row(decide, site)));
            }
            let decides =
                matches!(why.reason, Reason::Direct(by) | Reason::Teams(by) | Reason::Default(by) if by == at);
            rows.push(row(decides, step));
        }
        output.table(["", "place", "title", "access"], rows, "");
        output.line("");
        output.line(sentence(&why));
        Ok(())
    }
}

/// Whether the settings of places count for this reason.
fn places_decide(reason: Reason) -> bool {
    !matches!(reason, Reason::NoMember | Reason::Disabled | Reason::Administrator)
}

fn headline(why: &Explanation) -> String {
    let space = &why.steps[0];
    let level = why.level.role().map_or("none", Role::as_str);
    let deleted = if why.deleted { " (deleted: hidden from all users)" } else { "" };
    format!("{}: {level} on the space {}{deleted}", why.user.email, quoted(&space.title))
}

fn quoted(title: &str) -> String {
    format!("\"{title}\"")
}

fn membership(membership: Option<Membership>) -> String {
    match membership {
        None => "not a member".to_owned(),
        Some(Membership { disabled: true, .. }) => "disabled".to_owned(),
        Some(Membership { role: None, .. }) => "guest".to_owned(),
        Some(Membership { role: Some(role), .. }) => role.as_str().to_owned(),
    }
}

/// The settings of a place for the user, in their order of precedence.
fn settings_of(place: &Place) -> String {
    let word = |role: Option<Role>| role.map_or("none", Role::as_str);
    let mut parts = Vec::new();
    if place.direct != Grant::None {
        parts.push(format!("by name: {}", word(place.direct.role())));
    }
    if !place.teams.is_empty() {
        let teams: Vec<&str> = place.teams.iter().map(|role| word(*role)).collect();
        parts.push(format!("through teams: {}", teams.join(", ")));
    }
    parts.push(match place.default {
        DefaultLevel::Inherit => "default: inherit".to_owned(),
        DefaultLevel::NoAccess => "default: no access".to_owned(),
        DefaultLevel::Role(role) => format!("default: {}", role.as_str()),
    });
    parts.join("; ")
}

fn sentence(why: &Explanation) -> String {
    let place = |at: usize| {
        let Step { id, title, .. } = &why.steps[at];
        format!("The {} {}", id.kind(), quoted(title))
    };
    match why.reason {
        Reason::NoMember => "The user is not a member of the organization.".to_owned(),
        Reason::Disabled => "The membership in the organization is disabled.".to_owned(),
        Reason::Administrator => "The user is an administrator of the organization; nothing lowers this.".to_owned(),
        Reason::Direct(at) => {
            format!("{} has a grant for this user. Places further out do not count.", place(at))
        }
        Reason::Teams(at) => {
            format!(
                "{} has grants for teams of this user; the highest one counts. Places further out do not count.",
                place(at)
            )
        }
        Reason::Default(at) => {
            let guest = why.membership.is_some_and(|member| member.role.is_none());
            let to = if guest { ", which does not apply to guests" } else { "" };
            format!("{} has a default level{to}. Places further out do not count.", place(at))
        }
        Reason::Sites(_) => {
            "The space sets no level, so the sites that it is on decide; the highest level counts.".to_owned()
        }
        Reason::Membership => "No place sets a level, so the role in the organization decides.".to_owned(),
    }
}

fn described(why: &Explanation) -> Value {
    let step = |step: &Step| {
        let settings = places_decide(why.reason).then(|| settings_of(&step.rules));
        json!({ "kind": step.id.kind(), "id": step.id.as_str(), "title": step.title, "says": settings })
    };
    json!({
        "user": why.user.id,
        "level": why.level.role().filter(|_| !why.deleted).map(Role::as_str),
        "deleted": why.deleted,
        "organization": { "title": why.organization, "membership": membership(why.membership) },
        "places": why.steps.iter().chain(&why.sites).map(step).collect::<Vec<_>>(),
        "reason": sentence(why),
    })
}
