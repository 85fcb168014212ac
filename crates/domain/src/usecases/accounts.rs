//! Accounts and their tokens.
use super::Error;
use super::record::record;
use crate::access::{Membership, Role};
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{OrganizationId, TokenId, UserId};
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use crate::ports::{Clock, Ids, Secrets, Store, StoreError, Tx};
use crate::text::{DisplayName, Email, OrganizationTitle, TokenLabel};
use crate::token::{Secret, Token, TokenHash};
use crate::user::User;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// Who is who, and what tokens open.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Accounts {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub secrets: Arc<dyn Secrets>,
}

/// What an empty server was given to start with.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    /// The administrator.
    pub user: User,
    /// The organization that the administrator administers.
    pub organization: Organization,
    /// The administrator's token; shown this once.
    pub secret: Secret,
}

impl Accounts {
    /// The caller behind a presented token.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] alike for a token that never was, has ended, or was withdrawn.
    pub async fn authenticate(&self, presented: &str) -> Result<Actor, Error> {
        let mut tx = self.store.ask().await?;
        let token = tx.tokens().find_by_hash(&TokenHash::of(presented)).await?;
        match token.filter(|token| token.is_valid(self.clock.now())) {
            Some(token) => Ok(Actor::User { user: token.user, token: token.id, once: None }),
            None => Err(Error::Unauthenticated("the token opens nothing: it is unknown, expired or revoked")),
        }
    }

    /// The caller's own account.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the account is gone, or the caller is the operator, who has none.
    pub async fn me(&self, actor: &Actor) -> Result<User, Error> {
        let user = actor.user().ok_or(Error::NotFound("user"))?;
        let mut tx = self.store.read().await?;
        tx.users().find(user).await?.ok_or(Error::NotFound("user"))
    }

    /// Makes an account; with an organization and a role, a member of it.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for anyone but the operator, [`Error::Conflict`] when the address has an account,
    /// [`Error::NotFound`] when the organization is not there.
    pub async fn create_user(
        &self,
        actor: &Actor,
        email: Email,
        display_name: DisplayName,
        joins: Option<(OrganizationId, Option<Role>)>,
    ) -> Result<User, Error> {
        operator_only(actor)?;
        let mut tx = self.store.write().await?;
        let now = self.clock.now();
        if tx.users().find_by_email(&email).await?.is_some() {
            return Err(Error::Conflict(format!("{email} has an account already")));
        }
        let user = User { id: self.ids.make(), display_name, email, photo_url: None, created_at: now };
        tx.users().save(&user).await.map_err(taken("this address has an account already"))?;
        if let Some((organization, role)) = joins {
            tx.organizations().find(&organization, None).await?.ok_or(Error::NotFound("organization"))?;
            let membership = Membership { role, disabled: false };
            tx.organizations().save_membership(&organization, &user.id, membership, now).await?;
        }
        record(&mut *tx, &*self.ids, actor, None, now, Change::UserCreated { user: user.id.clone() }).await?;
        tx.commit().await?;
        Ok(user)
    }

    /// Every account, by id.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for anyone but the operator.
    pub async fn users(&self, actor: &Actor, page: &PageRequest) -> Result<Page<User>, Error> {
        operator_only(actor)?;
        Ok(self.store.read().await?.users().list(page).await?)
    }

    /// The account with an address.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for anyone but the operator, [`Error::NotFound`].
    pub async fn user_by_email(&self, actor: &Actor, email: &Email) -> Result<User, Error> {
        operator_only(actor)?;
        self.store.read().await?.users().find_by_email(email).await?.ok_or(Error::NotFound("user"))
    }

    /// Makes a token for an account. The secret is returned this once.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for anyone but the operator and the account itself, [`Error::NotFound`].
    pub async fn create_token(
        &self,
        actor: &Actor,
        user: &UserId,
        label: TokenLabel,
        expires_at: Option<DateTime<Utc>>,
    ) -> Result<(Token, Secret), Error> {
        own_or_operator(actor, user)?;
        let secret = Secret::from_random(&self.secrets.random());
        let mut tx = self.store.write().await?;
        let now = self.clock.now();
        tx.users().find(user).await?.ok_or(Error::NotFound("user"))?;
        let token = self.token(user, label, &secret, now, expires_at);
        tx.tokens().save(&token).await?;
        let change = Change::TokenCreated { token: token.id.clone(), user: user.clone() };
        record(&mut *tx, &*self.ids, actor, None, now, change).await?;
        tx.commit().await?;
        Ok((token, secret))
    }

