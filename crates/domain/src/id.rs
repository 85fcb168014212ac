//! Identifiers: one type each, from one list, so that a space's id can never stand where a page's is meant.

/// Why a text is not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to 64 characters of a-z, A-Z, 0-9, _ and -")]
pub struct InvalidId;

fn check(raw: &str) -> Result<(), InvalidId> {
    let fits = (1..=64).contains(&raw.len());
    let plain = raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if fits && plain { Ok(()) } else { Err(InvalidId) }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(std::sync::Arc<str>);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl std::str::FromStr for $name {
            type Err = InvalidId;
            fn from_str(raw: &str) -> Result<Self, InvalidId> {
                check(raw).map(|()| Self(raw.into()))
            }
        }
        impl TryFrom<String> for $name {
            type Error = InvalidId;
            fn try_from(raw: String) -> Result<Self, InvalidId> {
                raw.parse()
            }
        }
        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.as_ref().to_owned()
            }
        }
        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

ids! {
    /// A person or machine with an account.
    UserId,
    /// An organization: the owner of spaces and the home of members.
    OrganizationId,
    /// A team of members of one organization.
    TeamId,
    /// A collection: a folder of spaces and collections.
    CollectionId,
    /// A space: a tree of pages with its history.
    SpaceId,
    /// One immutable state of a space's content.
    RevisionId,
    /// A page; keeps its id through renames and moves.
    PageId,
    /// An uploaded or imported file of a space.
    FileId,
    /// A piece of content that several pages include.
    ReusableContentId,
    /// A proposed change to a space.
    ChangeRequestId,
    /// A place where a change request and the primary content cannot be joined.
    ConflictId,
    /// A review of a change request.
    ReviewId,
    /// An invite (its handle, never what is handed out).
    InviteId,
    /// An API token (its handle, never the secret).
    TokenId,
    /// An entry of the event log.
    EventId,
    /// A piece of background work.
    JobId,
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("0193a1f0-7c5e-7000-8000-000000000000", true)]
    #[case("a", true)]
    #[case("", false)]
    #[case("a/b", false)]
    #[case("..", false)]
    #[case("é", false)]
    #[case(&"a".repeat(64), true)]
    #[case(&"a".repeat(65), false)]
    fn an_id_is_short_and_plain(#[case] raw: &str, #[case] fine: bool) {
        assert_eq!(raw.parse::<SpaceId>().is_ok(), fine);
    }
}
