//! Lists in the order of positions. A walk over the pages of a list keeps the order of its first page: it lists an item
//! that has moved since at its old position (see `docs/decisions/0021-a-list-keeps-the-order-that-it-began-with.md`).
use super::stored::strings;
use crate::conn::Conn;
use crate::error::internal;
use crate::schema::collections::{collections, moves};
use crate::schema::organizations::spaces;
use crate::sql::{NAMED, one_of};
use crate::tx::DieselTx;
use diesel::dsl::max;
use diesel::{ExpressionMethods, Insertable, QueryDsl};
use domain::id::OrganizationId;
use domain::paging::{Order, Page, PageRequest};
use domain::place::PlaceId;
use domain::ports::StoreResult;
use futures_util::future::BoxFuture;
use std::cmp::Ordering;
use std::collections::HashMap;

/// The number of moves that are kept for each organization. Each page reads the moves since the first page of its walk.
const MAX_MOVES: i64 = 100_000;

#[derive(Insertable)]
#[diesel(table_name = moves, treat_none_as_default_value = false)]
struct MoveRow {
    organization_id: String,
    number: i64,
    place_id: String,
    position: String,
}

/// An item of a list in the order of positions.
pub(super) trait Positioned {
    /// Its current position, and its id.
    fn place(&self) -> (&str, &str);
}

/// An item of a list with its place in the order of the walk.
pub(super) struct Placed<R> {
    /// Its position when the walk began, if it has moved since.
    moved_from: Option<String>,
    item: R,
}

impl<R: Positioned> Placed<R> {
    fn place(&self) -> (&str, &str) {
        let (current, id) = self.item.place();
        (self.moved_from.as_deref().unwrap_or(current), id)
    }
}

/// A walk over the pages of a list, at one page.
pub(super) struct Walk {
    organization: String,
    order: Order,
    /// The number of the last move when the walk began; absent on its first page.
    since: Option<i64>,
    /// The position and the id of the last item of the page before.
    after: Option<(String, String)>,
    /// The positions that moved items had when the walk began, by id.
    moved: HashMap<String, String>,
}

impl Walk {
    /// The walk of a page; `None` if the moves since its first page are no longer stored.
    pub(super) async fn of(
        tx: &mut DieselTx,
        organization: &OrganizationId,
        page: &PageRequest,
    ) -> StoreResult<Option<Self>> {
        let (organization, order) = (organization.to_string(), page.order);
        let Some(key) = page.after.as_deref() else {
            return Ok(Some(Self { organization, order, since: None, after: None, moved: HashMap::new() }));
        };
        let read = |key: &str| {
            let mut parts = key.split(' ');
            let (position, id) = (parts.next()?.to_owned(), parts.next()?.to_owned());
            // A walk that began before moves were recorded has no number. All moves since then are stored.
            let Some(since) = parts.next() else { return Some(((position, id), 0, None)) };
            Some(((position, id), since.parse().ok()?, parts.next().map(str::to_owned)))
        };
        let (after, since, begun_in) = read(key).ok_or_else(|| internal(format!("invalid page key {key:?}")))?;
        // The items now belong to another organization, whose moves are numbered independently.
        if begun_in.is_some_and(|begun_in| begun_in != organization) {
            return Ok(None);
        }
        let query = moves::table
            .filter(moves::organization_id.eq(organization.clone()))
            .filter(moves::number.gt(since))
            .order(moves::number.asc())
            .select((moves::number, moves::place_id, moves::position));
        let rows: Vec<(i64, String, String)> = tx.conn.at_length().all(query).await?;
        if rows.first().is_some_and(|(first, ..)| *first != since + 1) {
            return Ok(None);
        }
        let mut moved = HashMap::new();
        for (_, place, position) in rows {
            // The first move since then has the old position.
            moved.entry(place).or_insert(position);
        }
        Ok(Some(Self { organization, order, since: Some(since), after: Some(after), moved }))
    }

    /// The place of the last item of the page before.
    pub(super) fn after(&self) -> Option<(&str, &str)> {
        self.after.as_ref().map(|(position, id)| (position.as_str(), id.as_str()))
    }

    /// The number of the last move when the walk began, if items were moved since: the list must be read without these.
    pub(super) fn moves_since(&self) -> Option<i64> {
        self.since.filter(|_| !self.moved.is_empty())
    }

    /// The ids of the moved items that come after the page before, in order.
    fn moved_after(&self) -> Vec<String> {
        let all = self.moved.iter().map(|(id, position)| (position.as_str(), id.as_str()));
        let mut left: Vec<(&str, &str)> =
            all.filter(|place| self.after().is_none_or(|after| self.compare(*place, after).is_gt())).collect();
        left.sort_by(|one, other| self.compare(*one, *other));
        left.into_iter().map(|(_, id)| id.to_owned()).collect()
    }

