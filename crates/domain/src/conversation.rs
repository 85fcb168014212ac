//! Conversations with customers, the issues found in them, and the clusters of similar issues.
use crate::content::document::{Block, Document, Inline, Kind, Paragraph};
use crate::event::Audited;
use crate::id::{ConversationId, ConversationIssueId, IssueClusterId, OrganizationId};
use crate::text::{ClusterLabel, ConversationSubject, ExternalId, Invalid, IssueTitle, Language, Rule};
use crate::web_address::WebAddress;
use crate::words;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The maximum number of conversations in one request.
pub const MAX_BATCH: usize = 100;
/// The maximum number of parts of a conversation.
pub const MAX_PARTS: usize = 500;
/// The longest part, in characters.
pub const MAX_PART: usize = 100_000;
/// The largest conversation, in bytes of its texts.
pub const MAX_CONVERSATION: usize = 1024 * 1024;
/// The most attributes of a conversation.
pub const MAX_ATTRIBUTES: usize = 50;
/// The longest name of an attribute, in characters.
pub const MAX_ATTRIBUTE_NAME: usize = 128;
/// The longest value of an attribute, in characters.
pub const MAX_ATTRIBUTE_VALUE: usize = 1024;
/// How far in the future the start of a conversation may be: the clocks of senders differ.
pub const MAX_AHEAD: TimeDelta = TimeDelta::days(1);
/// The default retention period of conversations.
pub const KEPT: TimeDelta = TimeDelta::days(365);
/// How often old conversations are removed.
pub const SWEEP_INTERVAL: TimeDelta = TimeDelta::days(1);
/// The time after which the job regroups all clusters even if few issues are new.
pub const TIDY_INTERVAL: TimeDelta = TimeDelta::days(1);
/// The minimum number of issues of a cluster in lists.
pub const SHOWN_ISSUES: u32 = 2;

pub use conversations::analyse::Role as PartRole;
pub use conversations::impact::Impact;

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationPart {
    /// The role of its author.
    pub role: PartRole,
    /// The text: Markdown or HTML.
    pub body: String,
}

/// Where a conversation comes from: `email`, or `integration:NAME:ID`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ConversationSource(String);

impl ConversationSource {
    /// The longest source, in characters.
    pub const MAX: usize = 255;

    /// The source.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The source of a conversation that is sent without one.
impl Default for ConversationSource {
    fn default() -> Self {
        Self("integration:api:default".to_owned())
    }
}

impl TryFrom<String> for ConversationSource {
    type Error = Rule;

    fn try_from(raw: String) -> Result<Self, Rule> {
        let parts: Vec<&str> = raw.split(':').collect();
        let plain = |part: &&str| !part.is_empty() && !part.chars().any(|c| c.is_control() || c.is_whitespace());
        let fits = raw.chars().count() <= Self::MAX;
        let known = raw == "email" || matches!(*parts, ["integration", name, id] if plain(&name) && plain(&id));
        if fits && known {
            Ok(Self(raw))
        } else {
            Err(Rule("must be `email` or `integration:NAME:ID`, of at most 255 characters".into()))
        }
    }
}

impl FromStr for ConversationSource {
    type Err = Rule;

    fn from_str(raw: &str) -> Result<Self, Rule> {
        raw.to_owned().try_into()
    }
}

impl From<ConversationSource> for String {
    fn from(source: ConversationSource) -> Self {
        source.0
    }
}

impl fmt::Display for ConversationSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The texts of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationContent {
    /// The messages, oldest first.
    pub parts: Vec<ConversationPart>,
    /// Attributes that the sender gave it, by name.
    pub attributes: BTreeMap<String, String>,
}

/// A conversation to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewConversation {
    /// Where it comes from.
    pub source: ConversationSource,
    /// The sender's id of it, unique within its source.
    pub external_id: ExternalId,
    /// The subject.
    pub subject: Option<ConversationSubject>,
    /// Where it can be read in the system of the sender.
    pub url: Option<WebAddress>,
    /// The texts.
    pub content: ConversationContent,
    /// When it began; the time of the request if absent.
    pub created_at: Option<DateTime<Utc>>,
}

