//! OpenAPI schemas of domain types with their own JSON format. The words of an enum come from the domain; a test
//! compares each other schema with real output.
#![expect(dead_code, reason = "read by the document only")]
use domain::content::merge;
use domain::words::Words;
use domain::{
    access, change_request, comment, notification, openapi_spec, review, scope, site, space, team, translation, webhook,
};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The schema of a text that is one of these words.
fn one_of(description: &str, words: impl IntoIterator<Item = &'static str>) -> RefOr<Schema> {
    let text = ObjectBuilder::new().schema_type(Type::String).description(Some(description));
    text.enum_values(Some(words)).into()
}

fn words<T: Words>() -> impl Iterator<Item = &'static str> {
    T::WORDS.iter().copied()
}

/// Defines schemas of words: the name of each in the document, its description, and the words.
macro_rules! words {
    ($($name:ident, $description:literal: $words:expr;)+) => {$(
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                one_of($description, $words)
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )+};
}
words! {
    ChangeRequestStatus, "The status of a change request.": words::<change_request::Status>();
    CommentStatus, "The status of a comment.": words::<comment::CommentStatus>();
    ConversationImpact, "How much an issue keeps a customer from working: `low` is minor friction, `medium` noticeable \
        friction,\n`high` blocks the customer fully or nearly so.": words::<domain::conversation::Impact>();
    ConversationRole, "Who wrote a part of a conversation.": words::<domain::conversation::PartRole>();
    IssuesClusterOrder, "What clusters are ordered by.": words::<domain::conversation::ClusterOrder>();
    ContributorAction, "A kind of contribution.": words::<review::ContributorAction>();
    DefaultLevel, "Role of members without a grant of their own. `inherit` takes it from the parent collection or the \
        organization;\n`null` means no access.": words::<access::Role>().chain([access::DefaultLevel::INHERIT]);
    EditMode, "Whether the content of a space can be edited: `locked` refuses edits and merges (409).":
        words::<space::EditMode>();
    KeepSide, "A side of a conflict.": words::<merge::Keep>();
    Language, "A language of content.": words::<domain::text::Language>();
    MarkdownRefs, "The form of links to pages in Markdown.": words::<domain::content::href::Form>();
    NotificationKind, "What a notification is about.": words::<notification::NotificationKind>();
    NotificationLevel, "Which events of a space a user is notified of: `all`, those of threads and change requests that\n\
        the user takes part in, or `none`.": words::<notification::NotificationLevel>();
    NotificationLevelSource, "Where a notification level comes from: `space` if the user has set it for the space.":
        words::<notification::LevelSource>();
    ProposedStatus, "A status that a change request can be set to.": words::<change_request::ProposedStatus>();
    ReviewStatus, "The verdict of a reviewer.": words::<review::Verdict>();
    Role, "A role. From weakest to strongest: read, comment, edit, review, create, admin.": words::<access::Role>();
    RoleOrGuest, "A role, or `guest` for members without one.": words::<access::Role>().chain([super::member::GUEST]);
    Scope, "A scope that a token can be limited to.": words::<scope::Scope>();
    PublishingAuthBackend, "What signs the tokens of visitors: a sign-in service of the owner (`custom`), or an integration.":
        words::<site::publishing_auth::AuthBackend>();
    VisitorKind, "What kind of visitor reads a site: a person (`human`), or a program that works for one (`agent`).":
        words::<site::site_token::VisitorKind>();
    RedirectTarget, "The kind of target of a redirect: other content of the site, the application, or another server.":
        words::<domain::usecases::sites::urls::RedirectTarget>();
    AgentsContext, "Whether agents can use a site.": words::<site::AgentsContext>();
    ScopeRestriction, "A narrower scope of a search in a site.": words::<site::structure::ScopeRestriction>();
    SiteType, "The type of a site. All features are available whatever the type.": words::<site::SiteType>();
    SiteRedirectOrder, "The order of redirects: `createdAt` and `updatedAt` have the newest first.": words::<site::redirect::RedirectOrder>();
    SiteRedirectResultStatus, "What a change did.": words::<domain::usecases::sites::redirects::RedirectResultStatus>();
    SiteFeedbackRating, "How a visitor rates a page.": words::<site::feedback::FeedbackRating>();
    SiteVisibility, "Who can see a published site.": words::<site::SiteVisibility>();
    TeamRole, "The role of a member in a team.": words::<team::TeamRole>();
    WebhookDeliveryState, "The state of a delivery: `pending` waits for its next attempt, `failed` was not accepted for \
        two days,\n`stopped` is not sent because the webhook was disabled.": words::<webhook::DeliveryState>();
    WebhookDisabledReason, "Why a webhook is disabled: by a `request`, or after two days of `failures`.":
        words::<webhook::DisabledReason>();
    OpenAPISpecProcessingState, "The state of the processing of a source.": words::<openapi_spec::ProcessingState>();
    OpenAPISpecVisibility, "Who can read an OpenAPI spec without a token: nobody, or everyone who has its URL.":
        words::<openapi_spec::SpecVisibility>();
    OpenAPISpecProcessErrorCode, "Why a source could not be processed.": words::<openapi_spec::ProcessError>();
    OpenAPISpecFormat, "The language of a document.": words::<openapi_spec::DocumentFormat>();
    OpenAPISpecFilesystem, "The form of the files of a version.": ["list"].into_iter();
    OpenAPISpecChangeLevel, "The severity of a change for callers of the API.":
        ["breaking", "risky", "announced", "fine", "words"].into_iter();
    OpenAPISpecUsageStatus, "Whether a block that shows an OpenAPI spec can be shown; `deprecated` if its operation is.":
        ["ok", "deprecated", "broken"].into_iter();
    TranslationStatus, "The state of a translation: `pending` waits for a run.":
        words::<translation::TranslationStatus>();
    TranslationErrorCode, "Why the next run of a translation has to wait.": words::<translation::TranslationErrorCode>();
    Visibility, "Who can read a space outside the API: the `visibility` of the first published site with the space,\n\
        or `private` without one.": words::<space::Visibility>();
}

