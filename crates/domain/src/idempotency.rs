//! Idempotency: a caller that does not know whether a request arrived sends it again with the same key, and gets the
//! stored response of the first request.
use crate::text::Invalid;
use chrono::{DateTime, TimeDelta, Utc};

/// The longest key, in characters.
pub const MAX_KEY: usize = 255;
/// How long a key is valid after its request was handled.
pub const KEY_LIFETIME: TimeDelta = TimeDelta::hours(24);

/// An idempotency key and the request that it was sent with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey {
    /// The key.
    pub key: String,
    /// The hash of the request: operation and body.
    pub request: [u8; 32],
    /// The attempt whose response is stored with its changes; absent if no response is stored.
    pub attempt: Option<Attempt>,
}

/// The number of an attempt to execute a request. Concurrent attempts under the same key have different numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attempt(pub u64);

impl IdempotencyKey {
    /// Checks a key.
    ///
    /// # Errors
    /// [`Invalid`] when it is not 1 to [`MAX_KEY`] visible ASCII characters.
    pub fn new(key: &str, request: [u8; 32]) -> Result<Self, Invalid> {
        let fits = (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        if !fits {
            return Err(Invalid::new(
                "Idempotency-Key",
                format!("must be 1 to {MAX_KEY} visible ASCII characters without spaces"),
            ));
        }
        Ok(Self { key: key.to_owned(), request, attempt: None })
    }
}

impl IdempotencyKey {
    /// The same request under the key `scope`, which combines the caller's key with the scope in which it is valid.
    pub fn within(self, scope: &str) -> Self {
        Self { key: scope.to_owned(), ..self }
    }
}

/// A stored response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    /// The HTTP status.
    pub status: u16,
    /// The location of the created resource.
    pub location: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// A stored request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRequest {
    /// The hash of the request.
    pub request: [u8; 32],
    /// When the request was handled.
    pub at: DateTime<Utc>,
    /// The response; absent if it shows a secret, or was lost.
    pub response: Option<StoredResponse>,
}

/// How to handle a request whose key is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOutcome {
    /// Send the stored response again.
    Response(StoredResponse),
    /// The key was used for a different request.
    OtherRequest,
    /// The request was handled, but its response is not stored.
    ResponseUnknown,
    /// The entry has expired: handle the request.
    Expired,
}

impl StoredRequest {
    /// How to handle a request with the same key.
    pub fn outcome(self, request: &[u8; 32], now: DateTime<Utc>) -> KeyOutcome {
        if now - self.at > KEY_LIFETIME {
            return KeyOutcome::Expired;
        }
        match self.response {
            _ if self.request != *request => KeyOutcome::OtherRequest,
            Some(response) => KeyOutcome::Response(response),
            None => KeyOutcome::ResponseUnknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a", true)]
    #[case("0193a1f0-7c5e-7000-8000-000000000000", true)]
    #[case("", false)]
    #[case("with space", false)]
    #[case("é", false)]
    #[case(&"k".repeat(255), true)]
    #[case(&"k".repeat(256), false)]
    fn a_key_is_short_and_visible(#[case] key: &str, #[case] fine: bool) {
        assert_eq!(IdempotencyKey::new(key, [0; 32]).is_ok(), fine);
    }

    #[rstest]
    #[case::again(1, Some(()), 1, KeyOutcome::Response(StoredResponse { status: 201, location: None, body: Vec::new() }))]
    #[case::another_body(2, Some(()), 1, KeyOutcome::OtherRequest)]
    #[case::no_answer(1, None, 1, KeyOutcome::ResponseUnknown)]
    #[case::another_body_without_answer(2, None, 1, KeyOutcome::OtherRequest)]
    #[case::long_ago(1, Some(()), 25, KeyOutcome::Expired)]
    fn a_known_key_gets_the_stored_response(
        #[case] request: u8,
        #[case] answered: Option<()>,
        #[case] hours: i64,
        #[case] expected: KeyOutcome,
    ) {
        let response = answered.map(|()| StoredResponse { status: 201, location: None, body: Vec::new() });
        let known = StoredRequest { request: [1; 32], at: DateTime::UNIX_EPOCH, response };
        assert_eq!(known.outcome(&[request; 32], DateTime::UNIX_EPOCH + TimeDelta::hours(hours)), expected);
    }
}
