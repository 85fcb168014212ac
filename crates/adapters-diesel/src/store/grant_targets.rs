//! The targets of grants as columns: a space, a collection or a site.
use crate::schema::collections::grants;
use diesel::{BoolExpressionMethods, ExpressionMethods};
use domain::place::{GrantTarget, PlaceId};

/// The columns `space_id`, `collection_id` and `site_id`, one of which is set.
pub(super) type TargetColumns = (Option<String>, Option<String>, Option<String>);

/// The id in the columns of a target.
pub(super) fn target((space, collection, site): TargetColumns) -> Option<String> {
    space.or(collection).or(site)
}

/// A place as the columns `space_id` and `collection_id`.
pub(super) fn place_columns(place: &PlaceId) -> (Option<&str>, Option<&str>) {
    match place {
        PlaceId::Space(id) => (Some(id.as_str()), None),
        PlaceId::Collection(id) => (None, Some(id.as_str())),
    }
}

/// A target as the columns `space_id`, `collection_id` and `site_id`.
pub(super) fn target_columns(target: &GrantTarget) -> Columns<'_> {
    match target {
        GrantTarget::Place(place) => {
            let (space, collection) = place_columns(place);
            (space, collection, None)
        }
        GrantTarget::Site(_, id) => (None, None, Some(id.as_str())),
    }
}

pub(super) type Columns<'a> = (Option<&'a str>, Option<&'a str>, Option<&'a str>);

/// Grants on a target.
#[diesel::dsl::auto_type]
pub(super) fn on<'a>(target: &'a GrantTarget) -> _ {
    let columns: Columns<'a> = target_columns(target);
    let space: Option<&'a str> = columns.0;
    let collection: Option<&'a str> = columns.1;
    let site: Option<&'a str> = columns.2;
    grants::space_id.eq(space).or(grants::collection_id.eq(collection)).or(grants::site_id.eq(site))
}

/// The ids of targets by kind, as lists for a condition such as `space_id IN (…) OR collection_id IN (…)`. An empty
/// list contains a NULL, which matches no row: with an empty list, the condition would be constant, and SQLite would
/// not use an index.
#[derive(Clone)]
pub(super) struct Lists<'a> {
    pub(super) spaces: Ids<'a>,
    pub(super) collections: Ids<'a>,
    sites: Ids<'a>,
}

impl<'a> Lists<'a> {
    pub(super) fn of(targets: impl Iterator<Item = Columns<'a>>) -> Self {
        let targets: Vec<Columns<'a>> = targets.collect();
        let filled = |column: fn(&Columns<'a>) -> Option<&'a str>| {
            let ids: Ids<'a> = targets.iter().map(column).filter(Option::is_some).collect();
            if ids.is_empty() { vec![None] } else { ids }
        };
        Self { spaces: filled(|one| one.0), collections: filled(|one| one.1), sites: filled(|one| one.2) }
    }
}

pub(super) type Ids<'a> = Vec<Option<&'a str>>;

/// Grants on any of these targets.
#[diesel::dsl::auto_type]
pub(super) fn on_any<'a>(targets: Lists<'a>) -> _ {
    let spaces: Ids<'a> = targets.spaces;
    let collections: Ids<'a> = targets.collections;
    let sites: Ids<'a> = targets.sites;
    grants::space_id.eq_any(spaces).or(grants::collection_id.eq_any(collections)).or(grants::site_id.eq_any(sites))
}

/// The target columns of grants.
pub(super) const TARGET: (grants::space_id, grants::collection_id, grants::site_id) =
    (grants::space_id, grants::collection_id, grants::site_id);
