//! Accounts and their tokens.
mod last_use;
#[cfg(test)]
mod tests;
mod tokens;

use super::members::enter;
use super::work::{Units, Work};
use super::{Error, Input, Precondition};
use crate::access::{Granted, Role};
use crate::actor::Actor;
use crate::event::{Change, Differences};
use crate::id::{OrganizationId, UserId};
use crate::member::Member;
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use crate::ports::store::Lockable;
use crate::ports::{Secrets, StoreError};
use crate::text::{DisplayName, Email, OrganizationTitle, TokenLabel};
use crate::token::{NewToken, Secret, TokenHash};
use crate::user::{User, UserPatch};
use chrono::{DateTime, Utc};
pub use last_use::LastUse;
use std::sync::Arc;

/// Manages accounts and tokens.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Accounts {
    pub units: Units,
    pub secrets: Arc<dyn Secrets>,
    pub uses: LastUse,
}

/// An authenticated caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The caller.
    pub actor: Actor,
    /// When the token expires.
    pub expires_at: Option<DateTime<Utc>>,
}

/// The settings of a new account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewUser {
    /// The email address.
    pub email: Email,
    /// The name that others see.
    pub display_name: DisplayName,
    /// Whether the address is known to belong to the user.
    pub email_verified: bool,
}

/// The initial data of an empty server.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    /// The administrator.
    pub user: User,
    /// The organization that the administrator administers.
    pub organization: Organization,
    /// The administrator's token; it is shown only once.
    pub secret: Secret,
}

impl Accounts {
    /// The caller of a presented token. The use of the token is recorded; see [`Accounts::write_uses`].
    ///
    /// # Errors
    /// [`Error::Unauthenticated`], alike for an unknown, expired or revoked token.
    pub async fn authenticate(&self, presented: &str) -> Result<Session, Error> {
        let mut tx = self.units.store.query().await?;
        let token = tx.tokens().find_by_hash(&TokenHash::of(presented)).await?;
        let now = self.units.clock.now();
        let nothing = Error::Unauthenticated("the token is unknown, expired or revoked");
        let token = token.filter(|token| token.is_valid(now)).ok_or(nothing)?;
        self.uses.note(&token, now);
        let actor = Actor::User {
            user: token.user,
            token: token.id,
            scopes: token.scopes,
            client: None,
            idempotency_key: None,
        };
        Ok(Session { actor, expires_at: token.expires_at })
    }

    /// The caller's own account.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the account does not exist, or if the caller is the operator, who has no account.
    pub async fn me(&self, actor: &Actor) -> Result<User, Error> {
        let user = actor.user().ok_or(Error::NotFound("user"))?;
        let mut work = self.units.read(actor).await?;
        work.users().find(user).await?.ok_or(Error::NotFound("user"))
    }

    /// An account, for callers who share an organization with it.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for an account that the caller may not see.
    pub async fn user(&self, actor: &Actor, id: &UserId) -> Result<Granted<User>, Error> {
        self.units.read(actor).await?.user(id, |may| may.view).await
    }

