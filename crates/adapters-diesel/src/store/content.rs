use super::keys::{read_time_key, time_key};
use super::stored::{bytes32, json, parsed, parsed_if, time, to_json};
use crate::error::internal;
use crate::schema::content::{former_anchors, former_paths, revisions, space_documents};
use crate::sql::{NAMED, columns, one_of, ordered, seek};
use crate::tx::DieselTx;
use async_trait::async_trait;
use bytes::Bytes;
use chrono::NaiveDateTime;
use diesel::sql_types::{Integer, Text, Timestamp};
use diesel::upsert::excluded;
use diesel::{ExpressionMethods, Insertable, IntoSql, QueryDsl, Queryable, Selectable, TextExpressionMethods};
use domain::content::changes::{FormerAnchor, MAX_FORMER_ANCHOR, MAX_FORMER_ANCHORS};
use domain::content::document::{Key, MAX_KEY};
use domain::content::object::Hash;
use domain::content::revision::Revision;
use domain::id::{PageId, RevisionId, SpaceId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::ContentStore;
use domain::ports::{StoreError, StoreResult};
use domain::text::folded;
use std::collections::{BTreeMap, HashMap};

/// The number of documents, paths or pages in one statement.
const BATCH: usize = 1000;
/// The most characters of the former anchors of a page: enough for the newest ones at their longest, each with a key, a
/// space and the end of the line.
const ANCHORS: i32 = (MAX_FORMER_ANCHORS * (MAX_FORMER_ANCHOR + MAX_KEY + 2)) as i32;

diesel::define_sql_function! {
    /// Characters of a text: so many from this one on, counted from 1.
    fn substr(text: Text, from: Integer, count: Integer) -> Text;
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = revisions, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct RevisionRow {
    id: String,
    space_id: String,
    parents: serde_json::Value,
    manifest: Vec<u8>,
    kind: String,
    author_id: Option<String>,
    created_at: NaiveDateTime,
    git: Option<serde_json::Value>,
    merged_from: Option<String>,
    is_primary: bool,
}

#[derive(Insertable)]
#[diesel(table_name = space_documents, treat_none_as_default_value = false)]
struct SpaceDocumentRow {
    space_id: String,
    hash: Vec<u8>,
}

#[derive(Insertable)]
#[diesel(table_name = former_paths, treat_none_as_default_value = false)]
struct FormerPathRow {
    space_id: String,
    path_hash: Vec<u8>,
    path: String,
    page_id: String,
}

#[derive(Insertable)]
#[diesel(table_name = former_anchors, treat_none_as_default_value = false)]
struct FormerAnchorsRow {
    space_id: String,
    page_id: String,
    anchors: String,
}

/// A line of the former anchors of a page.
fn anchor_line(FormerAnchor { anchor, heading }: &FormerAnchor) -> String {
    format!("{} {anchor}\n", heading.0)
}

/// Reads a line of the former anchors of a page, without its end.
fn read_anchor(line: &str) -> StoreResult<FormerAnchor> {
    let (heading, anchor) =
        line.split_once(' ').ok_or_else(|| internal(format!("stored former_anchors.anchors {line:?}")))?;
    Ok(FormerAnchor { anchor: anchor.to_owned(), heading: Key(heading.into()) })
}

/// The key of a path.
fn path_hash(path: &str) -> Vec<u8> {
    Hash::of(folded(path).as_bytes()).as_bytes().to_vec()
}

impl TryFrom<RevisionRow> for Revision {
    type Error = StoreError;

    fn try_from(row: RevisionRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("revisions.id", &row.id)?,
            space: parsed("revisions.space_id", &row.space_id)?,
            parents: json("revisions.parents", row.parents)?,
            manifest: Hash::from_bytes(bytes32("revisions.manifest", row.manifest)?),
            kind: parsed("revisions.kind", &row.kind)?,
            author: parsed_if("revisions.author_id", row.author_id.as_deref())?,
            created_at: row.created_at.and_utc(),
            git: row.git.map(|git| json("revisions.git", git)).transpose()?,
            merged_from: parsed_if("revisions.merged_from", row.merged_from.as_deref())?,
            is_primary: row.is_primary,
        })
    }
}

