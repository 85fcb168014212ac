use super::stored::{bytes32, json, number, parsed, parsed_if, time, to_json, to_number};
use crate::error::internal;
use crate::schema::webhooks::{webhook_deliveries as deliveries, webhooks};
use crate::sql::{columns, one_of, ordered, prepared, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::dsl::exists;
use diesel::sql_types::Text;
use diesel::{AsChangeset, ExpressionMethods, Insertable, IntoSql, QueryDsl, Queryable, Selectable};
use domain::id::{DeliveryId, OrganizationId, WebhookId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::WebhookStore;
use domain::ports::{StoreError, StoreResult};
use domain::web_address::WebAddress;
use domain::webhook::{Delivery, DeliveryState, Disabled, Response, Subscription, Webhook};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = webhooks, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct WebhookRow {
    id: String,
    organization_id: String,
    url: String,
    description: String,
    events: serde_json::Value,
    salt: Vec<u8>,
    disabled_at: Option<NaiveDateTime>,
    disabled_reason: Option<String>,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<WebhookRow> for Webhook {
    type Error = StoreError;

    fn try_from(row: WebhookRow) -> StoreResult<Self> {
        let reason = parsed_if("webhooks.disabled_reason", row.disabled_reason.as_deref())?;
        let disabled = row.disabled_at.zip(reason).map(|(at, reason)| Disabled { at: at.and_utc(), reason });
        Ok(Self {
            id: parsed("webhooks.id", &row.id)?,
            organization: parsed("webhooks.organization_id", &row.organization_id)?,
            url: WebAddress::stored(row.url),
            description: parsed("webhooks.description", &row.description)?,
            events: Subscription::stored(&json::<Vec<String>>("webhooks.events", row.events)?),
            salt: bytes32("webhooks.salt", row.salt)?,
            disabled,
            created_at: row.created_at.and_utc(),
            updated_at: row.updated_at.and_utc(),
        })
    }
}

impl TryFrom<&Webhook> for WebhookRow {
    type Error = StoreError;

    fn try_from(webhook: &Webhook) -> StoreResult<Self> {
        Ok(Self {
            id: webhook.id.to_string(),
            organization_id: webhook.organization.to_string(),
            url: webhook.url.to_string(),
            description: webhook.description.to_string(),
            events: to_json(&webhook.events.names())?,
            salt: webhook.salt.to_vec(),
            disabled_at: webhook.disabled.map(|disabled| time(disabled.at)),
            disabled_reason: webhook.disabled.map(|disabled| disabled.reason.to_string()),
            created_at: time(webhook.created_at),
            updated_at: time(webhook.updated_at),
        })
    }
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = deliveries, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct DeliveryRow {
    id: String,
    organization_id: String,
    webhook_id: String,
    event_id: Option<String>,
    kind: String,
    target_id: String,
    repeats_id: Option<String>,
    state: String,
    attempts: i32,
    created_at: NaiveDateTime,
    first_attempt_at: Option<NaiveDateTime>,
    last_attempt_at: Option<NaiveDateTime>,
    next_attempt_at: Option<NaiveDateTime>,
    finished_at: Option<NaiveDateTime>,
    response_status: Option<i32>,
    response_body: Option<String>,
    failure: Option<String>,
}

impl TryFrom<DeliveryRow> for Delivery {
    type Error = StoreError;

    fn try_from(row: DeliveryRow) -> StoreResult<Self> {
        let moment = |at: Option<NaiveDateTime>| at.map(|at| at.and_utc());
        let response = match (row.response_status, row.response_body, row.failure) {
            (Some(status), Some(body), None) => {
                let status = u16::try_from(status).map_err(internal)?;
                Some(Response::Status { status, body })
            }
            (None, None, failure) => failure.map(Response::None),
            _ => return Err(internal(format!("delivery {} has no valid response", row.id))),
        };
        Ok(Self {
            id: parsed("webhook_deliveries.id", &row.id)?,
            organization: parsed("webhook_deliveries.organization_id", &row.organization_id)?,
            webhook: parsed("webhook_deliveries.webhook_id", &row.webhook_id)?,
            event: parsed_if("webhook_deliveries.event_id", row.event_id.as_deref())?,
            kind: row.kind,
            target: row.target_id,
            repeats: parsed_if("webhook_deliveries.repeats_id", row.repeats_id.as_deref())?,
            state: parsed("webhook_deliveries.state", &row.state)?,
            attempts: number("webhook_deliveries.attempts", row.attempts)?,
            created_at: row.created_at.and_utc(),
            first_attempt_at: moment(row.first_attempt_at),
            last_attempt_at: moment(row.last_attempt_at),
            next_attempt_at: moment(row.next_attempt_at),
            finished_at: moment(row.finished_at),
            response,
        })
    }
}

impl TryFrom<&Delivery> for DeliveryRow {
    type Error = StoreError;

    fn try_from(delivery: &Delivery) -> StoreResult<Self> {
        let (status, body, failure) = match &delivery.response {
            Some(Response::Status { status, body }) => (Some(i32::from(*status)), Some(body.clone()), None),
            Some(Response::None(reason)) => (None, None, Some(reason.clone())),
            None => (None, None, None),
        };
        Ok(Self {
            id: delivery.id.to_string(),
            organization_id: delivery.organization.to_string(),
            webhook_id: delivery.webhook.to_string(),
            event_id: delivery.event.as_ref().map(ToString::to_string),
            kind: delivery.kind.clone(),
            target_id: delivery.target.clone(),
            repeats_id: delivery.repeats.as_ref().map(ToString::to_string),
            state: delivery.state.to_string(),
            attempts: to_number(delivery.attempts)?,
            created_at: time(delivery.created_at),
            first_attempt_at: delivery.first_attempt_at.map(time),
            last_attempt_at: delivery.last_attempt_at.map(time),
            next_attempt_at: delivery.next_attempt_at.map(time),
            finished_at: delivery.finished_at.map(time),
            response_status: status,
            response_body: body,
            failure,
        })
    }
}

#[async_trait]
impl WebhookStore for DieselTx {
    async fn find(&mut self, organization: &OrganizationId, id: &WebhookId) -> StoreResult<Option<Webhook>> {
        let query = webhooks::table
            .find(id.as_str())
            .filter(webhooks::organization_id.eq(organization.as_str()))
            .select(columns::<WebhookRow>());
        self.conn.maybe::<WebhookRow>(query).await?.map(Webhook::try_from).transpose()
    }

    async fn list(&mut self, organization: &OrganizationId, page: &PageRequest) -> StoreResult<Page<Webhook>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted = webhooks::table.filter(webhooks::organization_id.eq(organization.as_str()));
        let query = wanted
            .filter(seek(webhooks::id, after, page.order))
            .order(ordered(webhooks::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<WebhookRow>());
        let rows: Vec<WebhookRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(Webhook::try_from)
    }

    async fn count(&mut self, organization: &OrganizationId) -> StoreResult<usize> {
        let count: i64 =
            self.conn.one(webhooks::table.filter(webhooks::organization_id.eq(organization.as_str())).count()).await?;
        usize::try_from(count).map_err(internal)
    }

    async fn enabled(&mut self, organization: &OrganizationId) -> StoreResult<Vec<Webhook>> {
        if self.known.without_webhooks.as_ref() == Some(organization) {
            return Ok(Vec::new());
        }
        let query = webhooks::table
            .filter(webhooks::organization_id.eq(organization.as_str()))
            .filter(webhooks::disabled_at.is_null())
            .order(webhooks::id.asc())
            .select(columns::<WebhookRow>());
        let rows: Vec<WebhookRow> = self.conn.all(query).await?;
        rows.into_iter().map(Webhook::try_from).collect()
    }

    async fn save(&mut self, webhook: &Webhook) -> StoreResult<()> {
        self.check(&webhook.organization)?;
        self.known.without_webhooks = None;
        let row = WebhookRow::try_from(webhook)?;
        let upsert = diesel::insert_into(webhooks::table).values(&row).on_conflict(webhooks::id).do_update().set(&row);
        self.conn.send(prepared(upsert)).await
    }

    async fn remove(&mut self, organization: &OrganizationId, id: &WebhookId) -> StoreResult<()> {
        self.check(organization)?;
        let one = webhooks::table.find(id.as_str()).filter(webhooks::organization_id.eq(organization.as_str()));
        self.conn.send(diesel::delete(one)).await
    }

    async fn add_deliveries(&mut self, new: &[Delivery]) -> StoreResult<()> {
        let rows = new.iter().map(DeliveryRow::try_from).collect::<StoreResult<Vec<_>>>()?;
        self.conn.send(diesel::insert_into(deliveries::table).values(rows)).await
    }

    async fn delivery(&mut self, id: &DeliveryId) -> StoreResult<Option<Delivery>> {
        let query = deliveries::table.find(id.as_str()).select(columns::<DeliveryRow>());
        self.conn.maybe::<DeliveryRow>(query).await?.map(Delivery::try_from).transpose()
    }

    async fn deliveries(
        &mut self,
        webhook: &WebhookId,
        state: Option<DeliveryState>,
        page: &PageRequest,
    ) -> StoreResult<Page<Delivery>> {
        let after = page.after.clone().map(IntoSql::into_sql::<Text>);
        let wanted = deliveries::table
            .filter(deliveries::webhook_id.eq(webhook.to_string()))
            .filter(when(state.map(|state| deliveries::state.eq(state.as_str()))));
        let query = wanted
            .clone()
            .filter(seek(deliveries::id, after, page.order))
            .order(ordered(deliveries::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<DeliveryRow>());
        // There can be many deliveries in 30 days.
        let rows: Vec<DeliveryRow> = self.conn.at_length().all(query).await?;
        let total = self.conn.at_length().total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(Delivery::try_from)
    }

    async fn first_pending(&mut self, delivery: &Delivery) -> StoreResult<Option<Delivery>> {
        let query = deliveries::table
            .filter(deliveries::webhook_id.eq(delivery.webhook.as_str()))
            .filter(deliveries::target_id.eq(delivery.target.as_str()))
            .filter(deliveries::state.eq(DeliveryState::Pending.as_str()))
            .order(deliveries::id.asc())
            .limit(1)
            .select(columns::<DeliveryRow>());
        self.conn.maybe::<DeliveryRow>(query).await?.map(Delivery::try_from).transpose()
    }

    async fn save_delivery(&mut self, delivery: &Delivery, loaded: DeliveryState) -> StoreResult<bool> {
        let row = DeliveryRow::try_from(delivery)?;
        let one = deliveries::table.find(delivery.id.as_str()).filter(deliveries::state.eq(loaded.as_str()));
        Ok(self.conn.run(prepared(diesel::update(one).set(&row))).await? > 0)
    }

    async fn stop_deliveries(&mut self, webhook: &WebhookId, now: DateTime<Utc>) -> StoreResult<()> {
        let pending = deliveries::table
            .filter(deliveries::webhook_id.eq(webhook.to_string()))
            .filter(deliveries::state.eq(DeliveryState::Pending.as_str()));
        let stopped = (
            deliveries::state.eq(DeliveryState::Stopped.as_str()),
            deliveries::next_attempt_at.eq(None::<NaiveDateTime>),
            deliveries::finished_at.eq(Some(time(now))),
        );
        self.conn.at_length().send(diesel::update(pending).set(stopped)).await
    }

    async fn delivered_since(&mut self, webhook: &WebhookId, since: DateTime<Utc>) -> StoreResult<bool> {
        let delivered = deliveries::table
            .filter(deliveries::webhook_id.eq(webhook.to_string()))
            .filter(deliveries::state.eq(DeliveryState::Delivered.as_str()))
            .filter(deliveries::finished_at.ge(time(since)));
        let found: Vec<bool> = self.conn.at_length().all(diesel::select(exists(delivered))).await?;
        Ok(found == [true])
    }

    async fn remove_deliveries(
        &mut self,
        webhook: &WebhookId,
        before: Option<DateTime<Utc>>,
        limit: usize,
    ) -> StoreResult<usize> {
        let old = deliveries::table
            .filter(deliveries::webhook_id.eq(webhook.to_string()))
            .filter(when(before.map(|before| deliveries::created_at.lt(time(before)))))
            // Pending deliveries are kept, regardless of their age.
            .filter(when(before.map(|_| deliveries::state.ne(DeliveryState::Pending.as_str()))))
            .order(deliveries::id.asc())
            .limit(i64::try_from(limit).map_err(internal)?)
            .select(deliveries::id);
        let ids: Vec<String> = self.conn.at_length().all(old).await?;
        if ids.is_empty() {
            return Ok(0);
        }
        self.conn.at_length().run(diesel::delete(deliveries::table.filter(one_of(deliveries::id, ids)))).await
    }

    async fn remove_delivery(&mut self, id: &DeliveryId) -> StoreResult<()> {
        self.conn.send(diesel::delete(deliveries::table.find(id.as_str()))).await
    }
}
