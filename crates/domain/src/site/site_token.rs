//! Signed tokens that this server issues for its sites. A **content token** gives access to the content of one visit. A
//! **preview token** gives access to the preview of a site. Each kind has its own signing key, derived from the private
//! key of the site. So a token is not valid as another kind, and a visitor token is not valid as either kind.
use super::SiteVisibility;
use super::adaptive_schema::UNSIGNED;
use super::publishing_auth::VisitorKey;
use super::visitor_token::{SignedClaims, TokenFault, sign, unverified_claims};
use crate::id::{OrganizationId, ShareLinkId, SiteId, SiteSectionId, SiteSpaceId, SpaceId, UserId};
use crate::words;
use chrono::{DateTime, TimeDelta, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// How long a token is valid.
pub const VALID_FOR: TimeDelta = TimeDelta::hours(1);
/// The longest token that the server accepts, in bytes.
pub const MAX_SITE_TOKEN: usize = 32 * 1024;
/// The most spaces that a content token names: a longer token would not fit into the headers that servers accept.
pub const MAX_NAMED_SPACES: usize = 100;

words! {
    /// The kind of visitor that reads a site.
    #[derive(Default)]
    pub enum VisitorKind {
        /// A person.
        #[default]
        Human = "human",
        /// A program that works for a person.
        Agent = "agent",
    }
}

words! {
    /// What the content token opens.
    #[derive(Default)]
    enum ContentKind {
        #[default]
        Site = "site",
    }
}

/// The claims of a content token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContentToken {
    kind: ContentKind,
    /// The organization that owns the site.
    pub organization: OrganizationId,
    /// The site.
    pub site: SiteId,
    /// The section of the address that was visited; absent on a site without sections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site_section: Option<SiteSectionId>,
    /// The space on the site that was visited.
    pub site_space: SiteSpaceId,
    /// The space that was visited.
    pub space: SpaceId,
    /// The spaces that the visitor sees, from the one that was visited on: at most [`MAX_NAMED_SPACES`]. They only
    /// inform the client: each request decides again which content the token gives access to.
    pub spaces: Vec<SpaceId>,
    /// The kind of visitor.
    pub visitor_type: VisitorKind,
    /// The claims of the visitor, with unsigned claims below `unsigned`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub claims: Map<String, Value>,
    /// Whether drafts are shown.
    pub draft: bool,
    /// Whether a preview was visited.
    pub preview: bool,
    /// The member who created the visited preview.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<UserId>,
    /// The visibility of the site at the visit.
    pub visibility: SiteVisibility,
    /// The share link that the visitor used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_link: Option<ShareLinkId>,
}

/// The place of a visit, for [`SiteVisit::content_token`](super::audience::SiteVisit::content_token).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of ContentToken")]
pub struct VisitedPlace {
    pub organization: OrganizationId,
    pub site_section: Option<SiteSectionId>,
    pub site_space: SiteSpaceId,
    pub space: SpaceId,
    pub spaces: Vec<SpaceId>,
}

impl ContentToken {
    /// The claims of a token for the content of a site.
    pub(super) fn new(
        place: VisitedPlace,
        site: SiteId,
        visitor_type: VisitorKind,
        claims: Map<String, Value>,
        visibility: SiteVisibility,
    ) -> Self {
        let VisitedPlace { organization, site_section, site_space, space, mut spaces } = place;
        let visited = spaces.iter().position(|one| *one == space).unwrap_or_default();
        spaces.rotate_left(visited);
        spaces.truncate(MAX_NAMED_SPACES);
        Self {
            kind: ContentKind::Site,
            organization,
            site,
            site_section,
            site_space,
            space,
            spaces,
            visitor_type,
            claims,
            draft: false,
            preview: false,
            member: None,
            visibility,
            share_link: None,
        }
    }
}

