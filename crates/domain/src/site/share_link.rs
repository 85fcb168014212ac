//! Share links: a visitor with the address of a share link can see a site with the visibility `share-link`.
use crate::event::Audited;
use crate::id::{ShareLinkId, SiteId};
use crate::patch::{changed, set};
use crate::text::ShareLinkName;
use crate::token::{TokenHash, secret_text};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use std::fmt;

/// The path prefix of the key of a share link on a site.
pub const ENTRY: &str = "~/share/";
/// The maximum number of share links of a site (Octavo's own limit).
pub const MAX_SHARE_LINKS: usize = 100;

/// The prefix of a key, so that scanners for leaked secrets recognize it.
const PREFIX: &str = "octavo_share_";

/// A share link of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareLink {
    /// The handle; it does not grant access by itself.
    pub id: ShareLinkId,
    /// The site that it gives access to.
    pub site: SiteId,
    /// Its name; may be empty.
    pub name: ShareLinkName,
    /// Whether it gives access now.
    pub active: bool,
    /// Which of the keys of this id is the key ([`ShareLinkKeyDeriver`]).
    pub number: i32,
    /// The hash of the key; links are looked up by it.
    pub hash: TokenHash,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// A change to a share link; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of ShareLink")]
pub struct ShareLinkPatch {
    pub name: Option<ShareLinkName>,
    pub active: Option<bool>,
}

impl ShareLink {
    /// A new, active link.
    pub fn new(
        id: ShareLinkId,
        site: SiteId,
        name: ShareLinkName,
        deriver: &ShareLinkKeyDeriver,
        now: DateTime<Utc>,
    ) -> Self {
        let number = 1;
        let hash = deriver.compute(&id, number).hash();
        Self { id, site, name, active: true, number, hash, created_at: now }
    }

    /// Applies a change. Returns the link before; `None` if nothing changed.
    pub fn update(&mut self, patch: ShareLinkPatch) -> Option<Self> {
        let ShareLinkPatch { name, active } = patch;
        changed(self, |link| {
            set(&mut link.name, name);
            set(&mut link.active, active);
        })
    }
}

/// The log has no hash: it could be compared with the hash of a guessed key.
impl Audited for ShareLink {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![("name", json!(self.name)), ("active", json!(self.active))]
    }
}

/// Computes the keys of share links.
///
/// A key is computed from the id and the number of its link with a key that is not in the database. So the server can
/// show it at any time, and a copy of the database does not contain it.
#[derive(Clone)]
pub struct ShareLinkKeyDeriver {
    key: [u8; 32],
}

impl fmt::Debug for ShareLinkKeyDeriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShareLinkKeyDeriver(..)")
    }
}

impl ShareLinkKeyDeriver {
    /// Derives the key from the instance's secret.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self { key: blake3::derive_key("octavo 2026 keys of share links", secret) }
    }

    /// The key of a link.
    pub fn key(&self, link: &ShareLink) -> ShareKey {
        self.compute(&link.id, link.number)
    }

    fn compute(&self, id: &ShareLinkId, number: i32) -> ShareKey {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&number.to_le_bytes()).update(id.as_str().as_bytes());
        ShareKey(secret_text(PREFIX, hasher.finalize().as_bytes()))
    }
}

/// The key of a share link, which is part of its address: 256 bits. Its `Debug` output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct ShareKey(String);

impl fmt::Debug for ShareKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShareKey(..)")
    }
}

impl ShareKey {
    /// A key that a visitor or a caller sent.
    pub fn presented(raw: &str) -> Self {
        Self(raw.to_owned())
    }

    /// The hash that is stored and looked up.
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(&self.0)
    }

    /// The key, for the address of the link.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Differences;
    use proptest::prelude::*;
    use serde_json::to_value;

    fn deriver() -> ShareLinkKeyDeriver {
        ShareLinkKeyDeriver::new(&[7; 32])
    }

    fn link(id: &str) -> ShareLink {
        let (id, site, name) = (id.parse().unwrap(), "s".parse().unwrap(), "Partners".parse().unwrap());
        ShareLink::new(id, site, name, &deriver(), DateTime::UNIX_EPOCH)
    }

    #[test]
    fn each_link_and_each_number_has_its_own_key_which_can_be_shown_again() {
        let key = deriver().key(&link("a")).reveal().to_owned();
        assert_eq!(deriver().key(&link("a")).reveal(), key);
        let others = [
            deriver().key(&link("b")),
            deriver().key(&ShareLink { number: 2, ..link("a") }),
            ShareLinkKeyDeriver::new(&[8; 32]).key(&link("a")),
        ];
        assert!(others.iter().all(|other| other.reveal() != key));
    }

    #[test]
    fn a_key_is_256_bits_and_needs_no_encoding_in_a_path() {
        let key = deriver().key(&link("a"));
        let body = key.reveal().strip_prefix("octavo_share_").unwrap();
        assert!(body.len() == 49 && body.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{body}");
    }

    #[test]
    fn a_link_is_found_by_the_hash_of_its_key_alone() {
        let link = link("a");
        assert_eq!(ShareKey::presented(deriver().key(&link).reveal()).hash(), link.hash);
        for wrong in ["", "a", "octavo_share_", link.id.as_str()] {
            assert_ne!(ShareKey::presented(wrong).hash(), link.hash);
        }
    }

    #[test]
    fn a_change_keeps_the_key_and_fields_that_it_does_not_set() {
        let mut changed = link("a");
        changed.update(ShareLinkPatch { active: Some(false), ..ShareLinkPatch::default() });
        assert_eq!(changed, ShareLink { active: false, ..link("a") });
        changed.update(ShareLinkPatch { name: "".parse().ok(), active: None });
        assert_eq!((changed.name.as_str(), changed.active, changed.hash), ("", false, link("a").hash));
    }

    #[test]
    fn debug_output_does_not_show_keys() {
        let key = deriver().key(&link("a"));
        assert_eq!(format!("{:?} {key:?}", deriver()), "ShareLinkKeyDeriver(..) ShareKey(..)");
        let logged = to_value(Differences::between(&link("a"), &ShareLink { active: false, ..link("b") })).unwrap();
        assert_eq!(logged, json!({"active": {"before": true, "after": false}}));
    }

    proptest! {
        #[test]
        fn a_changed_key_finds_nothing(at in 0usize..62, replacement in "[A-Za-z0-9_]") {
            let key = deriver().key(&link("a"));
            let mut changed = key.reveal().to_owned();
            changed.replace_range(at..=at, &replacement);
            prop_assume!(changed != key.reveal());
            prop_assert_ne!(ShareKey::presented(&changed).hash(), link("a").hash);
        }
    }
}
