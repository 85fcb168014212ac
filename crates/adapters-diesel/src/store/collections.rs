use super::grants::{places, places_of_missing};
use super::organizations::{MemberColumns, membership};
use super::positions::{self, Positioned, Walk};
use super::spaces::{default_level, to_default_level};
use super::stored::{parsed, parsed_if, time};
use crate::error::Meaning;
use crate::schema::collections::{collections, moves};
use crate::schema::organizations::{members, spaces};
use crate::sql::{NAMED, around, columns, one_of, ordered, prepared, seek, when, within};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::dsl::max;
use diesel::sql_types::Text;
use diesel::{
    AsChangeset, BoolExpressionMethods, CombineDsl, ExpressionMethods, Insertable, IntoSql, JoinOnDsl,
    NullableExpressionMethods, QueryDsl, Queryable, Selectable,
};
use domain::access::{DefaultLevel, Within};
use domain::collection::Collection;
use domain::content::order::OrderKey;
use domain::id::{CollectionId, OrganizationId, UserId};
use domain::paging::{Page, PageRequest};
use domain::place::PlaceId;
use domain::ports::store::collections::Child;
use domain::ports::store::spaces::ForUser;
use domain::ports::store::{CollectionStore, Lockable};
use domain::ports::{StoreError, StoreResult};
use std::collections::HashMap;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = collections, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct CollectionRow {
    id: String,
    organization_id: String,
    parent_id: Option<String>,
    title: String,
    description: Option<String>,
    default_level: String,
    position: String,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
    deleted_at: Option<NaiveDateTime>,
}

impl Positioned for CollectionRow {
    fn place(&self) -> (&str, &str) {
        (&self.position, &self.id)
    }
}

impl TryFrom<CollectionRow> for Collection {
    type Error = StoreError;

    fn try_from(row: CollectionRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("collections.id", &row.id)?,
            organization: parsed("collections.organization_id", &row.organization_id)?,
            parent: parsed_if("collections.parent_id", row.parent_id.as_deref())?,
            position: parsed("collections.position", &row.position)?,
            title: parsed("collections.title", &row.title)?,
            description: parsed_if("collections.description", row.description.as_deref())?,
            default_level: default_level("collections.default_level", &row.default_level)?,
            created_at: row.created_at.and_utc(),
            updated_at: row.updated_at.and_utc(),
            deleted_at: row.deleted_at.map(|at| at.and_utc()),
        })
    }
}

impl From<&Collection> for CollectionRow {
    fn from(collection: &Collection) -> Self {
        Self {
            id: collection.id.to_string(),
            organization_id: collection.organization.to_string(),
            parent_id: collection.parent.as_ref().map(ToString::to_string),
            title: collection.title.to_string(),
            description: collection.description.as_ref().map(ToString::to_string),
            default_level: to_default_level(collection.default_level).to_owned(),
            position: collection.position.to_string(),
            created_at: time(collection.created_at),
            updated_at: time(collection.updated_at),
            deleted_at: collection.deleted_at.map(time),
        }
    }
}

/// The collections of these organizations, each with its parent and its default level.
pub(super) async fn trees(
    tx: &mut DieselTx,
    organizations: &[OrganizationId],
) -> StoreResult<Vec<(CollectionId, Option<CollectionId>, DefaultLevel)>> {
    let query = collections::table
        .filter(one_of(collections::organization_id, organizations.iter().map(OrganizationId::as_str)))
        .select((collections::id, collections::parent_id, collections::default_level));
    let rows: Vec<(String, Option<String>, String)> = tx.conn.all(query).await?;
    let read = |(id, parent, default): (String, Option<String>, String)| {
        let parent = parsed_if("collections.parent_id", parent.as_deref())?;
        Ok((parsed("collections.id", &id)?, parent, default_level("collections.default_level", &default)?))
    };
    rows.into_iter().map(read).collect()
}

