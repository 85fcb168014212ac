//! Access of visitors to a site.
use super::adaptive_schema::{AdaptiveSchema, VisitorClaims};
use super::publishing_auth::VisitorKey;
use super::share_link::ShareLink;
use super::site_token::{ContentToken, PreviewToken, SiteToken, VALID_FOR, VisitedPlace, VisitorKind, split};
use super::visitor_token::{SignedClaims, TokenFault};
use super::{AgentsContext, Site, SiteVisibility};
use crate::id::{ShareLinkId, SiteId, SpaceId, UserId};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The settings that decide which visitors may see a site.
#[derive(Clone, Debug)]
pub struct SiteAudience {
    /// The site.
    pub site: SiteId,
    /// Whether the site is published.
    pub published: bool,
    /// Its visibility.
    pub visibility: SiteVisibility,
    /// Whether agents may see it.
    pub agents: AgentsContext,
    /// The key that signs the tokens of its visitors.
    pub key: VisitorKey,
    /// Its adaptive schema; absent if its content is the same for all visitors.
    pub schema: Option<AdaptiveSchema>,
}

impl SiteAudience {
    /// The audience of a site, with its key and its schema.
    pub fn of(site: &Site, key: VisitorKey, schema: Option<AdaptiveSchema>) -> Self {
        Self {
            site: site.id.clone(),
            published: site.is_published(),
            visibility: site.visibility,
            agents: site.agents_context,
            key,
            schema: schema.filter(|_| site.adaptive_content),
        }
    }
}

/// What a visitor presents to see a site.
#[derive(Clone, Copy, Debug, Default)]
pub struct VisitorCredentials<'a> {
    /// The kind of visitor.
    pub kind: VisitorKind,
    /// The share link that the store found by the hash of the visitor's key.
    pub share_link: Option<&'a ShareLink>,
    /// The visitor token.
    pub token: Option<&'a str>,
    /// The claims that the visitor states without proof.
    pub unsigned: Option<&'a Map<String, Value>>,
    /// The token of a preview. With one, all other credentials are ignored.
    pub preview: Option<PreviewCredentials<'a>>,
}

/// The token of a preview, with what it gives access to.
#[derive(Clone, Copy, Debug)]
pub struct PreviewCredentials<'a> {
    /// The token.
    pub token: &'a str,
    /// The spaces that the member whom the token names may read now.
    pub readable: &'a BTreeSet<SpaceId>,
}

/// Why a visitor may see a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// All visitors may.
    Everyone,
    /// The visitor has the key of this share link.
    ShareLink(ShareLinkId),
    /// The visitor has a valid token.
    Token {
        /// When the token expires.
        until: DateTime<Utc>,
    },
    /// A member of the organization shared a preview.
    Preview {
        /// When the token of the preview expires.
        until: DateTime<Utc>,
        /// The member; absent for the operator.
        member: Option<UserId>,
    },
}

/// Why a visitor may not see a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteRefusal {
    /// 404: the site is unknown or unpublished, or the visitor does not have its share link.
    Absent,
    /// The visitor must sign in first; with the fault of the token, if the visitor sent one.
    SignIn(Option<TokenFault>),
}

/// The right of a visitor to see a site. Only [`SiteVisit::admit`] creates one, and [`SiteVisit::resume`] from a
/// content token of an earlier visit.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteVisit {
    site: SiteId,
    visibility: SiteVisibility,
    kind: VisitorKind,
    admission: Admission,
    claims: VisitorClaims,
    /// When the token expires that the claims are from; absent if they do not expire.
    claims_until: Option<DateTime<Utc>>,
    drafts: bool,
    spaces: Option<BTreeSet<SpaceId>>,
}

