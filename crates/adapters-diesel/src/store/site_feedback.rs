use super::stored::{parsed, parsed_if, strings, time};
use crate::error::{Meaning, internal};
use crate::schema::sites::site_feedback as feedback;
use crate::sql::{Lock, NAMED, columns, locked, one_of, ordered, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::dsl::count_star;
use diesel::sql_types::Text;
use diesel::{ExpressionMethods, Insertable, IntoSql, QueryDsl, Queryable, Selectable};
use domain::id::{PageId, SiteFeedbackId, SiteId, SpaceId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::SiteFeedbackStore;
use domain::ports::store::site_feedback::{FeedbackFilter, FeedbackTally};
use domain::ports::{StoreError, StoreResult};
use domain::site::feedback::SiteFeedback;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = feedback, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct FeedbackRow {
    id: String,
    site_id: String,
    site_space_id: Option<String>,
    space_id: String,
    page_id: String,
    rating: String,
    comment: Option<String>,
    created_at: NaiveDateTime,
}

impl TryFrom<FeedbackRow> for SiteFeedback {
    type Error = StoreError;

    fn try_from(row: FeedbackRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("site_feedback.id", &row.id)?,
            site: parsed("site_feedback.site_id", &row.site_id)?,
            site_space: parsed_if("site_feedback.site_space_id", row.site_space_id.as_deref())?,
            space: parsed("site_feedback.space_id", &row.space_id)?,
            page: parsed("site_feedback.page_id", &row.page_id)?,
            rating: parsed("site_feedback.rating", &row.rating)?,
            comment: parsed_if("site_feedback.comment", row.comment.as_deref())?,
            created_at: row.created_at.and_utc(),
        })
    }
}

impl From<&SiteFeedback> for FeedbackRow {
    fn from(new: &SiteFeedback) -> Self {
        Self {
            id: new.id.to_string(),
            site_id: new.site.to_string(),
            site_space_id: new.site_space.as_ref().map(ToString::to_string),
            space_id: new.space.to_string(),
            page_id: new.page.to_string(),
            rating: new.rating.to_string(),
            comment: new.comment.as_ref().map(ToString::to_string),
            created_at: time(new.created_at),
        }
    }
}

#[async_trait]
impl SiteFeedbackStore for DieselTx {
    async fn find(&mut self, site: &SiteId, id: &SiteFeedbackId) -> StoreResult<Option<SiteFeedback>> {
        let query = feedback::table
            .find(id.as_str())
            .filter(feedback::site_id.eq(site.as_str()))
            .select(columns::<FeedbackRow>());
        self.conn.maybe::<FeedbackRow>(query).await?.map(SiteFeedback::try_from).transpose()
    }

    async fn list<'a>(
        &mut self,
        site: &SiteId,
        spaces: Option<&'a [SpaceId]>,
        filter: &FeedbackFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<SiteFeedback>> {
        let after = page.after.clone().map(IntoSql::into_sql::<Text>);
        let wanted = feedback::table
            .filter(feedback::site_id.eq(site.to_string()))
            .filter(when(filter.page.as_ref().map(|page| feedback::page_id.eq(page.to_string()))))
            .filter(when(filter.rating.map(|rating| feedback::rating.eq(rating.as_str()))))
            .filter(when(spaces.map(|spaces| one_of(feedback::space_id, strings(spaces)))));
        let query = wanted
            .clone()
            .filter(seek(feedback::id, after, page.order))
            .order(ordered(feedback::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<FeedbackRow>());
        // Visitors can send much.
        let rows: Vec<FeedbackRow> = self.conn.at_length().all(query).await?;
        let total = self.conn.at_length().total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(SiteFeedback::try_from)
    }

    async fn tally<'a>(&mut self, site: &SiteId, page: Option<&'a PageId>) -> StoreResult<Vec<FeedbackTally>> {
        let query = feedback::table
            .filter(feedback::site_id.eq(site.to_string()))
            .filter(when(page.map(|page| feedback::page_id.eq(page.to_string()))))
            .group_by((feedback::space_id, feedback::rating))
            .select((feedback::space_id, feedback::rating, count_star()));
        let rows: Vec<(String, String, i64)> = self.conn.at_length().all(query).await?;
        let tally = |(space, rating, count): (String, String, i64)| {
            Ok(FeedbackTally {
                space: parsed("site_feedback.space_id", &space)?,
                rating: parsed("site_feedback.rating", &rating)?,
                count: usize::try_from(count).map_err(internal)?,
            })
        };
        rows.into_iter().map(tally).collect()
    }

    async fn add(&mut self, new: &SiteFeedback) -> StoreResult<()> {
        let row = FeedbackRow::from(new);
        let insert = diesel::insert_into(feedback::table).values(&row);
        // The foreign keys find what another unit of work has removed since the caller looked.
        self.conn.run(insert).await.meaning("reference", "page").map(drop)
    }

    async fn newest(&mut self, site: &SiteId) -> StoreResult<Option<DateTime<Utc>>> {
        let of_site = feedback::table.filter(feedback::site_id.eq(site.as_str()));
        // Ids are made in the order of time.
        let newest = of_site.order(feedback::id.desc()).limit(1).select(feedback::created_at);
        Ok(self.conn.maybe::<NaiveDateTime>(newest).await?.map(|time| time.and_utc()))
    }

    async fn trim(&mut self, site: &SiteId, most: usize) -> StoreResult<()> {
        let of_site = feedback::table.filter(feedback::site_id.eq(site.to_string()));
        let newest_too_many = of_site
            .clone()
            .order(feedback::id.desc())
            .offset(i64::try_from(most).map_err(internal)?)
            .limit(1)
            .select(feedback::id);
        let last: Vec<String> = self.conn.at_length().all(newest_too_many).await?;
        let Some(last) = last.into_iter().next() else { return Ok(()) };
        let oldest = of_site.filter(feedback::id.le(last)).select(feedback::id);
        let free: Vec<String> = self.conn.at_length().all(locked(oldest, Lock::FreeRows)).await?;
        for some in free.chunks(NAMED) {
            let rows = feedback::table.filter(one_of(feedback::id, some.iter().cloned()));
            self.conn.at_length().send(diesel::delete(rows)).await?;
        }
        Ok(())
    }

    async fn remove(&mut self, site: &SiteId, id: &SiteFeedbackId) -> StoreResult<()> {
        self.check(site)?;
        let one = feedback::table.find(id.as_str()).filter(feedback::site_id.eq(site.as_str()));
        self.conn.send(diesel::delete(one)).await
    }
}
