//! Identifiers: one type per kind of object, so that the id of a space cannot be used as the id of a page.

/// The text is not a valid id.
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
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Deserialize)]
        #[serde(try_from = "String")]
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
        // Not derived: it would copy the id first, and lists have thousands of ids.
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
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
    /// An organization: it owns spaces and has members.
    OrganizationId,
    /// A team of members of one organization.
    TeamId,
    /// A collection: a folder of spaces and collections.
    CollectionId,
    /// A space: a tree of pages with a history.
    SpaceId,
    /// One immutable state of a space's content.
    RevisionId,
    /// A page; it keeps its id when it is renamed or moved.
    PageId,
    /// An uploaded or imported file of a space.
    FileId,
    /// Content that several pages can include.
    ReusableContentId,
    /// A proposed change to a space.
    ChangeRequestId,
    /// A conflict between a change request and the primary content.
    ConflictId,
    /// A review of a change request.
    ReviewId,
    /// A comment: the first text of a thread.
    CommentId,
    /// A reply to a comment.
    CommentReplyId,
    /// An invite (its handle, never the code).
    InviteId,
    /// An API token (its handle, never the secret).
    TokenId,
    /// An entry of the event log.
    EventId,
    /// A piece of background work.
    JobId,
    /// A webhook of an organization.
    WebhookId,
    /// One event, or one ping, on its way to one webhook.
    DeliveryId,
    /// A translation of a space.
    TranslationId,
    /// One run of a translation.
    TranslationRunId,
    /// A term of a glossary.
    GlossaryEntryId,
    /// A notification of a user.
    NotificationId,
    /// What notifications are grouped by: a comment or a change request, by its id.
    ThreadId,
    /// A published site.
    SiteId,
    /// A space on a site.
    SiteSpaceId,
    /// A section of a site.
    SiteSectionId,
    /// A group of sections of a site.
    SiteSectionGroupId,
    /// A link among the sections of a site.
    SiteLinkId,
    /// A share link of a docs site (its handle, never the key).
    ShareLinkId,
    /// A redirect of a site.
    SiteRedirectId,
    /// The feedback of a visitor on a page of a site.
    SiteFeedbackId,
    /// A conversation with a customer.
    ConversationId,
    /// An issue in a conversation.
    ConversationIssueId,
    /// A cluster of issues.
    IssueClusterId,
    /// An OpenAPI spec of an organization.
    OpenapiSpecId,
    /// One version of an OpenAPI spec.
    OpenapiVersionId,
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

    #[test]
    fn an_id_is_written_as_text_and_read_back() {
        let id: SpaceId = "0193a1f0-7c5e-7000-8000-000000000000".parse().unwrap();
        let written = serde_json::to_string(&id).unwrap();
        assert_eq!(written, r#""0193a1f0-7c5e-7000-8000-000000000000""#);
        assert_eq!(serde_json::from_str::<SpaceId>(&written).unwrap(), id);
        assert!(serde_json::from_str::<SpaceId>(r#""a/b""#).is_err());
    }
}
