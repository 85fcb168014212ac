use super::stored::{parsed, time};
use crate::schema::collections::grants;
use crate::schema::organizations::spaces;
use crate::schema::people::{team_members, teams};
use crate::sql::{columns, contains, one_of, ordered, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::dsl::{count, count_star};
use diesel::sql_types::Text;
use diesel::upsert::excluded;
use diesel::{
    AsChangeset, ExpressionMethods, Insertable, IntoSql, JoinOnDsl, NullableExpressionMethods, QueryDsl, Queryable,
    Selectable,
};
use domain::id::{OrganizationId, TeamId, UserId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::TeamStore;
use domain::ports::store::teams::{TeamCounts, TeamFilter};
use domain::ports::{StoreError, StoreResult};
use domain::team::{Team, TeamRole};
use domain::text::folded;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// The value of `team_members.role` for an owner.
pub(super) const OWNER: &str = "owner";

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = teams, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct TeamRow {
    pub(super) id: String,
    organization_id: String,
    title: String,
    folded: String,
    created_at: NaiveDateTime,
}

#[derive(Insertable)]
#[diesel(table_name = team_members, treat_none_as_default_value = false)]
struct TeamMemberRow {
    team_id: String,
    user_id: String,
    role: String,
    joined_at: NaiveDateTime,
}

impl TryFrom<TeamRow> for Team {
    type Error = StoreError;

    fn try_from(row: TeamRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("teams.id", &row.id)?,
            organization: parsed("teams.organization_id", &row.organization_id)?,
            title: parsed("teams.title", &row.title)?,
            created_at: row.created_at.and_utc(),
        })
    }
}

impl From<&Team> for TeamRow {
    fn from(team: &Team) -> Self {
        Self {
            id: team.id.to_string(),
            organization_id: team.organization.to_string(),
            title: team.title.to_string(),
            folded: folded(team.title.as_str()),
            created_at: time(team.created_at),
        }
    }
}

impl TeamMemberRow {
    fn new(team: &TeamId, user: &UserId, role: TeamRole, at: DateTime<Utc>) -> StoreResult<Self> {
        let (team_id, user_id) = (team.to_string(), user.to_string());
        Ok(Self { team_id, user_id, role: role.to_string(), joined_at: time(at) })
    }
}

