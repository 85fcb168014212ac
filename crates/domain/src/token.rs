//! API tokens: the secret is shown once; only its hash is stored.
use crate::id::{TokenId, UserId};
use crate::scope::Scopes;
use crate::text::{Invalid, Rule, TokenLabel};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use std::fmt;

/// The prefix of a token, so that scanners for leaked secrets recognize it.
pub const PREFIX: &str = "octavo_";

/// The precision of the recorded last use: a use within this time of the recorded one is not written.
pub const USE_PRECISION: TimeDelta = TimeDelta::minutes(5);

/// A secret that a caller presents as a bearer token. Its `Debug` output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Creates a token from 32 random bytes (256 bits from the operating system).
    pub fn from_random(bytes: &[u8; 32]) -> Self {
        Self(secret_text(PREFIX, bytes))
    }

    /// Accepts a token that an operator chose.
    ///
    /// # Errors
    /// [`Rule`] if it is not 20 to 200 visible ASCII characters.
    pub fn chosen(raw: String) -> Result<Self, Rule> {
        if !(20..=200).contains(&raw.len()) {
            return Err(Rule("must be 20 to 200 characters".into()));
        }
        if !raw.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Rule("must contain visible ASCII characters only".into()));
        }
        Ok(Self(raw))
    }

    /// The hash that is stored and looked up. A fast hash is enough, because the secret has the entropy of a key.
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(&self.0)
    }

    /// The secret, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// SHA-256 of a token; tokens are looked up by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenHash(pub [u8; 32]);

impl TokenHash {
    /// The hash of the token that a caller sent.
    pub fn of(presented: &str) -> Self {
        Self(Sha256::digest(presented.as_bytes()).into())
    }
}

/// The text of a secret: the prefix, the bytes in base 62, and a checksum of six characters, by which a scanner
/// recognizes a real secret.
pub(crate) fn secret_text(prefix: &str, bytes: &[u8; 32]) -> String {
    let body = base62(bytes);
    let sum = Sha256::digest(body.as_bytes());
    format!("{prefix}{body}{}", &base62(&sum)[..6])
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

/// A stored API token. It has the rights of its user, limited to its scopes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The handle: identifies the token in lists and for revocation.
    pub id: TokenId,
    /// The user whose rights it has.
    pub user: UserId,
    /// The label that its owner chose.
    pub label: TokenLabel,
    /// What it may do.
    pub scopes: Scopes,
    /// The hash of the secret.
    pub hash: TokenHash,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
    /// When it was last used, with a precision of [`USE_PRECISION`] plus the time it takes to write it.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// The settings of a new token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// The label that its owner chose.
    pub label: TokenLabel,
    /// What it may do.
    pub scopes: Scopes,
    /// When it expires.
    pub expires_at: Option<DateTime<Utc>>,
}

impl NewToken {
    /// A token with all rights of its user, valid until it is revoked.
    pub fn unlimited(label: TokenLabel) -> Self {
        Self { label, scopes: Scopes::All, expires_at: None }
    }
}

impl Token {
    /// Whether the token is valid now.
    pub fn is_valid(&self, now: DateTime<Utc>) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Checks that this token may be used to create another one. The new token must not have more scopes or a later
    /// expiry. Otherwise brief access to a token could be turned into permanent access.
    ///
    /// # Errors
    /// [`Invalid`] names the field and the rule.
    pub fn check_making(&self, new: &NewToken) -> Result<(), Invalid> {
        if self.scopes != Scopes::All {
            return Err(Invalid::new("scopes", "a token that is limited to scopes cannot create tokens"));
        }
        match (self.expires_at, new.expires_at) {
            (Some(own), wanted) if wanted.is_none_or(|wanted| wanted > own) => {
                let own = own.to_rfc3339_opts(SecondsFormat::AutoSi, true);
                Err(Invalid::new(
                    "expiresAt",
                    format!("must be no later than {own}, when the token of the caller expires"),
                ))
            }
            _ => Ok(()),
        }
    }

    /// Whether a use of the token now should be recorded.
    pub fn should_record_use(&self, now: DateTime<Utc>) -> bool {
        self.last_used_at.is_none_or(|last| now - last >= USE_PRECISION)
    }

    /// Revokes the token. Returns whether that changed anything.
    pub fn revoke(&mut self, at: DateTime<Utc>) -> bool {
        let changes = self.revoked_at.is_none();
        self.revoked_at.get_or_insert(at);
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::{Scope, ScopeSet};
    use rstest::rstest;

    fn token() -> Token {
        Token {
            id: "t".parse().unwrap(),
            user: "u".parse().unwrap(),
            label: "ci".parse().unwrap(),
            scopes: Scopes::All,
            hash: TokenHash::of("x"),
            created_at: DateTime::UNIX_EPOCH,
            expires_at: None,
            revoked_at: None,
            last_used_at: None,
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
    fn at(hours: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::hours(hours)
    }

    #[rstest]
    #[case::no_ends(None, None, None)]
    #[case::an_end_from_one_without(None, Some(5), None)]
    #[case::sooner(Some(5), Some(4), None)]
    #[case::at_the_same_time(Some(5), Some(5), None)]
    #[case::later(Some(5), Some(6), Some("expiresAt: must be no later than 1970-01-01T05:00:00Z"))]
    #[case::never(Some(5), None, Some("expiresAt: must be no later than"))]
    fn a_token_cannot_create_a_token_that_expires_later(
        #[case] own: Option<i64>,
        #[case] wanted: Option<i64>,
        #[case] refused: Option<&str>,
    ) {
        let maker = Token { expires_at: own.map(at), ..token() };
        let new = NewToken { expires_at: wanted.map(at), ..NewToken::unlimited("x".parse().unwrap()) };
        match (maker.check_making(&new), refused) {
            (Ok(()), None) => {}
            (Err(invalid), Some(start)) => assert!(invalid.to_string().starts_with(start), "{invalid}"),
            (answer, _) => panic!("{answer:?}"),
        }
    }

    #[test]
    fn a_token_with_scopes_makes_no_others() {
        let scopes = Scopes::Only(ScopeSet::new([Scope::SpaceRead]).unwrap());
        let maker = Token { scopes, ..token() };
        let new = NewToken { scopes, ..NewToken::unlimited("x".parse().unwrap()) };
        assert_eq!(maker.check_making(&new).unwrap_err().field, "scopes");
    }

    #[test]
    fn a_use_is_written_down_once_in_a_while() {
        let used = Token { last_used_at: Some(at(1)), ..token() };
        assert!(token().should_record_use(at(1)));
        assert!(!used.should_record_use(at(1) + USE_PRECISION - TimeDelta::seconds(1)));
        assert!(used.should_record_use(at(1) + USE_PRECISION));
        assert!(!used.should_record_use(at(0)), "a clock that was set back writes nothing");
    }
}
