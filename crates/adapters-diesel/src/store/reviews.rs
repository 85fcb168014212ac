use super::stored::{parsed, parsed_if, time};
use crate::schema::change_requests::{change_requests, requested_reviewers, reviews};
use crate::sql::{NAMED, columns, one_of, ordered, prepared, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::sql_types::Text;
use diesel::{
    AsChangeset, BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, QueryDsl, Queryable, Selectable,
};
use domain::id::{ChangeRequestId, ReviewId, SpaceId, UserId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::ReviewStore;
use domain::ports::{StoreError, StoreResult};
use domain::review::{RequestedReviewer, Review};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = reviews, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct ReviewRow {
    id: String,
    change_request_id: String,
    revision_id: String,
    reviewer_id: String,
    requested_by: Option<String>,
    verdict: String,
    outdated: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
    ended: bool,
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = requested_reviewers, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct RequestedRow {
    change_request_id: String,
    user_id: String,
    revision_id: String,
    requested_by: Option<String>,
    created_at: NaiveDateTime,
}

impl TryFrom<ReviewRow> for Review {
    type Error = StoreError;

    fn try_from(row: ReviewRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("reviews.id", &row.id)?,
            change_request: parsed("reviews.change_request_id", &row.change_request_id)?,
            revision: parsed("reviews.revision_id", &row.revision_id)?,
            reviewer: parsed("reviews.reviewer_id", &row.reviewer_id)?,
            requested_by: parsed_if("reviews.requested_by", row.requested_by.as_deref())?,
            verdict: parsed("reviews.verdict", &row.verdict)?,
            outdated: row.outdated,
            created_at: row.created_at.and_utc(),
            updated_at: row.updated_at.and_utc(),
            ended: row.ended,
        })
    }
}

impl TryFrom<&Review> for ReviewRow {
    type Error = StoreError;

    fn try_from(review: &Review) -> StoreResult<Self> {
        Ok(Self {
            id: review.id.to_string(),
            change_request_id: review.change_request.to_string(),
            revision_id: review.revision.to_string(),
            reviewer_id: review.reviewer.to_string(),
            requested_by: review.requested_by.as_ref().map(ToString::to_string),
            verdict: review.verdict.to_string(),
            outdated: review.outdated,
            created_at: time(review.created_at),
            updated_at: time(review.updated_at),
            ended: review.ended,
        })
    }
}

impl TryFrom<RequestedRow> for RequestedReviewer {
    type Error = StoreError;

    fn try_from(row: RequestedRow) -> StoreResult<Self> {
        Ok(Self {
            change_request: parsed("requested_reviewers.change_request_id", &row.change_request_id)?,
            user: parsed("requested_reviewers.user_id", &row.user_id)?,
            revision: parsed("requested_reviewers.revision_id", &row.revision_id)?,
            requested_by: parsed_if("requested_reviewers.requested_by", row.requested_by.as_deref())?,
            created_at: row.created_at.and_utc(),
        })
    }
}

#[async_trait]
impl ReviewStore for DieselTx {
    async fn find(&mut self, change_request: &ChangeRequestId, id: &ReviewId) -> StoreResult<Option<Review>> {
        let query = reviews::table
            .find(id.as_str())
            .filter(reviews::change_request_id.eq(change_request.as_str()))
            .select(columns::<ReviewRow>());
        self.conn.maybe::<ReviewRow>(query).await?.map(Review::try_from).transpose()
    }

    async fn list(
        &mut self,
        change_request: &ChangeRequestId,
        outdated: Option<bool>,
        page: &PageRequest,
    ) -> StoreResult<Page<Review>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted = reviews::table
            .filter(reviews::change_request_id.eq(change_request.as_str()))
            .filter(when(outdated.map(|outdated| reviews::outdated.eq(outdated))));
        let query = wanted
            .filter(seek(reviews::id, after, page.order))
            .order(ordered(reviews::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<ReviewRow>());
        let rows: Vec<ReviewRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(Review::try_from)
    }

    async fn current(&mut self, change_request: &ChangeRequestId) -> StoreResult<Vec<Review>> {
        let query = reviews::table
            .filter(reviews::change_request_id.eq(change_request.as_str()))
            .filter(reviews::outdated.eq(false))
            .order(reviews::id.asc())
            .select(columns::<ReviewRow>());
        let rows: Vec<ReviewRow> = self.conn.all(query).await?;
        rows.into_iter().map(Review::try_from).collect()
    }

    async fn newest(&mut self, change_request: &ChangeRequestId, user: &UserId) -> StoreResult<Option<Review>> {
        let query = reviews::table
            .filter(reviews::change_request_id.eq(change_request.as_str()))
            .filter(reviews::reviewer_id.eq(user.as_str()))
            .order(reviews::id.desc())
            .limit(1)
            .select(columns::<ReviewRow>());
        self.conn.maybe::<ReviewRow>(query).await?.map(Review::try_from).transpose()
    }

    async fn save(&mut self, review: &Review) -> StoreResult<()> {
        let row = ReviewRow::try_from(review)?;
        let upsert = diesel::insert_into(reviews::table).values(&row).on_conflict(reviews::id).do_update().set(&row);
        self.conn.send(prepared(upsert)).await
    }

    async fn requested(&mut self, change_request: &ChangeRequestId) -> StoreResult<Vec<RequestedReviewer>> {
        let query = requested_reviewers::table
            .filter(requested_reviewers::change_request_id.eq(change_request.as_str()))
            .order(requested_reviewers::user_id.asc())
            .select(columns::<RequestedRow>());
        let rows: Vec<RequestedRow> = self.conn.all(query).await?;
        rows.into_iter().map(RequestedReviewer::try_from).collect()
    }

    async fn request(&mut self, request: &RequestedReviewer) -> StoreResult<()> {
        let row = RequestedRow {
            change_request_id: request.change_request.to_string(),
            user_id: request.user.to_string(),
            revision_id: request.revision.to_string(),
            requested_by: request.requested_by.as_ref().map(ToString::to_string),
            created_at: time(request.created_at),
        };
        let upsert = diesel::insert_into(requested_reviewers::table)
            .values(&row)
            .on_conflict((requested_reviewers::change_request_id, requested_reviewers::user_id))
            .do_update()
            .set(&row);
        self.conn.send(prepared(upsert)).await
    }

    async fn withdraw(&mut self, change_request: &ChangeRequestId, user: &UserId) -> StoreResult<bool> {
        let one = requested_reviewers::table.find((change_request.as_str(), user.as_str()));
        Ok(self.conn.run(diesel::delete(one)).await? > 0)
    }

    async fn end(&mut self, spaces: &[SpaceId], at: DateTime<Utc>) -> StoreResult<()> {
        for batch in spaces.chunks(NAMED) {
            let requests = || {
                change_requests::table
                    .filter(one_of(change_requests::space_id, batch.iter().map(SpaceId::as_str)))
                    .select(change_requests::id)
            };
            let asked = requested_reviewers::table.filter(requested_reviewers::change_request_id.eq_any(requests()));
            self.conn.send(diesel::delete(asked)).await?;
            let open = requests().filter(change_requests::merged_at.is_null());
            let ended = diesel::update(reviews::table)
                .filter(reviews::ended.eq(false).and(reviews::change_request_id.eq_any(open)))
                .set((reviews::ended.eq(true), reviews::outdated.eq(true), reviews::updated_at.eq(time(at))));
            self.conn.send(ended).await?;
        }
        Ok(())
    }
}
