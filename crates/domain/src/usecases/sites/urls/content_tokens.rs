//! Content tokens as bearer tokens.
use super::super::admission::spaces_readable_to;
use super::Urls;
use crate::actor::Actor;
use crate::site::audience::SiteVisit;
use crate::site::site_token::{ContentToken, SiteToken};
use crate::site::visitor::SiteVisitor;
use crate::token::TokenHash;
use crate::usecases::Error;
use crate::usecases::accounts::Session;
use std::collections::HashSet;
use std::sync::Arc;

impl Urls {
    /// Verifies a content token. Returns the visitor and what the visit shows now.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`], for an invalid token, and for one whose visit has ended: the site was unpublished or
    /// deleted, its visibility or its key changed, or the share link was revoked.
    pub async fn authenticate(&self, presented: &str) -> Result<Session, Error> {
        let nothing = || Error::Unauthenticated("the token is unknown, expired or revoked");
        let said = ContentToken::unproven(presented).ok_or_else(nothing)?;
        let operator = Actor::Operator;
        let mut work = self.sites.units.read(&operator).await?;
        let site = work.sites().find(&said.site, None).await?.ok_or_else(nothing)?.entity;
        let (audience, _) = self.sites.audience(&mut work, &site).await?;
        let share_link = match &said.share_link {
            Some(id) => work.site_audiences().share_link(&site.id, id).await?,
            None => None,
        };
        let now = work.now();
        let readable = match said.preview && ContentToken::verified(presented, &audience.key, now).is_ok() {
            true => Some(spaces_readable_to(&mut work, &site, said.member.as_ref()).await?),
            false => None,
        };
        let (visit, until) = SiteVisit::resume(Some(&audience), presented, share_link.as_ref(), readable.as_ref(), now)
            .map_err(|_refused| nothing())?;
        let structure = work.sites().structure(&site.id).await?;
        let there: HashSet<_> =
            work.sites().links(&site.organization, Some(&site.id)).await?.into_iter().map(|(_, space)| space).collect();
        let spaces = visit.sees(structure, |space| there.contains(space)).space_ids().into_iter().collect();
        let visitor = SiteVisitor { token: TokenHash::of(presented), organization: site.organization, visit, spaces };
        Ok(Session { actor: Actor::Visitor(Arc::new(visitor)), expires_at: Some(until) })
    }
}
