use super::access_list;
use super::collections::trees;
use super::grant_targets::{Lists, TARGET, TargetColumns, on, on_any, place_columns, target, target_columns};
use super::spaces::default_level;
use super::stored::{parsed, parsed_if, role, time};
use super::teams::TeamRow;
use super::users::UserRow;
use crate::schema::accounts::users;
use crate::schema::collections::grants;
use crate::schema::organizations::members;
use crate::schema::people::{link_invites, team_members, teams};
use crate::schema::sites::{site_items, sites};
use crate::sql::{NAMED, columns, one_of, ordered, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_types::{Nullable, Text, Timestamp};
use diesel::upsert::excluded;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, JoinOnDsl, NullableExpressionMethods, QueryDsl,
};
use domain::access::{
    CollectionGrants, DefaultLevel, Grant, Grants, Membership, OrganizationAccess, Place, Role, SiteGrants, UserGrants,
};
use domain::id::{CollectionId, OrganizationId, SiteId, UserId};
use domain::member::Member;
use domain::paging::{Page, PageRequest};
use domain::place::{GrantTarget, Grantee, PlaceId};
use domain::ports::StoreResult;
use domain::ports::store::grants::{AccessQuery, MemberGrants};
use domain::ports::store::{CollectionStore, GrantStore, SiteStore};
use domain::team::Team;
use domain::user::User;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A grant: the space, the collection or the site, the team that has it, and the role.
type GrantColumns = (TargetColumns, Option<String>, Option<String>);

fn add(to: &mut Grants, team: Option<&str>, role: Option<Role>) -> StoreResult<()> {
    match parsed_if("grants.team_id", team)? {
        Some(team) => to.teams.push((team, role)),
        None => to.direct = Grant::from(role),
    }
    Ok(())
}

/// Grants to a user, directly or through a team.
#[diesel::dsl::auto_type]
fn to_user<'a>(user: &'a str) -> _ {
    let in_teams = team_members::table.filter(team_members::user_id.eq(user)).select(team_members::team_id.nullable());
    grants::user_id.eq(user).or(grants::team_id.eq_any(in_teams))
}

/// The access rules of a space or a collection for a user, with the sites of the space, and then those of the
/// collections around it, innermost first. Empty if rules of places do not apply to the user.
pub(super) async fn places(
    tx: &mut DieselTx,
    id: &PlaceId,
    parent: Option<&CollectionId>,
    default: DefaultLevel,
    membership: Option<Membership>,
    user: Option<&UserId>,
) -> StoreResult<Vec<Place>> {
    let decides = OrganizationAccess::depends_on_places(membership);
    // The query also runs for users outside the organization, although its result is ignored. So the time does not
    // distinguish them from members without access.
    let Some(user) = user.filter(|_| decides || membership.is_none()) else { return Ok(Vec::new()) };
    let around = match parent {
        Some(parent) => tx.around(parent).await?,
        None => Vec::new(),
    };
    let sites = match id {
        PlaceId::Space(id) => SiteStore::of_space(tx, id).await?,
        PlaceId::Collection(_) => Vec::new(),
    };
    let around = around.iter().map(|(id, default)| (id.as_str(), *default));
    let outwards: Vec<(&str, DefaultLevel)> = std::iter::once((id.as_str(), default)).chain(around).collect();
    let around = outwards.iter().skip(1).map(|(id, _)| (None, Some(*id), None));
    let on_sites = sites.iter().map(|(id, _)| (None, None, Some(id.as_str())));
    let (space, collection) = place_columns(id);
    let targets = Lists::of(std::iter::once((space, collection, None)).chain(around).chain(on_sites));
    let mut said = granted_to(tx, targets, user).await?;
    if !decides {
        return Ok(Vec::new());
    }
    let mut said = |id: &str, default| said.remove(id).unwrap_or_default().with(default);
    let sites = sites.iter().map(|(id, default)| said(id.as_str(), *default)).collect();
    let mut places: Vec<Place> = outwards.into_iter().map(|(id, default)| said(id, default)).collect();
    if let Some(own) = places.first_mut() {
        own.sites = sites;
    }
    Ok(places)
}

