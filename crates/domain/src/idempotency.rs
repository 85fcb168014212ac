//! Idempotency: a caller that does not know whether a request arrived sends it again with the same key, and gets the
//! stored response of the first request.
use crate::text::Invalid;
use chrono::{DateTime, TimeDelta, Utc};

/// The longest key, in characters.
pub const MAX_KEY: usize = 255;
/// How long a request is remembered.
pub const MEMORY: TimeDelta = TimeDelta::hours(24);

/// A key and its request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OnceKey {
    /// The key.
    pub key: String,
    /// The hash of the request: operation and body.
    pub request: [u8; 32],
    /// The attempt whose response is stored with its changes; absent if nobody stores a response.
    pub attempt: Option<Attempt>,
}

/// The number of an attempt to execute a request. Concurrent attempts under the same key have different numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attempt(pub u64);

impl OnceKey {
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

impl OnceKey {
    /// The same request under the key `scope`, which combines the caller's key with the scope in which it is valid.
    pub fn within(self, scope: &str) -> Self {
        Self { key: scope.to_owned(), ..self }
    }
}

/// A stored response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The location of the created resource.
    pub location: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// A remembered request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// The hash of the request.
    pub request: [u8; 32],
    /// When the request was handled.
    pub at: DateTime<Utc>,
    /// The response; absent if it shows a secret, or was lost.
    pub answer: Option<GivenAnswer>,
}

/// How to handle a request whose key is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Send the stored response again.
    Answer(GivenAnswer),
    /// The key was used for a different request.
    OtherRequest,
    /// The request was handled, but its response is not stored.
    AnswerUnknown,
    /// The entry has expired: handle the request.
    Forgotten,
}

impl Remembered {
    /// How to handle a request with the same key.
    pub fn repeat(self, request: &[u8; 32], now: DateTime<Utc>) -> Repeat {
        if now - self.at > MEMORY {
            return Repeat::Forgotten;
        }
        match self.answer {
            _ if self.request != *request => Repeat::OtherRequest,
            Some(answer) => Repeat::Answer(answer),
            None => Repeat::AnswerUnknown,
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
        assert_eq!(OnceKey::new(key, [0; 32]).is_ok(), fine);
    }

    #[rstest]
    #[case::again(1, Some(()), 1, Repeat::Answer(GivenAnswer { status: 201, location: None, body: Vec::new() }))]
    #[case::another_body(2, Some(()), 1, Repeat::OtherRequest)]
    #[case::no_answer(1, None, 1, Repeat::AnswerUnknown)]
    #[case::another_body_without_answer(2, None, 1, Repeat::OtherRequest)]
    #[case::long_ago(1, Some(()), 25, Repeat::Forgotten)]
    fn a_known_key_is_answered_from_memory(
        #[case] request: u8,
        #[case] answered: Option<()>,
        #[case] hours: i64,
        #[case] expected: Repeat,
    ) {
        let answer = answered.map(|()| GivenAnswer { status: 201, location: None, body: Vec::new() });
        let known = Remembered { request: [1; 32], at: DateTime::UNIX_EPOCH, answer };
        assert_eq!(known.repeat(&[request; 32], DateTime::UNIX_EPOCH + TimeDelta::hours(hours)), expected);
    }
}
