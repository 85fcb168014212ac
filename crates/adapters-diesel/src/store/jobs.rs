use super::stored::{json, number, parsed, time, to_json, to_number};
use crate::error::updated;
use crate::schema::jobs::{heartbeat, jobs};
use crate::schema::webhooks::webhook_deliveries as deliveries;
use crate::sql::{Lock, columns, locked, one_of, ordered, prepared, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::dsl::{exists, not};
use diesel::sql_types::{Integer, Text};
use diesel::{
    AsChangeset, BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, NullableExpressionMethods, QueryDsl,
    Queryable, Selectable,
};
use domain::heartbeat::Heartbeat;
use domain::id::{JobId, OrganizationId, WebhookId};
use domain::job::{Failure, Job, LEASE, MAX_ATTEMPTS, SEND_WEBHOOK, SKEW, Task};
use domain::paging::{Page, PageRequest};
use domain::ports::store::{JobStore, LockMode, Lockable};
use domain::ports::{StoreError, StoreResult};
use domain::webhook::Full;

/// The most rows in one statement: each binds 11 values.
const ROWS: usize = 1000;
/// The position of the delivery's id in the key of its job, counted from 1.
const SUBJECT: i32 = SEND_WEBHOOK.len() as i32 + 2;
/// The id of the only row of the heartbeat.
const CLOCK: &str = "clock";

diesel::define_sql_function! {
    /// The part of a text from this character on, counted from 1.
    fn substr(text: Text, from: Integer) -> Text;
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = jobs, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct JobRow {
    id: String,
    key: String,
    kind: String,
    task: serde_json::Value,
    due_at: NaiveDateTime,
    attempts: i32,
    claims: i32,
    leased_until: Option<NaiveDateTime>,
    failed_at: Option<NaiveDateTime>,
    reason: Option<String>,
    created_at: NaiveDateTime,
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = heartbeat, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct HeartbeatRow {
    id: String,
    at: NaiveDateTime,
    steady_since: NaiveDateTime,
}

impl TryFrom<JobRow> for Job {
    type Error = StoreError;

    fn try_from(row: JobRow) -> StoreResult<Self> {
        let failure = row.failed_at.map(|at| Failure { at: at.and_utc(), reason: row.reason.unwrap_or_default() });
        Ok(Self {
            id: parsed("jobs.id", &row.id)?,
            task: json("jobs.task", row.task)?,
            due_at: row.due_at.and_utc(),
            attempts: number("jobs.attempts", row.attempts)?,
            claims: number("jobs.claims", row.claims)?,
            leased_until: row.leased_until.map(|until| until.and_utc()),
            failure,
            created_at: row.created_at.and_utc(),
        })
    }
}

impl TryFrom<&Job> for JobRow {
    type Error = StoreError;

    fn try_from(job: &Job) -> StoreResult<Self> {
        Ok(Self {
            id: job.id.to_string(),
            key: job.task.key(),
            kind: job.task.kind().to_owned(),
            task: to_json(&job.task)?,
            due_at: time(job.due_at),
            attempts: to_number(job.attempts)?,
            claims: to_number(job.claims)?,
            leased_until: job.leased_until.map(time),
            failed_at: job.failure.as_ref().map(|failure| time(failure.at)),
            reason: job.failure.as_ref().map(|failure| failure.reason.clone()),
            created_at: time(job.created_at),
        })
    }
}

#[async_trait]
impl JobStore for DieselTx {
    async fn add(&mut self, job: &Job) -> StoreResult<()> {
        self.take(&[(&job.task).into()], LockMode::Exclusive).await?;
        let row = JobRow::try_from(job)?;
        let anew = (
            jobs::task.eq(row.task.clone()),
            jobs::due_at.eq(row.due_at),
            jobs::attempts.eq(0),
            jobs::claims.eq(jobs::claims + 1),
            jobs::leased_until.eq(None::<NaiveDateTime>),
            jobs::failed_at.eq(None::<NaiveDateTime>),
            jobs::reason.eq(None::<String>),
        );
        let upsert = diesel::insert_into(jobs::table).values(&row).on_conflict(jobs::key).do_update().set(anew);
        self.conn.send(prepared(upsert)).await?;
        self.adds_work = true;
        Ok(())
    }

    async fn add_new(&mut self, new: &[Job]) -> StoreResult<()> {
        let rows = new.iter().map(JobRow::try_from).collect::<StoreResult<Vec<_>>>()?;
        self.conn.send(diesel::insert_into(jobs::table).values(rows)).await?;
        self.adds_work = true;
        Ok(())
    }

    async fn make_due(&mut self, task: &Task, now: DateTime<Utc>) -> StoreResult<()> {
        let due = jobs::table.filter(jobs::key.eq(task.key())).filter(jobs::due_at.gt(time(now)));
        self.conn.send(prepared(diesel::update(due).set(jobs::due_at.eq(time(now))))).await?;
        self.adds_work = true;
        Ok(())
    }

    async fn add_missing(&mut self, all: &[Job]) -> StoreResult<()> {
        let wanted: Vec<Lockable> = all.iter().map(|job| (&job.task).into()).collect();
        self.take(&wanted, LockMode::Exclusive).await?;
        for some in all.chunks(ROWS) {
            let rows = some.iter().map(JobRow::try_from).collect::<StoreResult<Vec<_>>>()?;
            let insert = || diesel::insert_into(jobs::table).values(&rows).on_conflict_do_nothing();
            if self.conn.run(insert()).await? == rows.len() {
                continue;
            }
            let ended = jobs::leased_until.is_null().nullable().or(jobs::leased_until.le(time(some[0].created_at)));
            let given_up = jobs::table
                .filter(one_of(jobs::key, rows.iter().map(|row| row.key.as_str())))
                .filter(jobs::attempts.ge(to_number(MAX_ATTEMPTS)?))
                .filter(ended);
            if self.conn.run(diesel::delete(given_up)).await? > 0 {
                self.conn.send(insert()).await?;
            }
        }
        Ok(())
    }

    async fn find(&mut self, id: &JobId) -> StoreResult<Option<Job>> {
        let query = jobs::table.find(id.as_str()).select(columns::<JobRow>());
        self.conn.maybe::<JobRow>(query).await?.map(Job::try_from).transpose()
    }

    async fn find_task(&mut self, task: &Task) -> StoreResult<Option<Job>> {
        let query = jobs::table.filter(jobs::key.eq(task.key())).select(columns::<JobRow>());
        self.conn.maybe::<JobRow>(query).await?.map(Job::try_from).transpose()
    }

    async fn next(&mut self, kinds: &[&'static str], full: &Full, now: DateTime<Utc>) -> StoreResult<Option<Job>> {
        // The same condition as `Job::is_due`.
        let free = jobs::leased_until
            .is_null()
            .nullable()
            .or(jobs::leased_until.le(time(now)))
            .or(jobs::leased_until.gt(time(now + LEASE + SKEW)));
        let recipient = deliveries::table.filter(deliveries::id.eq(substr(jobs::key, SUBJECT))).filter(
            one_of(deliveries::webhook_id, full.webhooks.iter().map(WebhookId::as_str))
                .or(one_of(deliveries::organization_id, full.organizations.iter().map(OrganizationId::as_str))),
        );
        let query = jobs::table
            .filter(jobs::due_at.le(time(now)))
            .filter(one_of(jobs::kind, kinds.iter().copied()))
            .filter(jobs::attempts.lt(to_number(MAX_ATTEMPTS)?))
            .filter(free)
            .filter(when((!full.is_empty()).then(|| jobs::kind.ne(SEND_WEBHOOK).or(not(exists(recipient))))))
            .order((jobs::due_at.asc(), jobs::id.asc()))
            .limit(1)
            .select(columns::<JobRow>());
        let lock = if self.write { Lock::FreeRows } else { Lock::None };
        let found: Option<Job> =
            self.conn.maybe::<JobRow>(locked(query, lock)).await?.map(Job::try_from).transpose()?;
        if let Some(job) = found.as_ref().filter(|_| self.write) {
            // Rows locked by others were skipped, so this lock never waits and needs no order.
            self.held.own((&job.task).into());
        }
        Ok(found)
    }

    async fn list(&mut self, failed: bool, page: &PageRequest) -> StoreResult<Page<Job>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted = jobs::table.filter(when(failed.then(|| jobs::failed_at.is_not_null())));
        let query = wanted
            .filter(seek(jobs::id, after, page.order))
            .order(ordered(jobs::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<JobRow>());
        let rows: Vec<JobRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(Job::try_from)
    }

    async fn save(&mut self, job: &Job) -> StoreResult<()> {
        self.check(&job.task)?;
        let row = JobRow::try_from(job)?;
        let update = diesel::update(jobs::table.find(job.id.as_str())).set(&row);
        updated("job", &job.id, self.conn.run(prepared(update)).await?)
    }

    async fn remove(&mut self, id: &JobId) -> StoreResult<()> {
        self.conn.send(diesel::delete(jobs::table.find(id.as_str()))).await
    }

    async fn heartbeat(&mut self) -> StoreResult<Option<Heartbeat>> {
        let query = heartbeat::table.find(CLOCK).select(columns::<HeartbeatRow>());
        let row: Option<HeartbeatRow> = self.conn.maybe(query).await?;
        Ok(row.map(|row| Heartbeat { at: row.at.and_utc(), steady_since: row.steady_since.and_utc() }))
    }

    async fn save_heartbeat(&mut self, beat: &Heartbeat) -> StoreResult<()> {
        let row = HeartbeatRow { id: CLOCK.to_owned(), at: time(beat.at), steady_since: time(beat.steady_since) };
        let upsert =
            diesel::insert_into(heartbeat::table).values(&row).on_conflict(heartbeat::id).do_update().set(&row);
        self.conn.send(prepared(upsert)).await
    }
}