/// The grants on some targets to a user, by the id of the target.
async fn granted_to(tx: &mut DieselTx, targets: Lists<'_>, user: &UserId) -> StoreResult<HashMap<String, Grants>> {
    let query = grants::table.filter(on_any(targets)).filter(to_user(user.as_str())).select((
        TARGET,
        grants::team_id,
        grants::role,
    ));
    let rows: Vec<GrantColumns> = tx.conn.all(query).await?;
    let mut said: HashMap<String, Grants> = HashMap::new();
    for (columns, team, granted) in rows {
        let Some(target) = target(columns) else { continue };
        add(said.entry(target).or_default(), team.as_deref(), role(granted.as_deref())?)?;
    }
    Ok(said)
}

/// The access rules of a site for a user.
pub(super) async fn site_place(
    tx: &mut DieselTx,
    id: &SiteId,
    default: DefaultLevel,
    user: Option<&UserId>,
) -> StoreResult<Place> {
    let Some(user) = user else { return Ok(Grants::default().with(default)) };
    let targets = Lists::of(std::iter::once((None, None, Some(id.as_str()))));
    Ok(granted_to(tx, targets, user).await?.remove(id.as_str()).unwrap_or_default().with(default))
}

/// Runs the queries of [`places`] for a place that does not exist, so that the time does not distinguish it from a
/// hidden place.
pub(super) async fn places_of_missing(tx: &mut DieselTx, id: &PlaceId, user: Option<&UserId>) -> StoreResult<()> {
    places(tx, id, None, DefaultLevel::Inherit, None, user).await.map(drop)
}

/// The columns that name a subject: a user or a team.
fn subject_columns(subject: &Grantee) -> (Option<&str>, Option<&str>) {
    match subject {
        Grantee::User(user) => (Some(user.as_str()), None),
        Grantee::Team(team) => (None, Some(team.as_str())),
    }
}

/// Splits subjects into ids of users and ids of teams.
fn by_kind(subjects: &[Grantee]) -> (Vec<&str>, Vec<&str>) {
    let (users, teams): (Vec<_>, Vec<_>) = subjects.iter().map(subject_columns).partition(|(user, _)| user.is_some());
    (users.into_iter().filter_map(|(user, _)| user).collect(), teams.into_iter().filter_map(|(_, team)| team).collect())
}

/// Those of these users who are members of an organization, with their grants on some places.
async fn member_grants(
    tx: &mut DieselTx,
    organization: &OrganizationId,
    only: &[&str],
    places: &[GrantTarget],
) -> StoreResult<Vec<MemberGrants>> {
    let query = members::table
        .filter(members::organization_id.eq(organization.as_str()))
        .filter(one_of(members::user_id, only.iter().copied()))
        .order(members::user_id.asc())
        .select((members::user_id, members::role, members::disabled));
    let memberships: Vec<(String, Option<String>, bool)> = tx.conn.all(query).await?;
    let by_id: HashMap<&str, &GrantTarget> = places.iter().map(|place| (place.as_str(), place)).collect();
    let targets = Lists::of(places.iter().map(target_columns));
    let named = grants::user_id.eq_any(only.iter().copied().map(Some));
    let in_teams = team_members::user_id.nullable().eq_any(only.iter().copied().map(Some));
    let query = grants::table
        .left_join(team_members::table.on(grants::team_id.eq(team_members::team_id.nullable())))
        .filter(on_any(targets))
        .filter(named.or(in_teams))
        .select((TARGET, grants::user_id, team_members::user_id.nullable(), grants::team_id, grants::role));
    type Row = (TargetColumns, Option<String>, Option<String>, Option<String>, Option<String>);
    let rows: Vec<Row> = tx.conn.all(query).await?;
    let mut granted: HashMap<String, HashMap<GrantTarget, Grants>> = HashMap::new();
    for (columns, user, in_team, team, given) in rows {
        // A team without members has no effect.
        let Some(user) = user.or(in_team) else { continue };
        let Some(place) = target(columns).and_then(|id| by_id.get(id.as_str()).copied()) else { continue };
        let theirs = granted.entry(user).or_default().entry(place.clone()).or_default();
        add(theirs, team.as_deref(), role(given.as_deref())?)?;
    }
    let mut member_grants = Vec::with_capacity(memberships.len());
    for (user, given, disabled) in memberships {
        let grants = granted.remove(&user).unwrap_or_default();
        member_grants.push(MemberGrants {
            user: parsed("members.user_id", &user)?,
            membership: Membership { role: role(given.as_deref())?, disabled },
            grants,
        });
    }
    Ok(member_grants)
}

