use super::stored::{bytes32, parsed, time};
use crate::error::internal;
use crate::schema::site_audiences::{
    site_adaptive_schemas as schemas, site_publishing_auths as auths, site_share_links as links,
};
use crate::sql::columns;
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::{AsChangeset, ExpressionMethods, Insertable, QueryDsl, Queryable, Selectable};
use domain::id::{ShareLinkId, SiteId};
use domain::ports::store::SiteAudienceStore;
use domain::ports::{StoreError, StoreResult};
use domain::site::adaptive_schema::{AdaptiveSchema, SiteAdaptiveSchema};
use domain::site::publishing_auth::PublishingAuth;
use domain::site::share_link::ShareLink;
use domain::token::TokenHash;
use domain::web_address::WebAddress;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = links, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct LinkRow {
    id: String,
    site_id: String,
    name: String,
    active: bool,
    number: i32,
    hash: Vec<u8>,
    created_at: NaiveDateTime,
}

impl TryFrom<LinkRow> for ShareLink {
    type Error = StoreError;

    fn try_from(row: LinkRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("site_share_links.id", &row.id)?,
            site: parsed("site_share_links.site_id", &row.site_id)?,
            name: parsed("site_share_links.name", &row.name)?,
            active: row.active,
            number: row.number,
            hash: TokenHash(bytes32("site_share_links.hash", row.hash)?),
            created_at: row.created_at.and_utc(),
        })
    }
}

impl From<&ShareLink> for LinkRow {
    fn from(link: &ShareLink) -> Self {
        Self {
            id: link.id.to_string(),
            site_id: link.site.to_string(),
            name: link.name.to_string(),
            active: link.active,
            number: link.number,
            hash: link.hash.0.to_vec(),
            created_at: time(link.created_at),
        }
    }
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = auths, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct AuthRow {
    site_id: String,
    backend: String,
    fallback_url: Option<String>,
    logout_url: Option<String>,
    number: i32,
}

impl TryFrom<AuthRow> for PublishingAuth {
    type Error = StoreError;

    fn try_from(row: AuthRow) -> StoreResult<Self> {
        Ok(Self {
            site: parsed("site_publishing_auths.site_id", &row.site_id)?,
            backend: parsed("site_publishing_auths.backend", &row.backend)?,
            fallback_url: row.fallback_url.map(WebAddress::stored),
            logout_url: row.logout_url.map(WebAddress::stored),
            number: row.number,
        })
    }
}

impl From<&PublishingAuth> for AuthRow {
    fn from(auth: &PublishingAuth) -> Self {
        Self {
            site_id: auth.site.to_string(),
            backend: auth.backend.to_string(),
            fallback_url: auth.fallback_url.as_ref().map(ToString::to_string),
            logout_url: auth.logout_url.as_ref().map(ToString::to_string),
            number: auth.number,
        }
    }
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = schemas, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct SchemaRow {
    site_id: String,
    json_schema: serde_json::Value,
    updated_at: NaiveDateTime,
}

impl TryFrom<SchemaRow> for SiteAdaptiveSchema {
    type Error = StoreError;

    fn try_from(row: SchemaRow) -> StoreResult<Self> {
        let schema = AdaptiveSchema::parse(&row.json_schema)
            .map_err(|error| internal(format!("stored site_adaptive_schemas.json_schema: {error}")))?;
        Ok(Self { schema, updated_at: row.updated_at.and_utc() })
    }
}

#[async_trait]
impl SiteAudienceStore for DieselTx {
    async fn share_links(&mut self, site: &SiteId) -> StoreResult<Vec<ShareLink>> {
        let query =
            links::table.filter(links::site_id.eq(site.as_str())).order(links::id.asc()).select(columns::<LinkRow>());
        let rows: Vec<LinkRow> = self.conn.all(query).await?;
        rows.into_iter().map(ShareLink::try_from).collect()
    }

    async fn share_link(&mut self, site: &SiteId, id: &ShareLinkId) -> StoreResult<Option<ShareLink>> {
        let query =
            links::table.find(id.as_str()).filter(links::site_id.eq(site.as_str())).select(columns::<LinkRow>());
        self.conn.maybe::<LinkRow>(query).await?.map(ShareLink::try_from).transpose()
    }

    async fn share_link_of_key(&mut self, hash: &TokenHash) -> StoreResult<Option<ShareLink>> {
        let query = links::table.filter(links::hash.eq(hash.0.as_slice())).select(columns::<LinkRow>());
        self.conn.maybe::<LinkRow>(query).await?.map(ShareLink::try_from).transpose()
    }

    async fn save_share_link(&mut self, link: &ShareLink) -> StoreResult<()> {
        self.check(&link.site)?;
        let row = LinkRow::from(link);
        let upsert = diesel::insert_into(links::table).values(&row).on_conflict(links::id).do_update().set(&row);
        self.conn.send(upsert).await
    }

    async fn remove_share_link(&mut self, site: &SiteId, id: &ShareLinkId) -> StoreResult<()> {
        self.check(site)?;
        let one = links::table.find(id.as_str()).filter(links::site_id.eq(site.as_str()));
        self.conn.send(diesel::delete(one)).await
    }

    async fn publishing_auth(&mut self, site: &SiteId) -> StoreResult<Option<PublishingAuth>> {
        let query = auths::table.find(site.as_str()).select(columns::<AuthRow>());
        self.conn.maybe::<AuthRow>(query).await?.map(PublishingAuth::try_from).transpose()
    }

    async fn save_publishing_auth(&mut self, auth: &PublishingAuth) -> StoreResult<()> {
        self.check(&auth.site)?;
        let row = AuthRow::from(auth);
        let upsert = diesel::insert_into(auths::table).values(&row).on_conflict(auths::site_id).do_update().set(&row);
        self.conn.send(upsert).await
    }

    async fn adaptive_schema(&mut self, site: &SiteId) -> StoreResult<Option<SiteAdaptiveSchema>> {
        let query = schemas::table.find(site.as_str()).select(columns::<SchemaRow>());
        self.conn.maybe::<SchemaRow>(query).await?.map(SiteAdaptiveSchema::try_from).transpose()
    }

    async fn save_adaptive_schema(&mut self, site: &SiteId, set: &SiteAdaptiveSchema) -> StoreResult<()> {
        self.check(site)?;
        let (json_schema, updated_at) = (set.schema.to_json(), time(set.updated_at));
        let row = SchemaRow { site_id: site.to_string(), json_schema, updated_at };
        let upsert =
            diesel::insert_into(schemas::table).values(&row).on_conflict(schemas::site_id).do_update().set(&row);
        self.conn.send(upsert).await
    }
}
