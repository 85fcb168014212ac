//! The names of specs.
use crate::content::document::SpecificationUse;
use crate::text::Rule;
use crate::web_address::WebAddress;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest slug, in characters.
pub const MAX_SLUG: usize = 100;
/// The first character of the slug of a spec that has no name. No slug of a caller has it.
const LINKED: char = '~';

/// The name of a spec in URLs and in content: letters, digits and single hyphens between them. Slugs that differ only
/// in case are the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SpecSlug(String);

impl SpecSlug {
    /// The slug.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form in which slugs are compared.
    pub fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }

    /// A slug from the database, which was checked when it was stored.
    pub fn stored(raw: String) -> Self {
        Self(raw)
    }

    /// The slug of the spec that a block shows: made from its name, or from the address of its document. `None` if it
    /// has neither.
    pub fn of_use(found: &SpecificationUse) -> Option<Self> {
        if !found.is_address {
            return found.spec.parse().ok();
        }
        Some(Self::of_address(&found.spec.parse().ok()?))
    }

    /// The slug of the hidden spec for an address in pages. Callers cannot name such a spec: only pages show it.
    pub fn of_address(address: &WebAddress) -> Self {
        let hash = blake3::hash(address.as_str().as_bytes());
        Self(format!("{LINKED}{}", &hash.to_hex()[..32]))
    }

    /// Whether the spec is that of an address that pages show.
    pub fn is_linked(&self) -> bool {
        self.0.starts_with(LINKED)
    }
}

impl TryFrom<String> for SpecSlug {
    type Error = Rule;

    fn try_from(raw: String) -> Result<Self, Rule> {
        let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if raw.len() > MAX_SLUG || !raw.split('-').all(plain) {
            let rule = format!("must be 1 to {MAX_SLUG} letters (a-z, A-Z), digits, and single hyphens between them");
            return Err(Rule(rule));
        }
        Ok(Self(raw))
    }
}

impl std::str::FromStr for SpecSlug {
    type Err = Rule;

    fn from_str(raw: &str) -> Result<Self, Rule> {
        raw.to_owned().try_into()
    }
}

impl From<SpecSlug> for String {
    fn from(slug: SpecSlug) -> Self {
        slug.0
    }
}

impl fmt::Display for SpecSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
