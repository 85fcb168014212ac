//! Lists of members with access to a place, compared with the rules of the domain.
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::{DateTime, TimeDelta, Utc};
use domain::access::{DefaultLevel, Grant, Membership, PlaceRules, Role, SpaceReaders, decide};
use domain::id::{CollectionId, OrganizationId, SiteId, SpaceId, UserId};
use domain::member::Member;
use domain::paging::{Order, PageRequest};
use domain::place::GrantTarget;
use domain::ports::store::grants::{AccessFilter, AccessQuery, MemberGrants};
use domain::ports::store::members::{MemberSort, RoleFilter};
use domain::ports::{Store, Tx};
use domain::site::{NewSite, Site};
use domain::space::{NewSpace, Space};
use domain::text::folded;
use domain::user::User;
use rstest::rstest;
use std::collections::BTreeSet;

const MEMBERS: usize = 120;
const ORGANIZATION: &str = "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, \
     created_at) VALUES ('o', 'O', '[]', FALSE, FALSE, FALSE, '{}', '2026-01-01 00:00:00')";
const DEFAULTS: [DefaultLevel; 3] = [DefaultLevel::Inherit, DefaultLevel::NoAccess, DefaultLevel::Role(Role::Comment)];

fn at(seconds: usize) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(i64::try_from(seconds).unwrap())
}

fn organization() -> OrganizationId {
    "o".parse().unwrap()
}

fn space() -> GrantTarget {
    "s".parse::<SpaceId>().unwrap().into()
}

fn collection(id: &str) -> GrantTarget {
    id.parse::<CollectionId>().unwrap().into()
}

fn site(id: &str) -> GrantTarget {
    GrantTarget::Site(organization(), id.parse::<SiteId>().unwrap())
}

/// Numbers that look random, and are the same in each run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A member with one of all roles. Some names are the beginning of others, and some addresses are shorter when folded, by
/// more characters than the name has.
fn member(number: usize) -> (User, Member) {
    let id: UserId = format!("user{number:03}").parse().unwrap();
    let (name, email) = match number {
        2 | 7 => ("A", format!("a\u{301}e\u{301}{number}@example.org")),
        _ => {
            let name = ["Ann", "Ann B", "ann", "Ärger", "Zoë İ", "ann-b"][number * 7 % 6];
            (name, format!("{}@example.org", MEMBERS - number))
        }
    };
    let user = User {
        id: id.clone(),
        display_name: name.parse().unwrap(),
        email: email.parse().unwrap(),
        email_verified: true,
        photo_url: None,
        created_at: at(0),
    };
    let role = [None, None].into_iter().chain(Role::ALL.iter().copied().map(Some)).nth(number % 8).unwrap();
    let last_seen_at = (!number.is_multiple_of(3)).then(|| at(number * 11 % 50));
    let member = Member::new(organization(), id, role, at(number * 13 % 40));
    let membership = Membership { disabled: number.is_multiple_of(17), ..member.membership };
    (user, Member { membership, last_seen_at, ..member })
}

/// An organization with the space `s`, the sites `a` and `b`, and the collections `c` and `d`, with grants on each to
/// some members and to some of the teams.
async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let mut conn = world.database.write().await.unwrap();
    conn.run(diesel::sql_query(ORGANIZATION)).await.unwrap();
    conn.commit().await.unwrap();
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&organization()).into()]).await.unwrap();
    for number in 0..MEMBERS {
        let (user, member) = member(number);
        tx.users().save(&user).await.unwrap();
        tx.members().save(&member).await.unwrap();
    }
    for name in ["a", "b"] {
        let id = name.parse().unwrap();
        let site = Site::new(id, organization(), name.parse().unwrap(), &NewSite::default(), at(0));
        tx.sites().save(&site).await.unwrap();
    }
    let space = Space::new("s".parse().unwrap(), organization(), "r".parse().unwrap(), NewSpace::default(), at(0));
    tx.spaces().save(&space).await.unwrap();
    tx.commit().await.unwrap();
    let mut conn = world.database.write().await.unwrap();
    for sql in rows() {
        conn.run(diesel::sql_query(sql)).await.unwrap();
    }
    conn.commit().await.unwrap();
    Some((world, store))
}