#[async_trait]
impl CollectionStore for DieselTx {
    async fn find<'a>(
        &mut self,
        id: &CollectionId,
        user: Option<&'a UserId>,
    ) -> StoreResult<Option<ForUser<Collection>>> {
        let own = members::organization_id
            .eq(collections::organization_id)
            .and(members::user_id.eq(user.map_or("", UserId::as_str)));
        let query = collections::table
            .left_join(members::table.on(own))
            .filter(collections::id.eq(id.as_str()))
            .select((columns::<CollectionRow>(), (members::role.nullable(), members::disabled.nullable())));
        let found: Option<(CollectionRow, MemberColumns)> = self.conn.maybe(query).await?;
        let id = PlaceId::Collection(id.clone());
        let Some((row, member)) = found else {
            places_of_missing(self, &id, user).await?;
            return Ok(None);
        };
        let (entity, membership) = (Collection::try_from(row)?, membership(member)?);
        let places = places(self, &id, entity.parent.as_ref(), entity.default_level, membership, user).await?;
        Ok(Some(ForUser { entity, membership, places }))
    }

    async fn find_many(&mut self, ids: &[CollectionId]) -> StoreResult<Vec<Collection>> {
        let mut found = Vec::with_capacity(ids.len());
        for batch in ids.chunks(NAMED) {
            let query = collections::table
                .filter(one_of(collections::id, batch.iter().map(CollectionId::as_str)))
                .filter(collections::deleted_at.is_null())
                .select(columns::<CollectionRow>());
            let rows: Vec<CollectionRow> = self.conn.all(query).await?;
            found.extend(rows);
        }
        found.into_iter().map(Collection::try_from).collect()
    }

    async fn list(
        &mut self,
        organization: &OrganizationId,
        readable: &Within,
        top: bool,
        page: &PageRequest,
    ) -> StoreResult<Option<Page<Collection>>> {
        let seen = match readable {
            Within::Nothing => return Ok(Some(Page::default())),
            Within::Everything => None,
            Within::Some { collections, .. } => Some(collections),
        };
        let Some(walk) = Walk::of(self, organization, page).await? else { return Ok(None) };
        let after = walk.after().map(|(position, id)| (position.into_sql::<Text>(), id.into_sql::<Text>()));
        let wanted = collections::table
            .filter(collections::organization_id.eq(organization.as_str()))
            .filter(collections::deleted_at.is_null())
            .filter(when(seen.map(|seen| one_of(collections::id, seen.iter().map(CollectionId::as_str)))))
            .filter(when((top && seen.is_none()).then(|| collections::parent_id.is_null())))
            // An object in a hidden collection is at the top level for this reader.
            .filter(when(seen.filter(|_| top).map(|seen| {
                let hidden = collections::parent_id.ne_all(seen.iter().map(CollectionId::as_str));
                collections::parent_id.is_null().nullable().or(hidden)
            })));
        let query = wanted
            .clone()
            .filter(when(walk.moves_since().map(|since| {
                let moved = moves::table.filter(moves::organization_id.eq(organization.as_str()));
                collections::id.ne_all(moved.filter(moves::number.gt(since)).select(moves::place_id))
            })))
            .filter(seek((collections::position, collections::id), after, page.order))
            .order((ordered(collections::position, page.order), ordered(collections::id, page.order)))
            .limit(page.limit as i64 + 1)
            .select(columns::<CollectionRow>());
        let rows: Vec<CollectionRow> = self.conn.all(query).await?;
        let moved = walk.with_moved(&mut self.conn, rows, page.limit, |conn, ids| {
            conn.all(wanted.clone().filter(collections::id.eq_any(ids)).select(columns::<CollectionRow>()))
        });
        let rows = moved.await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        walk.page(self, rows, page, total).await?.try_map(Collection::try_from).map(Some)
    }

    async fn within(&mut self, id: &CollectionId) -> StoreResult<Vec<Collection>> {
        let query = collections::table
            .filter(within(collections::id, id.as_str()))
            .order(collections::id.asc())
            .select(columns::<CollectionRow>());
        let rows: Vec<CollectionRow> = self.conn.all(query).await?;
        rows.into_iter().map(Collection::try_from).collect()
    }

    async fn around(&mut self, id: &CollectionId) -> StoreResult<Vec<(CollectionId, DefaultLevel)>> {
        let query = collections::table.filter(around(collections::id, id.as_str())).select((
            collections::id,
            collections::parent_id,
            collections::default_level,
        ));
        let rows: Vec<(String, Option<String>, String)> = self.conn.all(query).await?;
        let mut rows: HashMap<String, (Option<String>, String)> =
            rows.into_iter().map(|(id, parent, default)| (id, (parent, default))).collect();
        let mut outwards = Vec::with_capacity(rows.len());
        let mut next = Some(id.to_string());
        while let Some((id, (parent, default))) = next.and_then(|id| rows.remove_entry(&id)) {
            outwards.push((parsed("collections.id", &id)?, default_level("collections.default_level", &default)?));
            next = parent;
        }
        Ok(outwards)
    }

    async fn tree(
        &mut self,
        organization: &OrganizationId,
    ) -> StoreResult<Vec<(CollectionId, Option<CollectionId>, DefaultLevel)>> {
        trees(self, std::slice::from_ref(organization)).await
    }

    async fn save(&mut self, collection: &Collection) -> StoreResult<()> {
        let row = CollectionRow::from(collection);
        let insert = diesel::insert_into(collections::table).values(&row);
        if self.held.may_change(&Lockable::from(&collection.id)) {
            return self.conn.send(prepared(insert.on_conflict(collections::id).do_update().set(&row))).await;
        }
        self.conn.run(insert).await.of_new("collections.id")?;
        self.held.own(Lockable::from(&collection.id));
        Ok(())
    }

    async fn children<'a>(
        &mut self,
        organization: &OrganizationId,
        parent: Option<&'a CollectionId>,
    ) -> StoreResult<Vec<Child>> {
        type Row = (String, String, String, Option<NaiveDateTime>);
        let child = |id: PlaceId, (_, position, default, deleted): Row| {
            let position: OrderKey = parsed("position", &position)?;
            let default_level = default_level("default_level", &default)?;
            Ok(Child { id, position, default_level, deleted: deleted.is_some() })
        };
        let query = spaces::table
            .filter(spaces::organization_id.eq(organization.as_str()))
            .filter(when(parent.map(|parent| spaces::parent_id.eq(parent.as_str()))))
            .filter(when(parent.is_none().then(|| spaces::parent_id.is_null())))
            .select((spaces::id, spaces::position, spaces::default_level, spaces::deleted_at));
        let rows: Vec<Row> = self.conn.all(query).await?;
        let mut children = Vec::with_capacity(rows.len());
        for row in rows {
            children.push(child(PlaceId::Space(parsed("spaces.id", &row.0)?), row)?);
        }
        let query = collections::table
            .filter(collections::organization_id.eq(organization.as_str()))
            .filter(when(parent.map(|parent| collections::parent_id.eq(parent.as_str()))))
            .filter(when(parent.is_none().then(|| collections::parent_id.is_null())))
            .select((collections::id, collections::position, collections::default_level, collections::deleted_at));
        let rows: Vec<Row> = self.conn.all(query).await?;
        for row in rows {
            children.push(child(PlaceId::Collection(parsed("collections.id", &row.0)?), row)?);
        }
        children.sort_by(|a, b| (&a.position, a.id.as_str()).cmp(&(&b.position, b.id.as_str())));
        Ok(children)
    }

    async fn last<'a>(
        &mut self,
        organization: &OrganizationId,
        parent: Option<&'a CollectionId>,
    ) -> StoreResult<Option<OrderKey>> {
        let of_spaces = spaces::table
            .filter(spaces::organization_id.eq(organization.as_str()))
            .filter(when(parent.map(|parent| spaces::parent_id.eq(parent.as_str()))))
            .filter(when(parent.is_none().then(|| spaces::parent_id.is_null())))
            .select(max(spaces::position));
        let of_collections = collections::table
            .filter(collections::organization_id.eq(organization.as_str()))
            .filter(when(parent.map(|parent| collections::parent_id.eq(parent.as_str()))))
            .filter(when(parent.is_none().then(|| collections::parent_id.is_null())))
            .select(max(collections::position));
        let last: Vec<Option<String>> = self.conn.all(of_spaces.union_all(of_collections)).await?;
        parsed_if("position", last.into_iter().flatten().max().as_deref())
    }

    async fn record_positions(&mut self, organization: &OrganizationId, items: &[PlaceId]) -> StoreResult<()> {
        positions::record(self, organization, items).await
    }

    async fn rearrange(&mut self, order: &[(PlaceId, OrderKey)]) -> StoreResult<()> {
        for (id, position) in order {
            self.check(id)?;
            match id {
                PlaceId::Space(id) => {
                    let space = spaces::table.find(id.as_str());
                    self.conn.send(prepared(diesel::update(space).set(spaces::position.eq(position.as_str())))).await?;
                }
                PlaceId::Collection(id) => {
                    let collection = collections::table.find(id.as_str());
                    self.conn
                        .run(prepared(diesel::update(collection).set(collections::position.eq(position.as_str()))))
                        .await?;
                }
            }
        }
        Ok(())
    }
}
