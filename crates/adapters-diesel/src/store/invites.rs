use super::grant_targets::place_columns;
use super::stored::{parsed, parsed_if, role, time};
use crate::error::internal;
use crate::schema::collections::collections;
use crate::schema::organizations::spaces;
use crate::schema::people::link_invites;
use crate::sql::{columns, ordered, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::sql_types::Text;
use diesel::{
    AsChangeset, BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, NullableExpressionMethods, QueryDsl,
    Queryable, Selectable,
};
use domain::id::{InviteId, OrganizationId};
use domain::invite::{InviteGrant, LinkInvite};
use domain::paging::{Page, PageRequest};
use domain::place::PlaceId;
use domain::ports::store::InviteStore;
use domain::ports::{StoreError, StoreResult};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = link_invites, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct InviteRow {
    id: String,
    organization_id: String,
    space_id: Option<String>,
    collection_id: Option<String>,
    role: Option<String>,
    created_by: Option<String>,
    created_at: NaiveDateTime,
}

impl TryFrom<InviteRow> for LinkInvite {
    type Error = StoreError;

    fn try_from(row: InviteRow) -> StoreResult<Self> {
        let given = role(row.role.as_deref())?;
        let grant = match (row.space_id.as_deref(), row.collection_id.as_deref(), given) {
            (None, None, given) => InviteGrant::Organization(given),
            (Some(id), None, Some(level)) => {
                InviteGrant::Place(PlaceId::Space(parsed("link_invites.space_id", id)?), level)
            }
            (None, Some(id), Some(level)) => {
                InviteGrant::Place(PlaceId::Collection(parsed("link_invites.collection_id", id)?), level)
            }
            _ => return Err(internal(format!("invite {} has no valid target", row.id))),
        };
        Ok(Self {
            id: parsed("link_invites.id", &row.id)?,
            organization: parsed("link_invites.organization_id", &row.organization_id)?,
            grant,
            created_by: parsed_if("link_invites.created_by", row.created_by.as_deref())?,
            created_at: row.created_at.and_utc(),
        })
    }
}

impl From<&LinkInvite> for InviteRow {
    fn from(invite: &LinkInvite) -> Self {
        let (place, given) = match &invite.grant {
            InviteGrant::Organization(role) => (None, *role),
            InviteGrant::Place(place, level) => (Some(place), Some(*level)),
        };
        let (space, collection) = place.map(place_columns).unwrap_or_default();
        Self {
            id: invite.id.to_string(),
            organization_id: invite.organization.to_string(),
            space_id: space.map(str::to_owned),
            collection_id: collection.map(str::to_owned),
            role: given.map(|role| role.as_str().to_owned()),
            created_by: invite.created_by.as_ref().map(ToString::to_string),
            created_at: time(invite.created_at),
        }
    }
}

#[async_trait]
impl InviteStore for DieselTx {
    async fn find(&mut self, organization: &OrganizationId, id: &InviteId) -> StoreResult<Option<LinkInvite>> {
        let query = link_invites::table
            .find(id.as_str())
            .filter(link_invites::organization_id.eq(organization.as_str()))
            .select(columns::<InviteRow>());
        self.conn.maybe::<InviteRow>(query).await?.map(LinkInvite::try_from).transpose()
    }

    async fn list(
        &mut self,
        organization: &OrganizationId,
        places: bool,
        page: &PageRequest,
    ) -> StoreResult<Page<LinkInvite>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let there = spaces::table
            .filter(spaces::organization_id.eq(organization.as_str()))
            .filter(spaces::deleted_at.is_null())
            .select(spaces::id.nullable());
        let also_there = collections::table
            .filter(collections::organization_id.eq(organization.as_str()))
            .filter(collections::deleted_at.is_null())
            .select(collections::id.nullable());
        let whole = link_invites::space_id.is_null().and(link_invites::collection_id.is_null());
        let wanted = link_invites::table
            .filter(link_invites::organization_id.eq(organization.as_str()))
            .filter(when((!places).then_some(whole)))
            .filter(
                whole
                    .nullable()
                    .or(link_invites::space_id.eq_any(there))
                    .or(link_invites::collection_id.eq_any(also_there)),
            );
        let query = wanted
            .filter(seek(link_invites::id, after, page.order))
            .order(ordered(link_invites::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<InviteRow>());
        let rows: Vec<InviteRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(LinkInvite::try_from)
    }

    async fn save(&mut self, invite: &LinkInvite) -> StoreResult<()> {
        self.check(&invite.organization)?;
        let row = InviteRow::from(invite);
        let upsert =
            diesel::insert_into(link_invites::table).values(&row).on_conflict(link_invites::id).do_update().set(&row);
        self.conn.send(upsert).await
    }

    async fn remove(&mut self, organization: &OrganizationId, id: &InviteId) -> StoreResult<bool> {
        self.check(organization)?;
        let one = link_invites::table.find(id.as_str()).filter(link_invites::organization_id.eq(organization.as_str()));
        Ok(self.conn.run(diesel::delete(one)).await? > 0)
    }
}
