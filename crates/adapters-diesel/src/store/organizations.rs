use super::stored::{document, json, parsed, parsed_if, role, time, to_document, to_json};
use super::teams::OWNER;
use crate::error::Meaning;
use crate::schema::organizations::{members, organization_email_domains as domains, organizations};
use crate::schema::people::{agent_instructions, team_members, teams};
use crate::sql::{NAMED, columns, one_of, ordered, prepared, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::sql_types::Text;
use diesel::{
    AsChangeset, BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, JoinOnDsl, NullableExpressionMethods,
    QueryDsl, Queryable, Selectable,
};
use domain::access::Membership;
use domain::agent_instructions::AgentInstructions;
use domain::id::{OrganizationId, UserId};
use domain::merge_rules::MergeRules;
use domain::organization::Organization;
use domain::paging::{Page, PageRequest};
use domain::ports::store::organizations::OrganizationForUser;
use domain::ports::store::{Lockable, OrganizationStore};
use domain::ports::{StoreError, StoreResult};
use domain::web_address::WebAddress;

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
    default_site_id: Option<String>,
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = agent_instructions, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct InstructionsRow {
    organization_id: String,
    instructions: String,
    updated_at: NaiveDateTime,
    updated_by: Option<String>,
}

impl TryFrom<InstructionsRow> for AgentInstructions {
    type Error = StoreError;

    fn try_from(row: InstructionsRow) -> StoreResult<Self> {
        Ok(Self {
            instructions: document("agent_instructions.instructions", &row.instructions)?,
            updated_at: row.updated_at.and_utc(),
            updated_by: parsed_if("agent_instructions.updated_by", row.updated_by.as_deref())?,
        })
    }
}

/// The columns of a membership in a left join: role and `disabled`; NULL if there is none.
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
            logo: row.logo.map(WebAddress::stored),
            sso: row.sso,
            ai: row.ai,
            invite_links: row.invite_links,
            merge_rules: json("organizations.merge_rules", row.merge_rules)?,
            created_at: row.created_at.and_utc(),
            default_site: parsed_if("organizations.default_site_id", row.default_site_id.as_deref())?,
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
            logo: organization.logo.clone().map(String::from),
            sso: organization.sso,
            ai: organization.ai,
            invite_links: organization.invite_links,
            merge_rules: to_json(&organization.merge_rules)?,
            created_at: time(organization.created_at),
            default_site_id: organization.default_site.as_ref().map(ToString::to_string),
        })
    }
}

/// An organization, the membership of a user in it, and whether the user owns one of its teams.
type Found = (OrganizationRow, MemberColumns, bool);

fn for_user((row, member, owns_team): Found) -> StoreResult<OrganizationForUser> {
    Ok(OrganizationForUser { organization: row.try_into()?, membership: membership(member)?, owns_team })
}

/// Whether a user owns a team of the organization of a query.
///
/// A subquery, because SQLite would start a join with the teams of the organization, which are many more than the teams
/// of a user.
#[diesel::dsl::auto_type]
fn owns_team<'a>(user: &'a str) -> _ {
    let owner: &'static str = OWNER;
    let here =
        teams::table.filter(teams::id.eq(team_members::team_id)).filter(teams::organization_id.eq(organizations::id));
    let owned = team_members::table
        .filter(team_members::user_id.eq(user))
        .filter(team_members::role.eq(owner))
        .filter(diesel::dsl::exists(here));
    diesel::dsl::exists(owned)
}

/// The columns of [`Found`], in a query that joins the membership of this user.
macro_rules! found {
    ($user:expr) => {
        (columns::<OrganizationRow>(), (members::role.nullable(), members::disabled.nullable()), owns_team($user))
    };
}