pub(crate) mod customization;

/// The files of a version of an OpenAPI spec.
pub(crate) struct OpenAPISpecFiles;

impl PartialSchema for OpenAPISpecFiles {
    fn schema() -> RefOr<Schema> {
        let object = || ObjectBuilder::new().schema_type(Type::Object);
        let list = ArrayBuilder::new().items(object());
        let either = OneOfBuilder::new().description(Some("Files by their names, or a list of files."));
        either.item(object()).item(list).into()
    }
}

impl ToSchema for OpenAPISpecFiles {
    fn name() -> Cow<'static, str> {
        "OpenAPISpecFiles".into()
    }
}

/// What a block shows of an OpenAPI spec.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum OpenAPISpecPart {
    /// An operation.
    Operation { method: String, path: String },
    /// A webhook.
    Webhook { name: String, method: String },
    /// Schemas.
    Schemas { schemas: Vec<String> },
}

/// The conditions for merging a change request.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum MergeRules {
    /// The rules of the organization (spaces only).
    Inherit,
    /// No rules.
    None,
    /// All of these rules.
    Rules { rules: Vec<MergeRule> },
}

/// A rule that a change request must satisfy.
#[derive(Serialize, ToSchema)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub(crate) enum MergeRule {
    RequireSpecificReviewers { users: Vec<String> },
    RequireOneOfSpecificReviewers { users: Vec<String> },
    AllowBypass { users: Vec<String> },
    RequireAtLeastOneReview,
    RequireAtLeastOneApprovedReview,
    RequireAllReviewsApproved,
    RequireAgentReview,
    RequireUpToDateChangeRequest,
    RequireChangeRequestSubject,
    RequireChangeRequestDescription,
    RequireAuthorToMerge,
    Custom { expression: String, message: Option<String> },
}

/// A reference to content. Where the space or page is absent, it is the one that contains the reference.
#[derive(Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum ContentReference {
    File {
        file: String,
        space: Option<String>,
    },
    Url {
        url: String,
    },
    Page {
        page: String,
        space: Option<String>,
    },
    Anchor {
        anchor: String,
        page: Option<String>,
        space: Option<String>,
    },
    User {
        user: String,
    },
    Collection {
        collection: String,
    },
    Space {
        space: String,
    },
    #[serde(rename_all = "camelCase")]
    ReusableContent {
        reusable_content: String,
        space: Option<String>,
    },
    Openapi {
        spec: String,
        version: Option<String>,
    },
    Tag {
        tag: String,
        space: Option<String>,
    },
}

/// A link of a change request to what it is about elsewhere, such as an issue.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangeRequestLink {
    /// An id from the caller: unique in the change request.
    #[schema(min_length = 1, max_length = 255)]
    id: String,
    #[serde(rename = "ref")]
    target: UrlReference,
    #[schema(max_length = 128)]
    title: Option<String>,
    /// How clients show it. It has no effect on the server.
    expanded: Option<bool>,
}

/// A reference to an `http` or `https` URL.
#[derive(Serialize, ToSchema)]
pub(crate) struct UrlReference {
    #[schema(pattern = "^url$")]
    kind: String,
    #[schema(max_length = 2048)]
    url: String,
}

/// Which parts of a page are shown.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageLayout {
    #[schema(example = "default")]
    width: String,
    cover: bool,
    #[schema(example = "hero")]
    cover_size: String,
    #[schema(example = "none")]
    cover_mask: String,
    title: bool,
    description: bool,
    table_of_contents: bool,
    outline: bool,
    pagination: bool,
    metadata: bool,
    tags: bool,
    actions: bool,
    anchors: bool,
}

