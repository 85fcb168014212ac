use super::keys::{read_time_key, time_key};
use super::stored::{json, parsed, parsed_if, time, to_json};
use crate::schema::events::{event_counts, events};
use crate::sql::{columns, count_events, ordered, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::dsl::sql;
use diesel::sql_types::{BigInt, Text, Timestamp};
use diesel::{ExpressionMethods, Insertable, IntoSql, QueryDsl, Queryable, Selectable};
use domain::actor::Client;
use domain::event::Event;
use domain::id::{EventId, OrganizationId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::EventLog;
use domain::ports::store::events::EventFilter;
use domain::ports::{StoreError, StoreResult};
use std::sync::Arc;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = events, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct EventRow {
    id: String,
    organization_id: Option<String>,
    actor_id: Option<String>,
    token_id: Option<String>,
    at: NaiveDateTime,
    source: String,
    address: Option<String>,
    user_agent: Option<String>,
    request_id: Option<String>,
    /// The action of the change, for filters.
    action: String,
    /// The target of the change, for filters.
    target_id: String,
    change: serde_json::Value,
}

impl TryFrom<EventRow> for Event {
    type Error = StoreError;

    fn try_from(row: EventRow) -> StoreResult<Self> {
        let client = match (row.address, row.request_id) {
            (Some(address), Some(request)) => Some(Arc::new(Client { address, user_agent: row.user_agent, request })),
            _ => None,
        };
        Ok(Self {
            id: parsed("events.id", &row.id)?,
            organization: parsed_if("events.organization_id", row.organization_id.as_deref())?,
            actor: parsed_if("events.actor_id", row.actor_id.as_deref())?,
            token: parsed_if("events.token_id", row.token_id.as_deref())?,
            source: parsed("events.source", &row.source)?,
            client,
            at: row.at.and_utc(),
            change: json("events.change", row.change)?,
        })
    }
}

impl TryFrom<&Event> for EventRow {
    type Error = StoreError;

    fn try_from(event: &Event) -> StoreResult<Self> {
        let client = event.client.as_ref();
        Ok(Self {
            id: event.id.to_string(),
            organization_id: event.organization.as_ref().map(ToString::to_string),
            actor_id: event.actor.as_ref().map(ToString::to_string),
            token_id: event.token.as_ref().map(ToString::to_string),
            at: time(event.at),
            source: event.source.to_string(),
            address: client.map(|client| client.address.clone()),
            user_agent: client.and_then(|client| client.user_agent.clone()),
            request_id: client.map(|client| client.request.clone()),
            action: event.change.action().to_owned(),
            target_id: event.change.target().id.to_owned(),
            change: to_json(&event.change)?,
        })
    }
}

impl DieselTx {
    /// Adds the new events to the counts: one statement for each action, however many events of it there are. It comes
    /// last, so that the rows are locked for a short time.
    pub(crate) async fn count_new_events(&mut self) -> StoreResult<()> {
        for ((organization, action), new) in std::mem::take(&mut self.uncounted) {
            self.conn.send(count_events(&organization, &action, new)).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl EventLog for DieselTx {
    async fn record(&mut self, event: &Event) -> StoreResult<()> {
        let row = EventRow::try_from(event)?;
        self.conn.send(diesel::insert_into(events::table).values(&row)).await?;
        *self.uncounted.entry((row.organization_id.unwrap_or_default(), row.action)).or_default() += 1;
        Ok(())
    }

    async fn find(&mut self, organization: &OrganizationId, id: &EventId) -> StoreResult<Option<Event>> {
        let query = events::table
            .find(id.as_str())
            .filter(events::organization_id.eq(organization.as_str()))
            .select(columns::<EventRow>());
        self.conn.maybe::<EventRow>(query).await?.map(Event::try_from).transpose()
    }

    async fn list(&mut self, filter: &EventFilter, page: &PageRequest) -> StoreResult<Page<Event>> {
        self.count_new_events().await?;
        let EventFilter { organization, from, to, action, actor, target } = filter;
        let after = page.after.as_deref().map(read_time_key).transpose()?;
        let after = after.map(|(at, id)| (at.into_sql::<Timestamp>(), id.to_owned().into_sql::<Text>()));
        let wanted = events::table
            .filter(when(organization.as_ref().map(|id| events::organization_id.eq(id.to_string()))))
            .filter(when(from.map(|from| events::at.ge(time(from)))))
            .filter(when(to.map(|to| events::at.le(time(to)))))
            .filter(when(action.map(|action| events::action.eq(action.id))))
            .filter(when(actor.as_ref().map(|user| events::actor_id.eq(user.to_string()))))
            .filter(when(target.clone().map(|target| events::target_id.eq(target))));
        let query = wanted
            .clone()
            .filter(seek((events::at, events::id), after, page.order))
            .order((ordered(events::at, page.order), ordered(events::id, page.order)))
            .limit(page.limit as i64 + 1)
            .select(columns::<EventRow>());
        // A log can be long, and not every filter has a selective index.
        let rows: Vec<EventRow> = self.conn.at_length().all(query).await?;
        let total = if from.is_none() && to.is_none() && actor.is_none() && target.is_none() {
            let counts = event_counts::table
                .filter(when(organization.as_ref().map(|id| event_counts::organization_id.eq(id.to_string()))))
                .filter(when(action.map(|action| event_counts::action.eq(action.id))))
                .select(sql::<BigInt>("coalesce(CAST(sum(events) AS BIGINT), 0)"));
            self.conn.total(rows.len(), page, counts).await?
        } else {
            self.conn.at_length().total(rows.len(), page, wanted.count()).await?
        };
        Page::from_overfetch(rows, page, total, |row| time_key(row.at, &row.id)).try_map(Event::try_from)
    }
}