/// Converts a count of the database.
pub(super) fn counted(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The roles in rows of a key, which is a team or a user, and a role.
fn roles_by<K>(column: &'static str, rows: Vec<(String, String)>) -> StoreResult<BTreeMap<K, TeamRole>>
where
    K: FromStr + Ord,
    K::Err: Display,
{
    let read = |(key, role): (String, String)| Ok((parsed(column, &key)?, parsed("team_members.role", &role)?));
    rows.into_iter().map(read).collect()
}

#[async_trait]
impl TeamStore for DieselTx {
    async fn find(&mut self, organization: &OrganizationId, id: &TeamId) -> StoreResult<Option<Team>> {
        let query = teams::table
            .find(id.as_str())
            .filter(teams::organization_id.eq(organization.as_str()))
            .select(columns::<TeamRow>());
        self.conn.maybe::<TeamRow>(query).await?.map(Team::try_from).transpose()
    }

    async fn list(
        &mut self,
        organization: &OrganizationId,
        filter: &TeamFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<Team>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let owned = filter.owner.as_ref().map(|user| {
            let theirs = team_members::table
                .filter(team_members::user_id.eq(user.as_str()))
                .filter(team_members::role.eq(OWNER));
            teams::id.eq_any(theirs.select(team_members::team_id))
        });
        let own = filter.member.as_ref().map(|user| {
            let theirs = team_members::table.filter(team_members::user_id.eq(user.as_str()));
            teams::id.eq_any(theirs.select(team_members::team_id))
        });
        let wanted = teams::table
            .filter(teams::organization_id.eq(organization.as_str()))
            .filter(when(owned))
            .filter(when(own))
            .filter(when(filter.title.as_deref().map(|title| contains(teams::folded, &folded(title)))));
        let query = wanted
            .clone()
            .filter(seek(teams::id, after, page.order))
            .order(ordered(teams::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<TeamRow>());
        let rows: Vec<TeamRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(Team::try_from)
    }

    async fn roles_of_user(&mut self, wanted: &[TeamId], user: &UserId) -> StoreResult<BTreeMap<TeamId, TeamRole>> {
        let query = team_members::table
            .filter(team_members::user_id.eq(user.as_str()))
            .filter(one_of(team_members::team_id, wanted.iter().map(TeamId::as_str)))
            .select((team_members::team_id, team_members::role));
        roles_by("team_members.team_id", self.conn.all(query).await?)
    }

    async fn roles_of_users(&mut self, team: &TeamId, users: &[UserId]) -> StoreResult<BTreeMap<UserId, TeamRole>> {
        let query = team_members::table
            .filter(team_members::team_id.eq(team.as_str()))
            .filter(one_of(team_members::user_id, users.iter().map(UserId::as_str)))
            .select((team_members::user_id, team_members::role));
        roles_by("team_members.user_id", self.conn.all(query).await?)
    }

    async fn counts(&mut self, wanted: &[TeamId]) -> StoreResult<BTreeMap<TeamId, TeamCounts>> {
        let mut counts: BTreeMap<TeamId, TeamCounts> = BTreeMap::new();
        let query = team_members::table
            .filter(one_of(team_members::team_id, wanted.iter().map(TeamId::as_str)))
            .group_by(team_members::team_id)
            .select((team_members::team_id, count_star()));
        let members: Vec<(String, i64)> = self.conn.all(query).await?;
        for (team, number) in members {
            counts.entry(parsed("team_members.team_id", &team)?).or_default().members = counted(number);
        }
        let query = grants::table
            .inner_join(spaces::table.on(grants::space_id.eq(spaces::id.nullable())))
            .filter(grants::team_id.eq_any(wanted.iter().map(TeamId::as_str)))
            .filter(grants::role.is_not_null())
            .filter(spaces::deleted_at.is_null())
            .group_by(grants::team_id)
            .select((grants::team_id, count(grants::space_id)));
        let spaces: Vec<(Option<String>, i64)> = self.conn.all(query).await?;
        for (team, number) in spaces.into_iter().filter_map(|(team, number)| Some((team?, number))) {
            counts.entry(parsed("grants.team_id", &team)?).or_default().spaces = counted(number);
        }
        Ok(counts)
    }

    async fn save(&mut self, team: &Team) -> StoreResult<()> {
        self.check(&team.organization)?;
        let row = TeamRow::from(team);
        let upsert = diesel::insert_into(teams::table).values(&row).on_conflict(teams::id).do_update().set(&row);
        self.conn.send(upsert).await
    }

    async fn remove(&mut self, organization: &OrganizationId, id: &TeamId) -> StoreResult<bool> {
        self.check(organization)?;
        // Its members and grants are deleted with it by foreign keys.
        let one = teams::table.find(id.as_str()).filter(teams::organization_id.eq(organization.as_str()));
        Ok(self.conn.run(diesel::delete(one)).await? > 0)
    }

    async fn members(&mut self, team: &TeamId, page: &PageRequest) -> StoreResult<Page<(UserId, TeamRole)>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted = team_members::table.filter(team_members::team_id.eq(team.as_str()));
        let query = wanted
            .filter(seek(team_members::user_id, after, page.order))
            .order(ordered(team_members::user_id, page.order))
            .limit(page.limit as i64 + 1)
            .select((team_members::user_id, team_members::role));
        let rows: Vec<(String, String)> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |(user, _)| user.clone())
            .try_map(|(user, role)| Ok((parsed("team_members.user_id", &user)?, parsed("team_members.role", &role)?)))
    }

    async fn add_members(&mut self, team: &TeamId, users: &[UserId], at: DateTime<Utc>) -> StoreResult<()> {
        let row = |user| TeamMemberRow::new(team, user, TeamRole::Member, at);
        let rows = users.iter().map(row).collect::<StoreResult<Vec<_>>>()?;
        if rows.is_empty() {
            return Ok(());
        }
        let insert = diesel::insert_into(team_members::table).values(&rows).on_conflict_do_nothing();
        self.conn.send(insert).await
    }

    async fn set_roles(
        &mut self,
        team: &TeamId,
        roles: &BTreeMap<UserId, TeamRole>,
        at: DateTime<Utc>,
    ) -> StoreResult<()> {
        let row = |(user, role): (&UserId, &TeamRole)| TeamMemberRow::new(team, user, *role, at);
        let rows = roles.iter().map(row).collect::<StoreResult<Vec<_>>>()?;
        if rows.is_empty() {
            return Ok(());
        }
        let upsert = diesel::insert_into(team_members::table)
            .values(&rows)
            .on_conflict((team_members::team_id, team_members::user_id))
            .do_update()
            .set(team_members::role.eq(excluded(team_members::role)));
        self.conn.send(upsert).await
    }

    async fn remove_members(&mut self, team: &TeamId, users: &[UserId]) -> StoreResult<usize> {
        let some = team_members::table
            .filter(team_members::team_id.eq(team.as_str()))
            .filter(one_of(team_members::user_id, users.iter().map(UserId::as_str)));
        self.conn.run(diesel::delete(some)).await
    }
}
