//! The audit log, for administrators.
use super::accounts::operator_only;
use super::lists::only;
use super::people::People;
use super::work::{Units, Work};
use super::{Error, Input};
use crate::actor::Actor;
use crate::event::{Action, Change, Event};
use crate::id::{EventId, OrganizationId, UserId};
use crate::paging::{Page, PageRequest};
use crate::place::PlaceId;
use crate::ports::store::events::EventFilter;
use crate::user::Person;
use std::collections::{BTreeSet, HashMap};

/// Reads the event log, and records denied operations.
#[derive(Clone)]
pub struct Audit {
    /// Units of work.
    pub units: Units,
}

/// The object of a denied operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// An organization.
    Organization(OrganizationId),
    /// A space or a collection.
    Place(PlaceId),
}

impl About {
    /// The kind of object, as in the API.
    fn kind(&self) -> &'static str {
        match self {
            Self::Organization(_) => "organization",
            Self::Place(place) => place.kind(),
        }
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Organization(id) => id.as_str(),
            Self::Place(place) => place.as_str(),
        }
    }
}

/// An event, with the user who caused it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownEvent {
    /// The event.
    pub event: Event,
    /// The user, without an address that the caller may not see; absent if no user made the change.
    pub actor: Option<Person>,
}

impl Audit {
    /// The events of an organization, newest first.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who do not administer it; [`Error::Invalid`].
    pub async fn events(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        query: Input<(EventFilter, PageRequest)>,
    ) -> Result<Page<ShownEvent>, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.admin).await?;
        let (filter, page) = query.read()?;
        let filter = EventFilter { organization: Some(organization.clone()), ..filter };
        let found = work.events().list(&filter, &page).await?;
        show(&mut work, organization, found).await
    }

    /// An event of an organization.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who do not administer it.
    pub async fn event(&self, actor: &Actor, organization: &OrganizationId, id: &EventId) -> Result<ShownEvent, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.admin).await?;
        let event = work.events().find(organization, id).await?.ok_or(Error::NotFound("audit event"))?;
        only(show(&mut work, organization, vec![event].into()).await?)
    }

    /// Every kind of change in the log of an organization.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who do not administer it.
    pub async fn actions(&self, actor: &Actor, organization: &OrganizationId) -> Result<&'static [Action], Error> {
        self.units.read(actor).await?.organization(organization, |may| may.admin).await?;
        Ok(Change::ACTIONS)
    }

    /// Records that a caller was denied an operation. If the caller may see the object, the event goes to the log of
    /// its organization. Otherwise only the operator sees it, as an event of the caller's account: callers cannot write
    /// to the log of an organization that they do not see.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn denied(
        &self,
        actor: &Actor,
        operation: &str,
        about: Option<About>,
        reason: &str,
    ) -> Result<(), Error> {
        let Some(user) = actor.user() else { return Ok(()) };
        let mut work = self.units.write_unchecked(actor).await?;
        let seen = match about {
            Some(about) => home(&mut work, &about).await?.map(|home| (home, about)),
            None => None,
        };
        let (kind, id) = match &seen {
            Some((_, about)) => (about.kind(), about.as_str()),
            None => ("user", user.as_str()),
        };
        let (operation, reason) = (operation.to_owned(), reason.to_owned());
        let change = Change::AccessDenied { operation, reason, kind: kind.to_owned(), id: id.to_owned() };
        match &seen {
            Some((home, _)) => work.record(home, change).await?,
            None => work.record_for_operator(change).await?,
        }
        work.commit().await
    }

    /// All events on the server, of organizations and of accounts.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than the operator.
    pub async fn everything(
        &self,
        actor: &Actor,
        filter: &EventFilter,
        page: &PageRequest,
    ) -> Result<Page<ShownEvent>, Error> {
        operator_only(actor)?;
        let mut work = self.units.read(actor).await?;
        let found = work.events().list(filter, page).await?;
        show_all(&mut work, found).await
    }
}

/// The organization of the object, if the caller may see the object.
async fn home(work: &mut Work<'_>, about: &About) -> Result<Option<OrganizationId>, Error> {
    let found = match about {
        About::Organization(id) => work.organization(id, |may| may.view).await.map(|seen| seen.id.clone()),
        About::Place(PlaceId::Space(id)) => work.space(id, |may| may.view).await.map(|seen| seen.organization.clone()),
        About::Place(PlaceId::Collection(id)) => {
            work.collection(id, |may| may.view).await.map(|seen| seen.organization.clone())
        }
    };
    match found {
        Err(Error::NotFound(_) | Error::Forbidden(_)) => Ok(None),
        found => found.map(Some),
    }
}

/// Adds the users to events of an organization.
async fn show(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    found: Page<Event>,
) -> Result<Page<ShownEvent>, Error> {
    let named = found.items.iter().filter_map(|event| event.actor.clone());
    let people = People::find(work, organization, named).await?;
    found.try_map(|event| Ok(ShownEvent { actor: people.get_if(event.actor.as_ref())?, event }))
}

/// Adds the users to events of any organization, for the operator, who sees all addresses.
async fn show_all(work: &mut Work<'_>, found: Page<Event>) -> Result<Page<ShownEvent>, Error> {
    let named: BTreeSet<UserId> = found.items.iter().filter_map(|event| event.actor.clone()).collect();
    let users = match named.is_empty() {
        true => Vec::new(),
        false => work.users().find_many(&named.into_iter().collect::<Vec<_>>()).await?,
    };
    let people: HashMap<UserId, Person> =
        users.into_iter().map(|user| (user.id.clone(), Person::of(user, true))).collect();
    Ok(found.map(|event| ShownEvent { actor: event.actor.as_ref().and_then(|id| people.get(id).cloned()), event }))
}
