mod rows;

use super::keys::{read_time_key, time_key};
use super::stored::{parsed, strings, time, to_number};
use crate::error::internal;
use crate::schema::change_requests::change_requests;
use crate::schema::conversations::{conversation_issues as issues, conversations, issue_clusters as clusters};
use crate::sql::{NAMED, columns, one_of, ordered, prepared, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::dsl::not;
use diesel::sql_types::{Integer, Text, Timestamp};
use diesel::{ExpressionMethods, IntoSql, JoinOnDsl, NullableExpressionMethods, QueryDsl};
use domain::conversation::{
    ClusterOrder, Conversation, ConversationContent, ConversationIssue, ConversationSource, IssueCluster,
};
use domain::id::{ConversationId, ConversationIssueId, IssueClusterId, OrganizationId};
use domain::paging::{Page, PageRequest};
use domain::ports::StoreResult;
use domain::ports::store::ConversationStore;
use domain::ports::store::conversations::{ClusterMember, GroupedIssue, IssueFilter, StoredFeatures};
use domain::text::ExternalId;
use rows::{ClusterRow, ConversationRow, GroupedRow, IssueRow, content, count_key, read_count_key};

/// A page of clusters in the order of a count.
macro_rules! by_count {
    ($self:expr, $organization:expr, $at_least:expr, $page:expr, $column:ident) => {{
        let after = $page.after.as_deref().map(read_count_key).transpose()?;
        let after = after.map(|(count, id)| (count.into_sql::<Integer>(), id.into_sql::<Text>()));
        let query = shown($organization, $at_least)
            .filter(seek((clusters::$column, clusters::id), after, $page.order))
            .order((ordered(clusters::$column, $page.order), ordered(clusters::id, $page.order)))
            .limit($page.limit as i64 + 1)
            .select(columns::<ClusterRow>());
        let rows: Vec<ClusterRow> = $self.conn.all(query).await?;
        let total = $self.conn.total(rows.len(), $page, shown($organization, $at_least).count()).await?;
        Page::from_overfetch(rows, $page, total, |row| count_key(row.$column, &row.id))
    }};
}

/// The clusters of a list: not merged, with enough issues.
#[diesel::dsl::auto_type]
fn shown<'a>(organization: &'a str, at_least: i32) -> _ {
    clusters::table
        .filter(clusters::organization_id.eq(organization))
        .filter(clusters::merged_into_id.is_null())
        .filter(clusters::issues.ge(at_least))
}

#[async_trait]
impl ConversationStore for DieselTx {
    async fn find(&mut self, organization: &OrganizationId, id: &ConversationId) -> StoreResult<Option<Conversation>> {
        let query = conversations::table
            .find(id.as_str())
            .filter(conversations::organization_id.eq(organization.as_str()))
            .select(columns::<ConversationRow>());
        self.conn.maybe::<ConversationRow>(query).await?.map(Conversation::try_from).transpose()
    }

    async fn find_sent(&mut self, organization: &OrganizationId, id: &ExternalId) -> StoreResult<Vec<Conversation>> {
        let query = conversations::table
            .filter(conversations::organization_id.eq(organization.as_str()))
            .filter(conversations::external_id.eq(id.as_str()))
            .order(conversations::id.asc())
            .limit(2)
            .select(columns::<ConversationRow>());
        self.conn.all::<ConversationRow>(query).await?.into_iter().map(Conversation::try_from).collect()
    }

    async fn find_known(
        &mut self,
        organization: &OrganizationId,
        source: &ConversationSource,
        ids: &[ExternalId],
    ) -> StoreResult<Vec<Conversation>> {
        let query = conversations::table
            .filter(conversations::organization_id.eq(organization.as_str()))
            .filter(conversations::source.eq(source.as_str()))
            .filter(one_of(conversations::external_id, strings(ids)))
            .order(conversations::id.asc())
            .select(columns::<ConversationRow>());
        self.conn.all::<ConversationRow>(query).await?.into_iter().map(Conversation::try_from).collect()
    }

