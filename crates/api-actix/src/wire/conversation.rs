//! Conversations with customers, their issues, and the clusters of these.
use super::member::OrderParam;
use super::{given, moment, schemas};
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::content::document::Document;
use domain::content::document::wire::WireDocument;
use domain::conversation::{
    ClusterOrder, Conversation as Stored, ConversationContent, ConversationPart as StoredPart, ConversationSource,
    Impact, NewConversation, PartRole, SentConversations, paragraphs,
};
use domain::id::IssueClusterId;
use domain::paging::Order;
use domain::text::{ConversationSubject, ExternalId, Invalid};
use domain::usecases::conversations::{
    ClusterPatch, ConversationRef, IssueQuery, ShownCluster, ShownConversation, ShownIssue,
};
use domain::web_address::WebAddress;
use http_server::LARGEST_BODY;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use utoipa::{IntoParams, ToSchema};

/// A conversation with a customer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Conversation {
    #[schema(example = "conversation")]
    object: &'static str,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 512)]
    subject: Option<String>,
    /// When it began.
    created_at: DateTime<Utc>,
    /// When its issues were found; absent until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    processed_at: Option<DateTime<Utc>>,
    /// `email`, or `integration:NAME:ID`.
    #[schema(example = "integration:api:default")]
    source: String,
    /// The highest impact of its issues; absent if none was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::ConversationImpact>)]
    impact: Option<Impact>,
    urls: ConversationUrls,
}

/// URLs of a conversation.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationUrls {
    /// In this API.
    location: String,
    /// In the system of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

pub(crate) type ConversationList = List<Conversation>;

pub(crate) fn conversation(one: Stored, links: &Links) -> Conversation {
    let location = links.conversation(&one.organization, &one.id);
    Conversation {
        object: "conversation",
        id: one.id.into(),
        subject: one.subject.map(String::from),
        created_at: one.created_at,
        processed_at: one.processed_at,
        source: one.source.into(),
        impact: one.impact,
        urls: ConversationUrls { location, source: one.url.map(|url| url.to_string()) },
    }
}

/// A conversation with its messages.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationDetail {
    conversation: Conversation,
    parts: Vec<ConversationPart>,
    metadata: ConversationMetadata,
}

/// A message of a conversation.
#[derive(Deserialize, Serialize, ToSchema)]
pub(crate) struct ConversationPart {
    r#type: PartType,
    #[schema(value_type = schemas::ConversationRole)]
    role: PartRole,
    /// The text: Markdown or HTML.
    #[schema(max_length = 100_000)]
    body: String,
}

/// The type of a part of a conversation.
#[derive(Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PartType {
    Message,
}

/// Metadata of a conversation, from its sender.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConversationMetadata {
    /// Where it can be read in the system of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    attributes: BTreeMap<String, String>,
    /// When it began.
    created_at: DateTime<Utc>,
}

pub(crate) fn conversation_detail(shown: ShownConversation, links: &Links) -> ConversationDetail {
    let ShownConversation { conversation: stored, content: ConversationContent { parts, attributes } } = shown;
    let metadata = ConversationMetadata {
        url: stored.url.as_ref().map(ToString::to_string),
        attributes,
        created_at: stored.created_at,
    };
    let part = |StoredPart { role, body }| ConversationPart { r#type: PartType::Message, role, body };
    ConversationDetail {
        conversation: conversation(stored, links),
        parts: parts.into_iter().map(part).collect(),
        metadata,
    }
}

/// An issue that a customer has, found in a conversation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConversationIssue {
    #[schema(example = "conversation-issue")]
    object: &'static str,
    id: String,
    #[schema(max_length = 120)]
    title: String,
    /// The sentence that states the issue, with the sentences around it.
    #[schema(value_type = schemas::Document)]
    details: WireDocument<Document>,
    /// The same as plain text.
    summary: String,
    #[schema(value_type = schemas::ConversationImpact)]
    impact: Impact,
    /// When the conversation began.
    created_at: DateTime<Utc>,
    /// When the issue was found.
    ingested_at: DateTime<Utc>,
    /// The id of the conversation.
    conversation: String,
    /// The id of its cluster.
    cluster: String,
    urls: ConversationIssueUrls,
}

/// URLs of an issue.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationIssueUrls {
    location: String,
}

/// An issue with its conversation.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationIssueWithConversation {
    issue: ConversationIssue,
    conversation: Conversation,
}

pub(crate) type ConversationIssueList = List<ConversationIssueWithConversation>;

pub(crate) fn issue(shown: ShownIssue, links: &Links) -> ConversationIssueWithConversation {
    let ShownIssue { issue, conversation: stored } = shown;
    let location = links.conversation_issue(&issue.organization, &issue.id);
    let issue = ConversationIssue {
        object: "conversation-issue",
        id: issue.id.into(),
        title: issue.title.into(),
        details: WireDocument(paragraphs(&issue.details)),
        summary: issue.details,
        impact: issue.impact,
        created_at: issue.created_at,
        ingested_at: issue.ingested_at,
        conversation: issue.conversation.into(),
        cluster: issue.cluster.into(),
        urls: ConversationIssueUrls { location },
    };
    ConversationIssueWithConversation { issue, conversation: conversation(stored, links) }
}