impl SiteVisit {
    /// Decides whether a visitor may see a site now; `audience` is absent if there is no such site.
    ///
    /// The claims of a valid token are used for every visibility. If the visibility requires no token, an invalid token
    /// is ignored.
    ///
    /// # Errors
    /// [`SiteRefusal`] if the visitor may not.
    pub fn admit(
        audience: Option<&SiteAudience>,
        credentials: VisitorCredentials<'_>,
        now: DateTime<Utc>,
    ) -> Result<Self, SiteRefusal> {
        let audience = audience.ok_or(SiteRefusal::Absent)?;
        if let Some(preview) = credentials.preview {
            return Self::admit_to_preview(audience, preview, credentials.kind, now);
        }
        let excluded = credentials.kind == VisitorKind::Agent && audience.agents == AgentsContext::Excluded;
        if !audience.published || excluded {
            return Err(SiteRefusal::Absent);
        }
        let verified = credentials.token.map(|token| SignedClaims::verify(token, &audience.key, now));
        let admission = match audience.visibility {
            SiteVisibility::Public | SiteVisibility::Unlisted => Admission::Everyone,
            SiteVisibility::ShareLink => {
                let opens = |link: &&ShareLink| link.active && link.site == audience.site;
                let link = credentials.share_link.filter(opens).ok_or(SiteRefusal::Absent)?;
                Admission::ShareLink(link.id.clone())
            }
            SiteVisibility::VisitorAuth => match &verified {
                Some(Ok(signed)) => Admission::Token { until: signed.expires_at() },
                Some(Err(fault)) => return Err(SiteRefusal::SignIn(Some(*fault))),
                None => return Err(SiteRefusal::SignIn(None)),
            },
        };
        let nothing = Map::new();
        let signed = verified.as_ref().and_then(|verified| verified.as_ref().ok());
        let said = signed.map_or(&nothing, SignedClaims::claims);
        let claims = audience.known(said, credentials.unsigned.unwrap_or(&nothing));
        let claims_until = signed.filter(|_| audience.schema.is_some()).map(SignedClaims::expires_at);
        Ok(Self {
            site: audience.site.clone(),
            visibility: audience.visibility,
            kind: credentials.kind,
            admission,
            claims,
            claims_until,
            drafts: false,
            spaces: None,
        })
    }

    fn admit_to_preview(
        audience: &SiteAudience,
        PreviewCredentials { token, readable }: PreviewCredentials<'_>,
        kind: VisitorKind,
        now: DateTime<Utc>,
    ) -> Result<Self, SiteRefusal> {
        let read = PreviewToken::verified(token, &audience.key, now).ok();
        let (said, until) = read.filter(|(said, _)| said.site == audience.site).ok_or(SiteRefusal::Absent)?;
        let (signed, unsigned) = split(&said.claims);
        Ok(Self {
            site: said.site,
            visibility: audience.visibility,
            kind,
            admission: Admission::Preview { until, member: said.member },
            claims: audience.known(&signed, &unsigned),
            claims_until: Some(until),
            drafts: said.draft,
            spaces: Some(readable.clone()),
        })
    }

