//! Who may see a site.
use super::adaptive_schema::{AdaptiveSchema, VisitorClaims};
use super::publishing_auth::VisitorKey;
use super::share_link::ShareLink;
use super::visitor_token::{SignedClaims, TokenFault};
use super::{Site, SiteVisibility};
use crate::id::{ShareLinkId, SiteId};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

/// What decides who may see a site.
#[derive(Clone, Debug)]
pub struct SiteAudience {
    /// The site.
    pub site: SiteId,
    /// Whether the site can be reached at all.
    pub published: bool,
    /// Who may see it.
    pub visibility: SiteVisibility,
    /// The key that signs the tokens of its visitors.
    pub key: VisitorKey,
    /// The claims that its conditions use; absent if its content is the same for all visitors.
    pub schema: Option<AdaptiveSchema>,
}

impl SiteAudience {
    /// The audience of a site, with its key and its schema.
    pub fn of(site: &Site, key: VisitorKey, schema: Option<AdaptiveSchema>) -> Self {
        Self {
            site: site.id.clone(),
            published: site.is_published(),
            visibility: site.visibility,
            key,
            schema: schema.filter(|_| site.adaptive_content),
        }
    }
}

/// What a visitor shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct VisitorProof<'a> {
    /// The share link that the store found by the hash of the visitor's key.
    pub share_link: Option<&'a ShareLink>,
    /// The visitor token.
    pub token: Option<&'a str>,
    /// What the visitor states without proof.
    pub unsigned: Option<&'a Map<String, Value>>,
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
}

/// Why a visitor may not see a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteRefusal {
    /// The visitor learns nothing: an unknown site, an unpublished one, and one whose share link the visitor does not
    /// have are the same.
    Absent,
    /// The visitor must sign in first; with the fault of the token, if there was one.
    SignIn(Option<TokenFault>),
}

/// The right of a visitor to see a site. Only [`SiteVisit::admit`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteVisit {
    site: SiteId,
    admission: Admission,
    claims: VisitorClaims,
}

impl SiteVisit {
    /// Decides whether a visitor may see a site now; `audience` is absent if there is no such site.
    ///
    /// A valid token brings claims whatever the visibility is. Where none is needed, an invalid one counts as none.
    ///
    /// # Errors
    /// [`SiteRefusal`] if the visitor may not.
    pub fn admit(
        audience: Option<&SiteAudience>,
        proof: VisitorProof<'_>,
        now: DateTime<Utc>,
    ) -> Result<Self, SiteRefusal> {
        let audience = audience.filter(|audience| audience.published).ok_or(SiteRefusal::Absent)?;
        let verified = proof.token.map(|token| SignedClaims::verify(token, &audience.key, now));
        let admission = match audience.visibility {
            SiteVisibility::Public | SiteVisibility::Unlisted => Admission::Everyone,
            SiteVisibility::ShareLink => {
                let opens = |link: &&ShareLink| link.active && link.site == audience.site;
                let link = proof.share_link.filter(opens).ok_or(SiteRefusal::Absent)?;
                Admission::ShareLink(link.id.clone())
            }
            SiteVisibility::VisitorAuth => match &verified {
                Some(Ok(signed)) => Admission::Token { until: signed.expires_at() },
                Some(Err(fault)) => return Err(SiteRefusal::SignIn(Some(*fault))),
                None => return Err(SiteRefusal::SignIn(None)),
            },
        };
        let nothing = Map::new();
        let signed = verified.as_ref().and_then(|verified| verified.as_ref().ok()).map(SignedClaims::claims);
        let cut = |schema: &AdaptiveSchema| schema.cut(signed.unwrap_or(&nothing), proof.unsigned.unwrap_or(&nothing));
        let claims = audience.schema.as_ref().map(cut).unwrap_or_default();
        Ok(Self { site: audience.site.clone(), admission, claims })
    }

    /// The site.
    pub fn site(&self) -> &SiteId {
        &self.site
    }

    /// Why the visitor may see it.
    pub fn admission(&self) -> &Admission {
        &self.admission
    }

