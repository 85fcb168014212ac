//! Usages of OpenAPI specs in pages. The search index writes the rows together with the entries of the pages.
use super::stored::{json, parsed, strings, to_json, to_number};
use crate::error::internal;
use crate::schema::openapi_specs::openapi_usages as usages;
use crate::schema::organizations::spaces;
use crate::sql::{NAMED, columns, one_of};
use crate::tx::DieselTx;
use diesel::{ExpressionMethods, Insertable, JoinOnDsl, QueryDsl, Queryable, Selectable};
use domain::content::document::Key;
use domain::content::search::IndexedPage;
use domain::id::{OrganizationId, PageId, SpaceId};
use domain::openapi_spec::{OpenapiUsage, SpecSlug};
use domain::ports::{StoreError, StoreResult};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = usages, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct UsageRow {
    space_id: String,
    page_id: String,
    ordinal: i32,
    block: String,
    spec: String,
    version_id: Option<String>,
    shows: serde_json::Value,
}

impl TryFrom<UsageRow> for OpenapiUsage {
    type Error = StoreError;

    fn try_from(row: UsageRow) -> StoreResult<Self> {
        Ok(Self {
            space: parsed("openapi_usages.space_id", &row.space_id)?,
            page: parsed("openapi_usages.page_id", &row.page_id)?,
            block: Key(row.block.into()),
            version: row.version_id,
            shows: json("openapi_usages.shows", row.shows)?,
        })
    }
}

/// The rows of a page. A block with an invalid slug or address has no usage.
fn rows_of(space: &SpaceId, page: &IndexedPage) -> StoreResult<Vec<UsageRow>> {
    let mut rows = Vec::with_capacity(page.specifications.len());
    for found in &page.specifications {
        let Some(slug) = SpecSlug::of_use(found) else { continue };
        rows.push(UsageRow {
            space_id: space.to_string(),
            page_id: page.page.to_string(),
            ordinal: to_number(u32::try_from(rows.len()).map_err(internal)?)?,
            block: found.key.0.to_string(),
            spec: slug.key(),
            version_id: found.version.clone(),
            shows: to_json(&found.shows)?,
        });
    }
    Ok(rows)
}

impl DieselTx {
    /// Adds the usages of specs in pages.
    pub(super) async fn add_usages(&mut self, space: &SpaceId, pages: &[IndexedPage]) -> StoreResult<()> {
        let mut rows = Vec::new();
        for page in pages {
            rows.extend(rows_of(space, page)?);
        }
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            let batch: Vec<UsageRow> = rows.by_ref().take(NAMED / 7).collect();
            self.conn.at_length().send(diesel::insert_into(usages::table).values(batch)).await?;
        }
        Ok(())
    }

    /// Removes what at most [`NAMED`] pages show of specs.
    pub(super) async fn remove_usages(&mut self, space: &SpaceId, pages: Vec<String>) -> StoreResult<()> {
        let gone = usages::table.filter(usages::space_id.eq(space.to_string())).filter(one_of(usages::page_id, pages));
        self.conn.at_length().send(diesel::delete(gone)).await
    }

    /// The usages of a spec in some spaces, in the order of spaces, pages and blocks.
    pub(super) async fn usages_in(&mut self, all: &[SpaceId], spec: &SpecSlug) -> StoreResult<Vec<OpenapiUsage>> {
        let mut found = Vec::new();
        for batch in all.chunks(NAMED) {
            let query = usages::table
                .filter(usages::spec.eq(spec.key()))
                .filter(one_of(usages::space_id, strings(batch)))
                .select(columns::<UsageRow>());
            found.extend(self.conn.at_length().all::<UsageRow>(query).await?);
        }
        found.sort_by(|one, other| {
            (&one.space_id, &one.page_id, one.ordinal).cmp(&(&other.space_id, &other.page_id, other.ordinal))
        });
        found.into_iter().map(OpenapiUsage::try_from).collect()
    }

    /// The version names of a spec in blocks of an organization, unparsed.
    pub(super) async fn versions_named(
        &mut self,
        organization: &OrganizationId,
        spec: &SpecSlug,
    ) -> StoreResult<Vec<String>> {
        let query = usages::table
            .inner_join(spaces::table.on(spaces::id.eq(usages::space_id)))
            .filter(spaces::organization_id.eq(organization.to_string()))
            .filter(usages::spec.eq(spec.key()))
            .filter(usages::version_id.is_not_null())
            .select(usages::version_id)
            .distinct();
        let rows: Vec<Option<String>> = self.conn.at_length().all(query).await?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Those of these spaces that show a spec, by id.
    pub(super) async fn spaces_with(&mut self, all: &[SpaceId]) -> StoreResult<Vec<SpaceId>> {
        let mut found: Vec<String> = Vec::new();
        for batch in all.chunks(NAMED) {
            let query =
                usages::table.filter(one_of(usages::space_id, strings(batch))).select(usages::space_id).distinct();
            found.extend(self.conn.at_length().all::<String>(query).await?);
        }
        found.sort();
        found.iter().map(|id| parsed("openapi_usages.space_id", id)).collect()
    }

    /// The pages of an organization that show a spec, by space and page.
    pub(super) async fn pages_with(
        &mut self,
        organization: &OrganizationId,
        spec: &SpecSlug,
    ) -> StoreResult<Vec<(SpaceId, PageId)>> {
        let query = usages::table
            .inner_join(spaces::table.on(spaces::id.eq(usages::space_id)))
            .filter(spaces::organization_id.eq(organization.to_string()))
            .filter(usages::spec.eq(spec.key()))
            .select((usages::space_id, usages::page_id))
            .distinct()
            .order((usages::space_id.asc(), usages::page_id.asc()));
        let rows: Vec<(String, String)> = self.conn.at_length().all(query).await?;
        let pair = |(space, page): (String, String)| {
            Ok((parsed("openapi_usages.space_id", &space)?, parsed("openapi_usages.page_id", &page)?))
        };
        rows.into_iter().map(pair).collect()
    }
}