    /// The tokens of an account, or of everybody, by id.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for anyone but the operator and the account itself.
    pub async fn tokens(&self, actor: &Actor, user: Option<&UserId>, page: &PageRequest) -> Result<Page<Token>, Error> {
        match user {
            Some(user) => own_or_operator(actor, user)?,
            None => operator_only(actor)?,
        }
        Ok(self.store.read().await?.tokens().list(user, page).await?)
    }

    /// Withdraws a token: no request that starts after this returned gets in with it. Returns whether it was valid
    /// until now.
    ///
    /// # Errors
    /// [`Error::NotFound`] also for a token of somebody else.
    pub async fn revoke_token(&self, actor: &Actor, id: &TokenId) -> Result<bool, Error> {
        let mut tx = self.store.write().await?;
        let now = self.clock.now();
        let mut token = tx.tokens().find(id).await?.ok_or(Error::NotFound("token"))?;
        own_or_operator(actor, &token.user).map_err(|_hidden| Error::NotFound("token"))?;
        if !token.revoke(now) {
            return Ok(false);
        }
        tx.tokens().save(&token).await?;
        let change = Change::TokenRevoked { token: token.id.clone(), user: token.user.clone() };
        record(&mut *tx, &*self.ids, actor, None, now, change).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Gives an empty server its administrator, an organization and a token; does nothing on any other.
    /// `secret` sets the token's value; otherwise one is made.
    ///
    /// # Errors
    /// Only those of the store.
    pub async fn bootstrap(
        &self,
        email: Email,
        organization: OrganizationTitle,
        secret: Option<Secret>,
    ) -> Result<Option<Bootstrap>, Error> {
        let mut tx = self.store.write().await?;
        if !tx.users().is_empty().await? {
            return Ok(None);
        }
        let now = self.clock.now();
        let display_name = DisplayName::fitted("Administrator", "Administrator");
        let user = User { id: self.ids.make(), display_name, email, photo_url: None, created_at: now };
        let organization = Organization::new(self.ids.make(), organization, now);
        let secret = secret.unwrap_or_else(|| Secret::from_random(&self.secrets.random()));
        let token = self.token(&user.id, TokenLabel::fitted("first administrator", ""), &secret, now, None);
        tx.users().save(&user).await?;
        found(&mut *tx, &organization, &user.id, now).await?;
        tx.tokens().save(&token).await?;
        let changes = [
            Change::UserCreated { user: user.id.clone() },
            Change::OrganizationCreated { organization: organization.id.clone() },
            Change::TokenCreated { token: token.id.clone(), user: user.id.clone() },
        ];
        for change in changes {
            record(&mut *tx, &*self.ids, &Actor::Operator, Some(&organization.id), now, change).await?;
        }
        tx.commit().await?;
        Ok(Some(Bootstrap { user, organization, secret }))
    }

    fn token(
        &self,
        user: &UserId,
        label: TokenLabel,
        secret: &Secret,
        created_at: DateTime<Utc>,
        expires_at: Option<DateTime<Utc>>,
    ) -> Token {
        let (id, hash) = (self.ids.make(), secret.hash());
        Token { id, user: user.clone(), label, hash, created_at, expires_at, revoked_at: None }
    }
}

/// Stores a new organization with its founder, who administers it.
pub(super) async fn found(
    tx: &mut dyn Tx,
    organization: &Organization,
    founder: &UserId,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    tx.organizations().save(organization).await?;
    let administrator = Membership { role: Some(Role::Admin), disabled: false };
    tx.organizations().save_membership(&organization.id, founder, administrator, now).await
}

fn operator_only(actor: &Actor) -> Result<(), Error> {
    match actor {
        Actor::Operator => Ok(()),
        Actor::User { .. } => Err(Error::Forbidden("only the server's operator may do this".into())),
    }
}

fn own_or_operator(actor: &Actor, user: &UserId) -> Result<(), Error> {
    if actor.user() == Some(user) { Ok(()) } else { operator_only(actor) }
}

/// Says what a conflict in the store means.
fn taken(meaning: &'static str) -> impl FnOnce(StoreError) -> Error {
    move |error| match error {
        StoreError::Conflict(_) => Error::Conflict(meaning.into()),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::testing::{Counting, Fixed, MockTx, Still};
    use chrono::TimeDelta;
    use rstest::rstest;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn accounts(tx: MockTx) -> (Accounts, Arc<AtomicBool>) {
        let (store, committed) = tx.into_store();
        let clock = Arc::new(Still(DateTime::UNIX_EPOCH));
        (Accounts { store, clock, ids: Arc::new(Counting::default()), secrets: Arc::new(Fixed([7; 32])) }, committed)
    }

    fn token(expires_at: Option<DateTime<Utc>>, revoked_at: Option<DateTime<Utc>>) -> Token {
        Token {
            id: "t".parse().unwrap(),
            user: "ada".parse().unwrap(),
            label: "".parse().unwrap(),
            hash: TokenHash::of("secret"),
            created_at: DateTime::UNIX_EPOCH,
            expires_at,
            revoked_at,
        }
    }

    #[rstest]
    #[case::valid(Some(token(None, None)), true)]
    #[case::unknown(None, false)]
    #[case::expired(Some(token(Some(DateTime::UNIX_EPOCH), None)), false)]
    #[case::later(Some(token(Some(DateTime::UNIX_EPOCH + TimeDelta::seconds(1)), None)), true)]
    #[case::revoked(Some(token(None, Some(DateTime::UNIX_EPOCH))), false)]
    #[tokio::test]
    async fn only_a_valid_token_opens_anything(#[case] stored: Option<Token>, #[case] opens: bool) {
        let mut tx = MockTx::default();
        tx.tokens.expect_find_by_hash().withf(|hash| *hash == TokenHash::of("secret")).return_once(|_| Ok(stored));
        let answer = accounts(tx).0.authenticate("secret").await;
        assert_eq!(answer.is_ok(), opens, "{answer:?}");
    }

    #[tokio::test]
    async fn a_server_with_accounts_is_left_alone_by_the_bootstrap() {
        let mut tx = MockTx::default();
        tx.users.expect_is_empty().return_once(|| Ok(false));
        let (accounts, committed) = accounts(tx);
        let given = accounts.bootstrap("a@b.org".parse().unwrap(), "Org".parse().unwrap(), None).await.unwrap();
        assert!(given.is_none());
        assert!(!committed.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn an_empty_server_gets_an_administrator_with_the_chosen_token() {
        let mut tx = MockTx::default();
        tx.users.expect_is_empty().return_once(|| Ok(true));
        tx.users.expect_save().times(1).returning(|_| Ok(()));
        tx.organizations.expect_save().times(1).returning(|_| Ok(()));
        tx.organizations
            .expect_save_membership()
            .times(1)
            .withf(|_, _, membership, _| membership.role == Some(Role::Admin))
            .returning(|_, _, _, _| Ok(()));
        tx.tokens
            .expect_save()
            .times(1)
            .withf(|token| token.hash == TokenHash::of("chosen-by-the-operator"))
            .returning(|_| Ok(()));
        tx.events.expect_record().times(3).returning(|_| Ok(()));
        let (accounts, committed) = accounts(tx);
        let secret = Secret::chosen("chosen-by-the-operator".into()).unwrap();
        let given = accounts.bootstrap("a@b.org".parse().unwrap(), "Org".parse().unwrap(), Some(secret)).await.unwrap();
        assert_eq!(given.unwrap().secret.reveal(), "chosen-by-the-operator");
        assert!(committed.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn nobody_revokes_the_token_of_another_or_learns_that_it_exists() {
        let mut tx = MockTx::default();
        tx.tokens.expect_find().return_once(|_| Ok(Some(token(None, None))));
        let (accounts, committed) = accounts(tx);
        let eve = Actor::User { user: "eve".parse().unwrap(), token: "e".parse().unwrap(), once: None };
        let answer = accounts.revoke_token(&eve, &"t".parse().unwrap()).await;
        assert!(matches!(answer, Err(Error::NotFound("token"))), "{answer:?}");
        assert!(!committed.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn only_the_operator_makes_accounts() {
        let actor = Actor::User { user: "ada".parse().unwrap(), token: "t".parse().unwrap(), once: None };
        let accounts = accounts(MockTx::default()).0;
        let made = accounts.create_user(&actor, "a@b.org".parse().unwrap(), "A".parse().unwrap(), None);
        assert!(matches!(made.await, Err(Error::Forbidden(_))));
    }
}