    /// What is known of the visitor, cut to the schema of the site.
    pub fn claims(&self) -> &VisitorClaims {
        &self.claims
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::publishing_auth::{PublishingAuth, VisitorKeySeal};
    use crate::site::share_link::ShareLinkSeal;
    use crate::site::visitor_token::corpus::signed_by;
    use rstest::rstest;
    use serde_json::{json, to_value};

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).unwrap()
    }

    fn id(site: &str) -> SiteId {
        site.parse().unwrap()
    }

    fn audience(visibility: SiteVisibility, published: bool) -> SiteAudience {
        let mut auth = PublishingAuth::new(id("docs"));
        auth.regenerate();
        let schema = json!({"type": "object", "additionalProperties": false, "properties": {
            "plan": {"type": "string", "description": ""},
            "unsigned": {"type": "object", "description": "Unsigned claims of the site visitor.",
                "additionalProperties": false, "properties": {"plan": {"type": "string", "description": ""}}},
        }});
        SiteAudience {
            site: id("docs"),
            published,
            visibility,
            key: VisitorKeySeal::new(&[7; 32]).key(&auth),
            schema: AdaptiveSchema::parse(&schema).ok(),
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Secret {
        No,
        Wrong,
        Revoked,
        Expired,
        Right,
    }

    /// The link that the store finds for a secret. A link does not expire; one that is not active takes its place.
    fn link(secret: Secret) -> Option<ShareLink> {
        let site = if secret == Secret::Wrong { id("blog") } else { id("docs") };
        let seal = ShareLinkSeal::new(&[7; 32]);
        let link = ShareLink::new("l".parse().unwrap(), site, "".parse().unwrap(), &seal, now());
        let active = !matches!(secret, Secret::Revoked | Secret::Expired);
        (secret != Secret::No).then_some(ShareLink { active, ..link })
    }

    fn token(secret: Secret) -> Option<String> {
        let seal = VisitorKeySeal::new(&[7; 32]);
        let key = match secret {
            Secret::No => return None,
            Secret::Wrong => seal.key(&PublishingAuth::new(id("blog"))),
            Secret::Revoked => seal.key(&PublishingAuth::new(id("docs"))),
            Secret::Expired | Secret::Right => audience(SiteVisibility::Public, true).key,
        };
        let lasts = if secret == Secret::Expired { 0 } else { 60 };
        let claims = json!({"exp": now().timestamp() + lasts, "plan": "pro"}).to_string();
        Some(signed_by(&key, r#"{"alg":"HS256"}"#, &claims))
    }

    /// The outcome of a visit in one word, with the claims.
    fn outcome(visit: Result<SiteVisit, SiteRefusal>) -> (&'static str, Value) {
        match visit {
            Ok(visit) => {
                assert_eq!(visit.site(), &id("docs"));
                let admitted = match visit.admission() {
                    Admission::Everyone => "everyone",
                    Admission::ShareLink(link) if link.as_str() == "l" => "link",
                    Admission::Token { until } if *until == now() + chrono::TimeDelta::minutes(1) => "token",
                    other => panic!("{other:?}"),
                };
                (admitted, to_value(visit.claims()).unwrap())
            }
            Err(SiteRefusal::Absent) => ("absent", json!(null)),
            Err(SiteRefusal::SignIn(fault)) => ("sign in", json!(fault.map(|fault| format!("{fault:?}")))),
        }
    }

    #[rstest]
    fn the_audience_of_a_site_is_that_of_the_table(
        #[values(
            SiteVisibility::Public,
            SiteVisibility::Unlisted,
            SiteVisibility::ShareLink,
            SiteVisibility::VisitorAuth
        )]
        visibility: SiteVisibility,
        #[values(Secret::No, Secret::Wrong, Secret::Revoked, Secret::Expired, Secret::Right)] secret: Secret,
        #[values(true, false)] published: bool,
    ) {
        let (link, token, unsigned) = (link(secret), token(secret), json!({"plan": "free"}));
        let proof = VisitorProof { share_link: link.as_ref(), token: token.as_deref(), unsigned: unsigned.as_object() };
        let found = outcome(SiteVisit::admit(Some(&audience(visibility, published)), proof, now()));
        let right = secret == Secret::Right;
        let claims = match right {
            true => json!({"plan": "pro", "unsigned": {"plan": "free"}}),
            false => json!({"unsigned": {"plan": "free"}}),
        };
        let expected = match (published, visibility, secret) {
            (false, _, _) => ("absent", json!(null)),
            (true, SiteVisibility::Public | SiteVisibility::Unlisted, _) => ("everyone", claims),
            (true, SiteVisibility::ShareLink, Secret::Right) => ("link", claims),
            (true, SiteVisibility::ShareLink, _) => ("absent", json!(null)),
            (true, _, Secret::No) => ("sign in", json!(null)),
            (true, _, Secret::Wrong | Secret::Revoked) => ("sign in", json!("Signature")),
            (true, _, Secret::Expired) => ("sign in", json!("Expired")),
            (true, _, Secret::Right) => ("token", claims),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn an_unknown_site_an_unpublished_one_and_one_without_its_key_are_refused_alike() {
        let unknown = SiteVisit::admit(None, VisitorProof::default(), now());
        for audience in [
            audience(SiteVisibility::Public, false),
            audience(SiteVisibility::VisitorAuth, false),
            audience(SiteVisibility::ShareLink, true),
        ] {
            assert_eq!(SiteVisit::admit(Some(&audience), VisitorProof::default(), now()), unknown);
        }
        assert_eq!(unknown, Err(SiteRefusal::Absent));
    }

    #[test]
    fn the_schema_of_a_site_counts_while_adaptive_content_is_on() {
        let SiteAudience { key, schema, .. } = audience(SiteVisibility::Public, true);
        let mut site = Site::sample();
        let off = SiteAudience::of(&site, key.clone(), schema.clone());
        assert_eq!((off.published, off.visibility, off.schema), (false, SiteVisibility::Public, None));
        site.adaptive_content = true;
        site.visibility = SiteVisibility::VisitorAuth;
        site.publish(now());
        let on = SiteAudience::of(&site, key, schema.clone());
        assert_eq!(
            (on.site, on.published, on.visibility, on.schema),
            (site.id, true, SiteVisibility::VisitorAuth, schema)
        );
    }

    #[test]
    fn a_site_without_adaptive_content_knows_nothing_of_its_visitors() {
        let token = token(Secret::Right);
        let proof = VisitorProof { token: token.as_deref(), ..VisitorProof::default() };
        let audience = SiteAudience { schema: None, ..audience(SiteVisibility::VisitorAuth, true) };
        assert!(SiteVisit::admit(Some(&audience), proof, now()).unwrap().claims().is_empty());
    }

    #[test]
    fn a_token_opens_no_share_link_site_and_a_share_link_no_site_with_visitor_tokens() {
        let (link, token) = (link(Secret::Right), token(Secret::Right));
        let by_token = VisitorProof { token: token.as_deref(), ..VisitorProof::default() };
        let by_link = VisitorProof { share_link: link.as_ref(), ..VisitorProof::default() };
        let visit = |visibility, proof| outcome(SiteVisit::admit(Some(&audience(visibility, true)), proof, now())).0;
        assert_eq!(visit(SiteVisibility::ShareLink, by_token), "absent");
        assert_eq!(visit(SiteVisibility::VisitorAuth, by_link), "sign in");
    }
}
