//! API tokens: the secret is shown once; what is kept is its hash.
use crate::id::{TokenId, UserId};
use crate::text::{Rule, TokenLabel};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use std::fmt;

/// What an API token begins with, so that scanners for leaked secrets know it.
pub const PREFIX: &str = "octavo_";

/// A secret that a caller presents as bearer token. Shows nothing in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Makes a token from 32 random bytes (256 bits from the operating system): prefix, the bytes in base 62, and a
    /// checksum of six characters by which a scanner tells a token from a look-alike.
    pub fn from_random(bytes: &[u8; 32]) -> Self {
        let body = base62(bytes);
        let sum = Sha256::digest(body.as_bytes());
        let check = &base62(&sum)[..6];
        Self(format!("{PREFIX}{body}{check}"))
    }

    /// Takes a token an operator chose.
    ///
    /// # Errors
    /// When it is shorter than 20 characters, longer than 200, or holds anything but visible ASCII.
    pub fn chosen(raw: String) -> Result<Self, Rule> {
        if !(20..=200).contains(&raw.len()) {
            return Err(Rule("must be 20 to 200 characters long".into()));
        }
        if !raw.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Rule("must hold visible ASCII characters only".into()));
        }
        Ok(Self(raw))
    }

    /// The hash that is stored and looked up. A fast hash is enough: the secret has the entropy of a key.
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(&self.0)
    }

    /// The secret itself, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// SHA-256 of a token, by which it is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenHash(pub [u8; 32]);

impl TokenHash {
    /// The hash of what a caller presented.
    pub fn of(presented: &str) -> Self {
        Self(Sha256::digest(presented.as_bytes()).into())
    }
}

/// The bytes as one number in base 62, always 43 digits long.
fn base62(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut number = bytes.to_vec();
    let mut digits = Vec::with_capacity(43);
    for _ in 0..43 {
        let mut rest = 0u32;
        for byte in &mut number {
            let value = rest * 256 + u32::from(*byte);
            *byte = u8::try_from(value / 62).unwrap_or(u8::MAX);
            rest = value % 62;
        }
        digits.push(DIGITS[rest as usize % 62]);
    }
    digits.reverse();
    String::from_utf8_lossy(&digits).into_owned()
}

/// An API token as it is kept. It has its user's rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The handle by which it is listed and revoked.
    pub id: TokenId,
    /// Whose rights it has.
    pub user: UserId,
    /// What its owner calls it.
    pub label: TokenLabel,
    /// The hash of the secret.
    pub hash: TokenHash,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it ends by itself.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was withdrawn.
    pub revoked_at: Option<DateTime<Utc>>,
}

impl Token {
    /// Whether the token opens anything at this moment.
    pub fn is_valid(&self, now: DateTime<Utc>) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Withdraws the token. Returns whether that changed anything.
    pub fn revoke(&mut self, at: DateTime<Utc>) -> bool {
        let changes = self.revoked_at.is_none();
        self.revoked_at.get_or_insert(at);
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use rstest::rstest;

    fn token() -> Token {
        Token {
            id: "t".parse().unwrap(),
            user: "u".parse().unwrap(),
            label: "ci".parse().unwrap(),
            hash: TokenHash::of("x"),
            created_at: DateTime::UNIX_EPOCH,
            expires_at: None,
            revoked_at: None,
        }
    }

    #[test]
    fn a_token_has_a_prefix_a_fixed_length_and_hides_itself_from_logs() {
        for bytes in [[0; 32], [0xff; 32], [7; 32]] {
            let secret = Secret::from_random(&bytes);
            assert!(secret.reveal().starts_with(PREFIX));
            assert_eq!(secret.reveal().len(), PREFIX.len() + 43 + 6);
            assert_eq!(format!("{secret:?}"), "Secret(..)");
        }
    }

    #[test]
    fn different_bytes_give_different_tokens() {
        assert_ne!(Secret::from_random(&[1; 32]).reveal(), Secret::from_random(&[2; 32]).reveal());
        assert_ne!(Secret::from_random(&[1; 32]).hash(), Secret::from_random(&[2; 32]).hash());
    }

    #[rstest]
    #[case("short", false)]
    #[case("long-enough-for-a-test", true)]
    #[case("with a space in it, alas", false)]
    fn a_chosen_token_is_long_and_plain(#[case] raw: &str, #[case] fine: bool) {
        assert_eq!(Secret::chosen(raw.to_owned()).is_ok(), fine);
    }

    #[test]
    fn a_token_ends_when_it_expires_or_is_revoked() {
        let (then, later) = (DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH + TimeDelta::hours(1));
        let mut token = Token { expires_at: Some(later), ..token() };
        assert!(token.is_valid(then));
        assert!(!token.is_valid(later));
        assert!(token.revoke(then));
        assert!(!token.revoke(later), "revoking again changes nothing");
        assert_eq!(token.revoked_at, Some(then));
        assert!(!token.is_valid(then));
    }
}
