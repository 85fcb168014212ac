//! Visitor tokens: JSON Web Tokens that identify a visitor, signed with the private key of the site. The signature of
//! the tokens that this server makes for sites ([`site_token`](super::site_token)) is made and checked here too.
mod strict_json;

use super::publishing_auth::VisitorKey;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value};
use sha2::Sha256;
use strict_json::JsonFault;
use subtle::ConstantTimeEq;

/// The longest token, in bytes.
pub const MAX_TOKEN: usize = 8 * 1024;
/// How far the clock of the issuer can be ahead.
pub const LEEWAY: TimeDelta = TimeDelta::seconds(60);
/// The last second of the year 9999. A later time is probably in milliseconds.
const LAST_TIME: f64 = 253_402_300_799.0;

/// The header of the tokens of this server.
const HEADER: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

/// Why a token is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum TokenFault {
    /// Longer than [`MAX_TOKEN`].
    #[error("the token is longer than {MAX_TOKEN} bytes")]
    TooLong,
    /// Not three parts with dots between them.
    #[error("the token is not a signed JSON Web Token in its compact form")]
    NotCompact,
    /// A part is not in the alphabet for URLs without padding.
    #[error("a part of the token is not base64url")]
    Encoding,
    /// The header or the claims are no JSON object.
    #[error("the header or the claims of the token are not a JSON object")]
    NotAnObject,
    /// A member of an object is repeated.
    #[error("a member of the header or of the claims is repeated")]
    Repeated,
    /// `alg` is not `HS256`.
    #[error("the algorithm of the token is not HS256")]
    Algorithm,
    /// The header names extensions that must be understood.
    #[error("the token has critical extensions")]
    Critical,
    /// `typ` is not `JWT`, or the token contains another token.
    #[error("the token is of another type")]
    Type,
    /// Not signed with the key of the site.
    #[error("the signature of the token is wrong")]
    Signature,
    /// Without `exp`.
    #[error("the token has no expiry")]
    NoExpiry,
    /// `exp`, `nbf` or `iat` is not a time in seconds.
    #[error("a time of the token is not a number of seconds since 1970")]
    NotATime,
    /// `exp` is not after `nbf` and `iat`.
    #[error("the token expires before it is valid")]
    NeverValid,
    /// `exp` is past.
    #[error("the token has expired")]
    Expired,
    /// `nbf` is in the future.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// `iat` is in the future.
    #[error("the token was issued in the future")]
    IssuedLater,
}

impl From<JsonFault> for TokenFault {
    fn from(fault: JsonFault) -> Self {
        match fault {
            JsonFault::Repeated => Self::Repeated,
            JsonFault::NotAnObject => Self::NotAnObject,
        }
    }
}

/// The claims of a valid token.
#[derive(Clone, Debug, PartialEq)]
pub struct SignedClaims {
    claims: Map<String, Value>,
    expires_at: DateTime<Utc>,
}

impl SignedClaims {
    /// Verifies a token. There is no leeway for `exp`.
    ///
    /// # Errors
    /// [`TokenFault`] if the token is not valid now.
    pub fn verify(token: &str, key: &VisitorKey, now: DateTime<Utc>) -> Result<Self, TokenFault> {
        Self::verify_with(token, key.reveal().as_bytes(), MAX_TOKEN, now)
    }

    /// Verifies a token of at most `longest` bytes with any key.
    pub(super) fn verify_with(token: &str, key: &[u8], longest: usize, now: DateTime<Utc>) -> Result<Self, TokenFault> {
        let Parts { header, payload, signed, signature } = Parts::of(token, longest)?;
        check_header(&strict_json::object(&decode(header)?)?)?;
        if !bool::from(hs256(key, signed.as_bytes()).as_slice().ct_eq(&decode(signature)?)) {
            return Err(TokenFault::Signature);
        }
        let claims = strict_json::object(&decode(payload)?)?;
        let expires_at = check_times(&claims, now)?;
        Ok(Self { claims, expires_at })
    }