/// Conversations as a request sends them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SentConversations {
    /// One.
    One(NewConversation),
    /// A list.
    Many(Vec<NewConversation>),
}

impl SentConversations {
    /// The prefix of the field names of a list item in errors.
    pub fn place(at: usize) -> String {
        format!("[{at}].")
    }

    /// Checks all limits, and returns the conversations.
    ///
    /// # Errors
    /// [`Invalid`] names the field and the rule.
    pub fn checked(self, now: DateTime<Utc>) -> Result<Vec<NewConversation>, Invalid> {
        match self {
            Self::One(one) => one.check("", now).map(|()| vec![one]),
            Self::Many(all) if all.is_empty() || all.len() > MAX_BATCH => {
                Err(Invalid::new("body", format!("must have 1 to {MAX_BATCH} items, not {}", all.len())))
            }
            Self::Many(all) => {
                all.iter().enumerate().try_for_each(|(at, one)| one.check(&Self::place(at), now))?;
                Ok(all)
            }
        }
    }
}

impl NewConversation {
    /// Checks the limits. `field` is the prefix of field names in errors.
    fn check(&self, field: &str, now: DateTime<Utc>) -> Result<(), Invalid> {
        let ConversationContent { parts, attributes } = &self.content;
        let refuse = |name: String, rule: String| Err(Invalid::new(format!("{field}{name}"), rule));
        if self.created_at.is_some_and(|at| at > now + MAX_AHEAD) {
            return refuse("metadata.createdAt".into(), "must be at most one day in the future".into());
        }
        if parts.is_empty() || parts.len() > MAX_PARTS {
            return refuse("parts".into(), format!("must have 1 to {MAX_PARTS} items, not {}", parts.len()));
        }
        for (at, part) in parts.iter().enumerate() {
            let length = part.body.chars().count();
            if length > MAX_PART {
                let rule = format!("must have at most {MAX_PART} characters, not {length}");
                return refuse(format!("parts[{at}].body"), rule);
            }
            if part.body.contains('\0') {
                return refuse(format!("parts[{at}].body"), "must not contain U+0000".into());
            }
        }
        if attributes.len() > MAX_ATTRIBUTES {
            let rule = format!("must have at most {MAX_ATTRIBUTES} entries, not {}", attributes.len());
            return refuse("metadata.attributes".into(), rule);
        }
        for (name, value) in attributes {
            if name.is_empty() || name.chars().count() > MAX_ATTRIBUTE_NAME || name.contains('\0') {
                let rule = format!("names must have 1 to {MAX_ATTRIBUTE_NAME} characters, without U+0000");
                return refuse("metadata.attributes".into(), rule);
            }
            if value.chars().count() > MAX_ATTRIBUTE_VALUE || value.contains('\0') {
                let rule = format!("must have at most {MAX_ATTRIBUTE_VALUE} characters, without U+0000");
                return refuse(format!("metadata.attributes.{name}"), rule);
            }
        }
        let size = parts.iter().map(|part| part.body.len()).sum::<usize>()
            + attributes.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        if size > MAX_CONVERSATION {
            return refuse("parts".into(), format!("must have at most {MAX_CONVERSATION} bytes in all, not {size}"));
        }
        Ok(())
    }

