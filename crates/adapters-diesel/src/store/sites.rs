use super::grants::site_place;
use super::organizations::{MemberColumns, membership};
use super::published_sites;
use super::spaces::{default_level, to_default_level};
use super::stored::{json, parsed, parsed_if, time, to_json};
use crate::error::{Meaning, internal, updated};
use crate::schema::organizations::{members, organizations, spaces};
use crate::schema::sites::{site_items as items, sites};
use crate::sql::{NAMED, columns, one_of, prepared, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::{
    AsChangeset, BoolExpressionMethods, EscapeExpressionMethods, ExpressionMethods, Insertable, JoinOnDsl,
    NullableExpressionMethods, QueryDsl, Queryable, Selectable, TextExpressionMethods,
};
use domain::access::DefaultLevel;
use domain::id::{OrganizationId, SiteId, SiteSpaceId, SpaceId, UserId};
use domain::ports::store::spaces::ForUser;
use domain::ports::store::{Lockable, SiteStore};
use domain::ports::{StoreError, StoreResult};
use domain::site::path::{Basename, Hostname, Proxy};
use domain::site::publication::SiteLocation;
use domain::site::structure::{ExternalLink, Item, Section, SectionGroup, SiteSpace, Structure};
use domain::site::{Site, SiteIcon};
use std::collections::{HashMap, HashSet};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = sites, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct SiteRow {
    id: String,
    organization_id: String,
    kind: String,
    title: String,
    icon: Option<serde_json::Value>,
    basename: String,
    hostname: Option<String>,
    proxy: Option<String>,
    visibility: String,
    published_at: Option<NaiveDateTime>,
    default_level: String,
    adaptive_content: bool,
    agents_context: String,
    styleguide_id: Option<String>,
    version: i64,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<SiteRow> for Site {
    type Error = StoreError;

    fn try_from(row: SiteRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("sites.id", &row.id)?,
            organization: parsed("sites.organization_id", &row.organization_id)?,
            kind: parsed("sites.kind", &row.kind)?,
            title: parsed("sites.title", &row.title)?,
            icon: row.icon.map(|icon| json::<SiteIcon>("sites.icon", icon)).transpose()?,
            basename: Basename::stored(row.basename),
            hostname: row.hostname.map(Hostname::stored),
            proxy: row.proxy.map(Proxy::stored),
            visibility: parsed("sites.visibility", &row.visibility)?,
            published_at: row.published_at.map(|at| at.and_utc()),
            default_level: default_level("sites.default_level", &row.default_level)?,
            adaptive_content: row.adaptive_content,
            agents_context: parsed("sites.agents_context", &row.agents_context)?,
            styleguide: parsed_if("sites.styleguide_id", row.styleguide_id.as_deref())?,
            version: u64::try_from(row.version).map_err(internal)?,
            created_at: row.created_at.and_utc(),
            updated_at: row.updated_at.and_utc(),
        })
    }
}

impl TryFrom<&Site> for SiteRow {
    type Error = StoreError;

    fn try_from(site: &Site) -> StoreResult<Self> {
        Ok(Self {
            id: site.id.to_string(),
            organization_id: site.organization.to_string(),
            kind: site.kind.to_string(),
            title: site.title.to_string(),
            icon: site.icon.as_ref().map(to_json).transpose()?,
            basename: site.basename.to_string(),
            hostname: site.hostname.as_ref().map(ToString::to_string),
            proxy: site.proxy.as_ref().map(ToString::to_string),
            visibility: site.visibility.to_string(),
            published_at: site.published_at.map(time),
            default_level: to_default_level(site.default_level).to_owned(),
            adaptive_content: site.adaptive_content,
            agents_context: site.agents_context.to_string(),
            styleguide_id: site.styleguide.as_ref().map(ToString::to_string),
            version: i64::try_from(site.version).map_err(internal)?,
            created_at: time(site.created_at),
            updated_at: time(site.updated_at),
        })
    }
}

/// The columns of a site that its addresses depend on.
#[derive(Queryable, Selectable)]
#[diesel(table_name = sites)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct LocationRow {
    pub(super) id: String,
    basename: String,
    hostname: Option<String>,
    proxy: Option<String>,
    visibility: String,
}

impl LocationRow {
    pub(super) fn location(self, organization: Option<String>) -> StoreResult<SiteLocation> {
        Ok(SiteLocation {
            site: parsed("sites.id", &self.id)?,
            basename: Basename::stored(self.basename),
            hostname: self.hostname.map(Hostname::stored),
            proxy: self.proxy.map(Proxy::stored),
            organization,
            visibility: parsed("sites.visibility", &self.visibility)?,
        })
    }
}