/// A cover image of a page.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageCover {
    #[serde(rename = "ref")]
    source: Option<ContentReference>,
    ref_dark: Option<ContentReference>,
    y_pos: i32,
    height: Option<u16>,
}

/// A tag on a page.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageTag {
    tag: ContentReference,
    primary: Option<bool>,
}

/// The canonical and alternate locations of a page.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageMetaLinks {
    canonical: Option<ContentReference>,
    alternates: Option<Vec<ContentReference>>,
}

/// The source of computed content.
#[derive(Serialize, ToSchema)]
pub(crate) struct ComputedSource {
    /// What computes it: `builtin:openapi`, `builtin:translation` or an integration.
    #[serde(rename = "type")]
    #[schema(example = "builtin:openapi")]
    kind: String,
    /// Its dependencies by name: each has a content reference as `ref`.
    #[schema(value_type = Object, example = json!({"spec": {"ref": {"kind": "openapi", "spec": "pets"}}}))]
    dependencies: BTreeMap<String, String>,
    /// Its options. For a spec, a computed page has `models`, `downloadLink`, `grouping` and `changelog`; a generated
    /// page has `doc`, and the part of the spec that it shows. For a translation, a computed page has none; a generated
    /// page has `space` and `document`.
    #[schema(value_type = Object, example = json!({"models": true}))]
    props: BTreeMap<String, String>,
}

/// A file in a git repository.
#[derive(Serialize, ToSchema)]
pub(crate) struct GitBlob {
    oid: String,
    path: String,
}

/// Width and height in pixels.
#[derive(Serialize, ToSchema)]
pub(crate) struct Dimensions {
    width: u32,
    height: u32,
}

/// Rich text.
#[derive(Serialize, ToSchema)]
pub(crate) struct Document {
    #[schema(example = "document")]
    object: String,
    #[schema(value_type = Object)]
    data: BTreeMap<String, String>,
    nodes: Vec<DocumentBlock>,
}

/// A node of a document.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum DocumentNode {
    /// A block or an inline element. Both have a type, and data that depends on the type.
    #[schema(no_recursion)]
    Block(DocumentBlock),
    Text(DocumentText),
}

/// A text node.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentText {
    #[schema(example = "text")]
    object: String,
    leaves: Vec<DocumentLeaf>,
    /// Kept unchanged because it could not be parsed.
    verbatim: Option<bool>,
}

/// A run of text with the same marks.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentLeaf {
    #[schema(example = "leaf")]
    object: String,
    text: String,
    #[schema(value_type = Vec<Object>)]
    marks: Vec<String>,
}

/// A block of rich text. Its data depends on its type.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentBlock {
    #[schema(example = "block")]
    object: String,
    #[serde(rename = "type")]
    #[schema(example = "paragraph")]
    kind: String,
    key: Option<String>,
    is_void: Option<bool>,
    #[schema(value_type = Object)]
    data: BTreeMap<String, String>,
    nodes: Option<Vec<DocumentNode>>,
    #[schema(value_type = Option<Vec<Object>>)]
    fragments: Option<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::content::page;
    use serde_json::{Value, from_value, json, to_value};
    use std::collections::BTreeSet;

    fn described<T: PartialSchema>() -> BTreeSet<String> {
        let schema = to_value(T::schema()).unwrap();
        schema["properties"].as_object().unwrap().keys().cloned().collect()
    }
    fn written(value: &Value) -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn what_is_described_is_what_is_written() {
        let reference = domain::content::reference::ContentRef::Tag { tag: "t".into(), space: None };
        let some = Some(reference.clone());
        let cover = page::Cover { source: some.clone(), source_dark: some.clone(), y_pos: 0, height: Some(240) };
        let tag = page::PageTag { tag: reference.clone(), primary: true };
        let links = page::MetaLinks { canonical: some, alternates: vec![reference] };
        let git = page::GitBlob { oid: "o".into(), path: "p".into() };
        assert_eq!(described::<PageLayout>(), written(&to_value(page::Layout::default()).unwrap()));
        assert_eq!(described::<PageCover>(), written(&to_value(cover).unwrap()));
        assert_eq!(described::<PageTag>(), written(&to_value(tag).unwrap()));
        assert_eq!(described::<PageMetaLinks>(), written(&to_value(links).unwrap()));
        assert_eq!(described::<GitBlob>(), written(&to_value(git).unwrap()));
        assert_eq!(described::<Dimensions>(), written(&to_value(page::Dimensions { width: 1, height: 2 }).unwrap()));
        let target = json!({"kind": "url", "url": "https://example.org/"});
        let link = json!({"id": "a", "ref": target, "title": "An issue", "expanded": true});
        let link = to_value(from_value::<change_request::ChangeRequestLink>(link).unwrap()).unwrap();
        assert_eq!(described::<ChangeRequestLink>(), written(&link));
        assert_eq!(described::<UrlReference>(), written(&link["ref"]));
    }
}