    /// The same conversation without personal data and secrets: see [`conversations::redact`]. An id of the sender that
    /// contains some is replaced by a digest.
    #[must_use]
    pub fn redacted(self) -> Self {
        use conversations::redact::{redact, redact_address};
        let ConversationContent { parts, attributes } = self.content;
        let parts =
            parts.into_iter().map(|part| ConversationPart { body: redact(&part.body).into_owned(), ..part }).collect();
        let attributes = attributes.iter().map(|(name, value)| redacted_attribute(name, value)).collect();
        let url = self.url.and_then(|url| WebAddress::try_from(redact_address(url.as_str()).into_owned()).ok());
        Self {
            external_id: redacted_id(&self.external_id),
            url,
            // A mask can be longer than the text that it replaces.
            subject: self.subject.map(|text| ConversationSubject::fitted(&redact(text.as_str()), "")),
            content: ConversationContent { parts, attributes },
            ..self
        }
    }

    /// A hash of everything but the source and the sender's id.
    pub fn hash(&self) -> [u8; 32] {
        let Self { source: _, external_id: _, subject, url, content, created_at } = self;
        let url = url.as_ref().map(WebAddress::as_str);
        let all = json!([subject, url, content, created_at]);
        *blake3::hash(all.to_string().as_bytes()).as_bytes()
    }
}

/// Masks personal data and secrets in an attribute. A name such as `password` shows that the value is a secret.
fn redacted_attribute(name: &str, value: &str) -> (String, String) {
    use conversations::redact::redact;
    let name = redact(name).into_owned();
    let start = format!("{name}: ");
    let together = format!("{start}{value}");
    let together = redact(&together);
    let value = together.strip_prefix(start.as_str()).map_or_else(|| redact(value).into_owned(), str::to_owned);
    (name, value)
}

/// The sender's id of a conversation as it is stored: a digest if it contains personal data or secrets. A mask would
/// give many conversations the same id.
pub(crate) fn redacted_id(sent: &ExternalId) -> ExternalId {
    match conversations::redact::redact(sent.as_str()) {
        Cow::Borrowed(_) => sent.clone(),
        Cow::Owned(_) => {
            let digest = blake3::hash(sent.as_str().as_bytes()).to_hex();
            ExternalId::fitted(&format!("digest:{digest}"), "")
        }
    }
}

/// A conversation with a customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// The id; ids sort by the time of storing.
    pub id: ConversationId,
    /// The organization.
    pub organization: OrganizationId,
    /// Where it comes from.
    pub source: ConversationSource,
    /// The sender's id of it.
    pub external_id: ExternalId,
    /// The subject.
    pub subject: Option<ConversationSubject>,
    /// Where it can be read in the system of the sender.
    pub url: Option<WebAddress>,
    /// A hash of the request: storing the same content again changes nothing.
    pub hash: [u8; 32],
    /// The language, once it is known.
    pub language: Option<Language>,
    /// The highest impact of its issues.
    pub impact: Option<Impact>,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it was stored.
    pub ingested_at: DateTime<Utc>,
    /// When its issues were found; absent until then.
    pub processed_at: Option<DateTime<Utc>>,
    /// When to ask a language model or engine again, after it failed and rules found the issues.
    pub ask_again_at: Option<DateTime<Utc>>,
}

impl Conversation {
    /// A conversation that was sent for the first time, with its [hash](NewConversation::hash).
    pub fn new(
        id: ConversationId,
        organization: OrganizationId,
        new: &NewConversation,
        hash: [u8; 32],
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            organization,
            source: new.source.clone(),
            external_id: new.external_id.clone(),
            subject: new.subject.clone(),
            url: new.url.clone(),
            hash,
            language: None,
            impact: None,
            created_at: new.created_at.unwrap_or(now),
            ingested_at: now,
            processed_at: None,
            ask_again_at: None,
        }
    }

    /// Replaces the content. The conversation then waits for the analysis again.
    pub fn replace(&mut self, new: &NewConversation, hash: [u8; 32]) {
        self.subject = new.subject.clone();
        self.url = new.url.clone();
        self.hash = hash;
        self.created_at = new.created_at.unwrap_or(self.created_at);
        self.processed_at = None;
        self.ask_again_at = None;
    }
}

