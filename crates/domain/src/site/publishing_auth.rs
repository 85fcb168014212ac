//! Publishing authentication: the settings by which visitors of a site with the visibility `visitor-auth` authenticate.
use crate::event::Audited;
use crate::id::SiteId;
use crate::patch::{Patch, changed};
use crate::token::secret_text;
use crate::web_address::WebAddress;
use crate::words;
use serde_json::{Value, json};
use std::fmt;

/// The prefix of a private key, so that scanners for leaked secrets recognize it.
const PREFIX: &str = "octavo_visitor_";

words! {
    /// What signs the tokens of visitors.
    #[derive(Default)]
    pub enum AuthBackend {
        /// A sign-in service of the owner of the site.
        #[default]
        Custom = "custom",
        /// An integration.
        Integration = "integration",
    }
}

/// The publishing authentication of a site. The addresses must not contain credentials, because browsers get them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishingAuth {
    /// The site.
    pub site: SiteId,
    /// What signs the tokens of visitors.
    pub backend: AuthBackend,
    /// The sign-in page for visitors without a valid token.
    pub fallback_url: Option<WebAddress>,
    /// The page after a sign-out.
    pub logout_url: Option<WebAddress>,
    /// How many private keys the site has had ([`VisitorKeyDeriver`]).
    pub number: i32,
}

/// A change to the publishing authentication; absent fields keep their value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of PublishingAuth")]
pub struct PublishingAuthPatch {
    pub backend: AuthBackend,
    pub fallback_url: Patch<WebAddress>,
    pub logout_url: Patch<WebAddress>,
}

impl PublishingAuth {
    /// The default publishing authentication of a site.
    pub fn new(site: SiteId) -> Self {
        Self { site, backend: AuthBackend::default(), fallback_url: None, logout_url: None, number: 1 }
    }

    /// Applies a change. Returns the settings before; `None` if nothing changed.
    pub fn update(&mut self, patch: PublishingAuthPatch) -> Option<Self> {
        let PublishingAuthPatch { backend, fallback_url, logout_url } = patch;
        changed(self, |auth| {
            auth.backend = backend;
            fallback_url.apply(&mut auth.fallback_url);
            logout_url.apply(&mut auth.logout_url);
        })
    }

    /// Replaces the private key. Tokens that were signed with earlier keys are no longer valid.
    pub fn regenerate(&mut self) {
        self.number = self.number.wrapping_add(1);
    }
}

impl Audited for PublishingAuth {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("backend", json!(self.backend)),
            ("fallbackURL", json!(self.fallback_url)),
            ("logoutURL", json!(self.logout_url)),
            ("privateKeys", json!(self.number)),
        ]
    }
}

/// Computes the private keys of sites.
///
/// A private key is computed from the id of the site and a number with a key that is not in the database. So the server
/// can verify and show it at any time, and a copy of the database does not contain it.
#[derive(Clone)]
pub struct VisitorKeyDeriver {
    key: [u8; 32],
}

impl fmt::Debug for VisitorKeyDeriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VisitorKeyDeriver(..)")
    }
}

impl VisitorKeyDeriver {
    /// Derives the key from the instance's secret.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self { key: blake3::derive_key("octavo 2026 private keys of sites", secret) }
    }

    /// The private key that is valid now.
    pub fn key(&self, auth: &PublishingAuth) -> VisitorKey {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&auth.number.to_le_bytes()).update(auth.site.as_str().as_bytes());
        VisitorKey(secret_text(PREFIX, hasher.finalize().as_bytes()))
    }
}

/// The private key of a site: it signs the tokens of visitors. 256 bits. Its `Debug` output does not show it.
#[derive(Clone)]
pub struct VisitorKey(String);

impl fmt::Debug for VisitorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VisitorKey(..)")
    }
}

impl VisitorKey {
    /// A key of this text, for tests.
    #[cfg(test)]
    pub(crate) fn chosen(raw: &str) -> Self {
        Self(raw.to_owned())
    }

    /// The key, for the administrators of the site. Its UTF-8 bytes are the key of HMAC-SHA256.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Differences;
    use serde_json::to_value;

    fn auth() -> PublishingAuth {
        PublishingAuth::new("s".parse().unwrap())
    }

    fn deriver() -> VisitorKeyDeriver {
        VisitorKeyDeriver::new(&[7; 32])
    }

    #[test]
    fn each_site_and_each_number_has_its_own_key_which_can_be_shown_again() {
        let key = deriver().key(&auth()).reveal().to_owned();
        assert_eq!(deriver().key(&auth()).reveal(), key);
        assert!(key.starts_with("octavo_visitor_") && key.len() == 64, "{key}");
        let mut regenerated = auth();
        regenerated.regenerate();
        let others = [
            deriver().key(&regenerated),
            deriver().key(&PublishingAuth::new("t".parse().unwrap())),
            VisitorKeyDeriver::new(&[8; 32]).key(&auth()),
        ];
        assert!(others.iter().all(|other| other.reveal() != key));
    }

    #[test]
    fn a_change_keeps_absent_fields() {
        let address: WebAddress = "https://example.org/sign-in".parse().unwrap();
        let mut changed = auth();
        changed.update(PublishingAuthPatch {
            backend: AuthBackend::Integration,
            fallback_url: Patch::Set(address.clone()),
            logout_url: Patch::Set(address.clone()),
        });
        let backend = AuthBackend::Custom;
        changed.update(PublishingAuthPatch { backend, fallback_url: Patch::Keep, logout_url: Patch::Clear });
        assert_eq!(changed, PublishingAuth { fallback_url: Some(address), ..auth() });
    }

    #[test]
    fn debug_output_does_not_show_keys() {
        assert_eq!(format!("{:?} {:?}", deriver(), deriver().key(&auth())), "VisitorKeyDeriver(..) VisitorKey(..)");
        let mut regenerated = auth();
        regenerated.regenerate();
        let logged = to_value(Differences::between(&auth(), &regenerated)).unwrap();
        assert_eq!(logged, json!({"privateKeys": {"before": 1, "after": 2}}));
    }
}
