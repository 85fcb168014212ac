//! Notifications of the caller, and their settings.
pub(super) mod mail;
pub(super) mod notify;

use super::lists::only;
use super::open::{SeveralOrganizations, account};
use super::people::People;
use super::work::{Units, Work};
use super::{Error, Input, Precondition};
use crate::access::Granted;
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{NotificationId, OrganizationId, SpaceId, UserId};
use crate::notification::{LevelSource, Notification, NotificationKind, NotificationLevel, NotificationSubject};
use crate::paging::{Page, PageRequest};
use crate::ports::store::notifications::NotificationFilter;
use crate::space::Space;
use crate::text::Invalid;
use crate::user::Person;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Lists notifications, marks them as read, and updates the settings of the caller.
#[derive(Clone)]
pub struct Notifications {
    /// Units of work.
    pub units: Units,
}

/// A notification of the caller with all data of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownNotification {
    /// The notification.
    pub notification: Notification,
    /// The organization that owns the space or the webhook.
    pub organization: OrganizationId,
    /// The user who caused it; absent if the server did.
    pub actor: Option<Person>,
}

/// Which events of a space the caller is notified of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownLevel {
    /// The space.
    pub space: SpaceId,
    /// The level that applies.
    pub level: NotificationLevel,
    /// Where it comes from.
    pub source: LevelSource,
}

/// Whether the caller gets e-mails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmailSettings {
    /// Whether the caller wants e-mails.
    pub wanted: bool,
    /// Whether the address of the caller is verified; no e-mail is sent to another.
    pub verified: bool,
    /// Whether the server sends e-mail.
    pub available: bool,
}

impl ShownLevel {
    fn of(space: &SpaceId, set: Option<NotificationLevel>) -> Self {
        let source = set.map_or(LevelSource::Default, |_| LevelSource::Space);
        Self { space: space.clone(), level: set.unwrap_or_default(), source }
    }
}

/// The spaces with notifications of the caller that the caller may see, and the organizations with notifications about
/// their webhooks.
#[derive(Default)]
struct Visible {
    /// The organization of each space.
    organizations: HashMap<SpaceId, OrganizationId>,
    /// Spaces of which the caller may see all kinds.
    spaces: Vec<SpaceId>,
    /// Spaces of which the caller may see only these kinds.
    limited: (Vec<SpaceId>, Vec<NotificationKind>),
    /// Organizations whose webhooks the caller manages.
    managed: Vec<OrganizationId>,
}

impl Visible {
    /// The notifications of the caller in these spaces and organizations; optionally only read or only unread ones.
    fn filter(self, user: UserId, read: Option<bool>) -> NotificationFilter {
        let Self { organizations: _, spaces, limited, managed } = self;
        NotificationFilter { user, spaces, limited, organizations: managed, read }
    }
}

async fn visible(work: &mut Work<'_>, user: &UserId) -> Result<Visible, Error> {
    let ids = work.notifications().spaces(user).await?;
    let spaces = work.spaces().find_many(&ids).await?;
    let of_webhooks = work.notifications().organizations(user).await?;
    let organizations: BTreeSet<OrganizationId> =
        spaces.iter().map(|space| space.organization.clone()).chain(of_webhooks.iter().cloned()).collect();
    let organizations: Vec<OrganizationId> = organizations.into_iter().collect();
    let organizations = SeveralOrganizations::load(work, user, &organizations).await?;
    let mut found = Visible::default();
    for space in spaces.into_iter().filter_map(|space| organizations.readable(space)) {
        let may = space.permissions();
        let of_space = NotificationKind::ALL.iter().copied().filter(|kind| kind.is_of_space());
        let (kinds, hidden): (Vec<_>, Vec<_>) = of_space.partition(|kind| kind.is_visible(may));
        match (kinds.is_empty(), hidden.is_empty()) {
            (true, _) => continue,
            (false, true) => found.spaces.push(space.id.clone()),
            // There is one level with which a user sees some kinds only.
            (false, false) => {
                found.limited.0.push(space.id.clone());
                found.limited.1 = kinds;
            }
        }
        found.organizations.insert(space.id.clone(), space.organization.clone());
    }
    found.managed = of_webhooks.into_iter().filter(|id| organizations.permits(id, |may| may.admin)).collect();
    found.spaces.sort();
    found.limited.0.sort();
    found.managed.sort();
    Ok(found)
}