    /// Updates the profile of an account.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than the account's user and the operator;
    /// [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update_user(
        &self,
        actor: &Actor,
        id: &UserId,
        precondition: Precondition<Granted<User>>,
        patch: Input<UserPatch>,
    ) -> Result<Granted<User>, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let mut user = work.user(id, |may| may.edit).await?;
        let patch = patch.read()?;
        precondition.check(&user)?;
        let Some(before) = user.entity_mut().update(patch) else { return Ok(user) };
        work.users().save(&user).await?;
        let change = Change::UserUpdated { user: id.clone(), changes: Differences::between(&before, &user) };
        work.record_for_operator(change).await?;
        work.commit().await?;
        Ok(user)
    }

    /// Creates an account; with an organization and a role, also a membership in it.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than the operator; [`Error::Conflict`] if the address already has an
    /// account; [`Error::NotFound`] if the organization does not exist.
    pub async fn create_user(
        &self,
        actor: &Actor,
        new: NewUser,
        joins: Option<(OrganizationId, Option<Role>)>,
    ) -> Result<User, Error> {
        operator_only(actor)?;
        let NewUser { email, display_name, email_verified } = new;
        let mut work = self.units.write(actor).await?;
        if let Some((organization, _)) = &joins {
            work.lock(&[organization.into()]).await?;
        }
        if work.users().find_by_email(&email).await?.is_some() {
            return Err(Error::Conflict(format!("{email} already has an account")));
        }
        let now = work.now();
        let user = User { id: work.ids.make(), display_name, email, email_verified, photo_url: None, created_at: now };
        work.users().save(&user).await.map_err(taken("this address already has an account"))?;
        work.record_for_operator(Change::UserCreated { user: user.id.clone() }).await?;
        if let Some((organization, role)) = joins {
            work.organizations().find(&organization, None).await?.ok_or(Error::NotFound("organization"))?;
            enter(&mut work, &Member::new(organization, user.id.clone(), role, now)).await?;
        }
        work.commit().await?;
        Ok(user)
    }

    /// Marks the email address of an account as verified. Returns whether that changed anything.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than the operator; [`Error::NotFound`].
    pub async fn verify(&self, actor: &Actor, email: &Email) -> Result<bool, Error> {
        operator_only(actor)?;
        let mut work = self.units.write(actor).await?;
        let user = work.users().find_by_email(email).await?.ok_or(Error::NotFound("user"))?;
        work.lock(&[(&user.id).into()]).await?;
        let user = work.users().find(&user.id).await?.ok_or(Error::NotFound("user"))?;
        if user.email_verified {
            return Ok(false);
        }
        let user = User { email_verified: true, ..user };
        work.users().save(&user).await?;
        let change = Change::UserVerified { user: user.id };
        work.record_for_operator(change).await?;
        work.commit().await?;
        Ok(true)
    }

    /// Every account, by id.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than the operator.
    pub async fn users(&self, actor: &Actor, page: &PageRequest) -> Result<Page<User>, Error> {
        operator_only(actor)?;
        Ok(self.units.read(actor).await?.users().list(page).await?)
    }

    /// The account with an email address.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than the operator; [`Error::NotFound`].
    pub async fn user_by_email(&self, actor: &Actor, email: &Email) -> Result<User, Error> {
        operator_only(actor)?;
        self.units.read(actor).await?.users().find_by_email(email).await?.ok_or(Error::NotFound("user"))
    }

    /// Creates the administrator, an organization and a token on an empty server; does nothing on any other server.
    /// `secret` is the value of the token; if absent, one is generated.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn bootstrap(
        &self,
        email: Email,
        organization: OrganizationTitle,
        secret: Option<Secret>,
    ) -> Result<Option<Bootstrap>, Error> {
        let mut work = self.units.write(&Actor::Server).await?;
        work.lock(&[Lockable::FirstStart]).await?;
        if !work.users().is_empty().await? {
            return Ok(None);
        }
        let now = work.now();
        let display_name = DisplayName::fitted("Administrator", "Administrator");
        let (id, email_verified) = (work.ids.make(), true);
        let user = User { id, display_name, email, email_verified, photo_url: None, created_at: now };
        let organization = Organization::new(work.ids.make(), organization, now);
        let secret = secret.unwrap_or_else(|| Secret::from_random(&self.secrets.random()));
        let label = TokenLabel::fitted("first administrator", "");
        let token = tokens::new(&work, &user.id, NewToken::unlimited(label), &secret);
        work.users().save(&user).await?;
        work.tokens().save(&token).await?;
        // Events of an account belong to no organization.
        for change in [Change::UserCreated { user: user.id.clone() }, tokens::created(&token)] {
            work.record_for_operator(change).await?;
        }
        found(&mut work, &organization, &user.id).await?;
        work.commit().await?;
        Ok(Some(Bootstrap { user, organization, secret }))
    }
}

/// Stores a new organization with its first administrator.
pub(super) async fn found(work: &mut Work<'_>, organization: &Organization, founder: &UserId) -> Result<(), Error> {
    let (id, at) = (&organization.id, organization.created_at);
    work.organizations().save(organization).await?;
    let role = Some(Role::Admin);
    work.members().save(&Member::new(id.clone(), founder.clone(), role, at)).await?;
    let changes =
        [Change::OrganizationCreated { organization: id.clone() }, Change::MemberAdded { user: founder.clone(), role }];
    for change in changes {
        work.record(id, change).await?;
    }
    Ok(())
}

pub(super) fn operator_only(actor: &Actor) -> Result<(), Error> {
    match actor {
        Actor::Operator | Actor::Server => Ok(()),
        Actor::User { .. } | Actor::Visitor(_) => {
            Err(Error::Forbidden("only the server's operator may do this".into()))
        }
    }
}

fn own_or_operator(actor: &Actor, user: &UserId) -> Result<(), Error> {
    if actor.user() == Some(user) { Ok(()) } else { operator_only(actor) }
}

/// Converts a conflict in the store to an error with this message.
pub(super) fn taken(meaning: &'static str) -> impl FnOnce(StoreError) -> Error {
    move |error| match error {
        StoreError::Conflict(_) => Error::Conflict(meaning.into()),
        other => other.into(),
    }
}