    /// Decides whether the visit of a content token is still valid. `share_link` is the one that the token names;
    /// `readable` are the spaces that the member may read whose preview the visit is of.
    ///
    /// A visit ends when the site is unpublished, when its visibility changes, when its private key is replaced, and
    /// when its share link is deactivated or deleted. A preview ends only when the key is replaced.
    ///
    /// # Errors
    /// [`SiteRefusal::Absent`] if it does not, or the token is not valid now.
    pub fn resume(
        audience: Option<&SiteAudience>,
        token: &str,
        share_link: Option<&ShareLink>,
        readable: Option<&BTreeSet<SpaceId>>,
        now: DateTime<Utc>,
    ) -> Result<(Self, DateTime<Utc>), SiteRefusal> {
        let audience = audience.ok_or(SiteRefusal::Absent)?;
        let read = ContentToken::verified(token, &audience.key, now).ok();
        let (said, until) = read.filter(|(said, _)| said.site == audience.site).ok_or(SiteRefusal::Absent)?;
        let excluded = said.visitor_type == VisitorKind::Agent && audience.agents == AgentsContext::Excluded;
        let is_unchanged = audience.published && !excluded && said.visibility == audience.visibility;
        let admission = match audience.visibility {
            _ if said.preview => Admission::Preview { until, member: said.member },
            _ if !is_unchanged => return Err(SiteRefusal::Absent),
            SiteVisibility::Public | SiteVisibility::Unlisted => Admission::Everyone,
            SiteVisibility::ShareLink => {
                let same = |link: &&ShareLink| {
                    link.active && link.site == audience.site && said.share_link.as_ref() == Some(&link.id)
                };
                Admission::ShareLink(share_link.filter(same).ok_or(SiteRefusal::Absent)?.id.clone())
            }
            SiteVisibility::VisitorAuth => Admission::Token { until },
        };
        let (signed, unsigned) = split(&said.claims);
        let visit = Self {
            site: said.site,
            visibility: audience.visibility,
            kind: said.visitor_type,
            admission,
            claims: audience.known(&signed, &unsigned),
            claims_until: Some(until),
            drafts: said.draft,
            spaces: said.preview.then(|| readable.cloned().unwrap_or_default()),
        };
        Ok((visit, until))
    }

    /// The signed content token of the visit. It gives access to the content of the visit for at most an hour, and not
    /// longer than the credentials of the visitor are valid.
    pub fn content_token(&self, place: VisitedPlace, key: &VisitorKey, now: DateTime<Utc>) -> String {
        let claims = match serde_json::to_value(&self.claims) {
            Ok(Value::Object(claims)) => claims,
            // Claims are an object.
            _ => Map::new(),
        };
        let mut said = ContentToken::new(place, self.site.clone(), self.kind, claims, self.visibility);
        said.draft = self.drafts;
        match &self.admission {
            Admission::Everyone | Admission::Token { .. } => {}
            Admission::ShareLink(link) => said.share_link = Some(link.clone()),
            Admission::Preview { member, .. } => {
                said.preview = true;
                said.member.clone_from(member);
            }
        }
        let most = now + VALID_FOR;
        said.signed(key, now, self.expires_at().map_or(most, |until| until.min(most)))
    }

    /// The site.
    pub fn site(&self) -> &SiteId {
        &self.site
    }

    /// Why the visitor may see it.
    pub fn admission(&self) -> &Admission {
        &self.admission
    }

    /// When the visit or its claims expire, so that the visitor may see other content; absent if neither does.
    pub fn expires_at(&self) -> Option<DateTime<Utc>> {
        match self.admission {
            Admission::Everyone | Admission::ShareLink(_) => self.claims_until,
            Admission::Token { until } | Admission::Preview { until, .. } => Some(until),
        }
    }

    /// The claims of the visitor, filtered by the schema of the site.
    pub fn claims(&self) -> &VisitorClaims {
        &self.claims
    }

    /// The same visit without claims, for output that is the same for all visitors.
    #[must_use]
    pub fn without_claims(&self) -> Self {
        Self { claims: VisitorClaims::default(), claims_until: None, ..self.clone() }
    }

    /// Whether the visitor sees drafts.
    pub fn drafts(&self) -> bool {
        self.drafts
    }

    /// Whether the visitor sees a preview.
    pub fn is_preview(&self) -> bool {
        matches!(self.admission, Admission::Preview { .. })
    }

    /// The spaces that the visitor may see; absent for all spaces of the site.
    pub fn spaces(&self) -> Option<&BTreeSet<SpaceId>> {
        self.spaces.as_ref()
    }
}

impl SiteAudience {
    /// Claims, filtered by the schema of the site.
    fn known(&self, signed: &Map<String, Value>, unsigned: &Map<String, Value>) -> VisitorClaims {
        let cut = |schema: &AdaptiveSchema| schema.cut(signed, unsigned);
        self.schema.as_ref().map(cut).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
