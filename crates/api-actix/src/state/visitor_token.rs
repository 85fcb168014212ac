//! Signed claims about a member, for published sites.
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::OrganizationId;
use domain::usecases::members::Visit;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;
use std::fmt;

/// The validity of claims, in seconds.
const GOOD_FOR: i64 = 60 * 60;
/// The JWT header. There is only one algorithm.
const HEADER: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

/// The claims about a visitor.
#[derive(Serialize)]
struct Claims<'a> {
    /// The id of the account.
    sub: &'a str,
    /// An organization that the account is an active member of.
    organization: &'a str,
    /// When the claims were made, in seconds since 1970.
    iat: i64,
    /// When the claims expire, in seconds since 1970.
    exp: i64,
}

/// Signs claims as JSON Web Tokens (RFC 7519) with HS256.
#[derive(Clone)]
pub(crate) struct VisitorSigner {
    key: [u8; 32],
}

impl fmt::Debug for VisitorSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VisitorSigner(..)")
    }
}

impl VisitorSigner {
    /// Derives the signing key from the instance's secret.
    pub(crate) fn new(secret: &[u8; 32]) -> Self {
        Self { key: blake3::derive_key("octavo 2026 claims of visitors", secret) }
    }

    /// A signed token with the claims about a visit.
    pub(crate) fn claims(&self, visit: &Visit, organization: &OrganizationId) -> String {
        let iat = visit.at.timestamp();
        let claims = Claims { sub: visit.user.as_str(), organization: organization.as_str(), iat, exp: iat + GOOD_FOR };
        let claims = serde_json::to_string(&claims).unwrap_or_default();
        let input = format!("{}.{}", URL_SAFE_NO_PAD.encode(HEADER), URL_SAFE_NO_PAD.encode(claims));
        let signature = URL_SAFE_NO_PAD.encode(hs256(&self.key, input.as_bytes()));
        format!("{input}.{signature}")
    }
}

/// HMAC with SHA-256.
fn hs256(key: &[u8], input: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length will do");
    mac.update(input);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use serde_json::{Value, json};

    /// RFC 7515, appendix A.1.
    #[test]
    fn the_example_of_the_standard_is_signed_as_it_says() {
        let key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
        let header = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9";
        let claims = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
        let input = format!("{header}.{claims}");
        let signature = hs256(&URL_SAFE_NO_PAD.decode(key).unwrap(), input.as_bytes());
        assert_eq!(URL_SAFE_NO_PAD.encode(signature), "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
    }

    #[test]
    fn claims_identify_the_user_and_expire_after_an_hour() {
        let visit = Visit { user: "ada".parse().unwrap(), at: DateTime::from_timestamp(1000, 5).unwrap() };
        let signer = VisitorSigner::new(&[1; 32]);
        let token = signer.claims(&visit, &"o".parse().unwrap());
        let parts: Vec<&str> = token.split('.').collect();
        let read = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
        assert_eq!(read(parts[0]), json!({"alg": "HS256", "typ": "JWT"}));
        assert_eq!(read(parts[1]), json!({"sub": "ada", "organization": "o", "iat": 1000, "exp": 4600}));
        assert_eq!(parts.len(), 3);
        let other = VisitorSigner::new(&[2; 32]).claims(&visit, &"o".parse().unwrap());
        assert_ne!(token, other, "another instance signs with another key");
        assert_eq!(format!("{signer:?}"), "VisitorSigner(..)");
    }
}
