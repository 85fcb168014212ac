use super::stored::{bytes32, time};
use super::translations::{large, to_large};
use crate::error::internal;
use crate::schema::translations::{engine_usage as usage, translation_memory as memory};
use crate::sql::{prepared, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::{BoolExpressionMethods, ExpressionMethods, Insertable, QueryDsl};
use domain::id::OrganizationId;
use domain::ports::StoreResult;
use domain::ports::store::TranslationMemory;
use domain::translation::run::{EngineUsage, MemoryEntry, MemoryKey};

/// The number of keys in one statement.
const KEYS: usize = 1000;

#[derive(Insertable)]
#[diesel(table_name = memory)]
struct MemoryRow {
    organization_id: String,
    key: Vec<u8>,
    target: String,
    engine: String,
    created_at: NaiveDateTime,
    used_at: NaiveDateTime,
}

#[derive(Insertable)]
#[diesel(table_name = usage)]
struct UsageRow {
    organization_id: String,
    day: NaiveDateTime,
    engine: String,
    words: i64,
    characters: i64,
    requests: i64,
    tokens: i64,
}

fn bytes(keys: &[MemoryKey]) -> Vec<Vec<u8>> {
    keys.iter().map(|key| key.to_vec()).collect()
}

#[async_trait]
impl TranslationMemory for DieselTx {
    async fn find(
        &mut self,
        organization: &OrganizationId,
        keys: &[MemoryKey],
        since: Option<DateTime<Utc>>,
    ) -> StoreResult<Vec<(MemoryKey, String)>> {
        let mut found = Vec::new();
        for some in keys.chunks(KEYS) {
            let query = memory::table
                .filter(memory::organization_id.eq(organization.to_string()))
                .filter(memory::key.eq_any(bytes(some)))
                .filter(when(since.map(|since| memory::created_at.ge(time(since)))))
                .select((memory::key, memory::target));
            let rows: Vec<(Vec<u8>, String)> = self.conn.at_length().all(query).await?;
            for (key, target) in rows {
                found.push((bytes32("translation_memory.key", key)?, target));
            }
        }
        Ok(found)
    }

    async fn save(&mut self, organization: &OrganizationId, entries: &[MemoryEntry]) -> StoreResult<()> {
        let mut sorted: Vec<&MemoryEntry> = entries.iter().collect();
        sorted.sort_unstable_by_key(|entry| entry.key);
        for entry in sorted {
            let row = MemoryRow {
                organization_id: organization.to_string(),
                key: entry.key.to_vec(),
                target: entry.target.clone(),
                engine: entry.engine.clone(),
                created_at: time(entry.created_at),
                used_at: time(entry.created_at),
            };
            let newer = (
                memory::target.eq(row.target.clone()),
                memory::engine.eq(row.engine.clone()),
                memory::created_at.eq(row.created_at),
                memory::used_at.eq(row.used_at),
            );
            let upsert = diesel::insert_into(memory::table)
                .values(&row)
                .on_conflict((memory::organization_id, memory::key))
                .do_update()
                .set(newer);
            self.conn.send(prepared(upsert)).await?;
        }
        Ok(())
    }

    async fn touch(
        &mut self,
        organization: &OrganizationId,
        keys: &[MemoryKey],
        before: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> StoreResult<()> {
        let mut sorted = bytes(keys);
        sorted.sort_unstable();
        for some in sorted.chunks(KEYS) {
            let used = memory::table
                .filter(memory::organization_id.eq(organization.to_string()))
                .filter(memory::key.eq_any(some.to_vec()))
                .filter(memory::used_at.lt(time(before)));
            self.conn.at_length().send(diesel::update(used).set(memory::used_at.eq(time(now)))).await?;
        }
        Ok(())
    }

    async fn remove_unused(&mut self, before: DateTime<Utc>, limit: usize) -> StoreResult<usize> {
        let old = memory::table
            .filter(memory::used_at.lt(time(before)))
            .order((memory::organization_id.asc(), memory::key.asc()))
            .limit(i64::try_from(limit).map_err(internal)?)
            .select((memory::organization_id, memory::key));
        let old: Vec<(String, Vec<u8>)> = self.conn.at_length().all(old).await?;
        let mut removed = 0;
        for some in old.chunk_by(|one, next| one.0 == next.0) {
            let keys: Vec<Vec<u8>> = some.iter().map(|(_, key)| key.clone()).collect();
            let gone = memory::table.filter(
                memory::organization_id
                    .eq(some[0].0.clone())
                    .and(memory::key.eq_any(keys))
                    .and(memory::used_at.lt(time(before))),
            );
            removed += self.conn.at_length().run(diesel::delete(gone)).await?;
        }
        Ok(removed)
    }

    async fn oldest(&mut self) -> StoreResult<Option<DateTime<Utc>>> {
        let query = memory::table.order(memory::used_at.asc()).limit(1).select(memory::used_at);
        let oldest: Option<NaiveDateTime> = self.conn.maybe(query).await?;
        Ok(oldest.map(|at| at.and_utc()))
    }

    async fn usage(&mut self, organization: &OrganizationId, day: DateTime<Utc>) -> StoreResult<EngineUsage> {
        let query = usage::table
            .filter(usage::organization_id.eq(organization.as_str()))
            .filter(usage::day.eq(time(day)))
            .select((usage::words, usage::characters, usage::requests, usage::tokens));
        let rows: Vec<(i64, i64, i64, i64)> = self.conn.all(query).await?;
        let mut sum = EngineUsage::default();
        for (words, characters, requests, tokens) in rows {
            sum.words += large(words)?;
            sum.characters += large(characters)?;
            sum.requests += large(requests)?;
            sum.tokens += large(tokens)?;
        }
        Ok(sum)
    }

    async fn use_engine(
        &mut self,
        organization: &OrganizationId,
        day: DateTime<Utc>,
        engine: &str,
        more: EngineUsage,
    ) -> StoreResult<()> {
        let row = UsageRow {
            organization_id: organization.to_string(),
            day: time(day),
            engine: engine.to_owned(),
            words: to_large(more.words)?,
            characters: to_large(more.characters)?,
            requests: to_large(more.requests)?,
            tokens: to_large(more.tokens)?,
        };
        let sums = (
            usage::words.eq(usage::words + row.words),
            usage::characters.eq(usage::characters + row.characters),
            usage::requests.eq(usage::requests + row.requests),
            usage::tokens.eq(usage::tokens + row.tokens),
        );
        let upsert = diesel::insert_into(usage::table)
            .values(&row)
            .on_conflict((usage::organization_id, usage::day, usage::engine))
            .do_update()
            .set(sums);
        self.conn.send(prepared(upsert)).await
    }
}
