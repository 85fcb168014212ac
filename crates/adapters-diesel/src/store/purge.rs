use super::content::RevisionRow;
use super::stored::strings;
use crate::schema::change_requests::change_requests;
use crate::schema::collections::collections;
use crate::schema::comments::comments;
use crate::schema::content::{former_anchors, former_paths, revisions, space_documents};
use crate::schema::notifications::notifications;
use crate::schema::openapi_specs::openapi_usages;
use crate::schema::organizations::spaces;
use crate::schema::search::{search_inclusions, search_sections};
use crate::sql::{NAMED, columns, one_of};
use crate::tx::DieselTx;
use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl};
use domain::content::revision::Revision;
use domain::id::{CollectionId, RevisionId, SpaceId};
use domain::ports::StoreResult;
use domain::ports::store::PurgeStore;
use std::collections::BTreeSet;

#[async_trait]
impl PurgeStore for DieselTx {
    async fn first_revisions(&mut self, space: &SpaceId, limit: usize) -> StoreResult<Vec<Revision>> {
        let query = revisions::table
            .filter(revisions::space_id.eq(space.as_str()))
            .order(revisions::id.asc())
            .limit(limit as i64)
            .select(columns::<RevisionRow>());
        let rows: Vec<RevisionRow> = self.conn.all(query).await?;
        rows.into_iter().map(Revision::try_from).collect()
    }

    async fn remove_revisions(&mut self, gone: &[RevisionId]) -> StoreResult<()> {
        let rows = revisions::table.filter(one_of(revisions::id, strings(gone)));
        self.conn.at_length().send(diesel::delete(rows)).await
    }

    async fn remove_some(&mut self, space: &SpaceId, limit: usize) -> StoreResult<usize> {
        let limit = limit as i64;
        let requests = change_requests::table.filter(change_requests::space_id.eq(space.to_string()));
        let requests: Vec<String> = self.conn.all(requests.select(change_requests::id).limit(limit)).await?;
        let discussed = comments::table.filter(comments::space_id.eq(space.to_string()));
        let discussed: Vec<String> = self.conn.all(discussed.select(comments::id).limit(limit)).await?;
        let sections = search_sections::table.filter(search_sections::space_id.eq(space.to_string()));
        let sections = sections.select((search_sections::id, search_sections::page_id)).limit(limit);
        let (sections, pages): (Vec<i64>, BTreeSet<String>) =
            self.conn.all::<(i64, String)>(sections).await?.into_iter().unzip();
        let documents = space_documents::table.filter(space_documents::space_id.eq(space.to_string()));
        let hashes: Vec<Vec<u8>> = self.conn.all(documents.select(space_documents::hash).limit(limit)).await?;
        let told = notifications::table.filter(notifications::space_id.eq(space.to_string()));
        let told: Vec<String> = self.conn.all(told.select(notifications::id).limit(limit)).await?;
        let former = former_paths::table.filter(former_paths::space_id.eq(space.to_string()));
        let former: Vec<Vec<u8>> = self.conn.all(former.select(former_paths::path_hash).limit(limit)).await?;
        let anchored = former_anchors::table.filter(former_anchors::space_id.eq(space.to_string()));
        let anchored: Vec<String> = self.conn.all(anchored.select(former_anchors::page_id).limit(limit)).await?;
        let shown = openapi_usages::table.filter(openapi_usages::space_id.eq(space.to_string()));
        let shown: Vec<String> = self.conn.all(shown.select(openapi_usages::page_id).limit(limit)).await?;
        let including = search_inclusions::table.filter(search_inclusions::space_id.eq(space.to_string()));
        let including: Vec<String> = self.conn.all(including.select(search_inclusions::page_id).limit(limit)).await?;
        let indexed = sections.len() + shown.len() + including.len();
        let former_places = former.len() + anchored.len();
        let found = former_places + told.len() + discussed.len() + requests.len() + indexed + hashes.len();
        if found == 0 {
            return Ok(0);
        }
        let gone = former_paths::table
            .filter(former_paths::space_id.eq(space.to_string()))
            .filter(former_paths::path_hash.eq_any(former));
        self.conn.at_length().send(diesel::delete(gone)).await?;
        let gone = former_anchors::table
            .filter(former_anchors::space_id.eq(space.to_string()))
            .filter(one_of(former_anchors::page_id, anchored));
        self.conn.at_length().send(diesel::delete(gone)).await?;
        let gone = notifications::table.filter(one_of(notifications::id, told));
        self.conn.at_length().send(diesel::delete(gone)).await?;
        let gone = comments::table.filter(one_of(comments::id, discussed));
        self.conn.at_length().send(diesel::delete(gone)).await?;
        let gone = change_requests::table.filter(one_of(change_requests::id, requests));
        self.conn.at_length().send(diesel::delete(gone)).await?;
        let gone = search_sections::table.filter(one_of(search_sections::id, sections));
        self.conn.at_length().send(diesel::delete(gone)).await?;
        // Pages that are excluded from search have no sections.
        let pages: Vec<String> =
            pages.into_iter().chain(including).chain(shown).collect::<BTreeSet<_>>().into_iter().collect();
        for batch in pages.chunks(NAMED) {
            let gone = search_inclusions::table
                .filter(search_inclusions::space_id.eq(space.to_string()))
                .filter(one_of(search_inclusions::page_id, batch.to_vec()));
            self.conn.at_length().send(diesel::delete(gone)).await?;
            self.remove_usages(space, batch.to_vec()).await?;
        }
        let gone = space_documents::table
            .filter(space_documents::space_id.eq(space.to_string()))
            .filter(space_documents::hash.eq_any(hashes));
        self.conn.at_length().send(diesel::delete(gone)).await?;
        Ok(found)
    }

    async fn remove_space(&mut self, space: &SpaceId) -> StoreResult<()> {
        self.conn.send(diesel::delete(spaces::table.find(space.as_str()))).await
    }

    async fn remove_collection(&mut self, collection: &CollectionId) -> StoreResult<()> {
        self.conn.send(diesel::delete(collections::table.find(collection.as_str()))).await
    }
}