/// The sites of organizations with a rule for a user: one of these grants, or a default level.
async fn with_rules(
    tx: &mut DieselTx,
    organizations: &[OrganizationId],
    mut granted: HashMap<String, Grants>,
) -> StoreResult<HashMap<SiteId, SiteGrants>> {
    let query = sites::table
        .left_join(site_items::table.on(site_items::site_id.eq(sites::id).and(site_items::space_id.is_not_null())))
        .filter(one_of(sites::organization_id, organizations.iter().map(OrganizationId::as_str)))
        .filter(
            sites::default_level.ne(DefaultLevel::INHERIT).or(one_of(sites::id, granted.keys().map(String::as_str))),
        )
        .select((sites::id, sites::default_level, site_items::space_id.nullable()));
    let rows: Vec<(String, String, Option<String>)> = tx.conn.all(query).await?;
    let mut found: HashMap<SiteId, SiteGrants> = HashMap::new();
    for (id, default, space) in rows {
        let default = default_level("sites.default_level", &default)?;
        let site = found.entry(parsed("sites.id", &id)?).or_insert_with(|| {
            let place = granted.remove(&id).unwrap_or_default().with(default);
            SiteGrants { place, spaces: Vec::new() }
        });
        site.spaces.extend(parsed_if("site_items.space_id", space.as_deref())?);
    }
    Ok(found)
}

#[async_trait]
impl GrantStore for DieselTx {
    async fn of_user(&mut self, organizations: &[OrganizationId], user: &UserId) -> StoreResult<UserGrants> {
        let tree = trees(self, organizations).await?;
        let query = grants::table
            .filter(one_of(grants::organization_id, organizations.iter().map(OrganizationId::as_str)))
            .filter(to_user(user.as_str()))
            .select((TARGET, grants::team_id, grants::role));
        let rows: Vec<GrantColumns> = self.conn.all(query).await?;
        let mut said = UserGrants::default();
        let mut on_collections: HashMap<CollectionId, Grants> = HashMap::new();
        let mut on_sites: HashMap<String, Grants> = HashMap::new();
        for ((space, collection, site), team, granted) in rows {
            let granted = role(granted.as_deref())?;
            if let Some(id) = space {
                add(said.spaces.entry(parsed("grants.space_id", &id)?).or_default(), team.as_deref(), granted)?;
            } else if let Some(id) = collection {
                let id = parsed("grants.collection_id", &id)?;
                add(on_collections.entry(id).or_default(), team.as_deref(), granted)?;
            } else if let Some(id) = site {
                add(on_sites.entry(id).or_default(), team.as_deref(), granted)?;
            }
        }
        said.sites = with_rules(self, organizations, on_sites).await?;
        for (id, parent, default) in tree {
            let place = on_collections.remove(&id).unwrap_or_default().with(default);
            said.collections.insert(id, CollectionGrants { parent, place });
        }
        Ok(said)
    }

    async fn members_with_access(
        &mut self,
        organization: &OrganizationId,
        query: &AccessQuery,
        page: &PageRequest,
    ) -> StoreResult<Page<(Member, User)>> {
        access_list::members_with_access(self, organization, query, page).await
    }

    async fn denied(&mut self, places: &[GrantTarget]) -> StoreResult<Vec<UserId>> {
        let query = grants::table
            .left_join(team_members::table.on(grants::team_id.eq(team_members::team_id.nullable())))
            .filter(on_any(Lists::of(places.iter().map(target_columns))))
            .filter(grants::role.is_null())
            .select((grants::user_id, team_members::user_id.nullable()));
        let rows: Vec<(Option<String>, Option<String>)> = self.conn.all(query).await?;
        let users: BTreeSet<String> = rows.into_iter().filter_map(|(user, in_team)| user.or(in_team)).collect();
        users.iter().map(|user| parsed("grants.user_id", user)).collect()
    }