/// Issues that are alike.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssuesCluster {
    #[schema(example = "issues-cluster")]
    object: &'static str,
    id: String,
    /// What the issues have in common, in a few words.
    #[schema(max_length = 80)]
    label: String,
    created_at: DateTime<Utc>,
    /// When an issue was last added or removed, or the cluster was relabelled or muted.
    updated_at: DateTime<Utc>,
    /// The name of an icon.
    #[schema(max_length = 50)]
    icon: String,
    /// A summary of its topic, with typical issues.
    #[schema(value_type = schemas::Document)]
    summary: WireDocument<Document>,
    /// Whether no change requests are created for it.
    muted: bool,
    #[schema(value_type = schemas::ConversationImpact)]
    impact: Impact,
    /// The number of issues in each of the last 13 weeks (Monday to Sunday, UTC), oldest first.
    #[schema(min_items = 13, max_items = 13)]
    weekly_pulse: Vec<u32>,
    /// The number of conversations by source.
    sources: BTreeMap<String, u32>,
    stats: IssuesClusterStats,
    urls: IssuesClusterUrls,
}

/// Statistics of a cluster.
#[derive(Serialize, ToSchema)]
pub(crate) struct IssuesClusterStats {
    issues: u32,
    conversations: u32,
}

/// URLs of a cluster.
#[derive(Serialize, ToSchema)]
pub(crate) struct IssuesClusterUrls {
    location: String,
}

pub(crate) type IssuesClusterList = List<IssuesCluster>;

pub(crate) fn cluster(shown: ShownCluster, links: &Links) -> IssuesCluster {
    let ShownCluster { cluster, numbers } = shown;
    let location = links.issue_cluster(&cluster.organization, &cluster.id);
    IssuesCluster {
        object: "issues-cluster",
        id: cluster.id.into(),
        label: cluster.label.into(),
        created_at: cluster.created_at,
        updated_at: cluster.updated_at,
        icon: cluster.icon,
        summary: WireDocument(cluster.summary),
        muted: cluster.muted,
        impact: cluster.impact,
        weekly_pulse: numbers.weekly_pulse.to_vec(),
        sources: numbers.sources,
        stats: IssuesClusterStats { issues: numbers.issues, conversations: numbers.conversations },
        urls: IssuesClusterUrls { location },
    }
}

/// A conversation to store.
#[derive(Deserialize, ToSchema)]
pub(crate) struct IngestConversation {
    /// The sender's id of the conversation. The same id from the same source replaces it.
    #[schema(value_type = String, min_length = 1, max_length = 255)]
    id: ExternalId,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, max_length = 512)]
    subject: Option<ConversationSubject>,
    /// `email`, or `integration:NAME:ID`; `integration:api:default` if absent.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, max_length = 255)]
    source: Option<ConversationSource>,
    #[schema(min_items = 1, max_items = 500)]
    parts: Vec<ConversationPart>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = IngestMetadata)]
    metadata: Option<IngestMetadata>,
}

/// Metadata of a conversation to store.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IngestMetadata {
    /// Where it can be read in the system of the sender: an `http` or `https` URL.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, max_length = 2048)]
    url: Option<WebAddress>,
    /// At most 50, with names of at most 128 characters and values of at most 1,024.
    #[serde(default)]
    attributes: BTreeMap<String, String>,
    /// When it began; now if absent. At most one day in the future.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = DateTime<Utc>)]
    created_at: Option<String>,
}

impl IngestConversation {
    fn read(self, field: &str) -> Result<NewConversation, Invalid> {
        let IngestMetadata { url, attributes, created_at } = self.metadata.unwrap_or_default();
        let created_at = created_at.map(|raw| moment(&format!("{field}metadata.createdAt"), &raw)).transpose()?;
        let parts = self.parts.into_iter().map(|part| StoredPart { role: part.role, body: part.body }).collect();
        Ok(NewConversation {
            source: self.source.unwrap_or_default(),
            external_id: self.id,
            subject: self.subject.filter(|subject| !subject.as_str().is_empty()),
            url,
            content: ConversationContent { parts, attributes },
            created_at,
        })
    }
}

/// One conversation, or a list of them.
#[derive(ToSchema)]
#[schema(as = IngestConversations)]
#[serde(untagged)]
pub(crate) enum IngestConversations {
    /// One conversation.
    One(IngestConversation),
    /// 1 to 100 conversations, stored all or none.
    Many(Vec<IngestConversation>),
}

impl<'de> Deserialize<'de> for IngestConversations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = IngestConversations;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a conversation or a list of conversations")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(map)).map(IngestConversations::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(list)).map(IngestConversations::Many)
            }
        }
        deserializer.deserialize_any(OneOrMany)
    }
}

