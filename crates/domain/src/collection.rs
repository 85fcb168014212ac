//! Collections: folders of spaces and collections, with access rules for their contents.
use crate::access::{Access, DefaultLevel, Guarded, Level, permissions};
use crate::content::order::OrderKey;
use crate::event::Audited;
use crate::id::{CollectionId, OrganizationId};
use crate::patch::{Patch, changed, set};
use crate::text::{CollectionDescription, CollectionTitle};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The maximum nesting depth of collections. The API defines no limit; this one is Octavo's own.
pub const MAX_DEPTH: usize = 10;

/// A collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    /// The id.
    pub id: CollectionId,
    /// The organization that owns it.
    pub organization: OrganizationId,
    /// The collection that contains it.
    pub parent: Option<CollectionId>,
    /// Its order among its siblings, spaces and collections alike.
    pub position: OrderKey,
    /// Its title; may be empty.
    pub title: CollectionTitle,
    /// What the collection is for.
    pub description: Option<CollectionDescription>,
    /// Role of members without a grant of their own.
    pub default_level: DefaultLevel,
    /// When the collection was created.
    pub created_at: DateTime<Utc>,
    /// When the collection was last changed.
    pub updated_at: DateTime<Utc>,
    /// When the collection was deleted.
    pub deleted_at: Option<DateTime<Utc>>,
}

permissions! {
    /// What a member may do with a collection (see `docs/access.md`).
    pub struct CollectionPermissions {
        view = "view",
        admin = "admin",
        view_invite_links = "viewInviteLinks",
        create = "create",
    }
}

impl Audited for Collection {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("title", json!(self.title)),
            ("description", json!(self.description)),
            ("defaultLevel", json!(self.default_level.word())),
        ]
    }
}

impl Guarded for Collection {
    type Permissions = CollectionPermissions;

    fn permissions(&self, access: &Access) -> CollectionPermissions {
        let manages = access.at_least(Level::Create);
        CollectionPermissions {
            view: access.at_least(Level::Read),
            admin: manages,
            view_invite_links: manages,
            create: manages,
        }
    }

    fn visible(permissions: &CollectionPermissions) -> bool {
        permissions.view
    }
}

/// The initial settings of a new collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewCollection {
    /// Its title; empty when absent.
    pub title: Option<CollectionTitle>,
    /// The collection that contains it.
    pub parent: Option<CollectionId>,
}

/// A change to a collection's settings; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of Collection")]
pub struct CollectionPatch {
    pub title: Option<CollectionTitle>,
    pub description: Patch<CollectionDescription>,
    pub default_level: Option<DefaultLevel>,
}

impl Collection {
    /// A new collection that inherits the access rules of its parent.
    pub fn new(
        id: CollectionId,
        organization: OrganizationId,
        new: NewCollection,
        position: OrderKey,
        at: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            organization,
            parent: new.parent,
            position,
            title: new.title.unwrap_or_else(|| CollectionTitle::fitted("", "")),
            description: None,
            default_level: DefaultLevel::Inherit,
            created_at: at,
            updated_at: at,
            deleted_at: None,
        }
    }

    /// Applies a change of settings. Returns the collection before; `None` if nothing changed.
    pub fn update(&mut self, patch: CollectionPatch, at: DateTime<Utc>) -> Option<Self> {
        let before = changed(self, |collection| collection.apply(patch))?;
        self.updated_at = at;
        Some(before)
    }

    fn apply(&mut self, patch: CollectionPatch) {
        let CollectionPatch { title, description, default_level } = patch;
        set(&mut self.title, title);
        description.apply(&mut self.description);
        set(&mut self.default_level, default_level);
    }

    /// Moves the collection.
    pub fn put(&mut self, parent: Option<CollectionId>, position: OrderKey, at: DateTime<Utc>) {
        self.parent = parent;
        self.position = position;
        self.updated_at = at;
    }
}

/// Whether a collection with `levels` levels of collections, including itself, fits into a parent at `depth` (0 for the
/// organization).
pub fn fits(depth: usize, levels: usize) -> bool {
    depth + levels <= MAX_DEPTH
}

/// The depth of each collection below `root`, which has depth 1.
pub fn depths(root: &CollectionId, all: &[Collection]) -> HashMap<CollectionId, usize> {
    let mut inside: HashMap<&CollectionId, Vec<&CollectionId>> = HashMap::new();
    for collection in all {
        if let Some(parent) = &collection.parent {
            inside.entry(parent).or_default().push(&collection.id);
        }
    }
    let mut depths = HashMap::new();
    let mut waiting = vec![(root, 1)];
    while let Some((id, depth)) = waiting.pop() {
        if depths.insert(id.clone(), depth).is_none() {
            waiting.extend(inside.get(id).into_iter().flatten().map(|inner| (*inner, depth + 1)));
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn collection(id: &str, parent: Option<&str>) -> Collection {
        let new = NewCollection { title: "Guides".parse().ok(), parent: parent.map(|id| id.parse().unwrap()) };
        let position = OrderKey::sequence(1).remove(0);
        Collection::new(id.parse().unwrap(), "o".parse().unwrap(), new, position, DateTime::UNIX_EPOCH)
    }

    #[rstest]
    #[case(Level::Guest, [false, false])]
    #[case(Level::Read, [true, false])]
    #[case(Level::Review, [true, false])]
    #[case(Level::Create, [true, true])]
    fn rights_on_a_collection_follow_the_level(#[case] level: Level, #[case] expected: [bool; 2]) {
        let may = collection("c", None).permissions(&Access::new("u".parse().ok(), level));
        assert_eq!([may.view, may.create], expected);
        assert_eq!((may.admin, may.view_invite_links), (may.create, may.create));
    }

    #[test]
    fn a_patch_keeps_fields_that_it_does_not_set() {
        let mut changed = collection("c", None);
        let described = CollectionPatch { description: Patch::Set("All".parse().unwrap()), ..Default::default() };
        changed.update(described, DateTime::UNIX_EPOCH);
        assert_eq!(changed, Collection { description: "All".parse().ok(), ..collection("c", None) });
        changed.update(CollectionPatch { description: Patch::Clear, ..Default::default() }, DateTime::UNIX_EPOCH);
        assert_eq!(changed, collection("c", None));
    }

    #[rstest]
    #[case(0, 10, true)]
    #[case(0, 11, false)]
    #[case(9, 1, true)]
    #[case(10, 1, false)]
    fn collections_nest_up_to_the_maximum_depth(#[case] depth: usize, #[case] levels: usize, #[case] fine: bool) {
        assert_eq!(fits(depth, levels), fine);
    }

    #[test]
    fn depth_is_counted_along_the_branches() {
        let all =
            [collection("a", None), collection("b", Some("a")), collection("c", Some("b")), collection("d", Some("a"))];
        let depth = |root: &str| depths(&root.parse().unwrap(), &all).into_values().max();
        assert_eq!((depth("a"), depth("b"), depth("d")), (Some(3), Some(2), Some(1)));
    }
}