/// The collections, the teams and the grants, as SQL.
fn rows() -> Vec<String> {
    let mut rows = Vec::new();
    for id in ["c", "d"] {
        rows.push(format!(
            "INSERT INTO collections (id, organization_id, title, default_level, position, created_at, updated_at) \
             VALUES ('{id}', 'o', '', 'inherit', '1', '2026-01-01 00:00:00', '2026-01-01 00:00:00')"
        ));
    }
    let mut draw = Draw(7);
    for team in 0..4 {
        rows.push(format!("INSERT INTO teams VALUES ('team{team}', 'o', 'T', 't', '2026-01-01 00:00:00')"));
        for user in (0..MEMBERS).filter(|_| draw.below(4) == 0).collect::<Vec<_>>() {
            rows.push(format!(
                "INSERT INTO team_members VALUES ('team{team}', 'user{user:03}', 'member', '2026-01-01 00:00:00')"
            ));
        }
    }
    for (column, place) in
        [("space_id", "s"), ("site_id", "a"), ("site_id", "b"), ("collection_id", "c"), ("collection_id", "d")]
    {
        let users = (0..MEMBERS).map(|user| (8, "user_id", format!("user{user:03}")));
        let subjects: Vec<_> = users.chain((0..4).map(|team| (2, "team_id", format!("team{team}")))).collect();
        for (one_in, subject, id) in subjects {
            let role = ["NULL", "'read'", "'edit'", "'review'"][usize::try_from(draw.below(4)).unwrap()];
            if draw.below(one_in) == 0 {
                rows.push(format!(
                    "INSERT INTO grants ({column}, organization_id, {subject}, role, created_at) \
                     VALUES ('{place}', 'o', '{id}', {role}, '2026-01-01 00:00:00')"
                ));
            }
        }
    }
    rows
}

async fn listed(tx: &mut Box<dyn Tx>, query: &AccessQuery) -> BTreeSet<UserId> {
    let all = PageRequest { limit: 1000, ..PageRequest::default() };
    let found = tx.grants().members_with_access(&organization(), query, &all).await.unwrap();
    assert_eq!(found.total, found.items.len());
    found.items.into_iter().map(|(_, user)| user.id).collect()
}

#[rstest]
#[tokio::test]
async fn the_members_with_access_to_a_place_are_those_for_whom_the_rules_decide_so(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut tx = store.read().await.unwrap();
    let users: Vec<UserId> = (0..MEMBERS).map(|number| member(number).0.id).collect();
    let targets = [space(), site("a"), site("b"), collection("c"), collection("d")];
    let members = tx.grants().of_some_members(&organization(), &users, &targets).await.unwrap();
    assert_eq!(members.len(), MEMBERS);
    let plain = |target| PlaceRules::new(target, DefaultLevel::Inherit);
    for space_default in DEFAULTS {
        for site_default in DEFAULTS {
            for collection_default in DEFAULTS {
                let sites = vec![PlaceRules::new(site("a"), site_default), plain(site("b"))];
                let rules = [
                    PlaceRules { target: space(), default: space_default, sites },
                    PlaceRules::new(collection("c"), collection_default),
                    plain(collection("d")),
                ];
                for role in [None, Some(Role::Read), Some(Role::Edit), Some(Role::Admin)] {
                    let has_access = |member: &&MemberGrants| {
                        let places: Vec<_> = rules.iter().map(|rules| rules.place(&member.grants)).collect();
                        let level = decide(Some(member.membership), &places).0;
                        role.map_or(level.reads(), |role| level.role() == Some(role))
                    };
                    let expected: BTreeSet<_> = members.iter().filter(has_access).map(|one| one.user.clone()).collect();
                    let role = role.map_or(RoleFilter::Any, RoleFilter::Role);
                    let filter = AccessFilter { role, ..AccessFilter::default() };
                    let query = AccessQuery { rules: rules.to_vec(), space_readers: None, filter };
                    assert_eq!(listed(&mut tx, &query).await, expected, "{query:?}");
                }
            }
        }
    }
}