/// Whether the caller manages the webhooks of an organization.
async fn manages_webhooks(work: &mut Work<'_>, organization: &OrganizationId) -> Result<bool, Error> {
    match work.organization(organization, |may| may.admin).await {
        Ok(_organization) => Ok(true),
        Err(Error::NotFound(_) | Error::Forbidden(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Adds the users and organizations to notifications that the caller may see. `spaces` has the organizations of their
/// spaces.
async fn show(
    work: &mut Work<'_>,
    found: Page<Notification>,
    spaces: &HashMap<SpaceId, OrganizationId>,
) -> Result<Page<ShownNotification>, Error> {
    let mut named: BTreeMap<OrganizationId, BTreeSet<UserId>> = BTreeMap::new();
    for notification in &found.items {
        let NotificationSubject::Discussion { space, actor, .. } = &notification.subject else { continue };
        let organization = spaces.get(space).ok_or(Error::NotFound("space"))?;
        named.entry(organization.clone()).or_default().insert(actor.clone());
    }
    let people = People::find_in(work, named).await?;
    found.try_map(|notification| {
        let (organization, actor) = match &notification.subject {
            NotificationSubject::Discussion { space, actor, .. } => {
                let organization = spaces.get(space).ok_or(Error::NotFound("space"))?;
                let people = people.get(organization).ok_or(Error::NotFound("organization"))?;
                (organization.clone(), Some(people.get(actor)?))
            }
            NotificationSubject::Webhook { organization, .. } => (organization.clone(), None),
        };
        Ok(ShownNotification { organization, actor, notification })
    })
}

/// A notification of the caller, unless the caller may no longer see it.
async fn find(work: &mut Work<'_>, user: &UserId, id: &NotificationId) -> Result<ShownNotification, Error> {
    let missing = || Error::NotFound("notification");
    let found = work.notifications().find(user, id).await?.ok_or_else(missing)?;
    let spaces = match &found.subject {
        NotificationSubject::Discussion { space, .. } => {
            let space: Granted<Space> = match work.space(space, |may| found.kind.is_visible(may)).await {
                Err(Error::NotFound(_) | Error::Forbidden(_)) => return Err(missing()),
                space => space?,
            };
            HashMap::from([(space.id.clone(), space.organization.clone())])
        }
        NotificationSubject::Webhook { organization, .. } => match manages_webhooks(work, organization).await? {
            true => HashMap::new(),
            false => return Err(missing()),
        },
    };
    only(show(work, vec![found].into(), &spaces).await?)
}

impl Notifications {
    /// The notifications of the caller; optionally only read or only unread ones. Those that the caller may no longer
    /// see are left out.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers without an account; [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        query: Input<(Option<bool>, PageRequest)>,
    ) -> Result<Page<ShownNotification>, Error> {
        let user = account(actor)?;
        let mut work = self.units.read(actor).await?;
        let (read, page) = query.read()?;
        let mut visible = visible(&mut work, &user).await?;
        let organizations = std::mem::take(&mut visible.organizations);
        if organizations.is_empty() && visible.managed.is_empty() {
            return Ok(Page::default());
        }
        let found = work.notifications().list(&visible.filter(user, read), &page).await?;
        show(&mut work, found, &organizations).await
    }

    /// A notification of the caller.
    ///
    /// # Errors
    /// [`Error::NotFound`], also if the caller may no longer see it.
    pub async fn get(&self, actor: &Actor, id: &NotificationId) -> Result<ShownNotification, Error> {
        let user = account(actor)?;
        find(&mut self.units.read(actor).await?, &user, id).await
    }

    /// Marks a notification of the caller as read or as unread. No event is recorded.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update(
        &self,
        actor: &Actor,
        id: &NotificationId,
        precondition: Precondition<ShownNotification>,
        read: Input<bool>,
    ) -> Result<ShownNotification, Error> {
        let user = account(actor)?;
        let mut work = self.units.write(actor).await?;
        work.lock(&[(&user).into()]).await?;
        let mut shown = find(&mut work, &user, id).await?;
        let read = read.read()?;
        precondition.check(&shown)?;
        shown.notification.mark(read, work.now());
        if !work.notifications().mark(&shown.notification).await? {
            // Its comment or its webhook was deleted in the meantime.
            return Err(Error::NotFound("notification"));
        }
        work.commit().await?;
        Ok(shown)
    }

    /// Marks the unread notifications of the caller as read: all, or this one and the older ones. Those that the caller
    /// may not see at present stay unread. No event is recorded.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers without an account; [`Error::Invalid`], also if the caller has no such
    /// notification, or may no longer see it.
    pub async fn read_all(&self, actor: &Actor, until: Input<Option<NotificationId>>) -> Result<(), Error> {
        let user = account(actor)?;
        // The caller's access takes several statements, so it is computed before the lock.
        let (until, unread) = {
            let mut work = self.units.read(actor).await?;
            let until = until.read()?;
            if let Some(until) = &until {
                find(&mut work, &user, until).await.map_err(|error| match error {
                    Error::NotFound(_) => Invalid::new("until", "must be a notification of the caller").into(),
                    other => other,
                })?;
            }
            (until, visible(&mut work, &user).await?.filter(user.clone(), Some(false)))
        };
        let mut work = self.units.write(actor).await?;
        work.lock(&[(&user).into()]).await?;
        let now = work.now();
        work.notifications().mark_all(&unread, until.as_ref(), now).await?;
        work.commit().await
    }

    /// Which events of a space the caller is notified of.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space; [`Error::Forbidden`] for callers without an account.
    pub async fn level(&self, actor: &Actor, space: &SpaceId) -> Result<ShownLevel, Error> {
        let mut work = self.units.read(actor).await?;
        let space = work.space(space, |may| may.view).await?;
        let user = account(actor)?;
        Ok(ShownLevel::of(&space.id, work.notifications().level(&space.id, &user).await?))
    }

    /// Sets which events of a space the caller is notified of; `None` returns to the default.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space; [`Error::Forbidden`] for callers without an account; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn set_level(
        &self,
        actor: &Actor,
        space: &SpaceId,
        precondition: Precondition<ShownLevel>,
        level: Input<Option<NotificationLevel>>,
    ) -> Result<ShownLevel, Error> {
        let mut work = self.units.write(actor).await?;
        let account_of_caller = actor.user().cloned();
        if let Some(user) = &account_of_caller {
            work.lock(&[user.into()]).await?;
        }
        let space = work.space(space, |may| may.view).await?;
        let user = account(actor)?;
        let level = level.read()?;
        let before = work.notifications().level(&space.id, &user).await?;
        precondition.check(&ShownLevel::of(&space.id, before))?;
        if level != before {
            work.notifications().set_level(&space.id, &user, level).await?;
            let change = Change::NotificationLevelUpdated { space: space.id.clone(), user, level };
            work.record(&space.organization, change).await?;
            work.commit().await?;
        }
        Ok(ShownLevel::of(&space.id, level))
    }

    /// Whether the caller gets e-mails.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers without an account.
    pub async fn settings(&self, actor: &Actor) -> Result<EmailSettings, Error> {
        let user = account(actor)?;
        email_settings(&mut self.units.read(actor).await?, &user).await
    }

    /// Sets whether the caller gets e-mails.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers without an account; [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update_settings(
        &self,
        actor: &Actor,
        precondition: Precondition<EmailSettings>,
        wanted: Input<bool>,
    ) -> Result<EmailSettings, Error> {
        let user = account(actor)?;
        let mut work = self.units.write(actor).await?;
        work.lock(&[(&user).into()]).await?;
        let before = email_settings(&mut work, &user).await?;
        let wanted = wanted.read()?;
        precondition.check(&before)?;
        if wanted != before.wanted {
            work.notifications().set_email(&user, wanted).await?;
            work.record_for_operator(Change::NotificationSettingsUpdated { user, email: wanted }).await?;
            work.commit().await?;
        }
        Ok(EmailSettings { wanted, ..before })
    }
}

async fn email_settings(work: &mut Work<'_>, user: &UserId) -> Result<EmailSettings, Error> {
    let verified = work.users().find(user).await?.ok_or(Error::NotFound("user"))?.email_verified;
    let refuses = !work.notifications().without_email(&BTreeSet::from([user.clone()])).await?.is_empty();
    Ok(EmailSettings { wanted: !refuses, verified, available: work.mails() })
}