#[async_trait]
impl OrganizationStore for DieselTx {
    async fn find<'a>(
        &mut self,
        id: &OrganizationId,
        user: Option<&'a UserId>,
    ) -> StoreResult<Option<OrganizationForUser>> {
        let user = user.map_or("", UserId::as_str);
        let own = members::organization_id.eq(organizations::id).and(members::user_id.eq(user));
        let query = organizations::table
            .left_join(members::table.on(own))
            .filter(organizations::id.eq(id.as_str()))
            .select(found!(user));
        self.conn.maybe(query).await?.map(for_user).transpose()
    }

    async fn find_many<'a>(
        &mut self,
        ids: &[OrganizationId],
        user: Option<&'a UserId>,
    ) -> StoreResult<Vec<OrganizationForUser>> {
        let user = user.map_or("", UserId::as_str);
        let mut rows: Vec<Found> = Vec::new();
        for some in ids.chunks(NAMED) {
            let own = members::organization_id.eq(organizations::id).and(members::user_id.eq(user));
            let query = organizations::table
                .left_join(members::table.on(own))
                .filter(one_of(organizations::id, some.iter().map(OrganizationId::as_str)))
                .select(found!(user));
            rows.extend(self.conn.all::<Found>(query).await?);
        }
        rows.into_iter().map(for_user).collect()
    }

    async fn merge_rules(&mut self, id: &OrganizationId) -> StoreResult<Option<MergeRules>> {
        let query = organizations::table.find(id.as_str()).select(organizations::merge_rules);
        let found: Option<serde_json::Value> = self.conn.maybe(query).await?;
        found.map(|rules| json("organizations.merge_rules", rules)).transpose()
    }

    async fn list<'a>(
        &mut self,
        user: Option<&'a UserId>,
        page: &PageRequest,
    ) -> StoreResult<Page<OrganizationForUser>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let id = user.map_or("", UserId::as_str);
        let own = members::organization_id.eq(organizations::id).and(members::user_id.eq(id));
        let wanted = organizations::table
            .left_join(members::table.on(own))
            .filter(when(user.map(|_| members::disabled.eq(false))));
        let query = wanted
            .filter(seek(organizations::id, after, page.order))
            .order(ordered(organizations::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(found!(id));
        let rows: Vec<Found> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |(row, ..)| row.id.clone()).try_map(for_user)
    }

    async fn admitting(&mut self, domain: &str, user: &UserId, limit: usize) -> StoreResult<Vec<OrganizationForUser>> {
        let own = members::organization_id.eq(organizations::id).and(members::user_id.eq(user.as_str()));
        let query = domains::table
            .inner_join(organizations::table.on(organizations::id.eq(domains::organization_id)))
            .left_join(members::table.on(own))
            .filter(domains::domain.eq(domain))
            .order(organizations::id.asc())
            .limit(limit as i64)
            .select(found!(user.as_str()));
        let rows: Vec<Found> = self.conn.all(query).await?;
        rows.into_iter().map(for_user).collect()
    }

    async fn with_hostname<'a>(
        &mut self,
        hostname: &str,
        user: Option<&'a UserId>,
    ) -> StoreResult<Option<OrganizationForUser>> {
        let user = user.map_or("", UserId::as_str);
        let own = members::organization_id.eq(organizations::id).and(members::user_id.eq(user));
        let query = organizations::table
            .left_join(members::table.on(own))
            .filter(organizations::hostname.eq(hostname))
            .select(found!(user));
        let row: Option<Found> = self.conn.maybe(query).await?;
        row.map(for_user).transpose()
    }

    async fn save(&mut self, organization: &Organization) -> StoreResult<()> {
        let row = OrganizationRow::try_from(organization)?;
        let insert = diesel::insert_into(organizations::table).values(&row);
        let named = |saved: StoreResult<usize>| saved.meaning("organizations.hostname", "hostname");
        if self.held.may_change(&Lockable::from(&organization.id)) {
            named(self.conn.run(prepared(insert.on_conflict(organizations::id).do_update().set(&row))).await)?;
        } else {
            named(self.conn.run(insert).await.of_new("organizations.id"))?;
            self.held.own(Lockable::from(&organization.id));
        }
        let id = organization.id.as_str();
        self.conn.send(diesel::delete(domains::table.filter(domains::organization_id.eq(id)))).await?;
        let one = |domain: &String| (domains::domain.eq(domain.clone()), domains::organization_id.eq(id.to_owned()));
        let rows: Vec<_> = organization.email_domains.iter().map(one).collect();
        if !rows.is_empty() {
            self.conn.send(diesel::insert_into(domains::table).values(rows)).await?;
        }
        Ok(())
    }

    async fn agent_instructions(&mut self, id: &OrganizationId) -> StoreResult<Option<AgentInstructions>> {
        let query = agent_instructions::table.find(id.as_str()).select(columns::<InstructionsRow>());
        let found: Option<InstructionsRow> = self.conn.maybe(query).await?;
        found.map(AgentInstructions::try_from).transpose()
    }

    async fn save_agent_instructions(
        &mut self,
        id: &OrganizationId,
        instructions: &AgentInstructions,
    ) -> StoreResult<()> {
        self.check(id)?;
        let row = InstructionsRow {
            organization_id: id.to_string(),
            instructions: to_document(&instructions.instructions)?,
            updated_at: time(instructions.updated_at),
            updated_by: instructions.updated_by.as_ref().map(ToString::to_string),
        };
        let upsert = diesel::insert_into(agent_instructions::table)
            .values(&row)
            .on_conflict(agent_instructions::organization_id)
            .do_update()
            .set(&row);
        self.conn.send(prepared(upsert)).await
    }
}