#[derive(Clone, PartialEq, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = items, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct ItemRow {
    id: String,
    site_id: String,
    kind: String,
    parent_id: Option<String>,
    position: i32,
    space_id: Option<String>,
    settings: serde_json::Value,
}

/// A structure as rows.
struct Rows<'a> {
    site: &'a SiteId,
    rows: Vec<ItemRow>,
}

impl Rows<'_> {
    fn of(site: &SiteId, structure: &Structure) -> StoreResult<Vec<ItemRow>> {
        let mut all = Rows { site, rows: Vec::new() };
        match structure {
            Structure::Spaces(spaces) => all.add_spaces(None, spaces)?,
            Structure::Sections(items) => all.add_items(None, items)?,
        }
        Ok(all.rows)
    }

    fn add(
        &mut self,
        parent: Option<&str>,
        position: usize,
        (kind, id, space): (&str, &str, Option<&SpaceId>),
        settings: serde_json::Value,
    ) -> StoreResult<()> {
        self.rows.push(ItemRow {
            id: id.to_owned(),
            site_id: self.site.to_string(),
            kind: kind.to_owned(),
            parent_id: parent.map(ToOwned::to_owned),
            position: i32::try_from(position).map_err(internal)?,
            space_id: space.map(ToString::to_string),
            settings,
        });
        Ok(())
    }

    fn add_spaces(&mut self, parent: Option<&str>, spaces: &[SiteSpace]) -> StoreResult<()> {
        for (position, one) in spaces.iter().enumerate() {
            let key = (SPACE, one.id.as_str(), Some(&one.space));
            self.add(parent, position, key, to_json(&one.settings)?)?;
        }
        Ok(())
    }

    fn add_items(&mut self, parent: Option<&str>, items: &[Item]) -> StoreResult<()> {
        for (position, item) in items.iter().enumerate() {
            match item {
                Item::Section(one) => {
                    let id = one.id.as_str();
                    self.add(parent, position, (SECTION, id, None), to_json(&one.settings)?)?;
                    self.add_spaces(Some(id), &one.spaces)?;
                }
                Item::Group(one) => {
                    let id = one.id.as_str();
                    self.add(parent, position, (GROUP, id, None), to_json(&one.settings)?)?;
                    self.add_items(Some(id), &one.items)?;
                }
                Item::Link(one) => {
                    self.add(parent, position, (LINK, one.id.as_str(), None), to_json(&one.settings)?)?;
                }
            }
        }
        Ok(())
    }
}

const SPACE: &str = "site-space";
const SECTION: &str = "site-section";
const GROUP: &str = "site-section-group";
const LINK: &str = "site-external-link";

/// The rows of a structure by parent.
type ByParent = HashMap<Option<String>, Vec<ItemRow>>;

fn spaces_in(rows: &mut ByParent, parent: Option<&str>) -> StoreResult<Vec<SiteSpace>> {
    let own = rows.remove(&parent.map(ToOwned::to_owned)).unwrap_or_default();
    own.into_iter()
        .map(|row| {
            Ok(SiteSpace {
                id: parsed("site_items.id", &row.id)?,
                space: parsed("site_items.space_id", row.space_id.as_deref().unwrap_or_default())?,
                settings: json("site_items.settings", row.settings)?,
            })
        })
        .collect()
}

fn items_in(rows: &mut ByParent, parent: Option<&str>) -> StoreResult<Vec<Item>> {
    let own = rows.remove(&parent.map(ToOwned::to_owned)).unwrap_or_default();
    let mut items = Vec::with_capacity(own.len());
    for row in own {
        items.push(match row.kind.as_str() {
            SECTION => Item::Section(Section {
                id: parsed("site_items.id", &row.id)?,
                spaces: spaces_in(rows, Some(&row.id))?,
                settings: json("site_items.settings", row.settings)?,
            }),
            GROUP => Item::Group(SectionGroup {
                id: parsed("site_items.id", &row.id)?,
                items: items_in(rows, Some(&row.id))?,
                settings: json("site_items.settings", row.settings)?,
            }),
            LINK => Item::Link(ExternalLink {
                id: parsed("site_items.id", &row.id)?,
                settings: json("site_items.settings", row.settings)?,
            }),
            other => return Err(internal(format!("site item {} at the top level has the kind {other}", row.id))),
        });
    }
    Ok(items)
}

pub(super) fn structure(rows: Vec<ItemRow>) -> StoreResult<Structure> {
    let flat = rows.iter().all(|row| row.kind == SPACE);
    let mut by_parent = ByParent::new();
    for row in rows {
        by_parent.entry(row.parent_id.clone()).or_default().push(row);
    }
    let structure = match flat {
        true => Structure::Spaces(spaces_in(&mut by_parent, None)?),
        false => Structure::Sections(items_in(&mut by_parent, None)?),
    };
    // Purging a space also deletes its row here, which may have been the default.
    Ok(structure.with_spaces(|_| true))
}