#[rstest]
#[tokio::test]
async fn members_with_access_are_read_in_pages_in_each_order(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[values(MemberSort::Name, MemberSort::JoinedAt, MemberSort::LastSeenAt)] sort: MemberSort,
    #[values(Order::Asc, Order::Desc)] order: Order,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut tx = store.read().await.unwrap();
    let rules = vec![PlaceRules::new(space(), DefaultLevel::Inherit)];
    let filter = AccessFilter { sort, ..AccessFilter::default() };
    let query = AccessQuery { rules, space_readers: None, filter };
    let all = listed(&mut tx, &query).await;
    let mut expected: Vec<_> = (0..MEMBERS).map(member).filter(|(user, _)| all.contains(&user.id)).collect();
    expected.sort_by_key(|(user, member)| {
        let name = (sort == MemberSort::Name).then(|| folded(user.display_name.as_str()));
        let at = if sort == MemberSort::JoinedAt { Some(member.joined_at) } else { member.last_seen_at };
        (name, at.filter(|_| sort != MemberSort::Name).unwrap_or(DateTime::UNIX_EPOCH), user.id.clone())
    });
    let mut expected: Vec<UserId> = expected.into_iter().map(|(user, _)| user.id).collect();
    if order == Order::Desc {
        expected.reverse();
    }
    let (mut found, mut page) = (Vec::new(), PageRequest { after: None, limit: 7, order });
    loop {
        let part = tx.grants().members_with_access(&organization(), &query, &page).await.unwrap();
        assert_eq!(part.total, all.len());
        found.extend(part.items.into_iter().map(|(_, user)| user.id));
        page.after = part.next;
        if page.after.is_none() {
            break;
        }
    }
    assert_eq!(found, expected);
}

#[rstest]
#[tokio::test]
async fn members_without_a_level_on_a_site_read_it_by_a_role_or_by_a_grant_unless_one_denies_it(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut tx = store.read().await.unwrap();
    let users: Vec<UserId> = (0..MEMBERS).map(|number| member(number).0.id).collect();
    let targets = [site("a"), space(), collection("c")];
    let members = tx.grants().of_some_members(&organization(), &users, &targets).await.unwrap();
    let rules = vec![PlaceRules::new(site("a"), DefaultLevel::NoAccess)];
    let denied: BTreeSet<UserId> = tx.grants().denied(&targets[1..]).await.unwrap().into_iter().collect();
    let despite_denial: Vec<UserId> = denied.iter().step_by(2).cloned().collect();
    let readers = SpaceReaders {
        roles: vec![None, Some(Role::Read), Some(Role::Edit)],
        without_grant: vec![Some(Role::Edit)],
        places: targets[1..].to_vec(),
        reached: vec![space()],
        despite_denial: despite_denial.clone(),
    };
    let mut expected = BTreeSet::new();
    for one in &members {
        let grants = |target: &GrantTarget| one.grants.get(target);
        let denies = |target: &GrantTarget| {
            grants(target).is_some_and(|grants| {
                grants.direct == Grant::NoAccess || grants.teams.iter().any(|(_, role)| role.is_none())
            })
        };
        assert_eq!(targets[1..].iter().any(denies), denied.contains(&one.user), "{one:?}");
        let role = one.membership.role;
        let reads = if denied.contains(&one.user) {
            despite_denial.contains(&one.user)
        } else {
            role == Some(Role::Edit) || grants(&space()).is_some()
        };
        let places: Vec<_> = rules.iter().map(|rules| rules.place(&one.grants)).collect();
        let has_level = decide(Some(one.membership), &places).0.reads();
        let is_candidate = readers.roles.contains(&role) && !one.membership.disabled && grants(&targets[0]).is_none();
        if has_level || (is_candidate && reads) {
            expected.insert(one.user.clone());
        }
    }
    let query = AccessQuery { rules, space_readers: Some(readers), filter: AccessFilter::default() };
    assert_eq!(listed(&mut tx, &query).await, expected);
    let all = AccessQuery { space_readers: None, ..query };
    assert!(listed(&mut tx, &all).await.len() < expected.len());
}
