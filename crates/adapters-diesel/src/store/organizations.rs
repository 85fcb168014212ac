use super::stored::{json, parsed, role, time, to_json};
use crate::schema::organizations::{members, organizations};
use crate::sql::{columns, locked, locked_of, ordered, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::sql_types::Text;
use diesel::{
    AsChangeset, BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, JoinOnDsl, NullableExpressionMethods,
    QueryDsl, Queryable, Selectable,
};
use domain::access::Membership;
use domain::id::{OrganizationId, UserId};
use domain::merge_rules::MergeRules;
use domain::organization::Organization;
use domain::paging::{Page, PageRequest};
use domain::ports::store::OrganizationStore;
use domain::ports::{StoreError, StoreResult};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = organizations, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct OrganizationRow {
    id: String,
    title: String,
    email_domains: serde_json::Value,
    hostname: Option<String>,
    default_role: Option<String>,
    logo: Option<String>,
    sso: bool,
    ai: bool,
    invite_links: bool,
    merge_rules: serde_json::Value,
    created_at: NaiveDateTime,
}

/// What a left join finds of a membership: its role, and whether it is disabled; NULL where there is none.
pub(super) type MemberColumns = (Option<String>, Option<bool>);

/// The membership in a left join, if there is one.
pub(super) fn membership((role_text, disabled): MemberColumns) -> StoreResult<Option<Membership>> {
    let Some(disabled) = disabled else { return Ok(None) };
    Ok(Some(Membership { role: role(role_text.as_deref())?, disabled }))
}

impl TryFrom<OrganizationRow> for Organization {
    type Error = StoreError;

    fn try_from(row: OrganizationRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("organizations.id", &row.id)?,
            title: parsed("organizations.title", &row.title)?,
            email_domains: json("organizations.email_domains", row.email_domains)?,
            hostname: row.hostname,
            default_role: role(row.default_role.as_deref())?,
            logo: row.logo,
            sso: row.sso,
            ai: row.ai,
            invite_links: row.invite_links,
            merge_rules: json("organizations.merge_rules", row.merge_rules)?,
            created_at: row.created_at.and_utc(),
        })
    }
}

impl TryFrom<&Organization> for OrganizationRow {
    type Error = StoreError;

    fn try_from(organization: &Organization) -> StoreResult<Self> {
        Ok(Self {
            id: organization.id.to_string(),
            title: organization.title.to_string(),
            email_domains: to_json(&organization.email_domains)?,
            hostname: organization.hostname.clone(),
            default_role: organization.default_role.map(|role| role.as_str().to_owned()),
            logo: organization.logo.clone(),
            sso: organization.sso,
            ai: organization.ai,
            invite_links: organization.invite_links,
            merge_rules: to_json(&organization.merge_rules)?,
            created_at: time(organization.created_at),
        })
    }
}

fn found((row, member): (OrganizationRow, MemberColumns)) -> StoreResult<(Organization, Option<Membership>)> {
    Ok((row.try_into()?, membership(member)?))
}

#[async_trait]
impl OrganizationStore for DieselTx {
    async fn find<'a>(
        &mut self,
        id: &OrganizationId,
        user: Option<&'a UserId>,
    ) -> StoreResult<Option<(Organization, Option<Membership>)>> {
        let user = user.map_or("", UserId::as_str);
        let own = members::organization_id.eq(organizations::id).and(members::user_id.eq(user));
        let query = organizations::table
            .left_join(members::table.on(own))
            .filter(organizations::id.eq(id.as_str()))
            .select((columns::<OrganizationRow>(), (members::role.nullable(), members::disabled.nullable())));
        self.conn.maybe(locked_of(query, self.lock(), "organizations")).await?.map(found).transpose()
    }

    async fn merge_rules(&mut self, id: &OrganizationId) -> StoreResult<Option<MergeRules>> {
        let query = organizations::table.find(id.as_str()).select(organizations::merge_rules);
        let found: Option<serde_json::Value> = self.conn.maybe(locked(query, self.lock_shared())).await?;
        found.map(|rules| json("organizations.merge_rules", rules)).transpose()
    }

    async fn list<'a>(
        &mut self,
        user: Option<&'a UserId>,
        page: &PageRequest,
    ) -> StoreResult<Page<(Organization, Option<Membership>)>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let own =
            members::organization_id.eq(organizations::id).and(members::user_id.eq(user.map_or("", UserId::as_str)));
        let query = organizations::table
            .left_join(members::table.on(own))
            .filter(when(user.map(|_| members::disabled.eq(false))))
            .filter(seek(organizations::id, after, page.order))
            .order(ordered(organizations::id, page.order))
            .limit(page.limit as i64 + 1)
            .select((columns::<OrganizationRow>(), (members::role.nullable(), members::disabled.nullable())));
        let rows: Vec<(OrganizationRow, MemberColumns)> = self.conn.all(query).await?;
        Page::from_overfetch(rows, page, |(row, _)| row.id.clone()).try_map(found)
    }

    async fn save(&mut self, organization: &Organization) -> StoreResult<()> {
        let row = OrganizationRow::try_from(organization)?;
        let upsert =
            diesel::insert_into(organizations::table).values(&row).on_conflict(organizations::id).do_update().set(&row);
        self.conn.run(upsert).await.map(drop)
    }

    async fn save_membership(
        &mut self,
        id: &OrganizationId,
        user: &UserId,
        membership: Membership,
        joined_at: DateTime<Utc>,
    ) -> StoreResult<()> {
        let key = (members::organization_id.eq(id.as_str()), members::user_id.eq(user.as_str()));
        let place =
            (members::role.eq(membership.role.map(|role| role.as_str())), members::disabled.eq(membership.disabled));
        let upsert = diesel::insert_into(members::table)
            .values((key, place, members::joined_at.eq(time(joined_at))))
            .on_conflict((members::organization_id, members::user_id))
            .do_update()
            .set(place);
        self.conn.run(upsert).await.map(drop)
    }
}