impl DieselTx {
    async fn item_rows(&mut self, id: &SiteId) -> StoreResult<Vec<ItemRow>> {
        let query = items::table
            .filter(items::site_id.eq(id.as_str()))
            .order((items::position.asc(), items::id.asc()))
            .select(columns::<ItemRow>());
        self.conn.all(query).await
    }
}

#[async_trait]
impl SiteStore for DieselTx {
    async fn find<'a>(&mut self, id: &SiteId, user: Option<&'a UserId>) -> StoreResult<Option<ForUser<Site>>> {
        let own = members::organization_id
            .eq(sites::organization_id)
            .and(members::user_id.eq(user.map_or("", UserId::as_str)));
        let query = sites::table
            .left_join(members::table.on(own))
            .filter(sites::id.eq(id.as_str()))
            .select((columns::<SiteRow>(), (members::role.nullable(), members::disabled.nullable())));
        let found: Option<(SiteRow, MemberColumns)> = self.conn.maybe(query).await?;
        // The grants are queried even if the site does not exist, so that the time does not distinguish it from a
        // hidden one.
        let place = site_place(self, id, DefaultLevel::Inherit, user).await?;
        let Some((row, member)) = found else { return Ok(None) };
        let entity = Site::try_from(row)?;
        let place = domain::access::Place { default: entity.default_level, ..place };
        Ok(Some(ForUser { entity, membership: membership(member)?, places: vec![place] }))
    }

    async fn of_organization(&mut self, organization: &OrganizationId) -> StoreResult<Vec<Site>> {
        let query = sites::table
            .filter(sites::organization_id.eq(organization.as_str()))
            .order(sites::id.asc())
            .select(columns::<SiteRow>());
        let rows: Vec<SiteRow> = self.conn.all(query).await?;
        rows.into_iter().map(Site::try_from).collect()
    }

    async fn count(&mut self, organization: &OrganizationId) -> StoreResult<usize> {
        let count: i64 =
            self.conn.one(sites::table.filter(sites::organization_id.eq(organization.as_str())).count()).await?;
        usize::try_from(count).map_err(internal)
    }

    async fn basenames(&mut self, beginning: &str) -> StoreResult<Vec<Basename>> {
        // `_` is the only character of a name that is special in a pattern.
        let pattern = format!("{}%", beginning.replace('_', "\\_"));
        let query = sites::table.filter(sites::basename.like(pattern).escape('\\')).select(sites::basename);
        Ok(self.conn.all::<String>(query).await?.into_iter().map(Basename::stored).collect())
    }

    async fn save(&mut self, site: &Site) -> StoreResult<()> {
        let row = SiteRow::try_from(site)?;
        let named = |saved: StoreResult<usize>| {
            let unique = ["basename", "hostname", "proxy"];
            unique.iter().fold(saved, |saved, name| saved.meaning(&format!("sites.{name}"), name))
        };
        if self.held.may_change(&Lockable::from(&site.id)) {
            // No upsert: PostgreSQL would lock the row as if its unique names changed, even if they stay the same. Then
            // feedback would wait, whose foreign key refers to the row.
            let update = diesel::update(sites::table.find(site.id.as_str())).set(&row);
            return updated("site", &site.id, named(self.conn.run(prepared(update)).await)?);
        }
        let insert = diesel::insert_into(sites::table).values(&row);
        named(self.conn.run(insert).await.of_new("sites.id"))?;
        self.held.own(Lockable::from(&site.id));
        Ok(())
    }

    async fn remove(&mut self, id: &SiteId) -> StoreResult<()> {
        self.check(id)?;
        // The foreign keys remove the structure and the grants.
        self.conn.send(diesel::delete(sites::table.find(id.as_str()))).await
    }

    async fn structure(&mut self, id: &SiteId) -> StoreResult<Structure> {
        structure(self.item_rows(id).await?)
    }

    async fn structure_with_spaces(&mut self, id: &SiteId) -> StoreResult<(Structure, HashSet<SpaceId>)> {
        let query = items::table
            .left_join(spaces::table.on(spaces::id.nullable().eq(items::space_id)))
            .filter(items::site_id.eq(id.as_str()))
            .order((items::position.asc(), items::id.asc()))
            .select((columns::<ItemRow>(), spaces::deleted_at.nullable()));
        let rows: Vec<(ItemRow, Option<NaiveDateTime>)> = self.conn.all(query).await?;
        let there = rows.iter().filter(|(_, deleted)| deleted.is_none()).filter_map(|(row, _)| row.space_id.as_deref());
        let there = there.map(|space| parsed("site_items.space_id", space)).collect::<StoreResult<_>>()?;
        Ok((structure(rows.into_iter().map(|(row, _)| row).collect())?, there))
    }

    async fn published_space(&mut self, site: &SiteId, id: &SiteSpaceId) -> StoreResult<Option<SpaceId>> {
        let query = items::table
            .inner_join(sites::table.on(sites::id.eq(items::site_id)))
            .filter(items::id.eq(id.as_str()))
            .filter(sites::id.eq(site.as_str()))
            .filter(sites::published_at.is_not_null())
            .select(items::space_id);
        let found: Option<Option<String>> = self.conn.maybe(query).await?;
        parsed_if("site_items.space_id", found.flatten().as_deref())
    }

    async fn save_structure(&mut self, id: &SiteId, next: &Structure) -> StoreResult<()> {
        self.check(id)?;
        let mut before: HashMap<String, ItemRow> =
            self.item_rows(id).await?.into_iter().map(|row| (row.id.clone(), row)).collect();
        for row in Rows::of(id, next)? {
            match before.remove(&row.id) {
                Some(same) if same == row => {}
                // An update, not an insert: a space that was unlinked since then stays unlinked.
                Some(_) => drop(self.conn.run(diesel::update(items::table.find(row.id.clone())).set(&row)).await?),
                None => drop(self.conn.run(diesel::insert_into(items::table).values(&row)).await?),
            }
        }
        let gone: Vec<String> = before.into_keys().collect();
        for some in gone.chunks(NAMED) {
            let rows = items::table.filter(one_of(items::id, some.iter().map(String::as_str)));
            self.conn.send(diesel::delete(rows)).await?;
        }
        Ok(())
    }

    async fn links<'a>(
        &mut self,
        organization: &OrganizationId,
        site: Option<&'a SiteId>,
    ) -> StoreResult<Vec<(SiteId, SpaceId)>> {
        let query = items::table
            .inner_join(sites::table.on(sites::id.eq(items::site_id)))
            .inner_join(spaces::table.on(spaces::id.nullable().eq(items::space_id)))
            .filter(sites::organization_id.eq(organization.as_str()))
            .filter(spaces::deleted_at.is_null())
            .filter(when(site.map(|site| sites::id.eq(site.as_str()))))
            .select((sites::id, spaces::id));
        let rows: Vec<(String, String)> = self.conn.all(query).await?;
        rows.into_iter().map(|(site, space)| Ok((parsed("sites.id", &site)?, parsed("spaces.id", &space)?))).collect()
    }

    async fn of_space(&mut self, space: &SpaceId) -> StoreResult<Vec<(SiteId, DefaultLevel)>> {
        let query = items::table
            .inner_join(sites::table.on(sites::id.eq(items::site_id)))
            .filter(items::space_id.eq(space.as_str()))
            .order(sites::id.asc())
            .select((sites::id, sites::default_level));
        let mut rows: Vec<(String, String)> = self.conn.all(query).await?;
        rows.dedup();
        let site = |(id, default): (String, String)| {
            Ok((parsed("sites.id", &id)?, default_level("sites.default_level", &default)?))
        };
        rows.into_iter().map(site).collect()
    }

    async fn published_with(&mut self, wanted: &[SpaceId]) -> StoreResult<Vec<(SiteLocation, Structure)>> {
        published_sites::with_spaces(&mut self.conn, wanted).await
    }

    async fn published_of(&mut self, organization: &OrganizationId) -> StoreResult<Vec<(SiteLocation, Structure)>> {
        published_sites::of_organization(&mut self.conn, organization).await
    }

    async fn published(&mut self) -> StoreResult<Vec<(OrganizationId, SiteLocation)>> {
        let query = sites::table
            .inner_join(organizations::table.on(organizations::id.eq(sites::organization_id)))
            .filter(sites::published_at.is_not_null())
            .order(sites::id.asc())
            .select((sites::organization_id, columns::<LocationRow>(), organizations::hostname));
        let rows: Vec<(String, LocationRow, Option<String>)> = self.conn.at_length().all(query).await?;
        let located = |(owner, site, host): (String, LocationRow, Option<String>)| {
            Ok((parsed("sites.organization_id", &owner)?, site.location(host)?))
        };
        rows.into_iter().map(located).collect()
    }

    async fn unlink(&mut self, spaces: &[SpaceId]) -> StoreResult<()> {
        for space in spaces {
            self.check(space)?;
        }
        for some in spaces.chunks(NAMED) {
            let rows = items::table.filter(items::space_id.eq_any(some.iter().map(SpaceId::as_str)));
            self.conn.send(diesel::delete(rows)).await?;
            let rows = sites::table.filter(sites::styleguide_id.eq_any(some.iter().map(SpaceId::as_str)));
            self.conn.send(diesel::update(rows).set(sites::styleguide_id.eq(None::<&str>))).await?;
        }
        Ok(())
    }
}