    async fn find_all(
        &mut self,
        organization: &OrganizationId,
        ids: &[ConversationId],
    ) -> StoreResult<Vec<Conversation>> {
        let mut found = Vec::with_capacity(ids.len());
        for ids in ids.chunks(NAMED) {
            let query = conversations::table
                .filter(conversations::organization_id.eq(organization.as_str()))
                .filter(one_of(conversations::id, strings(ids)))
                .select(columns::<ConversationRow>());
            found.extend(self.conn.all::<ConversationRow>(query).await?);
        }
        found.into_iter().map(Conversation::try_from).collect()
    }

    async fn content(&mut self, id: &ConversationId) -> StoreResult<ConversationContent> {
        let query = conversations::table.find(id.as_str()).select(conversations::content);
        let text: Option<String> = self.conn.maybe(query).await?;
        text.map(|text| content(&text)).transpose().map(Option::unwrap_or_default)
    }

    async fn list<'a>(
        &mut self,
        organization: &OrganizationId,
        source: Option<&'a str>,
        page: &PageRequest,
    ) -> StoreResult<Page<Conversation>> {
        let after = page.after.as_deref().map(read_time_key).transpose()?;
        let after = after.map(|(at, id)| (at.into_sql::<Timestamp>(), id.into_sql::<Text>()));
        let wanted = conversations::table
            .filter(conversations::organization_id.eq(organization.as_str()))
            .filter(when(source.map(|source| conversations::source.eq(source))));
        let query = wanted
            .filter(seek((conversations::created_at, conversations::id), after, page.order))
            .order((ordered(conversations::created_at, page.order), ordered(conversations::id, page.order)))
            .limit(page.limit as i64 + 1)
            .select(columns::<ConversationRow>());
        let rows: Vec<ConversationRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| time_key(row.created_at, &row.id)).try_map(Conversation::try_from)
    }

    async fn waiting(
        &mut self,
        organization: &OrganizationId,
        now: DateTime<Utc>,
        limit: usize,
    ) -> StoreResult<Vec<(Conversation, ConversationContent)>> {
        // Each query reads an index in order. One for both would read all conversations of the organization.
        let of_organization = conversations::table.filter(conversations::organization_id.eq(organization.as_str()));
        let new = of_organization
            .filter(conversations::processed_at.is_null())
            .order(conversations::id.asc())
            .limit(limit as i64)
            .select((columns::<ConversationRow>(), conversations::content));
        let mut rows: Vec<(ConversationRow, String)> = self.conn.all(new).await?;
        if rows.len() < limit {
            let again = of_organization
                .filter(conversations::processed_at.is_not_null())
                .filter(conversations::ask_again_at.is_not_null())
                .filter(conversations::ask_again_at.assume_not_null().le(time(now)))
                .order((conversations::ask_again_at.asc(), conversations::id.asc()))
                .limit((limit - rows.len()) as i64)
                .select((columns::<ConversationRow>(), conversations::content));
            rows.extend(self.conn.all::<(ConversationRow, String)>(again).await?);
        }
        rows.into_iter().map(|(row, text)| Ok((row.try_into()?, content(&text)?))).collect()
    }

    async fn ask_again_at(&mut self, organization: &OrganizationId) -> StoreResult<Option<DateTime<Utc>>> {
        let query = conversations::table
            .filter(conversations::organization_id.eq(organization.as_str()))
            .filter(conversations::ask_again_at.is_not_null())
            .order(conversations::ask_again_at.asc())
            .limit(1)
            .select(conversations::ask_again_at.assume_not_null());
        let first: Option<NaiveDateTime> = self.conn.maybe(query).await?;
        Ok(first.map(|at| at.and_utc()))
    }

    async fn older(
        &mut self,
        organization: &OrganizationId,
        than: DateTime<Utc>,
        limit: usize,
    ) -> StoreResult<Vec<ConversationId>> {
        // Ids sort by the time of storing.
        let query = conversations::table
            .filter(conversations::organization_id.eq(organization.as_str()))
            .filter(conversations::ingested_at.lt(time(than)))
            .order(conversations::id.asc())
            .limit(limit as i64)
            .select(conversations::id);
        let ids: Vec<String> = self.conn.all(query).await?;
        ids.iter().map(|id| parsed("conversations.id", id)).collect()
    }

    async fn add(&mut self, one: &Conversation, text: &ConversationContent) -> StoreResult<()> {
        self.check(&one.organization)?;
        let row = ConversationRow::from(one);
        let text = serde_json::to_string(text).map_err(internal)?;
        let insert = diesel::insert_into(conversations::table).values((&row, conversations::content.eq(&text)));
        self.conn.send(insert).await
    }

    async fn save<'a>(&mut self, one: &Conversation, text: Option<&'a ConversationContent>) -> StoreResult<()> {
        self.check(&one.organization)?;
        let row = ConversationRow::from(one);
        // No upsert: PostgreSQL would lock the row as if the id of the sender changed.
        let one = conversations::table.find(one.id.as_str());
        let Some(text) = text else { return self.conn.send(prepared(diesel::update(one).set(&row))).await };
        let text = serde_json::to_string(text).map_err(internal)?;
        let update = diesel::update(one).set((&row, conversations::content.eq(&text)));
        self.conn.send(prepared(update)).await
    }

    async fn remove(&mut self, organization: &OrganizationId, ids: &[ConversationId]) -> StoreResult<()> {
        self.check(organization)?;
        for ids in ids.chunks(NAMED) {
            let some = conversations::table
                .filter(conversations::organization_id.eq(organization.as_str()))
                .filter(one_of(conversations::id, strings(ids)));
            self.conn.send(diesel::delete(some)).await?;
        }
        Ok(())
    }

    async fn issue(
        &mut self,
        organization: &OrganizationId,
        id: &ConversationIssueId,
    ) -> StoreResult<Option<ConversationIssue>> {
        let query = issues::table
            .find(id.as_str())
            .filter(issues::organization_id.eq(organization.as_str()))
            .select(columns::<IssueRow>());
        self.conn.maybe::<IssueRow>(query).await?.map(ConversationIssue::try_from).transpose()
    }

    async fn issues(
        &mut self,
        organization: &OrganizationId,
        filter: &IssueFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<ConversationIssue>> {
        let after = page.after.clone().map(IntoSql::into_sql::<Text>);
        let wanted = issues::table
            .filter(issues::organization_id.eq(organization.to_string()))
            .filter(when(filter.cluster.as_ref().map(|cluster| issues::cluster_id.eq(cluster.to_string()))))
            .filter(when(filter.conversation.as_ref().map(|one| issues::conversation_id.eq(one.to_string()))));
        let query = wanted
            .clone()
            .filter(seek(issues::id, after, page.order))
            .order(ordered(issues::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<IssueRow>());
        let rows: Vec<IssueRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(ConversationIssue::try_from)
    }

    async fn issues_of(&mut self, of: &[ConversationId]) -> StoreResult<Vec<ConversationIssue>> {
        let query = issues::table
            .filter(one_of(issues::conversation_id, strings(of)))
            .order(issues::id.asc())
            .select(columns::<IssueRow>());
        self.conn.all::<IssueRow>(query).await?.into_iter().map(ConversationIssue::try_from).collect()
    }

    async fn grouped(&mut self, organization: &OrganizationId, limit: usize) -> StoreResult<Vec<GroupedIssue>> {
        let query = issues::table
            .filter(issues::organization_id.eq(organization.to_string()))
            .order(issues::id.desc())
            .limit(limit as i64)
            .select(columns::<GroupedRow>());
        let rows: Vec<GroupedRow> = self.conn.at_length().all(query).await?;
        rows.into_iter().rev().map(GroupedIssue::try_from).collect()
    }

    async fn outdated(
        &mut self,
        organization: &OrganizationId,
        version: i32,
        limit: usize,
    ) -> StoreResult<Vec<GroupedIssue>> {
        let query = issues::table
            .filter(issues::organization_id.eq(organization.as_str()))
            .filter(issues::features_version.lt(version))
            .order((issues::features_version.asc(), issues::id.asc()))
            .limit(limit as i64)
            .select(columns::<GroupedRow>());
        self.conn.all::<GroupedRow>(query).await?.into_iter().map(GroupedIssue::try_from).collect()
    }

    async fn save_features(
        &mut self,
        organization: &OrganizationId,
        id: &ConversationIssueId,
        features: &StoredFeatures,
    ) -> StoreResult<()> {
        self.check(organization)?;
        let one = issues::table.filter(issues::id.eq(id.as_str()));
        let one = one.filter(issues::organization_id.eq(organization.as_str()));
        let both = (issues::features.eq(&features.bytes), issues::features_version.eq(features.version));
        self.conn.send(prepared(diesel::update(one).set(both))).await
    }

    async fn save_issue(&mut self, issue: &ConversationIssue, features: &StoredFeatures) -> StoreResult<()> {
        self.check(&issue.organization)?;
        let row = IssueRow::from(issue);
        let all = || (issues::features.eq(&features.bytes), issues::features_version.eq(features.version));
        let upsert = diesel::insert_into(issues::table)
            .values((&row, all()))
            .on_conflict(issues::id)
            .do_update()
            .set((&row, all()));
        self.conn.send(prepared(upsert)).await
    }

    async fn move_issues(
        &mut self,
        organization: &OrganizationId,
        moved: &[ConversationIssueId],
        to: &IssueClusterId,
    ) -> StoreResult<()> {
        self.check(organization)?;
        for moved in moved.chunks(NAMED) {
            let some = issues::table
                .filter(issues::organization_id.eq(organization.as_str()))
                .filter(one_of(issues::id, strings(moved)));
            self.conn.send(diesel::update(some).set(issues::cluster_id.eq(to.as_str()))).await?;
        }
        Ok(())
    }

    async fn remove_issues(&mut self, organization: &OrganizationId, gone: &[ConversationIssueId]) -> StoreResult<()> {
        self.check(organization)?;
        for gone in gone.chunks(NAMED) {
            let some = issues::table
                .filter(issues::organization_id.eq(organization.as_str()))
                .filter(one_of(issues::id, strings(gone)));
            self.conn.send(diesel::delete(some)).await?;
        }
        Ok(())
    }

    async fn cluster(
        &mut self,
        organization: &OrganizationId,
        id: &IssueClusterId,
    ) -> StoreResult<Option<IssueCluster>> {
        let query = clusters::table
            .find(id.as_str())
            .filter(clusters::organization_id.eq(organization.as_str()))
            .select(columns::<ClusterRow>());
        self.conn.maybe::<ClusterRow>(query).await?.map(IssueCluster::try_from).transpose()
    }

    async fn clusters_by_id(
        &mut self,
        organization: &OrganizationId,
        ids: &[IssueClusterId],
    ) -> StoreResult<Vec<IssueCluster>> {
        let mut found = Vec::with_capacity(ids.len());
        for ids in ids.chunks(NAMED) {
            let query = clusters::table
                .filter(clusters::organization_id.eq(organization.as_str()))
                .filter(one_of(clusters::id, strings(ids)))
                .order(clusters::id.asc())
                .select(columns::<ClusterRow>());
            found.extend(self.conn.all::<ClusterRow>(query).await?);
        }
        found.into_iter().map(IssueCluster::try_from).collect()
    }

    async fn clusters(
        &mut self,
        organization: &OrganizationId,
        at_least: u32,
        by: ClusterOrder,
        page: &PageRequest,
    ) -> StoreResult<Page<IssueCluster>> {
        let (organization, at_least) = (organization.as_str(), to_number(at_least)?);
        let found = match by {
            ClusterOrder::Issues => by_count!(self, organization, at_least, page, issues),
            ClusterOrder::Conversations => by_count!(self, organization, at_least, page, conversations),
            ClusterOrder::UpdatedAt => {
                let after = page.after.as_deref().map(read_time_key).transpose()?;
                let after = after.map(|(at, id)| (at.into_sql::<Timestamp>(), id.into_sql::<Text>()));
                let query = shown(organization, at_least)
                    .filter(seek((clusters::updated_at, clusters::id), after, page.order))
                    .order((ordered(clusters::updated_at, page.order), ordered(clusters::id, page.order)))
                    .limit(page.limit as i64 + 1)
                    .select(columns::<ClusterRow>());
                let rows: Vec<ClusterRow> = self.conn.all(query).await?;
                let total = self.conn.total(rows.len(), page, shown(organization, at_least).count()).await?;
                Page::from_overfetch(rows, page, total, |row| time_key(row.updated_at, &row.id))
            }
        };
        found.try_map(IssueCluster::try_from)
    }

    async fn merged_into(&mut self, cluster: &IssueClusterId) -> StoreResult<Vec<IssueClusterId>> {
        let query = clusters::table
            .filter(clusters::merged_into_id.eq(cluster.as_str()))
            .order(clusters::id.asc())
            .select(clusters::id);
        let ids: Vec<String> = self.conn.all(query).await?;
        ids.iter().map(|id| parsed("issue_clusters.id", id)).collect()
    }

    async fn members(&mut self, of: &[IssueClusterId]) -> StoreResult<Vec<ClusterMember>> {
        let mut members = Vec::new();
        for of in of.chunks(NAMED) {
            let query = issues::table
                .inner_join(conversations::table.on(conversations::id.eq(issues::conversation_id)))
                .filter(one_of(issues::cluster_id, strings(of)))
                .order(issues::id.asc())
                .select((
                    issues::cluster_id,
                    issues::conversation_id,
                    conversations::source,
                    issues::impact,
                    conversations::created_at,
                ));
            let rows: Vec<(String, String, String, String, NaiveDateTime)> = self.conn.at_length().all(query).await?;
            for (cluster, conversation, source, impact, created_at) in rows {
                members.push(ClusterMember {
                    cluster: parsed("conversation_issues.cluster_id", &cluster)?,
                    conversation: parsed("conversation_issues.conversation_id", &conversation)?,
                    source: parsed("conversations.source", &source)?,
                    impact: parsed("conversation_issues.impact", &impact)?,
                    created_at: created_at.and_utc(),
                });
            }
        }
        Ok(members)
    }

    async fn save_cluster(&mut self, cluster: &IssueCluster) -> StoreResult<()> {
        self.check(&cluster.organization)?;
        let row = ClusterRow::try_from(cluster)?;
        let upsert = diesel::insert_into(clusters::table).values(&row).on_conflict(clusters::id).do_update().set(&row);
        self.conn.send(prepared(upsert)).await
    }

    async fn pass_on(
        &mut self,
        organization: &OrganizationId,
        from: &IssueClusterId,
        to: &IssueClusterId,
    ) -> StoreResult<()> {
        self.check(organization)?;
        let merged = clusters::table
            .filter(clusters::organization_id.eq(organization.as_str()))
            .filter(clusters::merged_into_id.eq(from.as_str()));
        self.conn.send(diesel::update(merged).set(clusters::merged_into_id.eq(to.as_str()))).await?;
        let all = issues::table
            .filter(issues::organization_id.eq(organization.as_str()))
            .filter(issues::cluster_id.eq(from.as_str()));
        self.conn.send(diesel::update(all).set(issues::cluster_id.eq(to.as_str()))).await
    }

    async fn remove_empty(&mut self, organization: &OrganizationId, ids: &[IssueClusterId]) -> StoreResult<()> {
        self.check(organization)?;
        for ids in ids.chunks(NAMED) {
            let named = || {
                let named = change_requests::table.filter(change_requests::issue_cluster_id.is_not_null());
                named.select(change_requests::issue_cluster_id.assume_not_null())
            };
            // Deleting a cluster deletes the clusters that were merged into it, so keep it if one of these is named.
            let kept = clusters::table
                .filter(clusters::organization_id.eq(organization.as_str()))
                .filter(clusters::merged_into_id.eq_any(strings(ids)))
                .filter(clusters::id.eq_any(named()))
                .select(clusters::merged_into_id.assume_not_null());
            let kept: Vec<String> = self.conn.all(kept).await?;
            let empty = clusters::table
                .filter(clusters::organization_id.eq(organization.as_str()))
                .filter(one_of(clusters::id, strings(ids)))
                .filter(clusters::id.ne_all(kept))
                .filter(not(clusters::id.eq_any(issues::table.select(issues::cluster_id))))
                .filter(not(clusters::id.eq_any(named())));
            self.conn.send(diesel::delete(empty)).await?;
        }
        Ok(())
    }
}
