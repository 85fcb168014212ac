use super::stored::{bytes32, time};
use crate::error::{Meaning, internal};
use crate::schema::change_requests::idempotency_keys as keys;
use crate::sql::{Lock, columns, locked, prepared};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::{ExpressionMethods, Insertable, QueryDsl, Queryable, Selectable};
use domain::id::UserId;
use domain::idempotency::{IdempotencyKey, StoredRequest, StoredResponse};
use domain::ports::store::IdempotencyStore;
use domain::ports::{StoreError, StoreResult};

/// The number of expired keys that are deleted with each new one: more than one, so that their number shrinks.
const EXPIRED_PER_INSERT: i64 = 4;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = keys, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct KeyRow {
    user_id: String,
    key: String,
    request: Vec<u8>,
    created_at: NaiveDateTime,
    status: Option<i32>,
    location: Option<String>,
    body: Option<Vec<u8>>,
}

impl TryFrom<KeyRow> for StoredRequest {
    type Error = StoreError;

    fn try_from(row: KeyRow) -> StoreResult<Self> {
        let response = match (row.status, row.body) {
            (Some(status), Some(body)) => {
                Some(StoredResponse { status: u16::try_from(status).map_err(internal)?, location: row.location, body })
            }
            _ => None,
        };
        Ok(Self { request: bytes32("idempotency_keys.request", row.request)?, at: row.created_at.and_utc(), response })
    }
}

#[async_trait]
impl IdempotencyStore for DieselTx {
    async fn find(&mut self, user: &UserId, key: &str) -> StoreResult<Option<StoredRequest>> {
        let query = keys::table.find((user.as_str(), key)).select(columns::<KeyRow>());
        self.conn.maybe::<KeyRow>(query).await?.map(StoredRequest::try_from).transpose()
    }

    async fn begin(
        &mut self,
        user: &UserId,
        key: &IdempotencyKey,
        at: DateTime<Utc>,
        expired_before: DateTime<Utc>,
    ) -> StoreResult<()> {
        let old = keys::table.filter(keys::created_at.lt(time(expired_before)));
        let oldest = old.order(keys::created_at.asc()).limit(EXPIRED_PER_INSERT).select((keys::user_id, keys::key));
        let mut oldest: Vec<(String, String)> = self.conn.all(locked(oldest, Lock::FreeRows)).await?;
        oldest.push((user.to_string(), key.key.clone()));
        for (user, key) in &oldest {
            let one = old.filter(keys::user_id.eq(user)).filter(keys::key.eq(key));
            self.conn.send(diesel::delete(one)).await?;
        }
        let row = KeyRow {
            user_id: user.to_string(),
            key: key.key.clone(),
            request: key.request.to_vec(),
            created_at: time(at),
            status: None,
            location: None,
            body: None,
        };
        let insert = diesel::insert_into(keys::table).values(&row);
        self.conn.run(insert).await.meaning("idempotency_keys.user_id,key", "Idempotency-Key").map(drop)
    }

    async fn save_response(&mut self, user: &UserId, key: &str, response: &StoredResponse) -> StoreResult<()> {
        let given = (
            keys::status.eq(i32::from(response.status)),
            keys::location.eq(response.location.as_deref()),
            keys::body.eq(response.body.as_slice()),
        );
        self.conn.send(prepared(diesel::update(keys::table.find((user.as_str(), key))).set(given))).await
    }
}
