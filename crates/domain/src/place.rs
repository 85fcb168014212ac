//! Places: spaces and collections. They have grants, and an order among their siblings. Sites have grants too.
use crate::content::order::OrderKey;
use crate::id::{CollectionId, OrganizationId, SiteId, SpaceId, TeamId, UserId};
use crate::text::Invalid;

/// A space or a collection.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PlaceId {
    /// A space.
    Space(SpaceId),
    /// A collection.
    Collection(CollectionId),
}

impl PlaceId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Space(id) => id.as_str(),
            Self::Collection(id) => id.as_str(),
        }
    }

    /// `space` or `collection`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Space(_) => "space",
            Self::Collection(_) => "collection",
        }
    }
}

/// The target of a grant to users and teams.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GrantTarget {
    /// A space or a collection.
    Place(PlaceId),
    /// A site of this organization.
    Site(OrganizationId, SiteId),
}

impl From<PlaceId> for GrantTarget {
    fn from(id: PlaceId) -> Self {
        Self::Place(id)
    }
}

impl From<SpaceId> for GrantTarget {
    fn from(id: SpaceId) -> Self {
        Self::Place(PlaceId::Space(id))
    }
}

impl From<CollectionId> for GrantTarget {
    fn from(id: CollectionId) -> Self {
        Self::Place(PlaceId::Collection(id))
    }
}

impl GrantTarget {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Place(id) => id.as_str(),
            Self::Site(_, id) => id.as_str(),
        }
    }

    /// `space`, `collection` or `site`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Place(id) => id.kind(),
            Self::Site(..) => "site",
        }
    }
}

/// Who receives a grant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Grantee {
    /// A member of the organization.
    User(UserId),
    /// All members of a team.
    Team(TeamId),
}

/// The rule for a sibling that does not exist or that the caller may not see.
const NO_SIBLING: &str = "must be a sibling at the destination";

/// The position among the siblings; the last one if neither sibling is named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The sibling that follows.
    pub before: Option<PlaceId>,
    /// The sibling that precedes.
    pub after: Option<PlaceId>,
}

/// A sibling at the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sibling {
    /// The id.
    pub id: PlaceId,
    /// Its order key.
    pub position: OrderKey,
    /// Whether the caller sees it. A hidden sibling keeps its position, and does not count as a neighbour.
    pub visible: bool,
}

/// The longest order key. Keys get longer when places are inserted between the same two siblings again and again; at
/// this length, all siblings get new keys.
const MAX_POSITION: usize = 64;

/// The result of placing something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The order key of the placed item.
    pub position: OrderKey,
    /// Siblings that get a new order key: only if two of them had the same key, or if no key was left between them.
    pub moved: Vec<(PlaceId, OrderKey)>,
}