impl TryFrom<&Revision> for RevisionRow {
    type Error = StoreError;

    fn try_from(revision: &Revision) -> StoreResult<Self> {
        Ok(Self {
            id: revision.id.to_string(),
            space_id: revision.space.to_string(),
            parents: to_json(&revision.parents)?,
            manifest: revision.manifest.as_bytes().to_vec(),
            kind: revision.kind.to_string(),
            author_id: revision.author.as_ref().map(ToString::to_string),
            created_at: time(revision.created_at),
            git: revision.git.as_ref().map(to_json).transpose()?,
            merged_from: revision.merged_from.as_ref().map(ToString::to_string),
            is_primary: revision.is_primary,
        })
    }
}

#[async_trait]
impl ContentStore for DieselTx {
    async fn objects(&mut self, hashes: &[Hash]) -> StoreResult<Vec<(Hash, Bytes)>> {
        self.objects.load(&mut self.conn, hashes).await
    }

    async fn put_objects(&mut self, objects: Vec<(Hash, Bytes)>) -> StoreResult<()> {
        self.objects.put(&mut self.conn, objects).await
    }

    async fn keep_objects(&mut self, hashes: &[Hash]) -> StoreResult<Vec<Hash>> {
        self.objects.keep(&mut self.conn, hashes).await
    }

    async fn revisions(&mut self, ids: &[RevisionId]) -> StoreResult<Vec<Revision>> {
        let mut found = Vec::new();
        for some in ids.chunks(NAMED) {
            let query = revisions::table
                .filter(one_of(revisions::id, some.iter().map(RevisionId::as_str)))
                .select(columns::<RevisionRow>());
            found.extend(self.conn.all::<RevisionRow>(query).await?);
        }
        found.into_iter().map(Revision::try_from).collect()
    }

    async fn revision(&mut self, space: &SpaceId, id: &RevisionId) -> StoreResult<Option<Revision>> {
        let query = revisions::table
            .find(id.as_str())
            .filter(revisions::space_id.eq(space.as_str()))
            .select(columns::<RevisionRow>());
        self.conn.maybe::<RevisionRow>(query).await?.map(Revision::try_from).transpose()
    }