impl Wire for IngestConversations {
    const MAX_BODY: usize = LARGEST_BODY;
    const MAY_BE_LIST: bool = true;
    type Command = SentConversations;

    fn command(self) -> Result<SentConversations, Invalid> {
        Ok(match self {
            Self::One(one) => SentConversations::One(one.read("")?),
            Self::Many(all) => {
                let read = |(at, one): (usize, IngestConversation)| one.read(&SentConversations::place(at));
                SentConversations::Many(all.into_iter().enumerate().map(read).collect::<Result<_, Invalid>>()?)
            }
        })
    }
}

/// Filters of the list of conversations.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConversationParams {
    /// Only conversations from this source.
    #[param(value_type = Option<String>)]
    source: Option<ConversationSource>,
}

impl Wire for ConversationParams {
    type Command = Option<ConversationSource>;

    fn command(self) -> Result<Option<ConversationSource>, Invalid> {
        Ok(self.source)
    }
}

/// Filters of the list of issues.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConversationIssueParams {
    /// Only issues of the cluster with this id.
    #[param(value_type = Option<String>)]
    cluster: Option<IssueClusterId>,
    /// Only issues of the conversation with this id, or with this id of its sender.
    conversation: Option<String>,
}

impl Wire for ConversationIssueParams {
    type Command = IssueQuery;

    fn command(self) -> Result<IssueQuery, Invalid> {
        Ok(IssueQuery { cluster: self.cluster, conversation: self.conversation.map(ConversationRef) })
    }
}

/// The order of a list of clusters.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct IssuesClusterParams {
    /// The direction; `desc` if absent.
    #[param(inline)]
    order: Option<OrderParam>,
    /// What the list is ordered by; `updatedAt` if absent.
    #[param(inline, value_type = Option<schemas::IssuesClusterOrder>)]
    order_by: Option<ClusterOrder>,
}

impl Wire for IssuesClusterParams {
    type Command = (ClusterOrder, Order);

    fn command(self) -> Result<(ClusterOrder, Order), Invalid> {
        Ok((self.order_by.unwrap_or_default(), self.order.map_or(Order::Desc, Order::from)))
    }
}

/// Changes to a cluster.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateIssuesCluster {
    /// Whether no change requests are created for it.
    muted: bool,
}

impl Wire for UpdateIssuesCluster {
    type Command = ClusterPatch;

    fn command(self) -> Result<ClusterPatch, Invalid> {
        Ok(ClusterPatch { muted: self.muted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_body;
    use rstest::rstest;
    use serde_json::{Value, json};

    fn one(id: &str) -> Value {
        json!({"id": id, "parts": [{"type": "message", "role": "user", "body": "It fails."}]})
    }

    fn read(body: &Value) -> Result<Vec<NewConversation>, String> {
        let text = body.to_string();
        let read = read_body::<IngestConversations>(text.as_bytes()).and_then(Wire::command);
        let read = read.and_then(|sent| sent.checked(DateTime::UNIX_EPOCH));
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn one_conversation_or_a_list_of_them_is_read() {
        let ids = |body| read(&body).unwrap().into_iter().map(|one| one.external_id.to_string()).collect::<Vec<_>>();
        assert_eq!(ids(one("a")), ["a"]);
        assert_eq!(ids(json!([one("a"), one("b")])), ["a", "b"]);
    }

    #[rstest]
    #[case::no_list_item(json!([]), "body: must have 1 to 100 items, not 0")]
    #[case::too_many(Value::Array(vec![one("a"); 101]), "body: must have 1 to 100 items, not 101")]
    #[case::no_id(json!({"parts": []}), "id: is required")]
    #[case::no_parts(json!({"id": "a"}), "parts: is required")]
    #[case::empty_parts(json!({"id": "a", "parts": []}), "parts: must have 1 to 500 items, not 0")]
    #[case::empty_parts_in_a_list(json!([one("a"), {"id": "b", "parts": []}]), "[1].parts: must have 1 to 500 items, not 0")]
    #[case::a_number(json!(3), "body: must be a JSON object or a list")]
    #[case::a_source(json!({"id": "a", "parts": [], "source": "mail"}),
        "source: must be `email` or `integration:NAME:ID`, of at most 255 characters")]
    #[case::a_role(json!({"id": "a", "parts": [{"type": "message", "role": "boss", "body": ""}]}),
        "parts[0].role: must be one of `user`, `assistant`, `team-member`")]
    #[case::a_time(json!({"id": "a", "parts": [{"type": "message", "role": "user", "body": ""}],
        "metadata": {"createdAt": "yesterday"}}), "metadata.createdAt: must be a date and time such as 2030-01-31T12:00:00Z")]
    fn what_breaks_a_rule_is_named(#[case] body: Value, #[case] error: &str) {
        assert_eq!(read(&body).unwrap_err(), error);
    }
}
