//! Places: what content is kept in, what grants are given on, and what has an order among its siblings.
use crate::content::order::OrderKey;
use crate::id::{CollectionId, SpaceId, TeamId, UserId};
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

    /// What it is called.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Space(_) => "space",
            Self::Collection(_) => "collection",
        }
    }
}

/// Whom a grant is given to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A member of the organization, by name.
    User(UserId),
    /// Whoever is in a team.
    Team(TeamId),
}

/// What is said of a sibling that is not there, or that the caller may not know of.
pub const NO_SIBLING: &str = "there is no such sibling at the destination";

/// Beside which siblings something is to stand; at the end when neither is named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// What it is to stand before.
    pub before: Option<PlaceId>,
    /// What it is to stand after.
    pub after: Option<PlaceId>,
}

/// Where something comes to stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its order among its siblings.
    pub position: OrderKey,
    /// Siblings that have to make room, with their new order. Only where two of them had the same.
    pub moved: Vec<(PlaceId, OrderKey)>,
}

/// The order of something among the siblings it is to stand with; nothing when it stands there already. `siblings` are
/// in their order, and may hold what is moved.
///
/// # Errors
/// [`Invalid`] names the sibling that is not there, or says that the two named ones are not neighbours.
pub fn placed(
    siblings: &[(PlaceId, OrderKey)],
    moving: &PlaceId,
    position: &Position,
) -> Result<Option<Placed>, Invalid> {
    let others: Vec<&(PlaceId, OrderKey)> = siblings.iter().filter(|(id, _)| id != moving).collect();
    let find = |field: &str, named: &Option<PlaceId>| {
        let at = named.as_ref().map(|named| others.iter().position(|(id, _)| id == named));
        match at {
            Some(None) => Err(Invalid::new(format!("position.{field}"), NO_SIBLING)),
            found => Ok(found.flatten()),
        }
    };
    let (before, after) = (find("before", &position.before)?, find("after", &position.after)?);
    let slot = match (before, after) {
        (None, None) => others.len(),
        (Some(before), None) => before,
        (None, Some(after)) => after + 1,
        (Some(before), Some(after)) if after + 1 == before => before,
        _ => return Err(Invalid::new("position", "nothing may stand between what is named in before and in after")),
    };
    if siblings.iter().position(|(id, _)| id == moving) == Some(slot) {
        return Ok(None);
    }
    let low = slot.checked_sub(1).map(|at| &others[at].1);
    let high = others.get(slot).map(|(_, key)| key);
    if let Ok(position) = OrderKey::between(low, high) {
        return Ok(Some(Placed { position, moved: Vec::new() }));
    }
    let mut fresh = OrderKey::sequence(others.len() + 1);
    let position = fresh.remove(slot);
    let moved = others.into_iter().map(|(id, _)| id.clone()).zip(fresh).collect();
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

    fn row(names: &str) -> Vec<(PlaceId, OrderKey)> {
        let keys = OrderKey::sequence(names.len());
        names.chars().map(|name| space(&name.to_string())).zip(keys).collect()
    }

    /// The names in their order, once something was placed.
    fn after_move(mut siblings: Vec<(PlaceId, OrderKey)>, moving: &PlaceId, placed: Placed) -> String {
        for (id, key) in placed.moved {
            siblings.iter_mut().find(|(sibling, _)| *sibling == id).unwrap().1 = key;
        }
        siblings.retain(|(id, _)| id != moving);
        siblings.push((moving.clone(), placed.position));
        siblings.sort_by(|a, b| a.1.cmp(&b.1));
        assert!(siblings.windows(2).all(|pair| pair[0].1 < pair[1].1), "{siblings:?}");
        siblings.iter().map(|(id, _)| id.as_str()).collect()
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
    fn what_is_moved_stands_where_it_was_put(
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
    fn a_place_that_does_not_exist_is_named(
        #[case] before: Option<&str>,
        #[case] after: Option<&str>,
        #[case] field: &str,
    ) {
        let wrong = placed(&row("abcx"), &space("x"), &position(before, after)).unwrap_err();
        assert_eq!(wrong.field, field);
    }

    #[test]
    fn siblings_with_one_order_make_room() {
        let key = OrderKey::sequence(1).remove(0);
        let siblings: Vec<_> = ["a", "b", "c"].map(|name| (space(name), key.clone())).into();
        let placed = placed(&siblings, &space("x"), &position(Some("b"), None)).unwrap().unwrap();
        assert_eq!(after_move(siblings, &space("x"), placed), "axbc");
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