    async fn of_some_members(
        &mut self,
        organization: &OrganizationId,
        users: &[UserId],
        places: &[GrantTarget],
    ) -> StoreResult<Vec<MemberGrants>> {
        let users: Vec<&str> = users.iter().map(UserId::as_str).collect();
        let mut found = Vec::new();
        // Each id is bound twice, in addition to the places.
        for some in users.chunks(NAMED / 4) {
            found.extend(member_grants(self, organization, some, places).await?);
        }
        Ok(found)
    }

    async fn outsider(&mut self, organization: &OrganizationId, subjects: &[Grantee]) -> StoreResult<Option<Grantee>> {
        let (wanted_users, wanted_teams) = by_kind(subjects);
        let mut known: HashSet<String> = HashSet::new();
        for batch in wanted_users.chunks(NAMED) {
            let query = members::table
                .filter(members::organization_id.eq(organization.as_str()))
                .filter(one_of(members::user_id, batch.iter().copied()))
                .select(members::user_id);
            known.extend(self.conn.all::<String>(query).await?);
        }
        for batch in wanted_teams.chunks(NAMED) {
            let query = teams::table
                .filter(teams::organization_id.eq(organization.as_str()))
                .filter(one_of(teams::id, batch.iter().copied()))
                .select(teams::id);
            known.extend(self.conn.all::<String>(query).await?);
        }
        let unknown = |subject: &&Grantee| {
            let (user, team) = subject_columns(subject);
            user.or(team).is_none_or(|id| !known.contains(id))
        };
        Ok(subjects.iter().find(unknown).cloned())
    }

    async fn find(&mut self, place: &GrantTarget, subjects: &[Grantee]) -> StoreResult<Vec<(Grantee, Option<Role>)>> {
        let query = grants::table.filter(on(place)).select((grants::user_id, grants::team_id, grants::role));
        let rows: Vec<(Option<String>, Option<String>, Option<String>)> = self.conn.all(query).await?;
        let wanted: HashSet<(Option<&str>, Option<&str>)> = subjects.iter().map(subject_columns).collect();
        let mut found = Vec::new();
        for (user, team, given) in rows {
            if !wanted.contains(&(user.as_deref(), team.as_deref())) {
                continue;
            }
            let subject = match (user, team) {
                (Some(user), _) => Grantee::User(parsed("grants.user_id", &user)?),
                (None, team) => Grantee::Team(parsed("grants.team_id", team.as_deref().unwrap_or_default())?),
            };
            found.push((subject, role(given.as_deref())?));
        }
        Ok(found)
    }

    async fn save(
        &mut self,
        organization: &OrganizationId,
        place: &GrantTarget,
        subjects: &[Grantee],
        role: Option<Role>,
        at: DateTime<Utc>,
    ) -> StoreResult<()> {
        self.check(place)?;
        let (space, collection, site) = target_columns(place);
        let row = |subject| {
            let (user, team) = subject_columns(subject);
            (
                grants::space_id.eq(space),
                grants::collection_id.eq(collection),
                grants::site_id.eq(site),
                grants::organization_id.eq(organization.as_str()),
                grants::user_id.eq(user),
                grants::team_id.eq(team),
                grants::role.eq(role.map(Role::as_str)),
                grants::created_at.eq(time(at)),
            )
        };
        for subject in subjects {
            let insert = diesel::insert_into(grants::table).values(row(subject));
            let set = (grants::role.eq(excluded(grants::role)), grants::created_at.eq(excluded(grants::created_at)));
            match (place, subject) {
                (GrantTarget::Place(PlaceId::Space(_)), Grantee::User(_)) => {
                    let key = (grants::space_id, grants::user_id);
                    self.conn.send(insert.on_conflict(key).do_update().set(set)).await?;
                }
                (GrantTarget::Place(PlaceId::Space(_)), Grantee::Team(_)) => {
                    let key = (grants::space_id, grants::team_id);
                    self.conn.send(insert.on_conflict(key).do_update().set(set)).await?;
                }
                (GrantTarget::Place(PlaceId::Collection(_)), Grantee::User(_)) => {
                    let key = (grants::collection_id, grants::user_id);
                    self.conn.send(insert.on_conflict(key).do_update().set(set)).await?;
                }
                (GrantTarget::Place(PlaceId::Collection(_)), Grantee::Team(_)) => {
                    let key = (grants::collection_id, grants::team_id);
                    self.conn.send(insert.on_conflict(key).do_update().set(set)).await?;
                }
                (GrantTarget::Site(..), Grantee::User(_)) => {
                    let key = (grants::site_id, grants::user_id);
                    self.conn.send(insert.on_conflict(key).do_update().set(set)).await?;
                }
                (GrantTarget::Site(..), Grantee::Team(_)) => {
                    let key = (grants::site_id, grants::team_id);
                    self.conn.send(insert.on_conflict(key).do_update().set(set)).await?;
                }
            }
        }
        Ok(())
    }