/// The claims of a preview token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewToken {
    /// The site.
    pub site: SiteId,
    /// The member who created the preview. It shows the spaces that this member may read. The operator may read all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<UserId>,
    /// The claims that the preview is for, with unsigned claims below `unsigned`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub claims: Map<String, Value>,
    /// Whether drafts are shown.
    pub draft: bool,
}

/// A kind of token.
pub trait SiteToken: Serialize + DeserializeOwned {
    /// The context of the derivation of its key.
    const CONTEXT: &'static str;

    /// The site that the token is for.
    fn site(&self) -> &SiteId;

    /// The token, signed: valid from `now` until `until`.
    fn signed(&self, key: &VisitorKey, now: DateTime<Utc>, until: DateTime<Utc>) -> String {
        let mut claims = match serde_json::to_value(self) {
            Ok(Value::Object(claims)) => claims,
            // A token is an object with texts as names.
            _ => Map::new(),
        };
        claims.insert("iat".into(), json!(now.timestamp()));
        claims.insert("exp".into(), json!(until.timestamp()));
        sign(&derived::<Self>(key), &claims)
    }

    /// The claims of a token that is valid now, and when it expires.
    ///
    /// # Errors
    /// [`TokenFault`] if the token is not valid now, or of another kind.
    fn verified(token: &str, key: &VisitorKey, now: DateTime<Utc>) -> Result<(Self, DateTime<Utc>), TokenFault> {
        let signed = SignedClaims::verify_with(token, &derived::<Self>(key), MAX_SITE_TOKEN, now)?;
        let said = serde_json::from_value(Value::Object(signed.claims().clone())).map_err(|_other| TokenFault::Type)?;
        Ok((said, signed.expires_at()))
    }

    /// The claims of a token that is not verified yet. They name the site whose key verifies it.
    fn unproven(token: &str) -> Option<Self> {
        serde_json::from_value(Value::Object(unverified_claims(token, MAX_SITE_TOKEN)?)).ok()
    }
}

fn derived<T: SiteToken>(key: &VisitorKey) -> [u8; 32] {
    blake3::derive_key(T::CONTEXT, key.reveal().as_bytes())
}

impl SiteToken for ContentToken {
    const CONTEXT: &'static str = "octavo 2026-11-25 content tokens of sites";

    fn site(&self) -> &SiteId {
        &self.site
    }
}

impl SiteToken for PreviewToken {
    const CONTEXT: &'static str = "octavo 2026-11-25 preview tokens of sites";

    fn site(&self) -> &SiteId {
        &self.site
    }
}

/// Whether a bearer token has the form of the tokens of this module, and not that of an API token.
pub fn is_site_token(presented: &str) -> bool {
    presented.contains('.')
}

