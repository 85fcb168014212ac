use super::keys::{read_time_key, time_key};
use super::spaces::{WithinConditions, is_within};
use super::stored::{document, json, number, parsed, parsed_if, strings, time, to_document, to_json, to_number};
use crate::error::{Meaning, internal};
use crate::schema::change_requests::{
    change_request_conflicts as conflicts, change_request_contributors as contributors, change_requests,
    requested_reviewers,
};
use crate::schema::organizations::spaces;
use crate::schema::sites::site_items;
use crate::sql::{NAMED, columns, either, one_of, ordered, prepared, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::sql_types::{Text, Timestamp};
use diesel::upsert::excluded;
use diesel::{
    AsChangeset, ExpressionMethods, Insertable, IntoSql, JoinOnDsl, NullableExpressionMethods, QueryDsl, Queryable,
    Selectable,
};
use domain::access::Within;
use domain::change_request::{ChangeRequest, ChangeRequestRef, Merge, State, Status};
use domain::id::{ChangeRequestId, ConflictId, RevisionId, SpaceId, UserId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::ChangeRequestStore;
use domain::ports::store::change_requests::{ChangeRequestFilter, ListedIn, OpenConflict, OrderBy};
use domain::ports::{StoreError, StoreResult};
use domain::review::{Contribution, ContributorAction};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = change_requests, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct ChangeRequestRow {
    id: String,
    space_id: String,
    number: i32,
    subject: String,
    description: Option<String>,
    status: String,
    created_by: String,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
    revision_id: String,
    revision_initial_id: String,
    revision_merged_ancestor_id: Option<String>,
    revision_merged_id: Option<String>,
    merged_by: Option<String>,
    merged_at: Option<NaiveDateTime>,
    comments: i32,
    issue_cluster_id: Option<String>,
    links: Option<serde_json::Value>,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = conflicts, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct ConflictRow {
    id: String,
    change_request_id: String,
    place: String,
    conflict: serde_json::Value,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = contributors, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct ContributorRow {
    change_request_id: String,
    user_id: String,
    action: String,
    count: i32,
    updated_at: NaiveDateTime,
}

impl TryFrom<ChangeRequestRow> for ChangeRequest {
    type Error = StoreError;

    fn try_from(row: ChangeRequestRow) -> StoreResult<Self> {
        let state = match (parsed("change_requests.status", &row.status)?, row.revision_merged_id, row.merged_at) {
            (Status::Draft, ..) => State::Draft,
            (Status::Open, ..) => State::Open,
            (Status::Archived, ..) => State::Archived,
            (Status::Merged, Some(revision), Some(at)) => State::Merged(Merge {
                revision: parsed("change_requests.revision_merged_id", &revision)?,
                by: parsed_if("change_requests.merged_by", row.merged_by.as_deref())?,
                at: at.and_utc(),
            }),
            (Status::Merged, ..) => {
                return Err(internal(format!("change request {} is merged without its revisions", row.id)));
            }
        };
        Ok(Self {
            id: parsed("change_requests.id", &row.id)?,
            space: parsed("change_requests.space_id", &row.space_id)?,
            number: number("change_requests.number", row.number)?,
            subject: parsed("change_requests.subject", &row.subject)?,
            description: row.description.map(|text| document("change_requests.description", &text)).transpose()?,
            state,
            created_by: parsed("change_requests.created_by", &row.created_by)?,
            created_at: row.created_at.and_utc(),
            updated_at: row.updated_at.and_utc(),
            revision: parsed("change_requests.revision_id", &row.revision_id)?,
            revision_initial: parsed("change_requests.revision_initial_id", &row.revision_initial_id)?,
            revision_merged_ancestor: parsed_if(
                "change_requests.revision_merged_ancestor_id",
                row.revision_merged_ancestor_id.as_deref(),
            )?,
            comments: number("change_requests.comments", row.comments)?,
            cluster: parsed_if("change_requests.issue_cluster_id", row.issue_cluster_id.as_deref())?,
            links: row.links.map(|links| json("change_requests.links", links)).transpose()?.unwrap_or_default(),
        })
    }
}

impl TryFrom<&ChangeRequest> for ChangeRequestRow {
    type Error = StoreError;

    fn try_from(request: &ChangeRequest) -> StoreResult<Self> {
        let merge = match &request.state {
            State::Merged(merge) => Some(merge),
            State::Draft | State::Open | State::Archived => None,
        };
        Ok(Self {
            id: request.id.to_string(),
            space_id: request.space.to_string(),
            number: to_number(request.number)?,
            subject: request.subject.to_string(),
            description: request.description.as_ref().map(to_document).transpose()?,
            status: request.status().to_string(),
            created_by: request.created_by.to_string(),
            created_at: time(request.created_at),
            updated_at: time(request.updated_at),
            revision_id: request.revision.to_string(),
            revision_initial_id: request.revision_initial.to_string(),
            revision_merged_ancestor_id: request.revision_merged_ancestor.as_ref().map(ToString::to_string),
            revision_merged_id: merge.map(|merge| merge.revision.to_string()),
            merged_by: merge.and_then(|merge| merge.by.as_ref()).map(ToString::to_string),
            merged_at: merge.map(|merge| time(merge.at)),
            comments: to_number(request.comments)?,
            issue_cluster_id: request.cluster.as_ref().map(ToString::to_string),
            links: (!request.links.is_empty()).then(|| to_json(&request.links)).transpose()?,
        })
    }
}

impl TryFrom<ConflictRow> for OpenConflict {
    type Error = StoreError;

    fn try_from(row: ConflictRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("change_request_conflicts.id", &row.id)?,
            conflict: json("change_request_conflicts.conflict", row.conflict)?,
        })
    }
}

impl TryFrom<ContributorRow> for Contribution {
    type Error = StoreError;

    fn try_from(row: ContributorRow) -> StoreResult<Self> {
        Ok(Self {
            user: parsed("change_request_contributors.user_id", &row.user_id)?,
            action: parsed("change_request_contributors.action", &row.action)?,
            count: number("change_request_contributors.count", row.count)?,
            updated_at: row.updated_at.and_utc(),
        })
    }
}

/// The id or the number of a change request.
fn id_or_number(which: &ChangeRequestRef) -> (Option<&str>, Option<i32>) {
    match which {
        ChangeRequestRef::Id(id) => (Some(id.as_str()), None),
        // A number beyond the range of the column matches no change request.
        ChangeRequestRef::Number(number) => (None, Some(to_number(*number).unwrap_or(-1))),
    }
}

#[async_trait]
impl ChangeRequestStore for DieselTx {
    async fn find(&mut self, space: &SpaceId, which: &ChangeRequestRef) -> StoreResult<Option<ChangeRequest>> {
        let (id, wanted) = id_or_number(which);
        let query = change_requests::table
            .filter(change_requests::space_id.eq(space.as_str()))
            .filter(when(id.map(|id| change_requests::id.eq(id))))
            .filter(when(wanted.map(|wanted| change_requests::number.eq(wanted))))
            .select(columns::<ChangeRequestRow>());
        self.conn.maybe::<ChangeRequestRow>(query).await?.map(ChangeRequest::try_from).transpose()
    }

    async fn find_in(&mut self, spaces: &[SpaceId], which: &ChangeRequestRef) -> StoreResult<Vec<ChangeRequest>> {
        let (id, wanted) = id_or_number(which);
        let mut found = Vec::new();
        for some in spaces.chunks(NAMED) {
            let query = change_requests::table
                .filter(one_of(change_requests::space_id, some.iter().map(SpaceId::as_str)))
                .filter(when(id.map(|id| change_requests::id.eq(id))))
                .filter(when(wanted.map(|wanted| change_requests::number.eq(wanted))))
                .select(columns::<ChangeRequestRow>());
            found.extend(self.conn.all::<ChangeRequestRow>(query).await?);
        }
        found.into_iter().map(ChangeRequest::try_from).collect()
    }

    async fn undecided(&mut self, ids: &[ChangeRequestId]) -> StoreResult<Vec<ChangeRequestId>> {
        // With a condition on the status, SQLite reads all that have it.
        let query = change_requests::table
            .filter(one_of(change_requests::id, ids.iter().map(ChangeRequestId::as_str)))
            .select((change_requests::id, change_requests::status));
        let found: Vec<(String, String)> = self.conn.all(query).await?;
        let undecided = [Status::Draft, Status::Open].map(|status| status.as_str());
        let found = found.iter().filter(|(_, status)| undecided.contains(&status.as_str()));
        found.map(|(id, _)| parsed("change_requests.id", id)).collect()
    }

    async fn list(
        &mut self,
        scope: &ListedIn,
        filter: &ChangeRequestFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<(ChangeRequest, RevisionId)>> {
        let (space, organization, asked) = match scope {
            ListedIn::Space(space) => (Some(space.as_str()), None, WithinConditions::from(&Within::Everything)),
            ListedIn::Organization(organization, readable) => {
                (None, Some(organization.as_str()), WithinConditions::from(readable))
            }
        };
        if asked.nothing {
            return Ok(Page::default());
        }
        let space = space.or(filter.space.as_ref().map(SpaceId::as_str));
        let status: Vec<String> = filter.status.iter().map(ToString::to_string).collect();
        // PostgreSQL reads an index in order only for one value, not for a list of one.
        let (one, several) = match status.as_slice() {
            [one] => (Some(one.clone()), None),
            [] => (None, None),
            _ => (None, Some(status)),
        };
        let on_site = filter.site.as_ref().map(|site| {
            let shown = site_items::table.filter(site_items::site_id.eq(site.as_str()));
            let shown = shown.filter(site_items::space_id.is_not_null());
            change_requests::space_id.eq_any(shown.select(site_items::space_id.assume_not_null()))
        });
        let contributed = filter.contributor.as_ref().map(|user| {
            let theirs = contributors::table.filter(contributors::user_id.eq(user.as_str()));
            change_requests::id.eq_any(theirs.select(contributors::change_request_id))
        });
        let requested = filter.requested_reviewer.as_ref().map(|user| {
            let theirs = requested_reviewers::table.filter(requested_reviewers::user_id.eq(user.as_str()));
            change_requests::id.eq_any(theirs.select(requested_reviewers::change_request_id))
        });
        let clusters = filter.clusters.as_ref().map(|ids| change_requests::issue_cluster_id.eq_any(strings(ids)));
        let by_creation = filter.order_by == OrderBy::CreatedAt;
        let key = || either(by_creation, change_requests::created_at, change_requests::updated_at);
        let after = page.after.as_deref().map(read_time_key).transpose()?;
        let after = after.map(|(at, id)| (at.into_sql::<Timestamp>(), id.into_sql::<Text>()));
        let wanted = change_requests::table
            .inner_join(spaces::table.on(spaces::id.eq(change_requests::space_id)))
            .filter(when(space.map(|space| change_requests::space_id.eq(space))))
            .filter(when(organization.map(|organization| spaces::organization_id.eq(organization))))
            .filter(spaces::deleted_at.is_null())
            .filter(when(asked.some.map(is_within)))
            .filter(when(one.map(|status| change_requests::status.eq(status))))
            .filter(when(several.map(|status| one_of(change_requests::status, status))))
            .filter(when(filter.creator.as_ref().map(|user| change_requests::created_by.eq(user.as_str()))))
            .filter(when(clusters))
            .filter(when(on_site))
            .filter(when(contributed))
            .filter(when(requested));
        let query = wanted
            .clone()
            .filter(seek((key(), change_requests::id), after, page.order))
            .order((ordered(key(), page.order), ordered(change_requests::id, page.order)))
            .limit(page.limit as i64 + 1)
            .select((columns::<ChangeRequestRow>(), spaces::revision_id));
        let rows: Vec<(ChangeRequestRow, String)> = self.conn.all(query).await?;
        let key = |(row, _): &(ChangeRequestRow, String)| {
            time_key(if by_creation { row.created_at } else { row.updated_at }, &row.id)
        };
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, key)
            .try_map(|(row, primary)| Ok((row.try_into()?, parsed("spaces.revision_id", &primary)?)))
    }

    async fn add(&mut self, change_request: &ChangeRequest) -> StoreResult<()> {
        self.check(&change_request.space)?;
        let row = ChangeRequestRow::try_from(change_request)?;
        let insert = diesel::insert_into(change_requests::table).values(&row);
        let added = self.conn.run(insert).await.of_new("change_requests.id");
        added.meaning("change_requests.space_id,number", "number").map(drop)
    }

    async fn save(&mut self, change_request: &ChangeRequest) -> StoreResult<()> {
        self.check(&change_request.space)?;
        let row = ChangeRequestRow::try_from(change_request)?;
        // No upsert: PostgreSQL would lock the row as if its number changed. Then a row that refers to it, such as a
        // comment, would wait until the end of this unit of work.
        let update = diesel::update(change_requests::table.find(change_request.id.as_str())).set(&row);
        self.conn.send(prepared(update)).await
    }

    async fn conflicts(&mut self, id: &ChangeRequestId) -> StoreResult<Vec<OpenConflict>> {
        let query = conflicts::table
            .filter(conflicts::change_request_id.eq(id.as_str()))
            .order(conflicts::id.asc())
            .select(columns::<ConflictRow>());
        let rows: Vec<ConflictRow> = self.conn.all(query).await?;
        rows.into_iter().map(OpenConflict::try_from).collect()
    }

    async fn add_conflicts(&mut self, id: &ChangeRequestId, new: &[OpenConflict]) -> StoreResult<()> {
        for open in new {
            let row = ConflictRow {
                id: open.id.to_string(),
                change_request_id: id.to_string(),
                place: open.conflict.subject.key(),
                conflict: to_json(&open.conflict)?,
            };
            let upsert = diesel::insert_into(conflicts::table)
                .values(&row)
                .on_conflict((conflicts::change_request_id, conflicts::place))
                .do_update()
                .set((
                    conflicts::id.eq(excluded(conflicts::id)),
                    conflicts::conflict.eq(excluded(conflicts::conflict)),
                ));
            self.conn.send(prepared(upsert)).await?;
        }
        Ok(())
    }

    async fn remove_conflicts(&mut self, decided: &[ConflictId]) -> StoreResult<()> {
        for batch in decided.chunks(NAMED) {
            let wanted = one_of(conflicts::id, batch.iter().map(ConflictId::as_str));
            self.conn.send(diesel::delete(conflicts::table.filter(wanted))).await?;
        }
        Ok(())
    }

    async fn contribute(
        &mut self,
        id: &ChangeRequestId,
        user: &UserId,
        action: ContributorAction,
        at: DateTime<Utc>,
    ) -> StoreResult<()> {
        let row = ContributorRow {
            change_request_id: id.to_string(),
            user_id: user.to_string(),
            action: action.to_string(),
            count: 1,
            updated_at: time(at),
        };
        let upsert = diesel::insert_into(contributors::table)
            .values(&row)
            .on_conflict((contributors::change_request_id, contributors::user_id, contributors::action))
            .do_update()
            .set((contributors::count.eq(contributors::count + 1), contributors::updated_at.eq(time(at))));
        self.conn.send(prepared(upsert)).await
    }

    async fn contributors(&mut self, id: &ChangeRequestId, page: &PageRequest) -> StoreResult<Page<Contribution>> {
        let after = page.after.as_deref().and_then(|key| key.split_once(' '));
        let after = after.map(|(user, action)| (user.into_sql::<Text>(), action.into_sql::<Text>()));
        let wanted = contributors::table.filter(contributors::change_request_id.eq(id.as_str()));
        let query = wanted
            .filter(seek((contributors::user_id, contributors::action), after, page.order))
            .order((ordered(contributors::user_id, page.order), ordered(contributors::action, page.order)))
            .limit(page.limit as i64 + 1)
            .select(columns::<ContributorRow>());
        let rows: Vec<ContributorRow> = self.conn.all(query).await?;
        let key = |row: &ContributorRow| format!("{} {}", row.user_id, row.action);
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, key).try_map(Contribution::try_from)
    }
}