    /// The claims, by name.
    pub fn claims(&self) -> &Map<String, Value> {
        &self.claims
    }

    /// When the token expires.
    pub fn expires_at(&self) -> DateTime<Utc> {
        self.expires_at
    }
}

/// The parts of a token in its compact form.
struct Parts<'a> {
    header: &'a str,
    payload: &'a str,
    /// The signed part: the header and the payload, with the dot between them.
    signed: &'a str,
    signature: &'a str,
}

impl<'a> Parts<'a> {
    fn of(token: &'a str, longest: usize) -> Result<Self, TokenFault> {
        if token.len() > longest {
            return Err(TokenFault::TooLong);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(TokenFault::NotCompact)?;
        let (header, payload) = signed.split_once('.').ok_or(TokenFault::NotCompact)?;
        if payload.contains('.') || [header, payload, signature].contains(&"") {
            return Err(TokenFault::NotCompact);
        }
        Ok(Self { header, payload, signed, signature })
    }
}

/// The unverified claims of a token of at most `longest` bytes. They name the key that verifies it.
pub(super) fn unverified_claims(token: &str, longest: usize) -> Option<Map<String, Value>> {
    let parts = Parts::of(token, longest).ok()?;
    strict_json::object(&decode(parts.payload).ok()?).ok()
}

/// A token with these claims, signed with this key.
pub(super) fn sign(key: &[u8], claims: &Map<String, Value>) -> String {
    let claims = Value::Object(claims.clone()).to_string();
    let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(HEADER), URL_SAFE_NO_PAD.encode(claims));
    let signature = URL_SAFE_NO_PAD.encode(hs256(key, signed.as_bytes()));
    format!("{signed}.{signature}")
}

/// HMAC with SHA-256.
fn hs256(key: &[u8], input: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key can have any length");
    mac.update(input);
    mac.finalize().into_bytes().into()
}

fn decode(part: &str) -> Result<Vec<u8>, TokenFault> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_not_base64url| TokenFault::Encoding)
}

/// Members that are not checked have no effect: no header chooses the key.
fn check_header(header: &Map<String, Value>) -> Result<(), TokenFault> {
    if header.contains_key("crit") {
        return Err(TokenFault::Critical);
    }
    if header.get("alg").and_then(Value::as_str) != Some("HS256") {
        return Err(TokenFault::Algorithm);
    }
    let is_jwt = |kind: &Value| kind.as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("JWT"));
    if header.contains_key("cty") || !header.get("typ").is_none_or(is_jwt) {
        return Err(TokenFault::Type);
    }
    Ok(())
}

/// Checks the times, and returns the expiry.
fn check_times(claims: &Map<String, Value>, now: DateTime<Utc>) -> Result<DateTime<Utc>, TokenFault> {
    let time = |name: &str| claims.get(name).map(|value| seconds(value).ok_or(TokenFault::NotATime)).transpose();
    let (expires_at, not_before, issued_at) = (time("exp")?, time("nbf")?, time("iat")?);
    let expires_at = expires_at.ok_or(TokenFault::NoExpiry)?;
    if [not_before, issued_at].into_iter().flatten().any(|start| start >= expires_at) {
        return Err(TokenFault::NeverValid);
    }
    let ahead = |time: Option<DateTime<Utc>>| time.is_some_and(|time| time > now + LEEWAY);
    if expires_at <= now {
        Err(TokenFault::Expired)
    } else if ahead(not_before) {
        Err(TokenFault::NotYetValid)
    } else if ahead(issued_at) {
        Err(TokenFault::IssuedLater)
    } else {
        Ok(expires_at)
    }
}

/// The time of a number of seconds since 1970, which can have a fraction.
fn seconds(value: &Value) -> Option<DateTime<Utc>> {
    let seconds = value.as_f64().filter(|seconds| (0.0..=LAST_TIME).contains(seconds))?;
    DateTime::from_timestamp_millis((seconds * 1000.0) as i64)
}

#[cfg(test)]
pub(super) mod corpus;
#[cfg(test)]
mod tests;
