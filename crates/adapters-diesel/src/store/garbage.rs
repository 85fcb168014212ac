use super::content::RevisionRow;
use super::stored::{bytes32, time};
use crate::error::internal;
use crate::objects::names;
use crate::schema::content::{objects, revisions};
use crate::schema::jobs::condemned;
use crate::sql::{Lock, columns, locked, seek};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::sql_types::{Binary, Text};
use diesel::{ExpressionMethods, Insertable, IntoSql, QueryDsl};
use domain::content::object::Hash;
use domain::content::revision::Revision;
use domain::id::{RevisionId, SpaceId};
use domain::paging::Order;
use domain::ports::StoreResult;
use domain::ports::store::GarbageStore;
use domain::ports::store::garbage::Kind;

/// The number of hashes in one statement.
const BATCH: usize = 500;

#[derive(Insertable)]
#[diesel(table_name = condemned, treat_none_as_default_value = false)]
struct CondemnedRow {
    kind: &'static str,
    hash: Vec<u8>,
    at: NaiveDateTime,
}

fn kind(word: &str) -> StoreResult<Kind> {
    let known = [Kind::Object, Kind::File].into_iter().find(|kind| kind.as_str() == word);
    known.ok_or_else(|| internal(format!("stored condemned.kind {word:?}")))
}

fn hash(bytes: Vec<u8>) -> StoreResult<Hash> {
    bytes32("condemned.hash", bytes).map(Hash::from_bytes)
}

#[async_trait]
impl GarbageStore for DieselTx {
    async fn condemn(&mut self, kind: Kind, hashes: &[Hash], at: DateTime<Utc>) -> StoreResult<()> {
        let mut hashes = hashes.to_vec();
        hashes.sort_unstable();
        for batch in hashes.chunks(BATCH) {
            let row = |hash: &Hash| CondemnedRow { kind: kind.as_str(), hash: hash.as_bytes().to_vec(), at: time(at) };
            let rows: Vec<CondemnedRow> = batch.iter().map(row).collect();
            let insert = diesel::insert_into(condemned::table).values(rows).on_conflict_do_nothing();
            self.conn.at_length().send(insert).await?;
        }
        Ok(())
    }

    async fn condemned(
        &mut self,
        after: Option<(Kind, Hash)>,
        before: DateTime<Utc>,
        limit: usize,
    ) -> StoreResult<Vec<(Kind, Hash)>> {
        let after =
            after.map(|(kind, hash)| (kind.as_str().into_sql::<Text>(), hash.as_bytes().to_vec().into_sql::<Binary>()));
        let query = condemned::table
            .filter(condemned::at.le(time(before)))
            .filter(seek((condemned::kind, condemned::hash), after, Order::Asc))
            .order((condemned::kind.asc(), condemned::hash.asc()))
            .limit(i64::try_from(limit).map_err(internal)?)
            .select((condemned::kind, condemned::hash));
        let rows: Vec<(String, Vec<u8>)> = self.conn.at_length().all(query).await?;
        rows.into_iter().map(|(word, bytes)| Ok((kind(&word)?, hash(bytes)?))).collect()
    }

    async fn unlist(&mut self, kind: Kind, hashes: &[Hash]) -> StoreResult<()> {
        let mut hashes = hashes.to_vec();
        hashes.sort_unstable();
        for batch in hashes.chunks(BATCH) {
            let rows =
                condemned::table.filter(condemned::kind.eq(kind.as_str())).filter(condemned::hash.eq_any(names(batch)));
            self.conn.at_length().send(diesel::delete(rows)).await?;
        }
        Ok(())
    }

    async fn remove_objects(&mut self, hashes: &[Hash], before: DateTime<Utc>) -> StoreResult<usize> {
        let mut removed = 0;
        for batch in hashes.chunks(BATCH) {
            // Lock first. A writer that stores one of them again takes it off the list. Either it has done so, and this
            // statement waits for it; or it waits for this unit of work, and then stores the object again.
            let still = condemned::table
                .filter(condemned::kind.eq(Kind::Object.as_str()))
                .filter(condemned::hash.eq_any(names(batch)))
                // An object that was stored and condemned again has a new time, so it is not removed yet.
                .filter(condemned::at.le(time(before)))
                .order(condemned::hash.asc())
                .select(condemned::hash);
            let still: Vec<Vec<u8>> = self.conn.at_length().all(locked(still, Lock::Rows)).await?;
            let gone = objects::table.filter(objects::hash.eq_any(still.clone()));
            removed += self.conn.at_length().run(diesel::delete(gone)).await?;
            for bytes in &still {
                self.objects.mark_removed(hash(bytes.clone())?);
            }
            let spared = condemned::table
                .filter(condemned::kind.eq(Kind::Object.as_str()))
                .filter(condemned::hash.eq_any(still));
            self.conn.at_length().send(diesel::delete(spared)).await?;
        }
        Ok(removed)
    }

    async fn revisions(&mut self, after: Option<(SpaceId, RevisionId)>, limit: usize) -> StoreResult<Vec<Revision>> {
        let after = after.map(|(space, id)| (space.to_string().into_sql::<Text>(), id.to_string().into_sql::<Text>()));
        let query = revisions::table
            .filter(seek((revisions::space_id, revisions::id), after, Order::Asc))
            .order((revisions::space_id.asc(), revisions::id.asc()))
            .limit(i64::try_from(limit).map_err(internal)?)
            .select(columns::<RevisionRow>());
        let rows: Vec<RevisionRow> = self.conn.all(query).await?;
        rows.into_iter().map(Revision::try_from).collect()
    }
}