/// Signed and unsigned claims of one object.
pub(super) fn split(claims: &Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
    let mut signed = claims.clone();
    let unsigned = match signed.remove(UNSIGNED) {
        Some(Value::Object(unsigned)) => unsigned,
        _ => Map::new(),
    };
    (signed, unsigned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::publishing_auth::{PublishingAuth, VisitorKeyDeriver};
    use crate::site::visitor_token::corpus::signed_by;
    use proptest::prelude::*;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).unwrap()
    }

    fn key(site: &str) -> VisitorKey {
        VisitorKeyDeriver::new(&[7; 32]).key(&PublishingAuth::new(site.parse().unwrap()))
    }

    fn content() -> ContentToken {
        let place = VisitedPlace {
            organization: "o".parse().unwrap(),
            site_section: None,
            site_space: "v".parse().unwrap(),
            space: "s".parse().unwrap(),
            spaces: vec!["s".parse().unwrap(), "t".parse().unwrap()],
        };
        let claims = json!({"plan": "pro"}).as_object().cloned().unwrap();
        ContentToken::new(place, "docs".parse().unwrap(), VisitorKind::Agent, claims, SiteVisibility::Unlisted)
    }

    fn preview() -> PreviewToken {
        PreviewToken { site: "docs".parse().unwrap(), member: None, claims: Map::new(), draft: true }
    }

    #[test]
    fn a_token_for_a_large_site_names_some_spaces_from_the_visited_one_on() {
        let named = |place: VisitedPlace| {
            ContentToken::new(place, "docs".parse().unwrap(), VisitorKind::Human, Map::new(), SiteVisibility::Public)
                .spaces
        };
        let id = |number: usize| format!("space{number:015}").parse::<SpaceId>().unwrap();
        let place = |visited, count| VisitedPlace {
            organization: "o".parse().unwrap(),
            site_section: None,
            site_space: "v".parse().unwrap(),
            space: id(visited),
            spaces: (0..count).map(id).collect(),
        };
        assert_eq!(named(place(1, 3)), [id(1), id(2), id(0)]);
        let many = named(place(4990, 5000));
        assert_eq!((many.len(), &many[0], &many[99]), (MAX_NAMED_SPACES, &id(4990), &id(89)));
    }

    fn later() -> DateTime<Utc> {
        now() + VALID_FOR
    }

    #[test]
    fn a_token_returns_its_claims_until_it_expires() {
        let token = content().signed(&key("docs"), now(), later());
        let read = |at| ContentToken::verified(&token, &key("docs"), at);
        assert_eq!(read(now()), Ok((content(), later())));
        assert_eq!(read(later()), Err(TokenFault::Expired));
        assert_eq!(ContentToken::unproven(&token), Some(content()));
        let said = unverified_claims(&token, MAX_SITE_TOKEN).unwrap();
        assert_eq!(
            (&said["kind"], &said["visitorType"], &said["exp"]),
            (&json!("site"), &json!("agent"), &json!(1_700_003_600))
        );
        assert!(said.get("siteSection").is_none() && is_site_token(&token) && !is_site_token("octavo_abc"));
    }

    #[test]
    fn a_token_of_one_kind_is_no_token_of_another_and_none_is_a_visitor_token() {
        let key = key("docs");
        let (content, preview) = (content().signed(&key, now(), later()), preview().signed(&key, now(), later()));
        let visitor = signed_by(&key, HEADER, &serde_json::to_string(&self::content()).unwrap());
        let visitor = visitor.as_str();
        for token in [preview.as_str(), visitor] {
            assert!(ContentToken::verified(token, &key, now()).is_err());
        }
        for token in [content.as_str(), visitor] {
            assert_eq!(PreviewToken::verified(token, &key, now()), Err(TokenFault::Signature));
        }
        for token in [content.as_str(), preview.as_str()] {
            assert_eq!(SignedClaims::verify(token, &key, now()), Err(TokenFault::Signature));
        }
    }

    const HEADER: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

    #[test]
    fn a_token_of_another_site_or_of_an_earlier_key_is_refused() {
        let token = content().signed(&key("docs"), now(), later());
        let mut auth = PublishingAuth::new("docs".parse().unwrap());
        auth.regenerate();
        for other in
            [key("blog"), VisitorKeyDeriver::new(&[7; 32]).key(&auth), VisitorKeyDeriver::new(&[8; 32]).key(&auth)]
        {
            assert_eq!(ContentToken::verified(&token, &other, now()), Err(TokenFault::Signature));
        }
    }

    proptest! {
        #[test]
        fn a_changed_token_is_refused(at in 0usize..400, replacement in "[A-Za-z0-9_-]") {
            let token = content().signed(&key("docs"), now(), later());
            let at = at % token.len();
            let mut changed = token.clone();
            changed.replace_range(at..=at, &replacement);
            // The last character of a signature has bits that no byte has.
            prop_assume!(changed != token && at + 1 < token.len());
            prop_assert!(ContentToken::verified(&changed, &key("docs"), now()).is_err());
        }

        #[test]
        fn no_text_is_a_token_by_chance(text in "\\PC{0,200}") {
            prop_assert!(ContentToken::verified(&text, &key("docs"), now()).is_err());
            prop_assert!(PreviewToken::unproven(&text).is_none());
        }
    }
}
