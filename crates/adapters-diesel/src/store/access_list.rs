//! Lists of members with access to a place.
use super::grant_targets::{Lists, on_any, target_columns};
use super::members::{MemberRow, pair};
use super::users::UserRow;
use crate::error::internal;
use crate::schema::accounts::users;
use crate::schema::collections::grants;
use crate::schema::organizations::members;
use crate::schema::people::team_members;
use crate::sql::{columns, contains, either, folded_name, has_access, has_role, one_of, ordered, seek, when};
use crate::tx::DieselTx;
use chrono::{DateTime, NaiveDateTime};
use diesel::dsl::not;
use diesel::sql_types::{Nullable, Text, Timestamp};
use diesel::{BoolExpressionMethods, ExpressionMethods, IntoSql, JoinOnDsl, NullableExpressionMethods, QueryDsl};
use domain::access::SpaceReaders;
use domain::id::{OrganizationId, UserId};
use domain::member::Member;
use domain::paging::{Page, PageRequest};
use domain::ports::store::grants::{AccessFilter, AccessQuery};
use domain::ports::store::members::{MemberSort, RoleFilter};
use domain::ports::{StoreError, StoreResult};
use domain::text::folded;
use domain::user::User;

diesel::define_sql_function! {
    /// The first value that is not NULL.
    fn coalesce(value: Nullable<Timestamp>, otherwise: Timestamp) -> Timestamp;
}

/// The members with a grant on any of these places, directly or through a team.
macro_rules! with_grant {
    ($places:expr $(, $condition:expr)?) => {{
        let direct = grants::table
            .filter(on_any(Lists::of($places.iter().map(target_columns))))
            .filter(grants::user_id.is_not_null())
            $(.filter($condition))?
            .select(grants::user_id.assume_not_null());
        let teams = grants::table
            .filter(on_any(Lists::of($places.iter().map(target_columns))))
            .filter(grants::team_id.is_not_null())
            $(.filter($condition))?
            .select(grants::team_id.assume_not_null());
        let in_teams = team_members::table.filter(team_members::team_id.eq_any(teams)).select(team_members::user_id);
        members::user_id.eq_any(direct).or(members::user_id.eq_any(in_teams))
    }};
}

/// The page of [`GrantStore::members_with_access`](domain::ports::store::GrantStore::members_with_access).
pub(super) async fn members_with_access(
    tx: &mut DieselTx,
    organization: &OrganizationId,
    query: &AccessQuery,
    page: &PageRequest,
) -> StoreResult<Page<(Member, User)>> {
    let AccessQuery { rules, space_readers, filter: AccessFilter { role, search, team, sort } } = query;
    let role = match *role {
        RoleFilter::Any => None,
        RoleFilter::Guest => return Ok(Page::default()),
        RoleFilter::Role(role) => Some(role),
    };
    let site: Vec<_> = rules.first().map(|rules| rules.target.clone()).into_iter().collect();
    let readers = space_readers.as_ref().map(|readers| {
        let SpaceReaders { roles, without_grant, places, reached, despite_denial } = readers;
        let read = has_role(without_grant).or(with_grant!(reached, grants::role.is_not_null()));
        let undenied = not(with_grant!(places, grants::role.is_null())).and(read);
        let despite_denial = one_of(members::user_id, despite_denial.iter().map(UserId::as_str));
        let without_level = members::disabled.eq(false).and(has_role(roles)).and(not(with_grant!(site)));
        without_level.and(undenied.or(despite_denial))
    });
    let of_team = team.as_ref().map(|team| {
        let its_members = team_members::table.filter(team_members::team_id.eq(team.as_str()));
        members::user_id.eq_any(its_members.select(team_members::user_id))
    });
    let wanted = members::table
        .inner_join(users::table.on(users::id.eq(members::user_id)))
        .filter(members::organization_id.eq(organization.as_str()))
        .filter(has_access(rules, role, readers))
        .filter(when(search.as_deref().map(|text| contains(users::folded, &folded(text)))))
        .filter(when(of_team));
    let part = wanted.clone().limit(page.limit as i64 + 1);
    let after = page.after.as_deref().map(read_key).transpose()?;
    let rows: Vec<(MemberRow, UserRow, String)> = if *sort == MemberSort::Name {
        let after = after.map(|(name, id)| (name.into_sql::<Text>(), id.into_sql::<Text>()));
        let query = part
            .filter(seek((folded_name(), members::user_id), after, page.order))
            .order((ordered(folded_name(), page.order), ordered(members::user_id, page.order)))
            .select((columns::<MemberRow>(), columns::<UserRow>(), folded_name()));
        tx.conn.all(query).await?
    } else {
        let seen = *sort == MemberSort::LastSeenAt;
        let never = DateTime::UNIX_EPOCH.naive_utc();
        let at = || either(seen, coalesce(members::last_seen_at, never), members::joined_at);
        let after = match after {
            Some((at, id)) => Some((read_time(at)?.into_sql::<Timestamp>(), id.into_sql::<Text>())),
            None => None,
        };
        let query = part
            .filter(seek((at(), members::user_id), after, page.order))
            .order((ordered(at(), page.order), ordered(members::user_id, page.order)))
            .select((columns::<MemberRow>(), columns::<UserRow>(), at()));
        let rows: Vec<(MemberRow, UserRow, NaiveDateTime)> = tx.conn.all(query).await?;
        rows.into_iter().map(|(member, user, at)| (member, user, time_key(at))).collect()
    };
    let total = tx.conn.total(rows.len(), page, wanted.count()).await?;
    let found = Page::from_overfetch(rows, page, total, |(_, user, first)| format!("{first}\n{}", user.id));
    found.try_map(|(member, user, _)| pair((member, user)))
}

/// Decodes a page key: the sort key, and after a line break the id of the user.
fn read_key(key: &str) -> StoreResult<(&str, &str)> {
    key.rsplit_once('\n').ok_or_else(|| invalid(key))
}

/// A time as sort key in a page key.
fn time_key(at: NaiveDateTime) -> String {
    format!("{:020}", at.and_utc().timestamp_micros())
}

fn read_time(key: &str) -> StoreResult<NaiveDateTime> {
    let at = key.parse().ok().and_then(DateTime::from_timestamp_micros);
    at.map(|at| at.naive_utc()).ok_or_else(|| invalid(key))
}

fn invalid(key: &str) -> StoreError {
    internal(format!("invalid page key {key:?}"))
}