    /// The items of a page with the places that they had when the walk began: `items`, which have not moved, and the
    /// moved items, which `read` loads by id.
    pub(super) async fn with_moved<R: Positioned>(
        &self,
        conn: &mut Conn,
        items: Vec<R>,
        limit: usize,
        read: impl for<'c> Fn(&'c mut Conn, &[String]) -> BoxFuture<'c, StoreResult<Vec<R>>>,
    ) -> StoreResult<Vec<Placed<R>>> {
        let placed = |item: R| Placed { moved_from: self.moved.get(item.place().1).cloned(), item };
        let mut all: Vec<Placed<R>> = items.into_iter().map(placed).collect();
        let enough = all.len() + limit;
        for some in self.moved_after().chunks(NAMED) {
            all.extend(read(conn, some).await?.into_iter().map(placed));
            if all.len() > enough {
                break;
            }
        }
        Ok(all)
    }

    fn compare(&self, one: (&str, &str), other: (&str, &str)) -> Ordering {
        match self.order {
            Order::Asc => one.cmp(&other),
            Order::Desc => other.cmp(&one),
        }
    }

    /// The page of a list of `total` items. `items` are the first items after the previous page: of those that have
    /// moved and of the others, each one more than the page can have.
    pub(super) async fn page<R: Positioned>(
        &self,
        tx: &mut DieselTx,
        mut items: Vec<Placed<R>>,
        request: &PageRequest,
        total: usize,
    ) -> StoreResult<Page<R>> {
        items.sort_by(|one, other| self.compare(one.place(), other.place()));
        let since = match self.since {
            Some(since) => since,
            None if items.len() > request.limit => last_move(tx, &self.organization).await?,
            None => 0,
        };
        let key = |placed: &Placed<R>| {
            let (position, id) = placed.place();
            format!("{position} {id} {since} {}", self.organization)
        };
        Ok(Page::from_overfetch(items, request, total, key).map(|placed| placed.item))
    }
}

async fn last_move(tx: &mut DieselTx, organization: &str) -> StoreResult<i64> {
    let last = moves::table.filter(moves::organization_id.eq(organization)).select(max(moves::number));
    Ok(tx.conn.one::<Option<i64>>(last).await?.unwrap_or_default())
}

/// See [`CollectionStore::record_positions`](domain::ports::store::CollectionStore::record_positions).
pub(super) async fn record(tx: &mut DieselTx, organization: &OrganizationId, items: &[PlaceId]) -> StoreResult<()> {
    record_and_keep(tx, organization, items, MAX_MOVES).await
}

/// Records positions, and removes all but the newest `kept` moves. The newest one always stays, because it has the last
/// number.
pub(crate) async fn record_and_keep(
    tx: &mut DieselTx,
    organization: &OrganizationId,
    items: &[PlaceId],
    kept: i64,
) -> StoreResult<()> {
    tx.check(organization)?;
    let organization = organization.as_str();
    let (mut in_spaces, mut in_collections) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            PlaceId::Space(id) => in_spaces.push(id),
            PlaceId::Collection(id) => in_collections.push(id),
        }
    }
    let mut found: Vec<(String, String)> = Vec::with_capacity(items.len());
    for ids in in_spaces.chunks(NAMED) {
        let rows = spaces::table.filter(spaces::organization_id.eq(organization));
        let rows = rows.filter(one_of(spaces::id, strings(ids))).select((spaces::id, spaces::position));
        found.extend(tx.conn.all::<(String, String)>(rows).await?);
    }
    for ids in in_collections.chunks(NAMED) {
        let rows = collections::table.filter(collections::organization_id.eq(organization));
        let rows = rows.filter(one_of(collections::id, strings(ids))).select((collections::id, collections::position));
        found.extend(tx.conn.all::<(String, String)>(rows).await?);
    }
    if found.is_empty() {
        return Ok(());
    }
    let mut last = last_move(tx, organization).await?;
    let mut rows = Vec::with_capacity(found.len());
    for (place_id, position) in found {
        last += 1;
        rows.push(MoveRow { organization_id: organization.to_owned(), number: last, place_id, position });
    }
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let batch: Vec<MoveRow> = rows.by_ref().take(NAMED / 4).collect();
        tx.conn.at_length().send(diesel::insert_into(moves::table).values(batch)).await?;
    }
    if last > kept {
        let old = moves::table.filter(moves::organization_id.eq(organization.to_owned()));
        let old = old.filter(moves::number.le((last - kept).min(last - 1)));
        tx.conn.at_length().send(diesel::delete(old)).await?;
    }
    Ok(())
}
