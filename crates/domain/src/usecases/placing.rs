//! The position of spaces and collections: common rules for moving them.
use super::Error;
use super::work::Work;
use crate::access::{self, Denied, Granted};
use crate::collection;
use crate::content::order::OrderKey;
use crate::id::{CollectionId, OrganizationId};
use crate::organization::Organization;
use crate::paging::Page;
use crate::patch::Patch;
use crate::place::{PlaceId, Placed, Position, Sibling, placed};
use crate::ports::store::Lockable;
use crate::ports::store::collections::Child;
use crate::text::Invalid;

/// The destination of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Move {
    /// The new parent collection; [`Patch::Clear`] is the top level of the organization.
    pub parent: Patch<CollectionId>,
    /// The position among its siblings.
    pub position: Position,
}

/// The error for an object that was transferred to another organization between two reads.
pub(super) fn transferred_concurrently() -> Error {
    Error::Conflict("it was transferred to another organization at the same time".into())
}

/// A page of a list in the order of positions.
///
/// # Errors
/// [`Error::Invalid`] for the page token, if the order that the list began with is no longer known.
pub(super) fn known_page<T>(page: Option<Page<T>>) -> Result<Page<T>, Error> {
    let rule = "too much was moved since the first page: list again from the first page";
    Ok(page.ok_or_else(|| Invalid::new("page", rule))?)
}

/// An existing item to be moved.
pub(super) struct MovedItem<'a> {
    pub(super) id: PlaceId,
    pub(super) organization: &'a OrganizationId,
    pub(super) parent: Option<&'a CollectionId>,
    /// Number of levels of collections, including itself; 0 for a space.
    pub(super) levels: usize,
}

impl Work<'_> {
    /// The parent and the order key of an item after a move that the caller is allowed to make. The organization must
    /// be locked, so that no other positions in it change. This locks the item and the siblings that get a new order
    /// key: load the item afterwards to change it.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the destination or a sibling does not exist or is hidden; [`Error::Forbidden`] if the
    /// caller may not create there; [`Error::Conflict`] if the item is already there.
    pub(super) async fn destination(
        &mut self,
        moving: MovedItem<'_>,
        wanted: Move,
    ) -> Result<(Option<CollectionId>, OrderKey), Error> {
        let Move { parent, position } = wanted;
        let names_it = matches!(parent, Patch::Set(_));
        let destination = match parent {
            Patch::Keep => moving.parent.cloned(),
            Patch::Clear => None,
            Patch::Set(parent) => Some(parent),
        };
        // Checked even if the parent stays the same: a move changes the order of all items there.
        let checked =
            self.check_parent(moving.organization, destination.as_ref(), moving.levels, Some(&moving.id)).await;
        checked.map_err(|error| match error {
            Error::Invalid(_) if !names_it => Error::Forbidden("you may not change the order of items there".into()),
            other => other,
        })?;
        let organization_access = self.organization_access(moving.organization).await?;
        let siblings = self.collections().children(moving.organization, destination.as_ref()).await?;
        let siblings: Vec<Sibling> =
            siblings.into_iter().map(|child| seen(child, &organization_access, destination.as_ref())).collect();
        let Some(Placed { position, moved }) = placed(&siblings, &moving.id, &position)? else {
            return Err(Error::Conflict(format!("the {} is already there", moving.id.kind())));
        };
        let changed: Vec<PlaceId> = moved.iter().map(|(id, _)| id).chain([&moving.id]).cloned().collect();
        self.lock(&changed.iter().map(Lockable::from).collect::<Vec<_>>()).await?;
        self.collections().record_positions(moving.organization, &changed).await?;
        if !moved.is_empty() {
            self.collections().rearrange(&moved).await?;
        }
        Ok((destination, position))
    }

    /// Checks that the caller may create items in the organization: at the top level or in any collection. The exact
    /// destination is known only when the input is read; [`Self::check_new_parent`] checks it.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for the organization.
    pub(super) async fn check_creates_somewhere(
        &mut self,
        organization: &OrganizationId,
    ) -> Result<Granted<Organization>, Error> {
        let (found, organization_access) = self.organization_with_access(organization, |may| may.view).await?;
        if found.permissions().create_content || organization_access.creates_somewhere() {
            return Ok(found);
        }
        Err(Error::denied("organization")(Denied::Forbidden))
    }

    /// The order key of a new item after all others. The caller must be allowed to create there.
    ///
    /// # Errors
    /// As [`Self::destination`], and [`Error::NotFound`] for the organization.
    pub(super) async fn last_position(
        &mut self,
        organization: &OrganizationId,
        parent: Option<&CollectionId>,
    ) -> Result<OrderKey, Error> {
        let last = self.collections().last(organization, parent).await?;
        OrderKey::between(last.as_ref(), None).map_err(|error| Error::Corrupt(error.to_string()))
    }

    /// Checks that the caller may create in a collection, or at the top level of the organization, and that the item is
    /// not nested too deeply there. `moving` is an existing item, which must not be put inside itself.
    ///
    /// # Errors
    /// See [`Self::destination`].
    pub(super) async fn check_parent(
        &mut self,
        organization: &OrganizationId,
        parent: Option<&CollectionId>,
        levels: usize,
        moving: Option<&PlaceId>,
    ) -> Result<(), Error> {
        let Some(parent) = parent else {
            let may = self.organization(organization, |may| may.create_content).await;
            // A caller with only a grant on a collection might not see the organization.
            return may.map(drop).map_err(|error| match error {
                Error::NotFound(_) => {
                    Error::Forbidden("you may not create anything at the top level of the organization".into())
                }
                other => other,
            });
        };
        self.check_collection(organization, parent, levels, moving).await
    }

    /// The same for a new item in an organization that is loaded.
    pub(super) async fn check_new_parent(
        &mut self,
        organization: &Granted<Organization>,
        parent: Option<&CollectionId>,
        levels: usize,
    ) -> Result<(), Error> {
        match parent {
            None => organization.require(|may| may.create_content).map_err(Error::denied("organization")),
            Some(parent) => self.check_collection(&organization.id, parent, levels, None).await,
        }
    }

    async fn check_collection(
        &mut self,
        organization: &OrganizationId,
        parent: &CollectionId,
        levels: usize,
        moving: Option<&PlaceId>,
    ) -> Result<(), Error> {
        let absent = || Invalid::new("parent", "there is no such collection");
        let found = self.collection(parent, |may| may.create).await.map_err(|error| match error {
            Error::NotFound(_) => absent().into(),
            other => other,
        })?;
        if found.organization != *organization {
            return Err(absent().into());
        }
        let around = self.collections().around(parent).await?;
        if around.iter().any(|(around, _)| matches!(moving, Some(PlaceId::Collection(id)) if id == around)) {
            return Err(Invalid::new("parent", "a collection cannot be inside itself").into());
        }
        if !collection::fits(around.len(), levels) {
            let rule = format!("collections can be nested at most {} deep", collection::MAX_DEPTH);
            return Err(Invalid::new("parent", rule).into());
        }
        Ok(())
    }
}

/// A sibling as the caller sees it: hidden and deleted ones are not visible.
fn seen(child: Child, organization_access: &access::OrganizationAccess, parent: Option<&CollectionId>) -> Sibling {
    let level = match &child.id {
        PlaceId::Space(id) => organization_access.space(id, parent, child.default_level),
        PlaceId::Collection(id) => organization_access.collection(id),
    };
    Sibling { visible: level.reads() && !child.deleted, id: child.id, position: child.position }
}
