//! `octavo audit`: what happened, on the whole server.
use super::choose;
use crate::compose::Ports;
use crate::output::Output;
use anyhow::Result;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use domain::actor::Actor;
use domain::event::{Action, Change};
use domain::id::{EventId, OrganizationId};
use domain::paging::{Order, PageRequest};
use domain::ports::store::events::EventFilter;
use domain::usecases::Error;
use domain::usecases::audit::ShownEvent;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

/// How often it is looked whether something has happened.
const EVERY: Duration = Duration::from_secs(1);
/// How long after the time of an event it may come to light: it is in the log when what did it has ended, and the clocks of
/// several servers differ.
const LATE: TimeDelta = TimeDelta::seconds(60);

/// What can be done with the log of events.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Show what happened last, oldest first: who did what, when, and from where.
    ///
    /// The log has every change that was made through the API, at the command line and by the server itself.
    #[command(after_long_help = "\
Examples:
  octavo audit tail
  octavo audit tail --follow
  octavo audit tail --actor ada@example.org --limit 100
  octavo audit tail --action token_created --json")]
    Tail(Tail),
}

#[derive(Args, Debug)]
pub(crate) struct Tail {
    /// Go on, and show what happens from now on, until Ctrl-C.
    #[arg(long, short)]
    follow: bool,
    /// How many events to show, at most 1000.
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Only what happened in one organization.
    #[arg(long, visible_alias = "org", value_name = "ID")]
    organization: Option<OrganizationId>,
    /// Only what one account did: an address or an id.
    #[arg(long, value_name = "EMAIL")]
    actor: Option<String>,
    /// Only events of one kind.
    #[arg(long, value_name = "ACTION", value_parser = action())]
    action: Option<Action>,
    /// Print JSON, an object a line.
    #[arg(long)]
    json: bool,
}

fn action() -> impl TypedValueParser<Value = Action> {
    let known = Change::ACTIONS.iter().map(|action| action.id);
    PossibleValuesParser::new(known).try_map(|word| word.parse::<Action>())
}

impl AuditCommand {
    /// Does it.
    pub(crate) async fn run(self, ports: &Ports) -> Result<()> {
        match self {
            Self::Tail(command) => command.run(ports).await,
        }
    }
}

impl Tail {
    async fn run(self, ports: &Ports) -> Result<()> {
        let filter = EventFilter {
            organization: match &self.organization {
                Some(id) => Some(choose::organization(ports, Some(id)).await?),
                None => None,
            },
            actor: match &self.actor {
                Some(name) => Some(choose::user(ports, Some(name)).await?.id),
                None => None,
            },
            action: self.action,
            ..EventFilter::default()
        };
        let output = Output::new(self.json);
        let mut watch = Watch::begin(ports, &filter).await?;
        let page = PageRequest { limit: self.limit.into(), order: Order::Desc, after: None };
        let latest = ports.audit().everything(&Actor::Operator, &filter, &page).await?.items;
        if latest.is_empty() && !self.follow {
            output.note("Nothing of the kind has happened.");
        }
        for shown in latest.iter().rev() {
            watch.saw(shown);
            show(output, shown);
        }
        if !self.follow {
            return Ok(());
        }
        loop {
            tokio::time::sleep(EVERY).await;
            for shown in watch.news(ports, &filter).await? {
                if !show(output, &shown) {
                    // Nobody reads on.
                    return Ok(());
                }
            }
        }
    }
}

/// What was seen of the log lately. An event comes to light some time after the moment it tells, so it is looked again at
/// the time just gone, and what was seen there is passed over.
struct Watch {
    since: DateTime<Utc>,
    seen: HashMap<EventId, DateTime<Utc>>,
}

impl Watch {
    /// Begins now: what has come to light before is seen.
    async fn begin(ports: &Ports, filter: &EventFilter) -> Result<Self, Error> {
        let mut watch = Self { since: ports.clock.now() - LATE, seen: HashMap::new() };
        watch.news(ports, filter).await?;
        Ok(watch)
    }

    fn saw(&mut self, shown: &ShownEvent) -> bool {
        self.seen.insert(shown.event.id.clone(), shown.event.at).is_none()
    }

    /// What has come to light since this was called last, oldest first.
    async fn news(&mut self, ports: &Ports, filter: &EventFilter) -> Result<Vec<ShownEvent>, Error> {
        let now = ports.clock.now();
        let (audit, filter) = (ports.audit(), EventFilter { from: Some(self.since), ..filter.clone() });
        let mut found = choose::all(async |page| audit.everything(&Actor::Operator, &filter, &page).await).await?;
        found.retain(|shown| self.saw(shown));
        self.since = now - LATE;
        self.seen.retain(|_, at| *at >= self.since);
        Ok(found)
    }
}

/// Prints an event. Whether somebody reads it.
fn show(output: Output, shown: &ShownEvent) -> bool {
    output.deliver(if output.is_json() { described(shown).to_string() } else { told(shown) })
}

/// An event for people: a line, and one for each setting that it changed.
fn told(ShownEvent { event, actor }: &ShownEvent) -> String {
    let at = event.at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let who = match (actor, &event.actor) {
        (Some(user), _) => user.email.as_str(),
        (None, Some(id)) => id.as_str(),
        (None, None) => event.actor_kind(),
    };
    let (action, target, source) = (event.change.action(), event.change.target(), event.source.as_str());
    let mut text = format!("{at}  {action:<30}  {who}  {} {}  {source}", target.kind, target.id);
    if let Some(client) = &event.client {
        text += &format!(" {}", client.address);
    }
    if let Some(Value::Object(changes)) = event.change.payload().get("changes") {
        text.extend(
            changes.iter().map(|(name, shift)| format!("\n    {name}: {} -> {}", shift["before"], shift["after"])),
        );
    }
    text
}

/// An event for programs, in the words of the API.
fn described(ShownEvent { event, actor }: &ShownEvent) -> Value {
    let (target, client) = (event.change.target(), event.client.as_ref());
    json!({
        "id": event.id,
        "organization": event.organization,
        "occurredAt": event.at,
        "action": event.change.action(),
        "source": event.source,
        "actor": {
            "type": event.actor_kind(),
            "id": event.actor,
            "email": actor.as_ref().map(|user| &user.email),
            "token": event.token,
        },
        "target": { "type": target.kind, "id": target.id },
        "correlationId": client.map(|client| &client.request),
        "client": client.map(|client| json!({ "address": client.address, "userAgent": client.user_agent })),
        "payload": event.change.payload(),
    })
}
