use super::stored::{bytes32, json, number, parsed, parsed_if, strings, time, to_json, to_number};
use crate::error::internal;
use crate::schema::openapi_specs::{openapi_specs as specs, openapi_versions as versions};
use crate::sql::{NAMED, columns, one_of, ordered, prepared, seek};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::sql_types::Text;
use diesel::{
    AsChangeset, BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, QueryDsl, Queryable, Selectable,
    TextExpressionMethods,
};
use domain::content::object::Hash;
use domain::id::{OpenapiSpecId, OpenapiVersionId, OrganizationId, PageId, SpaceId};
use domain::openapi_spec::{
    ChangelogEntry, ChangelogVersion, OpenapiSpec, OpenapiUsage, OpenapiVersion, SpecObjects, SpecSlug, SpecSource,
};
use domain::paging::{Order, Page, PageRequest};
use domain::ports::store::OpenapiSpecStore;
use domain::ports::{StoreError, StoreResult};
use domain::web_address::WebAddress;

/// The slugs of specs that pages link by address ([`SpecSlug::is_linked`]).
const LINKED: &str = "~%";

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = specs, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct SpecRow {
    id: String,
    organization_id: String,
    slug: String,
    slug_key: String,
    source_url: Option<String>,
    source_text: Option<Vec<u8>>,
    state: String,
    visibility: String,
    last_version_id: Option<String>,
    validators: Option<serde_json::Value>,
    processed_at: Option<NaiveDateTime>,
    error: Option<String>,
    findings: serde_json::Value,
    finding_count: i32,
    failures: i32,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<SpecRow> for OpenapiSpec {
    type Error = StoreError;

    fn try_from(row: SpecRow) -> StoreResult<Self> {
        let source = match (row.source_url, row.source_text) {
            (Some(url), None) => SpecSource::Url(WebAddress::stored(url)),
            (None, Some(text)) => SpecSource::Text(Hash::from_bytes(bytes32("openapi_specs.source_text", text)?)),
            _ => return Err(internal(format!("OpenAPI spec {} has no valid source", row.id))),
        };
        Ok(Self {
            id: parsed("openapi_specs.id", &row.id)?,
            organization: parsed("openapi_specs.organization_id", &row.organization_id)?,
            slug: SpecSlug::stored(row.slug),
            source,
            state: parsed("openapi_specs.state", &row.state)?,
            visibility: parsed("openapi_specs.visibility", &row.visibility)?,
            last_version: parsed_if("openapi_specs.last_version_id", row.last_version_id.as_deref())?,
            validators: row.validators.map(|value| json("openapi_specs.validators", value)).transpose()?,
            processed_at: row.processed_at.map(|at| at.and_utc()),
            error: parsed_if("openapi_specs.error", row.error.as_deref())?,
            findings: json("openapi_specs.findings", row.findings)?,
            finding_count: number("openapi_specs.finding_count", row.finding_count)?,
            failures: number("openapi_specs.failures", row.failures)?,
            created_at: row.created_at.and_utc(),
            updated_at: row.updated_at.and_utc(),
        })
    }
}

impl TryFrom<&OpenapiSpec> for SpecRow {
    type Error = StoreError;

    fn try_from(spec: &OpenapiSpec) -> StoreResult<Self> {
        let (source_url, source_text) = match &spec.source {
            SpecSource::Url(url) => (Some(url.to_string()), None),
            SpecSource::Text(text) => (None, Some(text.as_bytes().to_vec())),
        };
        Ok(Self {
            id: spec.id.to_string(),
            organization_id: spec.organization.to_string(),
            slug: spec.slug.to_string(),
            slug_key: spec.slug.key(),
            source_url,
            source_text,
            state: spec.state.to_string(),
            visibility: spec.visibility.to_string(),
            last_version_id: spec.last_version.as_ref().map(ToString::to_string),
            validators: spec.validators.as_ref().map(to_json).transpose()?,
            processed_at: spec.processed_at.map(time),
            error: spec.error.map(|error| error.to_string()),
            findings: to_json(&spec.findings)?,
            finding_count: to_number(spec.finding_count)?,
            failures: to_number(spec.failures)?,
            created_at: time(spec.created_at),
            updated_at: time(spec.updated_at),
        })
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = versions, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct VersionRow {
    id: String,
    spec_id: String,
    created_at: NaiveDateTime,
    source_url: Option<String>,
    text_hash: Vec<u8>,
    format: String,
    parts: Vec<u8>,
    changes: Option<serde_json::Value>,
    text_removed_at: Option<NaiveDateTime>,
    engine: Option<i32>,
}

fn hash(what: &'static str, bytes: Vec<u8>) -> StoreResult<Hash> {
    bytes32(what, bytes).map(Hash::from_bytes)
}

impl TryFrom<VersionRow> for OpenapiVersion {
    type Error = StoreError;

    fn try_from(row: VersionRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("openapi_versions.id", &row.id)?,
            spec: parsed("openapi_versions.spec_id", &row.spec_id)?,
            created_at: row.created_at.and_utc(),
            source: row.source_url.map(WebAddress::stored),
            text: hash("openapi_versions.text_hash", row.text_hash)?,
            format: parsed("openapi_versions.format", &row.format)?,
            parts: hash("openapi_versions.parts", row.parts)?,
            changes: row.changes.map(|value| json("openapi_versions.changes", value)).transpose()?,
            text_removed_at: row.text_removed_at.map(|at| at.and_utc()),
            engine: number("openapi_versions.engine", row.engine.unwrap_or_default())?,
        })
    }
}

impl TryFrom<&OpenapiVersion> for VersionRow {
    type Error = StoreError;

    fn try_from(version: &OpenapiVersion) -> StoreResult<Self> {
        Ok(Self {
            id: version.id.to_string(),
            spec_id: version.spec.to_string(),
            created_at: time(version.created_at),
            source_url: version.source.as_ref().map(ToString::to_string),
            text_hash: version.text.as_bytes().to_vec(),
            format: version.format.to_string(),
            parts: version.parts.as_bytes().to_vec(),
            changes: version.changes.as_ref().map(to_json).transpose()?,
            text_removed_at: version.text_removed_at.map(time),
            engine: Some(to_number(version.engine)?),
        })
    }
}

#[async_trait]
impl OpenapiSpecStore for DieselTx {
    async fn find(&mut self, organization: &OrganizationId, slug: &SpecSlug) -> StoreResult<Option<OpenapiSpec>> {
        let query = specs::table
            .filter(specs::organization_id.eq(organization.as_str()))
            .filter(specs::slug_key.eq(slug.key()))
            .select(columns::<SpecRow>());
        self.conn.maybe::<SpecRow>(query).await?.map(OpenapiSpec::try_from).transpose()
    }

    async fn find_many(&mut self, organization: &OrganizationId, slugs: &[SpecSlug]) -> StoreResult<Vec<OpenapiSpec>> {
        let keys: Vec<String> = slugs.iter().map(SpecSlug::key).collect();
        let mut found = Vec::new();
        for batch in keys.chunks(NAMED) {
            let query = specs::table
                .filter(specs::organization_id.eq(organization.to_string()))
                .filter(one_of(specs::slug_key, batch.to_vec()))
                .select(columns::<SpecRow>());
            found.extend(self.conn.at_length().all::<SpecRow>(query).await?);
        }
        found.into_iter().map(OpenapiSpec::try_from).collect()
    }

    async fn get(&mut self, id: &OpenapiSpecId) -> StoreResult<Option<OpenapiSpec>> {
        let query = specs::table.find(id.as_str()).select(columns::<SpecRow>());
        self.conn.maybe::<SpecRow>(query).await?.map(OpenapiSpec::try_from).transpose()
    }

    async fn list(&mut self, organization: &OrganizationId, page: &PageRequest) -> StoreResult<Page<OpenapiSpec>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted = specs::table
            .filter(specs::organization_id.eq(organization.as_str()))
            .filter(specs::slug_key.not_like(LINKED));
        let query = wanted
            .filter(seek(specs::id, after, page.order))
            .order(ordered(specs::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<SpecRow>());
        let rows: Vec<SpecRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(OpenapiSpec::try_from)
    }

    async fn count(&mut self, organization: &OrganizationId) -> StoreResult<usize> {
        let wanted = specs::table
            .filter(specs::organization_id.eq(organization.as_str()))
            .filter(specs::slug_key.not_like(LINKED));
        let count: i64 = self.conn.one(wanted.count()).await?;
        usize::try_from(count).map_err(internal)
    }

    async fn linked(&mut self, organization: &OrganizationId) -> StoreResult<Vec<OpenapiSpec>> {
        let query = specs::table
            .filter(specs::organization_id.eq(organization.to_string()))
            .filter(specs::slug_key.like(LINKED))
            .select(columns::<SpecRow>());
        let rows: Vec<SpecRow> = self.conn.at_length().all(query).await?;
        rows.into_iter().map(OpenapiSpec::try_from).collect()
    }

    async fn add(&mut self, spec: &OpenapiSpec) -> StoreResult<()> {
        self.check(&spec.organization)?;
        let row = SpecRow::try_from(spec)?;
        self.conn.send(diesel::insert_into(specs::table).values(&row)).await
    }

    async fn save(&mut self, spec: &OpenapiSpec) -> StoreResult<()> {
        self.check(&spec.organization)?;
        let row = SpecRow::try_from(spec)?;
        // No upsert: PostgreSQL would lock the row as if its slug changed. Then a new version, which refers to it, would
        // wait until the end of this unit of work.
        let update = diesel::update(specs::table.find(spec.id.as_str())).set(&row);
        self.conn.send(prepared(update)).await
    }

    async fn remove(&mut self, id: &OpenapiSpecId) -> StoreResult<()> {
        self.conn.send(diesel::delete(specs::table.find(id.as_str()))).await
    }

    async fn version(&mut self, spec: &OpenapiSpecId, id: &OpenapiVersionId) -> StoreResult<Option<OpenapiVersion>> {
        let query = versions::table
            .find(id.as_str())
            .filter(versions::spec_id.eq(spec.as_str()))
            .select(columns::<VersionRow>());
        self.conn.maybe::<VersionRow>(query).await?.map(OpenapiVersion::try_from).transpose()
    }

    async fn find_versions(&mut self, ids: &[OpenapiVersionId]) -> StoreResult<Vec<OpenapiVersion>> {
        let mut found = Vec::new();
        for batch in ids.chunks(NAMED) {
            let query = versions::table.filter(one_of(versions::id, strings(batch))).select(columns::<VersionRow>());
            found.extend(self.conn.at_length().all::<VersionRow>(query).await?);
        }
        found.into_iter().map(OpenapiVersion::try_from).collect()
    }

    async fn versions(&mut self, spec: &OpenapiSpecId, page: &PageRequest) -> StoreResult<Page<OpenapiVersion>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted = versions::table.filter(versions::spec_id.eq(spec.as_str()));
        let query = wanted
            .filter(seek(versions::id, after, page.order))
            .order(ordered(versions::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<VersionRow>());
        let rows: Vec<VersionRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(OpenapiVersion::try_from)
    }

    async fn add_version(&mut self, version: &OpenapiVersion) -> StoreResult<()> {
        let row = VersionRow::try_from(version)?;
        self.conn.send(diesel::insert_into(versions::table).values(&row)).await
    }

    async fn renew_version(&mut self, version: &OpenapiVersion) -> StoreResult<()> {
        let row = VersionRow::try_from(version)?;
        let set = (versions::parts.eq(row.parts), versions::changes.eq(row.changes), versions::engine.eq(row.engine));
        let update = diesel::update(versions::table.find(row.id)).set(set);
        self.conn.send(update).await
    }

    async fn set_changelog(&mut self, id: &OpenapiVersionId, entry: &ChangelogEntry) -> StoreResult<()> {
        let set = versions::changelog.eq(Some(to_json(entry)?));
        self.conn.send(diesel::update(versions::table.find(id.to_string())).set(set)).await
    }

    async fn changelog(
        &mut self,
        spec: &OpenapiSpecId,
        newest: &OpenapiVersionId,
        limit: usize,
    ) -> StoreResult<Vec<ChangelogVersion>> {
        let query = versions::table
            .filter(versions::spec_id.eq(spec.to_string()))
            .filter(versions::id.le(newest.to_string()))
            .order(versions::id.desc())
            .limit(limit as i64)
            .select((versions::created_at, versions::changelog));
        let rows: Vec<(NaiveDateTime, Option<serde_json::Value>)> = self.conn.all(query).await?;
        let version = |(at, entry): (NaiveDateTime, Option<serde_json::Value>)| {
            let entry = entry.map(|value| json("openapi_versions.changelog", value)).transpose()?;
            Ok(ChangelogVersion { created_at: at.and_utc(), entry })
        };
        rows.into_iter().map(version).collect()
    }

    async fn has_earlier(&mut self, spec: &OpenapiSpecId, id: &OpenapiVersionId) -> StoreResult<bool> {
        let query = versions::table
            .filter(versions::spec_id.eq(spec.to_string()))
            .filter(versions::id.lt(id.to_string()))
            .limit(1)
            .select(versions::id);
        Ok(self.conn.maybe::<String>(query).await?.is_some())
    }

    async fn next_outdated<'a>(
        &mut self,
        engine: u32,
        after: Option<&'a OpenapiVersionId>,
    ) -> StoreResult<Option<OpenapiVersion>> {
        let query = versions::table
            .filter(seek(versions::id, after.map(|id| id.to_string().into_sql::<Text>()), Order::Asc))
            .filter(versions::text_removed_at.is_null())
            .filter(versions::engine.is_null().or(versions::engine.lt(to_number(engine)?)))
            .filter(versions::spec_id.eq_any(specs::table.select(specs::id)))
            .order(versions::id.asc())
            .limit(1)
            .select(columns::<VersionRow>());
        self.conn.maybe::<VersionRow>(query).await?.map(OpenapiVersion::try_from).transpose()
    }

    async fn remove_versions(&mut self, ids: &[OpenapiVersionId]) -> StoreResult<()> {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let gone = versions::table.filter(one_of(versions::id, ids));
        self.conn.at_length().send(diesel::delete(gone)).await
    }

    async fn with_texts(&mut self, spec: &OpenapiSpecId) -> StoreResult<Vec<(OpenapiVersionId, Hash)>> {
        let query = versions::table
            .filter(versions::spec_id.eq(spec.to_string()))
            .filter(versions::text_removed_at.is_null())
            .order(versions::id.desc())
            .select((versions::id, versions::text_hash));
        let rows: Vec<(String, Vec<u8>)> = self.conn.all(query).await?;
        let found = |(id, text): (String, Vec<u8>)| {
            Ok((parsed("openapi_versions.id", &id)?, hash("openapi_versions.text_hash", text)?))
        };
        rows.into_iter().map(found).collect()
    }

    async fn set_texts_removed(&mut self, ids: &[OpenapiVersionId], at: DateTime<Utc>) -> StoreResult<()> {
        for batch in ids.chunks(NAMED) {
            let update = diesel::update(versions::table.filter(one_of(versions::id, strings(batch))))
                .set(versions::text_removed_at.eq(time(at)));
            self.conn.at_length().send(update).await?;
        }
        Ok(())
    }

    async fn pinned(&mut self, organization: &OrganizationId, slug: &SpecSlug) -> StoreResult<Vec<String>> {
        self.versions_named(organization, slug).await
    }

    async fn usages(&mut self, spaces: &[SpaceId], slug: &SpecSlug) -> StoreResult<Vec<OpenapiUsage>> {
        self.usages_in(spaces, slug).await
    }

    async fn spaces_showing(&mut self, spaces: &[SpaceId]) -> StoreResult<Vec<SpaceId>> {
        self.spaces_with(spaces).await
    }

    async fn pages_showing(
        &mut self,
        organization: &OrganizationId,
        slug: &SpecSlug,
    ) -> StoreResult<Vec<(SpaceId, PageId)>> {
        self.pages_with(organization, slug).await
    }

    async fn referenced(
        &mut self,
        after: Option<OpenapiVersionId>,
        limit: usize,
    ) -> StoreResult<Vec<(OpenapiVersionId, SpecObjects)>> {
        let query = versions::table
            .filter(seek(versions::id, after.map(|id| id.to_string().into_sql::<Text>()), Order::Asc))
            .order(versions::id.asc())
            .limit(i64::try_from(limit).map_err(internal)?)
            .select(columns::<VersionRow>());
        let rows: Vec<VersionRow> = self.conn.all(query).await?;
        let found = |row| {
            let version = OpenapiVersion::try_from(row)?;
            let objects = version.objects();
            Ok((version.id, objects))
        };
        rows.into_iter().map(found).collect()
    }

    async fn source_texts(
        &mut self,
        after: Option<OpenapiSpecId>,
        limit: usize,
    ) -> StoreResult<Vec<(OpenapiSpecId, Hash)>> {
        let query = specs::table
            .filter(specs::source_text.is_not_null())
            .filter(seek(specs::id, after.map(|id| id.to_string().into_sql::<Text>()), Order::Asc))
            .order(specs::id.asc())
            .limit(i64::try_from(limit).map_err(internal)?)
            .select((specs::id, specs::source_text));
        let rows: Vec<(String, Option<Vec<u8>>)> = self.conn.all(query).await?;
        let found = |(id, text): (String, Option<Vec<u8>>)| {
            Ok((parsed("openapi_specs.id", &id)?, hash("openapi_specs.source_text", text.unwrap_or_default())?))
        };
        rows.into_iter().map(found).collect()
    }
}