    async fn primary_revisions(&mut self, space: &SpaceId, page: &PageRequest) -> StoreResult<Page<Revision>> {
        let after = page.after.as_deref().map(read_time_key).transpose()?;
        let after = after.map(|(at, id)| (at.into_sql::<Timestamp>(), id.into_sql::<Text>()));
        let wanted = revisions::table.filter(revisions::space_id.eq(space.as_str())).filter(revisions::is_primary);
        let query = wanted
            .filter(seek((revisions::created_at, revisions::id), after, page.order))
            .order((ordered(revisions::created_at, page.order), ordered(revisions::id, page.order)))
            .limit(page.limit as i64 + 1)
            .select(columns::<RevisionRow>());
        let rows: Vec<RevisionRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| time_key(row.created_at, &row.id)).try_map(Revision::try_from)
    }

    async fn insert_revision(&mut self, revision: &Revision) -> StoreResult<()> {
        let row = RevisionRow::try_from(revision)?;
        self.conn.send(diesel::insert_into(revisions::table).values(&row)).await
    }

    async fn record_documents(&mut self, space: &SpaceId, documents: &[Hash]) -> StoreResult<()> {
        for batch in documents.chunks(BATCH) {
            let row = |hash: &Hash| SpaceDocumentRow { space_id: space.to_string(), hash: hash.as_bytes().to_vec() };
            let rows: Vec<SpaceDocumentRow> = batch.iter().map(row).collect();
            let insert = diesel::insert_into(space_documents::table).values(rows).on_conflict_do_nothing();
            self.conn.at_length().send(insert).await?;
        }
        Ok(())
    }

    async fn holds_document(&mut self, space: &SpaceId, document: &Hash) -> StoreResult<bool> {
        let key = (space.as_str(), document.as_bytes().as_slice());
        let query = space_documents::table.find(key).select(space_documents::space_id);
        Ok(self.conn.maybe::<String>(query).await?.is_some())
    }

    async fn record_former_paths(&mut self, space: &SpaceId, paths: Vec<(String, PageId)>) -> StoreResult<()> {
        let row = |(path, page): (String, PageId)| {
            let key = path_hash(&path);
            (key.clone(), FormerPathRow { space_id: space.to_string(), path_hash: key, path, page_id: page.into() })
        };
        // A statement can write each row once.
        let rows: BTreeMap<Vec<u8>, FormerPathRow> = paths.into_iter().map(row).collect();
        let mut rows = rows.into_values();
        loop {
            let batch: Vec<FormerPathRow> = rows.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                return Ok(());
            }
            let set = (
                former_paths::path.eq(excluded(former_paths::path)),
                former_paths::page_id.eq(excluded(former_paths::page_id)),
            );
            let key = (former_paths::space_id, former_paths::path_hash);
            let upsert = diesel::insert_into(former_paths::table).values(batch).on_conflict(key).do_update().set(set);
            self.conn.at_length().send(upsert).await?;
        }
    }

    async fn former_pages(&mut self, space: &SpaceId, paths: &[String]) -> StoreResult<Vec<Option<PageId>>> {
        let keys: Vec<Vec<u8>> = paths.iter().map(|path| path_hash(path)).collect();
        let query = former_paths::table
            .filter(former_paths::space_id.eq(space.to_string()))
            .filter(former_paths::path_hash.eq_any(keys.clone()))
            .select((former_paths::path_hash, former_paths::page_id));
        let found: HashMap<Vec<u8>, String> = self.conn.all::<(Vec<u8>, String)>(query).await?.into_iter().collect();
        keys.iter().map(|key| parsed_if("former_paths.page_id", found.get(key).map(String::as_str))).collect()
    }

    async fn former_paths(&mut self, space: &SpaceId) -> StoreResult<Vec<String>> {
        let of_space = former_paths::table.filter(former_paths::space_id.eq(space.to_string()));
        self.conn.all::<String>(of_space.select(former_paths::path)).await
    }

    async fn record_former_anchors(
        &mut self,
        space: &SpaceId,
        anchors: Vec<(PageId, Vec<FormerAnchor>)>,
    ) -> StoreResult<()> {
        let row = |(page, former): (PageId, Vec<FormerAnchor>)| FormerAnchorsRow {
            space_id: space.to_string(),
            page_id: page.into(),
            anchors: former.iter().map(anchor_line).collect(),
        };
        let mut rows = anchors.into_iter().map(row);
        loop {
            let batch: Vec<FormerAnchorsRow> = rows.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                return Ok(());
            }
            let all = excluded(former_anchors::anchors).concat(former_anchors::anchors);
            let set = former_anchors::anchors.eq(substr(all, 1_i32, ANCHORS));
            let key = (former_anchors::space_id, former_anchors::page_id);
            let upsert = diesel::insert_into(former_anchors::table).values(batch).on_conflict(key).do_update().set(set);
            self.conn.at_length().send(upsert).await?;
        }
    }

    async fn former_anchors(&mut self, space: &SpaceId, page: &PageId) -> StoreResult<Vec<FormerAnchor>> {
        let query = former_anchors::table.find((space.as_str(), page.as_str())).select(former_anchors::anchors);
        let lines = self.conn.maybe::<String>(query).await?.unwrap_or_default();
        // The last line can be cut off.
        let whole = lines.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        Ok(FormerAnchor::newest(whole.map(read_anchor).collect::<StoreResult<Vec<_>>>()?))
    }
}