/// An issue that a customer has, found in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationIssue {
    /// The id.
    pub id: ConversationIssueId,
    /// The organization.
    pub organization: OrganizationId,
    /// The conversation.
    pub conversation: ConversationId,
    /// The cluster.
    pub cluster: IssueClusterId,
    /// The sentence that describes it.
    pub title: IssueTitle,
    /// The sentence with its neighbours: plain text, paragraphs apart by empty lines.
    pub details: String,
    /// The problem in a few words of plain English, if a language model found it. Issues are compared by it, so
    /// that issues in different languages share clusters; without it, by their titles.
    pub gist: Option<String>,
    /// Its impact on the customer's work.
    pub impact: Impact,
    /// The language.
    pub language: Option<Language>,
    /// When the conversation began.
    pub created_at: DateTime<Utc>,
    /// When the issue was found.
    pub ingested_at: DateTime<Utc>,
}

/// The conversations and the issues of a cluster in detail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterCounts {
    /// The number of conversations by source.
    pub sources: BTreeMap<String, u32>,
    /// The number of issues by the Monday of the week in which their conversation began
    /// ([`by_week`](conversations::pulse::by_week)).
    pub weeks: BTreeMap<NaiveDate, u32>,
}

/// A cluster of similar issues. After a merge, its id refers to the cluster that has its issues.
#[derive(Clone, Debug, PartialEq)]
pub struct IssueCluster {
    /// The id.
    pub id: IssueClusterId,
    /// The organization.
    pub organization: OrganizationId,
    /// The language of its issues.
    pub language: Option<Language>,
    /// What the issues have in common, in a few words.
    pub label: ClusterLabel,
    /// What it is about, with typical issues.
    pub summary: Document,
    /// The name of an icon.
    pub icon: String,
    /// The impact of its issues.
    pub impact: Impact,
    /// Whether no change requests are made for it.
    pub muted: bool,
    /// The cluster into which it was merged, which has its issues.
    pub merged_into: Option<IssueClusterId>,
    /// The number of its issues.
    pub issues: u32,
    /// The number of conversations with these issues.
    pub conversations: u32,
    /// The counts in detail; absent until an earlier version's cluster is counted again.
    pub counts: Option<ClusterCounts>,
    /// The number of its issues when a language model described it; absent if rules do.
    pub described_issues: Option<u32>,
    /// When it was formed.
    pub created_at: DateTime<Utc>,
    /// When an issue was last added or removed, or when the cluster was relabelled or muted.
    pub updated_at: DateTime<Utc>,
}

impl Audited for IssueCluster {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![("muted", json!(self.muted))]
    }
}

words! {
    /// What a list of clusters is ordered by.
    #[derive(Default)]
    pub enum ClusterOrder {
        #[default]
        UpdatedAt = "updatedAt",
        Issues = "issues",
        Conversations = "conversations",
    }
}

/// Converts plain text to a document. Empty lines separate paragraphs.
pub fn paragraphs(text: &str) -> Document {
    let blocks = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()).map(paragraph);
    Document::from_blocks(blocks.collect()).unwrap_or_default()
}

fn paragraph(text: &str) -> Block {
    Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec![Inline::from(text)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::harmless("plan", "team", "plan", "team")]
    #[case::a_value("contact", "ada@example.org", "contact", "[email]")]
    #[case::a_name("ada@example.org", "admin", "[email]", "admin")]
    #[case::a_secret_by_its_name("password", "hunter2", "password", "[password]")]
    #[case::a_number_by_its_name("phone", "5551234", "phone", "[phone]")]
    #[case::a_number("seats", "5551234", "seats", "5551234")]
    fn an_attribute_is_stored_without_personal_data(
        #[case] name: &str,
        #[case] value: &str,
        #[case] expected_name: &str,
        #[case] expected_value: &str,
    ) {
        let expected = (expected_name.to_owned(), expected_value.to_owned());
        assert_eq!(redacted_attribute(name, value), expected);
        assert_eq!(redacted_attribute(expected_name, expected_value), expected, "what is masked stays");
    }
}
