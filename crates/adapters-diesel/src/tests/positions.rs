//! A walk over the pages of a list lists every item once, even if items move between its pages.
use super::*;
use crate::store::positions::record_and_keep;
use crate::{DieselStore, StoreOptions, database::Purpose};
use domain::access::Within;
use domain::collection::{Collection, NewCollection};
use domain::content::order::OrderKey;
use domain::id::{OrganizationId, SpaceId};
use domain::paging::{Order, PageRequest};
use domain::place::{PlaceId, Position, Sibling, placed};
use domain::ports::store::spaces::SpaceFilter;
use domain::ports::store::{Lockable, Store, Tx};
use domain::space::{NewSpace, Space};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rstest::rstest;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::runtime::Handle;

/// An event between two pages. Numbers choose an item.
#[derive(Clone, Debug)]
enum Event {
    /// An item is moved before another one.
    Move(usize, usize),
    /// All siblings get new order keys.
    Rearrange,
    /// A new item is added after all others.
    Create(bool),
    /// An item is deleted, or restored.
    Delete(usize),
    /// An item is transferred to another organization, or back.
    Transfer(usize),
    /// The next page is read.
    Read,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        6 => (0usize..20, 0usize..20).prop_map(|(moving, before)| Event::Move(moving, before)),
        1 => Just(Event::Rearrange),
        1 => any::<bool>().prop_map(Event::Create),
        1 => (0usize..20).prop_map(Event::Delete),
        1 => (0usize..20).prop_map(Event::Transfer),
        3 => Just(Event::Read),
    ];
    prop::collection::vec(event, 0..40)
}

/// Two organizations, and the items of a case.
struct Case {
    store: DieselStore,
    home: OrganizationId,
    away: OrganizationId,
    items: Vec<PlaceId>,
}

/// One list that is read page by page.
struct Reading {
    spaces: bool,
    page: Option<PageRequest>,
    seen: Vec<String>,
}