    async fn copy(&mut self, from: &GrantTarget, to: &GrantTarget, at: DateTime<Utc>) -> StoreResult<()> {
        self.check(to)?;
        let (space, collection, site) = target_columns(to);
        let same = grants::table.filter(on(from)).select((
            space.into_sql::<Nullable<Text>>(),
            collection.into_sql::<Nullable<Text>>(),
            site.into_sql::<Nullable<Text>>(),
            grants::organization_id,
            grants::user_id,
            grants::team_id,
            grants::role,
            time(at).into_sql::<Timestamp>(),
        ));
        let columns = (
            grants::space_id,
            grants::collection_id,
            grants::site_id,
            grants::organization_id,
            grants::user_id,
            grants::team_id,
            grants::role,
            grants::created_at,
        );
        self.conn.send(same.insert_into(grants::table).into_columns(columns)).await
    }

    async fn remove(&mut self, place: &GrantTarget, subject: &Grantee) -> StoreResult<bool> {
        self.check(place)?;
        let (user, team) = subject_columns(subject);
        let theirs = grants::table
            .filter(on(place))
            .filter(when(user.map(|user| grants::user_id.eq(user))))
            .filter(when(team.map(|team| grants::team_id.eq(team))));
        Ok(self.conn.run(diesel::delete(theirs)).await? > 0)
    }

    async fn clear(&mut self, places: &[GrantTarget]) -> StoreResult<()> {
        for place in places {
            self.check(place)?;
        }
        for batch in places.chunks(NAMED) {
            let targets = Lists::of(batch.iter().map(target_columns));
            let to_them = link_invites::space_id
                .eq_any(targets.spaces.clone())
                .or(link_invites::collection_id.eq_any(targets.collections.clone()));
            self.conn.send(diesel::delete(grants::table.filter(on_any(targets)))).await?;
            // Accepting an invite to the place would add a grant on it.
            self.conn.send(diesel::delete(link_invites::table.filter(to_them))).await?;
        }
        Ok(())
    }

    async fn users(&mut self, place: &GrantTarget, page: &PageRequest) -> StoreResult<Page<(User, Option<Role>)>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted =
            grants::table.inner_join(users::table.on(grants::user_id.eq(users::id.nullable()))).filter(on(place));
        let query = wanted
            .filter(seek(users::id, after, page.order))
            .order(ordered(users::id, page.order))
            .limit(page.limit as i64 + 1)
            .select((columns::<UserRow>(), grants::role));
        let rows: Vec<(UserRow, Option<String>)> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |(user, _)| user.id.clone())
            .try_map(|(user, given)| Ok((user.try_into()?, role(given.as_deref())?)))
    }

    async fn teams(&mut self, place: &GrantTarget, page: &PageRequest) -> StoreResult<Page<(Team, Option<Role>)>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted =
            grants::table.inner_join(teams::table.on(grants::team_id.eq(teams::id.nullable()))).filter(on(place));
        let query = wanted
            .filter(seek(teams::id, after, page.order))
            .order(ordered(teams::id, page.order))
            .limit(page.limit as i64 + 1)
            .select((columns::<TeamRow>(), grants::role));
        let rows: Vec<(TeamRow, Option<String>)> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |(team, _)| team.id.clone())
            .try_map(|(team, given)| Ok((team.try_into()?, role(given.as_deref())?)))
    }
}