/// Computes the order key of `moving` among its siblings; `None` if it is already at that position. `siblings` must be
/// in order, must include hidden ones, and may include `moving`.
///
/// # Errors
/// [`Invalid`] if a named sibling does not exist, or if the two named siblings are not adjacent.
pub fn placed(siblings: &[Sibling], moving: &PlaceId, position: &Position) -> Result<Option<Placed>, Invalid> {
    let seen: Vec<&PlaceId> = siblings.iter().filter(|sibling| sibling.visible).map(|sibling| &sibling.id).collect();
    let neighbours: Vec<&PlaceId> = seen.iter().copied().filter(|id| *id != moving).collect();
    let find = |field: &str, named: &Option<PlaceId>| {
        let at = named.as_ref().map(|named| neighbours.iter().position(|id| *id == named));
        match at {
            Some(None) => Err(Invalid::new(format!("position.{field}"), NO_SIBLING)),
            found => Ok(found.flatten()),
        }
    };
    let (before, after) = (find("before", &position.before)?, find("after", &position.after)?);
    let among_seen = match (before, after) {
        (None, None) => neighbours.len(),
        (Some(before), None) => before,
        (None, Some(after)) => after + 1,
        (Some(before), Some(after)) if after + 1 == before => before,
        _ => return Err(Invalid::new("position", "before and after must name adjacent siblings")),
    };
    if seen.iter().position(|id| *id == moving) == Some(among_seen) {
        return Ok(None);
    }
    let others: Vec<&Sibling> = siblings.iter().filter(|sibling| sibling.id != *moving).collect();
    let next = neighbours.get(among_seen).and_then(|next| others.iter().position(|other| other.id == **next));
    let slot = next.unwrap_or(others.len());
    let low = slot.checked_sub(1).map(|at| &others[at].position);
    let high = others.get(slot).map(|other| &other.position);
    let between = OrderKey::between(low, high).ok().filter(|position| position.as_str().len() <= MAX_POSITION);
    if let Some(position) = between {
        return Ok(Some(Placed { position, moved: Vec::new() }));
    }
    let mut fresh = OrderKey::sequence(others.len() + 1);
    let position = fresh.remove(slot);
    let moved = others.into_iter().map(|other| other.id.clone()).zip(fresh).collect();
    Ok(Some(Placed { position, moved }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn space(name: &str) -> PlaceId {
        PlaceId::Space(name.parse().unwrap())
    }

    /// Siblings by name; names in upper case are hidden.
    fn row(names: &str) -> Vec<Sibling> {
        let stand = |(name, position): (char, OrderKey)| Sibling {
            id: space(&name.to_string()),
            position,
            visible: name.is_lowercase(),
        };
        names.chars().zip(OrderKey::sequence(names.len())).map(stand).collect()
    }

    /// The names in order, after the move.
    fn after_move(mut siblings: Vec<Sibling>, moving: &PlaceId, placed: Placed) -> String {
        for (id, key) in placed.moved {
            siblings.iter_mut().find(|sibling| sibling.id == id).unwrap().position = key;
        }
        siblings.retain(|sibling| sibling.id != *moving);
        siblings.push(Sibling { id: moving.clone(), position: placed.position, visible: true });
        siblings.sort_by(|a, b| a.position.cmp(&b.position));
        assert!(siblings.windows(2).all(|pair| pair[0].position < pair[1].position), "{siblings:?}");
        siblings.iter().map(|sibling| sibling.id.as_str()).collect()
    }

    fn position(before: Option<&str>, after: Option<&str>) -> Position {
        Position { before: before.map(space), after: after.map(space) }
    }

    #[rstest]
    #[case("abc", "c", Some("a"), None, Some("cab"))]
    #[case("abc", "a", None, Some("b"), Some("bac"))]
    #[case("abc", "a", None, None, Some("bca"))]
    #[case("abc", "x", None, None, Some("abcx"))]
    #[case("abc", "x", Some("a"), None, Some("xabc"))]
    #[case("abc", "x", Some("b"), Some("a"), Some("axbc"))]
    #[case("", "x", None, None, Some("x"))]
    #[case("abc", "c", None, None, None)]
    #[case("abc", "b", Some("c"), None, None)]
    #[case("abc", "b", None, Some("a"), None)]
    #[case("abc", "b", Some("c"), Some("a"), None)]
    #[case::what_is_hidden_is_no_neighbour("aHb", "x", Some("b"), Some("a"), Some("aHxb"))]
    #[case::nor_does_it_make_a_difference("abH", "b", None, None, None)]
    #[case::and_it_keeps_its_place("aHb", "a", None, None, Some("Hba"))]
    fn a_moved_item_has_the_requested_position(
        #[case] siblings: &str,
        #[case] moving: &str,
        #[case] before: Option<&str>,
        #[case] after: Option<&str>,
        #[case] expected: Option<&str>,
    ) {
        let (siblings, moving) = (row(siblings), space(moving));
        let placed = placed(&siblings, &moving, &position(before, after)).unwrap();
        assert_eq!(placed.map(|placed| after_move(siblings, &moving, placed)).as_deref(), expected);
    }

    #[rstest]
    #[case(Some("z"), None, "position.before")]
    #[case(None, Some("z"), "position.after")]
    #[case(Some("x"), None, "position.before")]
    #[case(Some("a"), Some("c"), "position")]
    #[case(Some("c"), Some("a"), "position")]
    #[case::hidden(Some("H"), None, "position.before")]
    fn the_error_names_a_missing_sibling(
        #[case] before: Option<&str>,
        #[case] after: Option<&str>,
        #[case] field: &str,
    ) {
        let wrong = placed(&row("abcHx"), &space("x"), &position(before, after)).unwrap_err();
        assert_eq!(wrong.field, field);
    }

    #[test]
    fn siblings_with_equal_keys_get_new_ones() {
        let key = OrderKey::sequence(1).remove(0);
        let siblings = row("abc").into_iter().map(|sibling| Sibling { position: key.clone(), ..sibling });
        let siblings: Vec<Sibling> = siblings.collect();
        let placed = placed(&siblings, &space("x"), &position(Some("b"), None)).unwrap().unwrap();
        assert_eq!(after_move(siblings, &space("x"), placed), "axbc");
    }

    #[test]
    fn siblings_get_new_keys_before_keys_grow_too_long() {
        let mut siblings = row("abc");
        let mut longest = 0;
        for turn in 0..1000 {
            let moving = space(if turn % 2 == 0 { "c" } else { "b" });
            let placed = placed(&siblings, &moving, &position(None, Some("a"))).unwrap().unwrap();
            for (id, key) in placed.moved {
                siblings.iter_mut().find(|sibling| sibling.id == id).unwrap().position = key;
            }
            longest = longest.max(placed.position.as_str().len());
            siblings.iter_mut().find(|sibling| sibling.id == moving).unwrap().position = placed.position;
            siblings.sort_by(|a, b| a.position.cmp(&b.position));
        }
        assert!((10..=MAX_POSITION).contains(&longest), "{longest}");
    }

    proptest! {
        #[test]
        fn a_move_keeps_the_order_of_all_others(count in 1usize..20, from in 0usize..20, to in 0usize..20) {
            let names = "abcdefghijklmnopqrst";
            let names = &names[..count];
            let siblings = row(names);
            let moving = space(&names[from % count..][..1]);
            let beside = position(Some(&names[to % count..][..1]), None);
            if let Ok(Some(placed)) = placed(&siblings, &moving, &beside) {
                let now = after_move(siblings, &moving, placed);
                let without = |text: &str| text.replace(moving.as_str(), "");
                prop_assert_eq!(without(&now), without(names));
            }
        }
    }
}