impl Case {
    async fn new(world: &World, count: usize) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut conn = world.database.write().await.unwrap();
        for name in ["home", "away"] {
            let sql = format!(
                "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, created_at) \
                 VALUES ('{name}{number}', 'O', '[]', false, false, false, '[]', '2026-01-01 00:00:00')"
            );
            conn.run(diesel::sql_query(sql)).await.unwrap();
        }
        conn.commit().await.unwrap();
        let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
        let named = |name: &str| format!("{name}{number}").parse().unwrap();
        let mut case = Self { store, home: named("home"), away: named("away"), items: Vec::new() };
        for item in 0..count {
            case.create(item % 3 != 0).await;
        }
        case
    }

    /// A unit of work that has locked everything.
    async fn write(&self) -> Box<dyn Tx> {
        let mut tx = self.store.write().await.unwrap();
        let organizations = [Lockable::from(&self.home), Lockable::from(&self.away)];
        let all: Vec<Lockable> = self.items.iter().map(Lockable::from).chain(organizations).collect();
        tx.lock(&all).await.unwrap();
        tx
    }

    async fn create(&mut self, space: bool) {
        let mut tx = self.write().await;
        let last = tx.collections().last(&self.home, None).await.unwrap();
        let position = OrderKey::between(last.as_ref(), None).unwrap();
        let id = format!("{}-{:03}", self.home, self.items.len());
        let now = chrono::DateTime::UNIX_EPOCH;
        if space {
            let id: SpaceId = id.parse().unwrap();
            let new = Space::new(id.clone(), self.home.clone(), "r".parse().unwrap(), NewSpace::default(), now);
            tx.spaces().save(&Space { position, ..new }).await.unwrap();
            self.items.push(PlaceId::Space(id));
        } else {
            let new = Collection::new(id.parse().unwrap(), self.home.clone(), NewCollection::default(), position, now);
            tx.collections().save(&new).await.unwrap();
            self.items.push(PlaceId::Collection(new.id));
        }
        tx.commit().await.unwrap();
    }

    /// Moves as the use cases do.
    async fn happen(&mut self, event: &Event) {
        if let Event::Create(space) = event {
            return self.create(*space).await;
        }
        let mut tx = self.write().await;
        let children = tx.collections().children(&self.home, None).await.unwrap();
        let item = |number: &usize| self.items[number % self.items.len()].clone();
        match event {
            Event::Move(moving, before) => {
                let (moving, before) = (item(moving), item(before));
                let sibling = |child: domain::ports::store::collections::Child| Sibling {
                    id: child.id,
                    position: child.position,
                    visible: true,
                };
                let siblings: Vec<Sibling> = children.into_iter().map(sibling).collect();
                let position = Position { before: Some(before), after: None };
                if siblings.iter().any(|sibling| sibling.id == moving)
                    && let Ok(Some(found)) = placed(&siblings, &moving, &position)
                {
                    let mut moved = found.moved;
                    moved.push((moving, found.position));
                    let items: Vec<PlaceId> = moved.iter().map(|(id, _)| id.clone()).collect();
                    tx.collections().record_positions(&self.home, &items).await.unwrap();
                    tx.collections().rearrange(&moved).await.unwrap();
                }
            }
            Event::Rearrange => {
                let items: Vec<PlaceId> = children.into_iter().map(|child| child.id).collect();
                tx.collections().record_positions(&self.home, &items).await.unwrap();
                let fresh: Vec<_> = items.iter().cloned().zip(OrderKey::sequence(items.len())).collect();
                tx.collections().rearrange(&fresh).await.unwrap();
            }
            Event::Delete(number) | Event::Transfer(number) => self.change(&mut *tx, &item(number), event).await,
            Event::Create(_) | Event::Read => {}
        }
        tx.commit().await.unwrap();
    }

    /// Deletes or restores an item, or transfers it to the other organization.
    async fn change(&self, tx: &mut dyn Tx, item: &PlaceId, event: &Event) {
        let deletes = matches!(event, Event::Delete(_));
        let changed = |deleted_at: &mut Option<chrono::DateTime<chrono::Utc>>| {
            *deleted_at = if deleted_at.is_some() { None } else { Some(chrono::DateTime::UNIX_EPOCH) };
        };
        match item {
            PlaceId::Space(id) => {
                let mut space = tx.spaces().find(id, None).await.unwrap().unwrap().entity;
                if deletes {
                    changed(&mut space.deleted_at);
                } else {
                    (space.organization, space.position) = self.transferred(tx, item, &space.organization).await;
                }
                tx.spaces().save(&space).await.unwrap();
            }
            PlaceId::Collection(id) => {
                let mut collection = tx.collections().find(id, None).await.unwrap().unwrap().entity;
                if deletes {
                    changed(&mut collection.deleted_at);
                } else {
                    (collection.organization, collection.position) =
                        self.transferred(tx, item, &collection.organization).await;
                }
                tx.collections().save(&collection).await.unwrap();
            }
        }
    }

    async fn transferred(&self, tx: &mut dyn Tx, item: &PlaceId, from: &OrganizationId) -> (OrganizationId, OrderKey) {
        tx.collections().record_positions(from, std::slice::from_ref(item)).await.unwrap();
        let to = if *from == self.home { &self.away } else { &self.home };
        let last = tx.collections().last(to, None).await.unwrap();
        (to.clone(), OrderKey::between(last.as_ref(), None).unwrap())
    }

    fn filter(&self) -> SpaceFilter {
        SpaceFilter {
            organization: self.home.clone(),
            within: Within::Everything,
            also_within: Within::Everything,
            parent: None,
            deleted_after: None,
        }
    }

    /// Reads a page; `None` if its order is no longer known.
    async fn page(&self, spaces: bool, page: &PageRequest) -> Option<(Vec<String>, usize, Option<String>)> {
        let mut tx = self.store.read().await.unwrap();
        if spaces {
            let found = tx.spaces().list(&self.filter(), page).await.unwrap()?;
            let ids = found.items.iter().map(|space| space.id.to_string()).collect();
            return Some((ids, found.total, found.next));
        }
        let found = tx.collections().list(&self.home, &Within::Everything, false, page).await.unwrap()?;
        let ids = found.items.iter().map(|collection| collection.id.to_string()).collect();
        Some((ids, found.total, found.next))
    }

    async fn all(&self, spaces: bool, order: Order) -> Vec<String> {
        self.page(spaces, &PageRequest { limit: 1000, order, after: None }).await.unwrap().0
    }

    async fn read(&self, reading: &mut Reading) {
        let Some(request) = reading.page.clone() else { return };
        let (items, total, next) = self.page(reading.spaces, &request).await.expect("few moves are all known");
        assert!(items.len() <= request.limit);
        assert_eq!(total, self.all(reading.spaces, request.order).await.len());
        reading.seen.extend(items);
        reading.page = next.map(|after| PageRequest { after: Some(after), ..request });
    }
}

