use super::keys::{read_time_key, time_key};
use super::sites::SiteRow;
use super::stored::{json, parsed, time, to_json};
use crate::error::internal;
use crate::schema::organizations::organizations;
use crate::schema::sites::{former_site_names as former, site_redirects as redirects, sites};
use crate::sql::{NAMED, columns, contains, either, one_of, ordered, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::sql_types::{Text, Timestamp};
use diesel::upsert::excluded;
use diesel::{
    BoolExpressionMethods, EscapeExpressionMethods, ExpressionMethods, Insertable, IntoSql, JoinOnDsl,
    NullableExpressionMethods, QueryDsl, Queryable, Selectable, TextExpressionMethods,
};
use domain::id::{SiteId, SiteRedirectId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::site_addresses::LocatedSite;
use domain::ports::store::{SiteAddressStore, SiteRedirectStore};
use domain::ports::{StoreError, StoreResult};
use domain::site::address::Key;
use domain::site::history::FormerName;
use domain::site::path::Basename;
use domain::site::redirect::{RedirectFilter, RedirectOrder, RedirectSource, SiteRedirect};
use std::collections::BTreeMap;

/// The number of redirects in one statement.
const BATCH: usize = 1000;
/// The scope of basenames.
const BASENAMES: &str = "";

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = former, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct FormerNameRow {
    scope_id: String,
    name: String,
    site_id: String,
    item_id: String,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = redirects, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct RedirectRow {
    id: String,
    site_id: String,
    source: String,
    draft: bool,
    destination: serde_json::Value,
    capture_wildcard: bool,
    permanent: bool,
    created_at: NaiveDateTime,
    updated_at: Option<NaiveDateTime>,
    changed_at: NaiveDateTime,
}

impl TryFrom<RedirectRow> for SiteRedirect {
    type Error = StoreError;

    fn try_from(row: RedirectRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("site_redirects.id", &row.id)?,
            site: parsed("site_redirects.site_id", &row.site_id)?,
            source: RedirectSource::stored(row.source),
            destination: json("site_redirects.destination", row.destination)?,
            capture_wildcard: row.capture_wildcard,
            permanent: row.permanent,
            draft: row.draft,
            created_at: row.created_at.and_utc(),
            updated_at: row.updated_at.map(|at| at.and_utc()),
        })
    }
}

impl TryFrom<&SiteRedirect> for RedirectRow {
    type Error = StoreError;

    fn try_from(redirect: &SiteRedirect) -> StoreResult<Self> {
        Ok(Self {
            id: redirect.id.to_string(),
            site_id: redirect.site.to_string(),
            source: redirect.source.to_string(),
            draft: redirect.draft,
            destination: to_json(&redirect.destination)?,
            capture_wildcard: redirect.capture_wildcard,
            permanent: redirect.permanent,
            created_at: time(redirect.created_at),
            updated_at: redirect.updated_at.map(time),
            changed_at: time(redirect.updated_at.unwrap_or(redirect.created_at)),
        })
    }
}

/// A site, and the host name of its organization.
type Found = (SiteRow, Option<String>);

/// The columns of [`Found`].
macro_rules! found {
    () => {
        (columns::<SiteRow>(), organizations::hostname)
    };
}

fn located((row, organization_host): Found) -> StoreResult<LocatedSite> {
    Ok(LocatedSite { site: row.try_into()?, organization_host })
}

impl DieselTx {
    /// The site that has a basename, or else the one that last had it; within an organization, if there is one.
    async fn by_basename(&mut self, name: &str, organization: Option<&str>) -> StoreResult<Option<Found>> {
        let owned = || when(organization.map(|host| organizations::hostname.eq(host)));
        let has = sites::table
            .inner_join(organizations::table.on(organizations::id.eq(sites::organization_id)))
            .filter(sites::basename.eq(name))
            .filter(owned())
            .select(found!());
        if let Some(found) = self.conn.maybe::<Found>(has).await? {
            return Ok(Some(found));
        }
        let had = former::table
            .inner_join(sites::table.on(sites::id.eq(former::site_id)))
            .inner_join(organizations::table.on(organizations::id.eq(sites::organization_id)))
            .filter(former::scope_id.eq(BASENAMES))
            .filter(former::name.eq(name))
            .filter(owned())
            .select(found!());
        self.conn.maybe(had).await
    }
}

#[async_trait]
impl SiteAddressStore for DieselTx {
    async fn locate(&mut self, key: &Key) -> StoreResult<Option<LocatedSite>> {
        let owner = organizations::id.eq(sites::organization_id);
        let owned = sites::table.inner_join(organizations::table.on(owner));
        let found: Option<Found> = match key {
            Key::Id(id) => self.conn.maybe(owned.filter(sites::id.eq(id.as_str())).select(found!())).await?,
            Key::Basename(name) => self.by_basename(name, None).await?,
            Key::Organization(host, name) => self.by_basename(name, Some(host)).await?,
            Key::OrganizationRoot(host) => {
                let chosen = sites::id.nullable().eq(organizations::default_site_id);
                let query = organizations::table
                    .inner_join(sites::table.on(chosen))
                    .filter(organizations::hostname.eq(host.as_str()))
                    .select(found!());
                self.conn.maybe(query).await?
            }
            Key::Root(name) => {
                let either = sites::id.eq(name.as_str()).or(sites::basename.eq(name.as_str()));
                self.conn.maybe(owned.filter(either).order(sites::id.asc()).limit(1).select(found!())).await?
            }
            Key::Hostname(name) => {
                self.conn.maybe(owned.filter(sites::hostname.eq(name.as_str())).select(found!())).await?
            }
            Key::Proxy(proxy) => {
                self.conn.maybe(owned.filter(sites::proxy.eq(proxy.as_str())).select(found!())).await?
            }
        };
        found.map(located).transpose()
    }

    async fn locate_at_host(&mut self, hostname: &str, proxies: &[String]) -> StoreResult<Vec<LocatedSite>> {
        // No `one_of`: the column can be null.
        let proxied = sites::proxy.eq_any(proxies.iter().map(String::as_str));
        let query = sites::table
            .inner_join(organizations::table.on(organizations::id.eq(sites::organization_id)))
            .filter(sites::hostname.eq(hostname).or(proxied))
            .select(found!());
        self.conn.all::<Found>(query).await?.into_iter().map(located).collect()
    }

    async fn record_former_names(&mut self, site: &SiteId, names: &[FormerName]) -> StoreResult<()> {
        self.check(site)?;
        let row = |left: &FormerName| {
            let FormerName { scope, name, item } = left.clone();
            (
                (scope.clone(), name.clone()),
                FormerNameRow { scope_id: scope, name, site_id: site.to_string(), item_id: item },
            )
        };
        // A statement can write each row once.
        let rows: BTreeMap<(String, String), FormerNameRow> = names.iter().map(row).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let rows: Vec<FormerNameRow> = rows.into_values().collect();
        let set = (former::site_id.eq(excluded(former::site_id)), former::item_id.eq(excluded(former::item_id)));
        let key = (former::scope_id, former::name);
        self.conn.send(diesel::insert_into(former::table).values(rows).on_conflict(key).do_update().set(set)).await?;
        Ok(())
    }

    async fn former_names(&mut self, site: &SiteId) -> StoreResult<Vec<FormerName>> {
        let query = former::table
            .filter(former::site_id.eq(site.as_str()))
            .filter(former::scope_id.ne(BASENAMES))
            .order((former::scope_id.asc(), former::name.asc()))
            .select(columns::<FormerNameRow>());
        let rows: Vec<FormerNameRow> = self.conn.all(query).await?;
        Ok(rows.into_iter().map(|row| FormerName { scope: row.scope_id, name: row.name, item: row.item_id }).collect())
    }

    async fn former_basenames(&mut self, beginning: &str) -> StoreResult<Vec<Basename>> {
        // `_` is the only character of a name that is special in a pattern.
        let pattern = format!("{}%", beginning.replace('_', "\\_"));
        let query = former::table
            .filter(former::scope_id.eq(BASENAMES))
            .filter(former::name.like(pattern).escape('\\'))
            .select(former::name);
        Ok(self.conn.all::<String>(query).await?.into_iter().map(Basename::stored).collect())
    }

    async fn remove_former_basename(&mut self, name: &Basename) -> StoreResult<()> {
        let one = former::table.find((BASENAMES, name.as_str()));
        self.conn.send(diesel::delete(one)).await
    }
}

#[async_trait]
impl SiteRedirectStore for DieselTx {
    async fn find(&mut self, site: &SiteId, id: &SiteRedirectId) -> StoreResult<Option<SiteRedirect>> {
        let query = redirects::table
            .find(id.as_str())
            .filter(redirects::site_id.eq(site.as_str()))
            .select(columns::<RedirectRow>());
        self.conn.maybe::<RedirectRow>(query).await?.map(SiteRedirect::try_from).transpose()
    }

    async fn with_sources(
        &mut self,
        site: &SiteId,
        draft: bool,
        sources: &[RedirectSource],
    ) -> StoreResult<Vec<SiteRedirect>> {
        let mut found = Vec::new();
        for some in sources.chunks(NAMED) {
            let query = redirects::table
                .filter(redirects::site_id.eq(site.to_string()))
                .filter(redirects::draft.eq(draft))
                .filter(one_of(redirects::source, some.iter().map(RedirectSource::as_str)))
                .order(redirects::source.asc())
                .select(columns::<RedirectRow>());
            let rows: Vec<RedirectRow> = self.conn.all(query).await?;
            found.extend(rows.into_iter().map(SiteRedirect::try_from).collect::<StoreResult<Vec<_>>>()?);
        }
        Ok(found)
    }

    async fn list(
        &mut self,
        site: &SiteId,
        filter: &RedirectFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<SiteRedirect>> {
        let search = filter.search.as_deref().map(|text| contains(redirects::source, text));
        let wanted = redirects::table
            .filter(redirects::site_id.eq(site.to_string()))
            .filter(redirects::draft.eq(filter.draft))
            .filter(when(search));
        let total = wanted.clone().count();
        let limit = page.limit as i64 + 1;
        if filter.order_by == RedirectOrder::Source {
            let after = page.after.clone().map(IntoSql::into_sql::<Text>);
            let query = wanted
                .filter(seek(redirects::source, after, page.order))
                .order(ordered(redirects::source, page.order))
                .limit(limit)
                .select(columns::<RedirectRow>());
            let rows: Vec<RedirectRow> = self.conn.all(query).await?;
            let total = self.conn.total(rows.len(), page, total).await?;
            return Page::from_overfetch(rows, page, total, |row| row.source.clone()).try_map(SiteRedirect::try_from);
        }
        let created = filter.order_by == RedirectOrder::CreatedAt;
        let moment = || either(created, redirects::created_at, redirects::changed_at);
        let after = page.after.as_deref().map(read_time_key).transpose()?;
        let after = after.map(|(at, id)| (at.into_sql::<Timestamp>(), id.to_owned().into_sql::<Text>()));
        let query = wanted
            .filter(seek((moment(), redirects::id), after, page.order))
            .order((ordered(moment(), page.order), ordered(redirects::id, page.order)))
            .limit(limit)
            .select(columns::<RedirectRow>());
        let rows: Vec<RedirectRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, total).await?;
        let key = |row: &RedirectRow| time_key(if created { row.created_at } else { row.changed_at }, &row.id);
        Page::from_overfetch(rows, page, total, key).try_map(SiteRedirect::try_from)
    }

    async fn count(&mut self, site: &SiteId) -> StoreResult<usize> {
        let count: i64 = self.conn.one(redirects::table.filter(redirects::site_id.eq(site.as_str())).count()).await?;
        usize::try_from(count).map_err(internal)
    }

    async fn save(&mut self, site: &SiteId, all: &[SiteRedirect]) -> StoreResult<()> {
        self.check(site)?;
        for some in all.chunks(BATCH) {
            let rows = some.iter().map(RedirectRow::try_from).collect::<StoreResult<Vec<_>>>()?;
            let set = (
                redirects::source.eq(excluded(redirects::source)),
                redirects::draft.eq(excluded(redirects::draft)),
                redirects::destination.eq(excluded(redirects::destination)),
                redirects::capture_wildcard.eq(excluded(redirects::capture_wildcard)),
                redirects::permanent.eq(excluded(redirects::permanent)),
                redirects::updated_at.eq(excluded(redirects::updated_at)),
                redirects::changed_at.eq(excluded(redirects::changed_at)),
            );
            let upsert = diesel::insert_into(redirects::table).values(rows);
            self.conn.at_length().send(upsert.on_conflict(redirects::id).do_update().set(set)).await?;
        }
        Ok(())
    }

    async fn remove(&mut self, site: &SiteId, ids: &[SiteRedirectId]) -> StoreResult<()> {
        self.check(site)?;
        for some in ids.chunks(NAMED) {
            let rows = redirects::table
                .filter(redirects::site_id.eq(site.to_string()))
                .filter(one_of(redirects::id, some.iter().map(ToString::to_string)));
            self.conn.send(diesel::delete(rows)).await?;
        }
        Ok(())
    }
}
