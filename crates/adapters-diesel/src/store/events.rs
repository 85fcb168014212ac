use super::stored::{json, parsed, parsed_if, time, to_json};
use crate::schema::events::events;
use crate::sql::columns;
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::{ExpressionMethods, Insertable, QueryDsl, Queryable, Selectable};
use domain::event::Event;
use domain::ports::store::EventLog;
use domain::ports::{StoreError, StoreResult};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = events, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct EventRow {
    id: String,
    organization_id: Option<String>,
    actor_id: Option<String>,
    token_id: Option<String>,
    at: NaiveDateTime,
    change: serde_json::Value,
}

impl TryFrom<EventRow> for Event {
    type Error = StoreError;

    fn try_from(row: EventRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("events.id", &row.id)?,
            organization: parsed_if("events.organization_id", row.organization_id.as_deref())?,
            actor: parsed_if("events.actor_id", row.actor_id.as_deref())?,
            token: parsed_if("events.token_id", row.token_id.as_deref())?,
            at: row.at.and_utc(),
            change: json("events.change", row.change)?,
        })
    }
}

#[async_trait]
impl EventLog for DieselTx {
    async fn record(&mut self, event: &Event) -> StoreResult<()> {
        let row = EventRow {
            id: event.id.to_string(),
            organization_id: event.organization.as_ref().map(ToString::to_string),
            actor_id: event.actor.as_ref().map(ToString::to_string),
            token_id: event.token.as_ref().map(ToString::to_string),
            at: time(event.at),
            change: to_json(&event.change)?,
        };
        self.conn.run(diesel::insert_into(events::table).values(&row)).await.map(drop)
    }

    async fn latest(&mut self, limit: usize) -> StoreResult<Vec<Event>> {
        let query = events::table.order(events::id.desc()).limit(limit as i64).select(columns::<EventRow>());
        let rows: Vec<EventRow> = self.conn.all(query).await?;
        rows.into_iter().map(Event::try_from).collect()
    }
}
