//! API tokens.
use super::{Accounts, operator_only, own_or_operator};
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{TokenId, UserId};
use crate::paging::{Page, PageRequest};
use crate::text::Invalid;
use crate::token::{NewToken, Secret, Token};
use crate::usecases::work::Work;
use crate::usecases::{Error, Input, Precondition};

impl Accounts {
    /// Creates a token for an account. The secret is returned only once.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than the operator and the account's user; [`Error::NotFound`];
    /// [`Error::Invalid`] if the token would already be expired, or would outlive the caller's token.
    pub async fn create_token(
        &self,
        actor: &Actor,
        user: &UserId,
        new: Input<NewToken>,
    ) -> Result<(Token, Secret), Error> {
        own_or_operator(actor, user)?;
        let mut work = self.units.write(actor).await?;
        work.users().find(user).await?.ok_or(Error::NotFound("user"))?;
        let new = new.read()?;
        if new.expires_at.is_some_and(|end| end <= work.now()) {
            return Err(Invalid::new("expiresAt", "must be in the future").into());
        }
        if let Actor::User { token, .. } = actor {
            let maker = work.tokens().find(token).await?.ok_or(Error::NotFound("token"))?;
            maker.check_making(&new)?;
        }
        let secret = Secret::from_random(&self.secrets.random());
        let token = self::new(&work, user, new, &secret);
        work.tokens().save(&token).await?;
        work.record_for_operator(created(&token)).await?;
        work.commit().await?;
        Ok((token, secret))
    }

    /// The tokens of an account, or of all accounts, by id, including revoked ones.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than the operator and the account's user.
    pub async fn tokens(&self, actor: &Actor, user: Option<&UserId>, page: &PageRequest) -> Result<Page<Token>, Error> {
        match user {
            Some(user) => own_or_operator(actor, user)?,
            None => operator_only(actor)?,
        }
        Ok(self.units.read(actor).await?.tokens().list(user, true, page).await?)
    }

    /// The caller's own tokens by id, without revoked ones.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the operator, who has no account; [`Error::Invalid`].
    pub async fn own_tokens(&self, actor: &Actor, page: Input<PageRequest>) -> Result<Page<Token>, Error> {
        let user = actor.user().ok_or(Error::NotFound("user"))?;
        let page = page.read()?;
        Ok(self.units.read(actor).await?.tokens().list(Some(user), false, &page).await?)
    }

    /// One of the caller's own tokens.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for another user's token and for a revoked one.
    pub async fn own_token(&self, actor: &Actor, id: &TokenId) -> Result<Token, Error> {
        let found = self.units.read(actor).await?.tokens().find(id).await?;
        let own = found.filter(|token| actor.user() == Some(&token.user) && token.revoked_at.is_none());
        own.ok_or(Error::NotFound("token"))
    }

    /// Revokes a token: requests that start after this returns cannot use it. Returns whether it was valid before.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for another user's token.
    pub async fn revoke_token(&self, actor: &Actor, id: &TokenId) -> Result<bool, Error> {
        self.withdraw(actor, id, &Precondition::none()).await
    }

    async fn withdraw(&self, actor: &Actor, id: &TokenId, precondition: &Precondition<Token>) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        let mut token = work.tokens().find(id).await?.ok_or(Error::NotFound("token"))?;
        own_or_operator(actor, &token.user).map_err(|_hidden| Error::NotFound("token"))?;
        let before = token.clone();
        if !token.revoke(work.now()) {
            return precondition.nothing_removed();
        }
        precondition.check(&before)?;
        work.tokens().save(&token).await?;
        let change = Change::TokenRevoked { token: token.id.clone(), user: token.user.clone() };
        work.record_for_operator(change).await?;
        work.commit().await?;
        Ok(true)
    }

    /// Revokes one of the caller's own tokens. Returns whether there was such a token.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`].
    pub async fn delete_token(
        &self,
        actor: &Actor,
        id: &TokenId,
        precondition: Precondition<Token>,
    ) -> Result<bool, Error> {
        let revoked = self.withdraw(actor, id, &precondition).await;
        Ok(precondition.found(revoked)?.unwrap_or(false))
    }
}

/// A new token of an account.
pub(super) fn new(work: &Work<'_>, user: &UserId, new: NewToken, secret: &Secret) -> Token {
    let NewToken { label, scopes, expires_at } = new;
    Token {
        id: work.ids.make(),
        user: user.clone(),
        label,
        scopes,
        hash: secret.hash(),
        created_at: work.now(),
        expires_at,
        revoked_at: None,
        last_used_at: None,
    }
}

/// The event of a new token.
pub(super) fn created(token: &Token) -> Change {
    Change::TokenCreated {
        token: token.id.clone(),
        user: token.user.clone(),
        scopes: token.scopes.limit(),
        expires_at: token.expires_at,
    }
}
