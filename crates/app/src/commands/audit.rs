//! `octavo audit`: the audit log of the whole server.
use super::choose;
use crate::config::whole;
use crate::output::Output;
use anyhow::Result;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use domain::actor::Actor;
use domain::event::{Action, Change};
use domain::id::{EventId, OrganizationId};
use domain::paging::{Order, PageRequest};
use domain::ports::StoreError;
use domain::ports::store::events::EventFilter;
use domain::usecases::Error;
use domain::usecases::UseCases;
use domain::usecases::audit::ShownEvent;
use domain::user::Person;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

/// The interval between two reads of the log.
const EVERY: Duration = Duration::from_secs(1);
/// The longest delay between the time of an event and its appearance in the log: it appears when its transaction
/// commits, and the clocks of several servers differ.
const LATE: TimeDelta = TimeDelta::seconds(60);

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Show the latest events, oldest first: who did what, when, and from where.
    ///
    /// The log has every change made through the API, at the command line and by the server itself.
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
    /// Continue with new events as they happen, until Ctrl-C.
    #[arg(long, short)]
    follow: bool,
    /// Number of events, at most 1000.
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 20, value_parser = whole::<u16>(1..=1000))]
    limit: u16,
    /// Only events of one organization.
    #[arg(long, visible_alias = "org", value_name = "ID")]
    organization: Option<OrganizationId>,
    /// Only events of one account: an e-mail address or an id.
    #[arg(long, value_name = "EMAIL")]
    actor: Option<String>,
    /// Only events of one kind.
    #[arg(long, value_name = "ACTION", value_parser = action())]
    action: Option<Action>,
    /// Print JSON, one object per line.
    #[arg(long)]
    json: bool,
}

fn action() -> impl TypedValueParser<Value = Action> {
    let known = Change::ACTIONS.iter().map(|action| action.id);
    PossibleValuesParser::new(known).try_map(|word| word.parse::<Action>())
}

impl AuditCommand {
    /// Runs the command.
    pub(crate) async fn run(self, use_cases: &UseCases) -> Result<()> {
        match self {
            Self::Tail(command) => command.run(use_cases).await,
        }
    }
}

impl Tail {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let filter = EventFilter {
            organization: match &self.organization {
                Some(id) => Some(choose::organization(use_cases, Some(id)).await?),
                None => None,
            },
            actor: match &self.actor {
                Some(name) => Some(choose::user(use_cases, Some(name)).await?.id),
                None => None,
            },
            action: self.action,
            ..EventFilter::default()
        };
        let output = Output::new(self.json);
        let mut watch = Watch::begin(use_cases, &filter).await?;
        let page = PageRequest { limit: self.limit.into(), order: Order::Desc, after: None };
        let latest = use_cases.audit.everything(&Actor::Operator, &filter, &page).await?.items;
        if latest.is_empty() && !self.follow {
            output.note("No matching events.");
        }
        for shown in latest.iter().rev() {
            watch.saw(shown);
            show(output, shown);
        }
        if !self.follow {
            return Ok(());
        }
        let mut troubled = false;
        loop {
            tokio::time::sleep(EVERY).await;
            let news = match watch.news(use_cases, &filter).await {
                // For example, PostgreSQL restarts. The next read also has the events of this time.
                Err(Error::Store(StoreError::Unavailable(reason))) => {
                    if !troubled {
                        output.note(format_args!("The database is unavailable: {reason}. Trying again every second."));
                    }
                    troubled = true;
                    continue;
                }
                news => news?,
            };
            troubled = false;
            for shown in news {
                if !show(output, &shown) {
                    // The reader of the output has ended.
                    return Ok(());
                }
            }
        }
    }
}

/// The recent events that were already shown. An event can appear some time after its own time ([`LATE`]), so each read
/// starts in the past and skips these.
struct Watch {
    since: DateTime<Utc>,
    seen: HashMap<EventId, DateTime<Utc>>,
}

impl Watch {
    /// Starts now: events that are already in the log count as shown.
    async fn begin(use_cases: &UseCases, filter: &EventFilter) -> Result<Self, Error> {
        let mut watch = Self { since: use_cases.clock.now() - LATE, seen: HashMap::new() };
        watch.news(use_cases, filter).await?;
        Ok(watch)
    }

    fn saw(&mut self, shown: &ShownEvent) -> bool {
        self.seen.insert(shown.event.id.clone(), shown.event.at).is_none()
    }

    /// The events that appeared since the last call, oldest first.
    async fn news(&mut self, use_cases: &UseCases, filter: &EventFilter) -> Result<Vec<ShownEvent>, Error> {
        let now = use_cases.clock.now();
        let (audit, filter) = (&use_cases.audit, EventFilter { from: Some(self.since), ..filter.clone() });
        let mut found = choose::all(async |page| audit.everything(&Actor::Operator, &filter, &page).await).await?;
        found.retain(|shown| self.saw(shown));
        self.since = now - LATE;
        self.seen.retain(|_, at| *at >= self.since);
        Ok(found)
    }
}

/// Prints an event. Returns whether the output is still read.
fn show(output: Output, shown: &ShownEvent) -> bool {
    output.deliver(if output.is_json() { described(shown).to_string() } else { for_people(shown) })
}

/// An event for people: a line, and one line for each changed setting.
fn for_people(ShownEvent { event, actor }: &ShownEvent) -> String {
    let at = event.at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let who = match (actor, &event.actor) {
        (Some(Person { email: Some(email), .. }), _) => email.as_str(),
        (_, Some(id)) => id.as_str(),
        (_, None) => event.actor_kind(),
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
            "email": actor.as_ref().and_then(|person| person.email.as_ref()),
            "token": event.token,
        },
        "target": { "type": target.kind, "id": target.id },
        "correlationId": client.map(|client| &client.request),
        "client": client.map(|client| json!({ "address": client.address, "userAgent": client.user_agent })),
        "payload": event.change.payload(),
    })
}
