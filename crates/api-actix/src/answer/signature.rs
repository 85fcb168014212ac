//! Signatures of file URLs.
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use domain::content::object::Hash;
use domain::id::{OpenapiSpecId, OpenapiVersionId, SpaceId};
use std::fmt;
use subtle::ConstantTimeEq;

/// One day in seconds.
const DAY: i64 = 24 * 60 * 60;

/// Signs file URLs and verifies them.
#[derive(Clone)]
pub(crate) struct Signer {
    key: [u8; 32],
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signer(..)")
    }
}

impl Signer {
    /// Derives the signing key from the instance's secret.
    pub(crate) fn new(secret: &[u8; 32]) -> Self {
        Self { key: blake3::derive_key("octavo 2026 addresses of files", secret) }
    }

    /// When a URL issued now expires, in seconds since 1970: at the end of tomorrow. All URLs issued on a day are the
    /// same, so callers can cache the responses that contain them.
    pub(crate) fn expiry(now: DateTime<Utc>) -> i64 {
        (now.timestamp().div_euclid(DAY) + 2) * DAY
    }

    fn mac(&self, parts: [&str; 3], blob: &[u8], expires: i64) -> blake3::Hash {
        let mut mac = blake3::Hasher::new_keyed(&self.key);
        for part in parts {
            // Each part is preceded by its length, so that parts cannot be shifted into each other.
            mac.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        mac.update(blob).update(&expires.to_le_bytes());
        mac.finalize()
    }

    fn mac_of_source(&self, spec: &OpenapiSpecId, version: &OpenapiVersionId, expires: i64) -> blake3::Hash {
        // No id has a space, so this is the URL of no file.
        self.mac(["openapi source", spec.as_str(), version.as_str()], &[], expires)
    }

    /// The signature of a URL.
    pub(crate) fn sign(&self, space: &SpaceId, blob: &Hash, name: &str, media: &str, expires: i64) -> String {
        encoded(self.mac([space.as_str(), name, media], blob.as_bytes(), expires))
    }

    /// Whether the signature is valid for exactly this URL, and has not expired.
    pub(crate) fn verify(&self, address: &Address<'_>, now: DateTime<Utc>) -> bool {
        let Address { space, blob, name, media, expires, signature } = address;
        let own = self.mac([space.as_str(), name, media], blob.as_bytes(), *expires);
        is_valid(own, signature, *expires, now)
    }

    /// The signature of the URL of the source of an OpenAPI version.
    pub(crate) fn sign_source(&self, spec: &OpenapiSpecId, version: &OpenapiVersionId, expires: i64) -> String {
        encoded(self.mac_of_source(spec, version, expires))
    }

    /// Whether the signature is valid for exactly this source, and has not expired.
    pub(crate) fn verify_source(
        &self,
        spec: &OpenapiSpecId,
        version: &OpenapiVersionId,
        expires: i64,
        signature: &str,
        now: DateTime<Utc>,
    ) -> bool {
        is_valid(self.mac_of_source(spec, version, expires), signature, expires, now)
    }
}

fn encoded(mac: blake3::Hash) -> String {
    URL_SAFE_NO_PAD.encode(mac.as_bytes())
}

fn is_valid(own: blake3::Hash, signature: &str, expires: i64, now: DateTime<Utc>) -> bool {
    let Ok(given) = URL_SAFE_NO_PAD.decode(signature) else { return false };
    bool::from(own.as_bytes().as_slice().ct_eq(&given)) && now.timestamp() < expires
}

/// The content of a file URL.
pub(crate) struct Address<'a> {
    pub(crate) space: &'a SpaceId,
    /// The hash of the file's bytes.
    pub(crate) blob: &'a Hash,
    /// The file name.
    pub(crate) name: &'a str,
    /// The media type.
    pub(crate) media: &'a str,
    /// When the URL expires, in seconds since 1970.
    pub(crate) expires: i64,
    pub(crate) signature: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use rstest::rstest;

    fn signed(at: DateTime<Utc>) -> (SpaceId, Hash, i64, String) {
        let (space, blob, expires): (SpaceId, _, _) = ("s".parse().unwrap(), Hash::of(b"bytes"), Signer::expiry(at));
        let signature = Signer::new(&[1; 32]).sign(&space, &blob, "a.png", "image/png", expires);
        (space, blob, expires, signature)
    }

    #[rstest]
    #[case::as_given("a.png", "image/png", 0, 1, true)]
    #[case::another_name("b.png", "image/png", 0, 1, false)]
    #[case::another_type("a.png", "text/html", 0, 1, false)]
    #[case::shifted("a.pngi", "mage/png", 0, 1, false)]
    #[case::made_to_last("a.png", "image/png", 1, 1, false)]
    #[case::of_another_instance("a.png", "image/png", 0, 2, false)]
    fn a_proof_is_good_for_exactly_one_address(
        #[case] name: &str,
        #[case] media: &str,
        #[case] later: i64,
        #[case] secret: u8,
        #[case] good: bool,
    ) {
        let now = DateTime::UNIX_EPOCH;
        let (space, blob, expires, signature) = signed(now);
        let address =
            Address { space: &space, blob: &blob, name, media, expires: expires + later, signature: &signature };
        assert_eq!(Signer::new(&[secret; 32]).verify(&address, now), good);
    }

    #[test]
    fn a_proof_is_good_for_one_to_two_days_and_the_same_all_day() {
        let morning = DateTime::UNIX_EPOCH + TimeDelta::seconds(1);
        let evening = DateTime::UNIX_EPOCH + TimeDelta::seconds(DAY - 1);
        assert_eq!(signed(morning), signed(evening));
        let (space, blob, expires, signature) = signed(evening);
        let address =
            Address { space: &space, blob: &blob, name: "a.png", media: "image/png", expires, signature: &signature };
        let good = |at| Signer::new(&[1; 32]).verify(&address, at);
        assert!(good(evening + TimeDelta::days(1)));
        assert!(!good(evening + TimeDelta::days(2)));
    }
}
