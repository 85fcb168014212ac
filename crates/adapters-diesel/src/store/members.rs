use super::keys::{read_time_key, time_key};
use super::stored::{parsed, role, time};
use super::teams::counted;
use super::users::UserRow;
use crate::error::internal;
use crate::schema::accounts::users;
use crate::schema::change_requests::{change_requests, requested_reviewers};
use crate::schema::collections::grants;
use crate::schema::organizations::{members, spaces};
use crate::schema::people::{team_members, teams};
use crate::sql::{NAMED, columns, contains, either, one_of, ordered, prepared, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::dsl::count_star;
use diesel::sql_types::{Text, Timestamp};
use diesel::{
    AsChangeset, BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, JoinOnDsl, NullableExpressionMethods,
    QueryDsl, Queryable, Selectable,
};
use domain::access::{Membership, Role};
use domain::id::{OrganizationId, UserId};
use domain::member::Member;
use domain::paging::{Page, PageRequest};
use domain::ports::store::MemberStore;
use domain::ports::store::members::{MemberCounts, MemberFilter, MemberSort, RoleFilter};
use domain::ports::{StoreError, StoreResult};
use domain::text::{Email, folded};
use domain::user::User;
use std::collections::{BTreeMap, HashSet};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = members, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct MemberRow {
    organization_id: String,
    user_id: String,
    role: Option<String>,
    disabled: bool,
    joined_at: NaiveDateTime,
    last_seen_at: Option<NaiveDateTime>,
    sso: bool,
}

impl TryFrom<MemberRow> for Member {
    type Error = StoreError;

    fn try_from(row: MemberRow) -> StoreResult<Self> {
        Ok(Self {
            organization: parsed("members.organization_id", &row.organization_id)?,
            user: parsed("members.user_id", &row.user_id)?,
            membership: Membership { role: role(row.role.as_deref())?, disabled: row.disabled },
            sso: row.sso,
            joined_at: row.joined_at.and_utc(),
            last_seen_at: row.last_seen_at.map(|at| at.and_utc()),
        })
    }
}

impl From<&Member> for MemberRow {
    fn from(member: &Member) -> Self {
        Self {
            organization_id: member.organization.to_string(),
            user_id: member.user.to_string(),
            role: member.membership.role.map(|role| role.as_str().to_owned()),
            disabled: member.membership.disabled,
            joined_at: time(member.joined_at),
            last_seen_at: member.last_seen_at.map(time),
            sso: member.sso,
        }
    }
}

pub(super) fn pair((member, user): (MemberRow, UserRow)) -> StoreResult<(Member, User)> {
    Ok((member.try_into()?, user.try_into()?))
}

/// Decodes a page key in the order of names: `id name`.
fn read_name_key(key: &str) -> StoreResult<(&str, &str)> {
    let parts = key.split_once(' ').map(|(id, name)| (name, id));
    parts.ok_or_else(|| internal(format!("invalid page key {key:?}")))
}

/// The space or the site of a grant, and its role.
type Granted = (Option<String>, Option<String>, Option<String>);

#[async_trait]
impl MemberStore for DieselTx {
    async fn find(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<Option<Member>> {
        let query = members::table.find((organization.as_str(), user.as_str())).select(columns::<MemberRow>());
        self.conn.maybe::<MemberRow>(query).await?.map(Member::try_from).transpose()
    }

    async fn find_many(
        &mut self,
        organization: &OrganizationId,
        wanted: &[UserId],
    ) -> StoreResult<Vec<(Member, User)>> {
        let mut found = Vec::with_capacity(wanted.len());
        for batch in wanted.chunks(NAMED) {
            let query = members::table
                .inner_join(users::table.on(users::id.eq(members::user_id)))
                .filter(members::organization_id.eq(organization.as_str()))
                .filter(one_of(members::user_id, batch.iter().map(UserId::as_str)))
                .select((columns::<MemberRow>(), columns::<UserRow>()));
            let rows: Vec<(MemberRow, UserRow)> = self.conn.all(query).await?;
            found.extend(rows);
        }
        found.into_iter().map(pair).collect()
    }

    async fn memberships(
        &mut self,
        organizations: &[OrganizationId],
        users: &[UserId],
    ) -> StoreResult<Vec<(OrganizationId, UserId)>> {
        let mut rows: Vec<(String, String)> = Vec::new();
        for some in users.chunks(NAMED) {
            let query = members::table
                .filter(one_of(members::organization_id, organizations.iter().map(OrganizationId::as_str)))
                .filter(one_of(members::user_id, some.iter().map(UserId::as_str)))
                .select((members::organization_id, members::user_id));
            rows.extend(self.conn.all::<(String, String)>(query).await?);
        }
        let read = |(organization, user): (String, String)| {
            Ok((parsed("members.organization_id", &organization)?, parsed("members.user_id", &user)?))
        };
        rows.into_iter().map(read).collect()
    }

    async fn named(
        &mut self,
        organization: &OrganizationId,
        ids: &[UserId],
        emails: &[Email],
    ) -> StoreResult<Vec<(UserId, Email)>> {
        let by_id = one_of(users::id, ids.iter().map(UserId::as_str));
        let by_email = one_of(users::email, emails.iter().map(Email::as_str));
        let query = members::table
            .inner_join(users::table.on(users::id.eq(members::user_id)))
            .filter(members::organization_id.eq(organization.as_str()))
            .filter(by_id.or(by_email))
            .select((users::id, users::email));
        let rows: Vec<(String, String)> = self.conn.all(query).await?;
        rows.into_iter().map(|(id, email)| Ok((parsed("users.id", &id)?, parsed("users.email", &email)?))).collect()
    }

    async fn list(
        &mut self,
        organization: &OrganizationId,
        filter: &MemberFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<(Member, User)>> {
        let (role, guests) = match filter.role {
            RoleFilter::Any => (None, false),
            RoleFilter::Guest => (None, true),
            RoleFilter::Role(role) => (Some(role), false),
        };
        let with_role = role.map(|role| members::role.eq(role.as_str()));
        let search = filter.search.as_deref().map(|text| contains(users::folded, &folded(text)));
        let by_seen = filter.sort == MemberSort::LastSeenAt;
        let wanted = members::table
            .inner_join(users::table.on(users::id.eq(members::user_id)))
            .filter(members::organization_id.eq(organization.as_str()))
            .filter(when(with_role))
            .filter(when(guests.then(|| members::role.is_null())))
            .filter(when(search))
            .filter(when(by_seen.then(|| members::last_seen_at.is_not_null())))
            .filter(when(by_seen.then(|| members::disabled.eq(false))));
        let part = wanted.clone().limit(page.limit as i64 + 1).select((columns::<MemberRow>(), columns::<UserRow>()));
        let rows: Vec<(MemberRow, UserRow)> = if filter.sort == MemberSort::Name {
            let after = page.after.as_deref().map(read_name_key).transpose()?;
            let after = after.map(|(name, id)| (name.into_sql::<Text>(), id.into_sql::<Text>()));
            let query = part
                .filter(seek((users::folded, members::user_id), after, page.order))
                .order((ordered(users::folded, page.order), ordered(members::user_id, page.order)));
            self.conn.all(query).await?
        } else {
            let at = || either(by_seen, members::last_seen_at, members::joined_at.nullable());
            let after = page.after.as_deref().map(read_time_key).transpose()?;
            let after = after.map(|(at, id)| (at.into_sql::<Timestamp>(), id.into_sql::<Text>()));
            let query = part
                .filter(seek((at(), members::user_id), after, page.order))
                .order((ordered(at(), page.order), ordered(members::user_id, page.order)));
            self.conn.all(query).await?
        };
        let key = |(member, user): &(MemberRow, UserRow)| match filter.sort {
            MemberSort::Name => format!("{} {}", user.id, user.folded),
            MemberSort::JoinedAt => time_key(member.joined_at, &user.id),
            MemberSort::LastSeenAt => time_key(member.last_seen_at.unwrap_or_default(), &user.id),
        };
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, key).try_map(pair)
    }

    async fn counts(
        &mut self,
        organization: &OrganizationId,
        wanted: &[UserId],
    ) -> StoreResult<BTreeMap<UserId, MemberCounts>> {
        let ids = || wanted.iter().map(UserId::as_str);
        let query = team_members::table
            .inner_join(teams::table.on(teams::id.eq(team_members::team_id)))
            .filter(teams::organization_id.eq(organization.as_str()))
            .filter(one_of(team_members::user_id, ids()))
            .group_by(team_members::user_id)
            .select((team_members::user_id, count_star()));
        let teams: Vec<(String, i64)> = self.conn.all(query).await?;
        let in_space = || spaces::table.on(grants::space_id.eq(spaces::id.nullable()));
        let kept = || {
            let there = grants::space_id.is_not_null().and(spaces::deleted_at.is_null());
            grants::organization_id.eq(organization.as_str()).and(there.or(grants::site_id.is_not_null()))
        };
        let query = grants::table
            .left_join(in_space())
            .filter(kept())
            .filter(grants::user_id.eq_any(ids()))
            .select((grants::user_id.assume_not_null(), (grants::space_id, grants::site_id, grants::role)));
        let direct: Vec<(String, Granted)> = self.conn.all(query).await?;
        let query = team_members::table
            .inner_join(grants::table.on(grants::team_id.eq(team_members::team_id.nullable())))
            .left_join(in_space())
            .filter(kept())
            .filter(one_of(team_members::user_id, ids()))
            .filter(grants::role.is_not_null())
            .select((team_members::user_id, (grants::space_id, grants::site_id, grants::role)));
        let by_team: Vec<(String, Granted)> = self.conn.all(query).await?;
        let mut counts: BTreeMap<UserId, MemberCounts> = BTreeMap::new();
        for (user, number) in teams {
            counts.entry(parsed("team_members.user_id", &user)?).or_default().teams = counted(number);
        }
        // A direct grant replaces grants through teams. So each place counts once, or not at all if the direct grant
        // denies access.
        let mut known: HashSet<(String, Option<String>, Option<String>)> = HashSet::new();
        for (user, (space, site, role)) in direct.into_iter().chain(by_team) {
            let of: UserId = parsed("grants.user_id", &user)?;
            let (in_space, granted) = (space.is_some(), role.is_some());
            if known.insert((user, space, site)) && granted {
                let held = counts.entry(of).or_default();
                *(if in_space { &mut held.spaces } else { &mut held.sites }) += 1;
            }
        }
        Ok(counts)
    }

    async fn has_other_administrator(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<bool> {
        let query = members::table
            .filter(members::organization_id.eq(organization.as_str()))
            .filter(members::user_id.ne(user.as_str()))
            .filter(members::role.eq(Role::Admin.as_str()))
            .filter(members::disabled.eq(false))
            .limit(1)
            .select(members::user_id);
        Ok(self.conn.maybe::<String>(query).await?.is_some())
    }

    async fn administrators(&mut self, organization: &OrganizationId) -> StoreResult<Vec<UserId>> {
        let query = members::table
            .filter(members::organization_id.eq(organization.as_str()))
            .filter(members::role.eq(Role::Admin.as_str()))
            .filter(members::disabled.eq(false))
            .order(members::user_id.asc())
            .select(members::user_id);
        let ids: Vec<String> = self.conn.all(query).await?;
        ids.iter().map(|id| parsed("members.user_id", id)).collect()
    }

    async fn save(&mut self, member: &Member) -> StoreResult<()> {
        self.check(&member.organization)?;
        let row = MemberRow::from(member);
        let upsert = diesel::insert_into(members::table)
            .values(&row)
            .on_conflict((members::organization_id, members::user_id))
            .do_update()
            // The last-seen time is written without a lock.
            .set((
                members::role.eq(row.role.as_deref()),
                members::disabled.eq(row.disabled),
                members::joined_at.eq(row.joined_at),
                members::sso.eq(row.sso),
            ));
        self.conn.send(prepared(upsert)).await
    }

    async fn seen(&mut self, organization: &OrganizationId, user: &UserId, at: DateTime<Utc>) -> StoreResult<bool> {
        let own = members::table.find((organization.as_str(), user.as_str())).filter(members::disabled.eq(false));
        Ok(self.conn.run(prepared(diesel::update(own).set(members::last_seen_at.eq(time(at))))).await? > 0)
    }

    async fn remove(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<bool> {
        self.check(organization)?;
        let (organization, user) = (organization.as_str(), user.as_str());
        let their_teams = teams::table.filter(teams::organization_id.eq(organization)).select(teams::id);
        let belonging = team_members::table
            .filter(team_members::user_id.eq(user))
            .filter(team_members::team_id.eq_any(their_teams));
        self.conn.send(diesel::delete(belonging)).await?;
        let given = grants::table.filter(grants::organization_id.eq(organization)).filter(grants::user_id.eq(user));
        self.conn.send(diesel::delete(given)).await?;
        let requests = change_requests::table
            .inner_join(spaces::table.on(spaces::id.eq(change_requests::space_id)))
            .filter(spaces::organization_id.eq(organization))
            .select(change_requests::id);
        let asked = requested_reviewers::table
            .filter(requested_reviewers::user_id.eq(user))
            .filter(requested_reviewers::change_request_id.eq_any(requests));
        self.conn.send(diesel::delete(asked)).await?;
        Ok(self.conn.run(diesel::delete(members::table.find((organization, user)))).await? > 0)
    }
}