async fn holds(world: &World, count: usize, limit: usize, order: Order, events: Vec<Event>) {
    let mut case = Case::new(world, count).await;
    let mut readings = [true, false].map(|spaces| Reading {
        spaces,
        page: Some(PageRequest { limit, order, after: None }),
        seen: Vec::new(),
    });
    let mut first = Vec::new();
    let mut throughout: Vec<BTreeSet<String>> = Vec::new();
    for reading in &mut readings {
        let all = case.all(reading.spaces, order).await;
        throughout.push(all.iter().cloned().collect());
        first.push(all);
        case.read(reading).await;
    }
    for event in events {
        match event {
            Event::Read => {
                for reading in &mut readings {
                    case.read(reading).await;
                }
            }
            event => case.happen(&event).await,
        }
        for (reading, stays) in readings.iter().zip(&mut throughout) {
            let present: BTreeSet<String> = case.all(reading.spaces, order).await.into_iter().collect();
            stays.retain(|id| present.contains(id));
        }
    }
    for ((mut reading, first), throughout) in readings.into_iter().zip(first).zip(throughout) {
        while reading.page.is_some() {
            case.read(&mut reading).await;
        }
        let distinct: BTreeSet<&String> = reading.seen.iter().collect();
        assert_eq!(distinct.len(), reading.seen.len(), "twice: {:?}", reading.seen);
        let expected: Vec<&String> = first.iter().filter(|id| throughout.contains(*id)).collect();
        let seen: Vec<&String> = reading.seen.iter().filter(|id| throughout.contains(*id)).collect();
        assert_eq!(seen, expected, "in the order at the first page");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_walk_lists_each_item_once_despite_moves(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let cases = Config::default().cases.div_ceil(8);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let order = prop_oneof![Just(Order::Asc), Just(Order::Desc)];
    let input = (1usize..16, 1usize..5, order, events());
    tokio::task::block_in_place(|| {
        let ran = TestRunner::new(config).run(&input, |(count, limit, order, events)| {
            Handle::current().block_on(holds(&world, count, limit, order, events));
            Ok(())
        });
        ran.unwrap_or_else(|failure| panic!("{failure}"));
    });
}

/// Records the position of an item as a move does, and keeps this number of moves.
async fn recorded(case: &Case, kept: i64) {
    let mut tx = case.store.begin(Purpose::Write).await.unwrap();
    tx.lock(&[(&case.home).into()]).await.unwrap();
    record_and_keep(&mut tx, &case.home, &case.items[1..2], kept).await.unwrap();
    tx.finish().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn a_walk_fails_if_moves_since_its_first_page_are_no_longer_stored(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = world(backend).await else { return };
    let case = Case::new(&world, 6).await;
    let begin = async || {
        let next = case.page(true, &PageRequest { limit: 1, ..PageRequest::default() }).await.unwrap().2;
        PageRequest { limit: 1, after: next, ..PageRequest::default() }
    };
    let first = begin().await;
    for _ in 0..3 {
        recorded(&case, 3).await;
    }
    assert!(case.page(true, &first).await.is_some(), "all three are known");
    let second = begin().await;
    recorded(&case, 3).await;
    assert_eq!(case.page(true, &first).await, None);
    assert!(case.page(true, &second).await.is_some());
    recorded(&case, 0).await;
    assert_eq!(case.page(true, &second).await, None, "the newest move tells that others are gone");
    assert!(case.page(true, &begin().await).await.is_some());
}

#[rstest]
#[tokio::test]
async fn a_page_token_from_before_moves_were_recorded_is_still_read(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = world(backend).await else { return };
    let mut case = Case::new(&world, 9).await;
    let all = case.all(true, Order::Asc).await;
    let space = |id: &str| PlaceId::Space(id.parse().unwrap());
    let mut tx = case.write().await;
    let positions = tx.collections().children(&case.home, None).await.unwrap();
    tx.commit().await.unwrap();
    let second = positions.iter().find(|child| child.id == space(&all[1])).unwrap();
    let after = Some(format!("{} {}", second.position, all[1]));
    let last = case.items.iter().position(|item| *item == space(all.last().unwrap())).unwrap();
    case.happen(&Event::Move(last, 0)).await;
    let (items, ..) = case.page(true, &PageRequest { after, ..PageRequest::default() }).await.unwrap();
    assert_eq!(items, all[2..]);
}
