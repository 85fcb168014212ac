//! Revisions, files, reusable content and tags.
use super::change_request::ChangeRequest;
use super::page::{Page, Pages, View, pages};
use super::schemas;
use super::user::{User, person};
use crate::answer::links::Links;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::content::document::Color;
use domain::content::object::Hash;
use domain::content::page::{self, Dimensions, FileEntry, GitBlob, Variable};
use domain::content::revision::{self, RevisionKind};
use domain::id::{FileId, ReusableContentId, RevisionId};
use domain::site::publication::SpacePublication;
use domain::usecases::content::{RevisionContents, ShownRevision};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// A state of a space's content.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Revision<'a> {
    #[schema(example = "revision")]
    object: &'static str,
    #[schema(value_type = String)]
    id: &'a RevisionId,
    /// The revisions it was created from.
    #[schema(value_type = Vec<String>)]
    parents: &'a [RevisionId],
    /// `merge` comes with `mergedFrom`. For a content token, which sees no change requests, a merge is `edits`.
    #[serde(rename = "type")]
    #[schema(value_type = String, example = "edits")]
    kind: RevisionKind,
    created_at: DateTime<Utc>,
    /// The pages, without their text.
    #[schema(value_type = Vec<Page>)]
    pages: Pages<'a>,
    files: Vec<File<'a>>,
    reusable_contents: Vec<ReusableContent<'a>>,
    tags: Vec<Tag<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "map")]
    #[schema(value_type = Option<Object>)]
    variables: &'a [(String, Variable)],
    /// The commit it was imported from.
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<GitCommit<'a>>,
    urls: RevisionUrls,
    /// The change request that it merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    // The last field: it is written after the others, because they are cached without it.
    merged_from: Option<ChangeRequest>,
}

/// An entry of the history of a space.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RevisionEntry {
    #[schema(example = "revision")]
    object: &'static str,
    id: String,
    /// The revisions it was created from: none for the first, two for a merge.
    parents: Vec<String>,
    #[serde(rename = "type")]
    #[schema(value_type = String, example = "edits")]
    kind: RevisionKind,
    /// The user who made it; absent if the operator of the server did.
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<User>,
    created_at: DateTime<Utc>,
    urls: RevisionUrls,
}

pub(crate) type RevisionList = List<RevisionEntry>;

pub(crate) fn revision_entry(shown: ShownRevision, links: &Links) -> RevisionEntry {
    let ShownRevision { revision, author } = shown;
    let location = links.revision(&revision.space, &revision.id);
    RevisionEntry {
        object: "revision",
        id: revision.id.into(),
        parents: revision.parents.into_iter().map(String::from).collect(),
        kind: revision.kind,
        author: author.map(|author| person(author, links)),
        created_at: revision.created_at,
        urls: RevisionUrls { app: location.clone(), location, published: None, public: None },
    }
}

/// URLs of a revision.
#[derive(Serialize, ToSchema)]
pub(crate) struct RevisionUrls {
    /// For people.
    app: String,
    /// In this API.
    location: String,
    /// For visitors of the first site that publishes the space, if this is its primary content.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<String>,
    /// The same, if the site is public.
    #[serde(skip_serializing_if = "Option::is_none")]
    public: Option<String>,
}

/// A commit in a git repository.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GitCommit<'a> {
    oid: &'a str,
    message: &'a str,
    /// Whether this service created the commit.
    created_by_service: bool,
    /// The same as `createdByService`, under an older name.
    #[serde(rename = "createdByGitBook")]
    #[schema(deprecated)]
    created_by_older_name: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
}

/// A file of a space.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct File<'a> {
    #[schema(value_type = String)]
    id: &'a FileId,
    name: &'a str,
    content_type: &'a str,
    /// A URL of the bytes that needs no token and is valid for one to two days.
    #[serde(rename = "downloadURL")]
    download_url: String,
    /// The size in bytes.
    size: u64,
    /// The dimensions, for images.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::Dimensions>)]
    dimensions: Option<Dimensions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::GitBlob>)]
    git: Option<&'a GitBlob>,
}

pub(crate) type FileList<'a> = List<File<'a>>;

/// Content that several pages can include.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReusableContent<'a> {
    #[schema(value_type = String)]
    id: &'a ReusableContentId,
    title: &'a str,
    /// The id of the document; absent if there is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    document: Option<Hash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::GitBlob>)]
    git: Option<&'a GitBlob>,
}

/// A tag of a space.
#[derive(Serialize, ToSchema)]
pub(crate) struct Tag<'a> {
    slug: &'a str,
    label: &'a str,
    #[schema(value_type = String, example = "blue")]
    color: Color,
    #[serde(skip_serializing_if = "Option::is_none")]
    emoji: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a str>,
}

fn map<S: Serializer>(pairs: &&[(String, Variable)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// Presents a revision that is shown as `kind`, without the change request that it merged. `published` is where its
/// space is published.
pub(crate) fn revision<'a>(
    (revision, kind): (&'a revision::Revision, RevisionKind),
    contents: &'a RevisionContents,
    published: Option<&SpacePublication>,
    view: View<'a>,
    now: DateTime<Utc>,
) -> Revision<'a> {
    let location = view.links.revision(view.space, &revision.id);
    let is_public = published.is_some_and(SpacePublication::is_public);
    let published = published.and_then(|at| view.links.published_space(at));
    let public = published.clone().filter(|_| is_public);
    Revision {
        object: "revision",
        id: &revision.id,
        parents: &revision.parents,
        kind,
        created_at: revision.created_at,
        pages: pages(&contents.tree, view),
        files: contents.files.iter().map(|(id, entry)| file(id, entry, view, now)).collect(),
        reusable_contents: contents
            .reusable_contents
            .iter()
            .map(|(id, content)| reusable_content(id, content, view))
            .collect(),
        tags: contents.tags.iter().map(|(slug, entry)| tag(slug, entry)).collect(),
        variables: &contents.variables,
        git: revision.git.as_ref().filter(|_| view.metadata).map(commit),
        urls: RevisionUrls { app: location.clone(), location, published, public },
        merged_from: None,
    }
}

/// A `merge` must name its change request. A caller who may not see that gets the merge as any other change.
pub(crate) fn shown_kind(kind: RevisionKind, sees_change_request: bool) -> RevisionKind {
    match kind {
        RevisionKind::Merge if !sees_change_request => RevisionKind::Edits,
        kind => kind,
    }
}

fn commit(commit: &revision::GitCommit) -> GitCommit<'_> {
    GitCommit {
        oid: &commit.oid,
        message: &commit.message,
        created_by_service: commit.created_by_service,
        created_by_older_name: commit.created_by_service,
        url: commit.url.as_deref(),
        reference: commit.reference.as_deref(),
    }
}

pub(crate) fn file<'a>(id: &'a FileId, entry: &'a FileEntry, view: View<'a>, now: DateTime<Utc>) -> File<'a> {
    File {
        id,
        name: &entry.name,
        content_type: &entry.content_type,
        download_url: view.links.download(view.space, entry, now),
        size: entry.size,
        dimensions: entry.dimensions,
        git: entry.git.as_ref().filter(|_| view.metadata),
    }
}

pub(crate) fn reusable_content<'a>(
    id: &'a ReusableContentId,
    content: &'a page::ReusableContent,
    view: View<'a>,
) -> ReusableContent<'a> {
    ReusableContent {
        id,
        title: &content.title,
        document: content.document,
        git: content.git.as_ref().filter(|_| view.metadata),
    }
}

fn tag<'a>(slug: &'a str, tag: &'a page::Tag) -> Tag<'a> {
    Tag { slug, label: &tag.label, color: tag.color, emoji: tag.emoji.as_deref(), icon: tag.icon.as_deref() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::links::{Links, Place};
    use crate::answer::signature::Signer;
    use domain::content::tree::Tree;
    use serde_json::{json, to_value};

    fn entry() -> FileEntry {
        FileEntry {
            name: "a b.png".into(),
            content_type: "image/png".into(),
            size: 7,
            blob: Hash::of(b"bytes"),
            dimensions: Some(Dimensions { width: 1, height: 2 }),
            git: None,
        }
    }

    #[test]
    fn a_revision_has_every_required_field_and_no_null() {
        let links = Links::new(&"https://docs.test".parse().unwrap(), Signer::new(&[1; 32]));
        let stored = revision::Revision {
            id: "r".parse().unwrap(),
            space: "s".parse().unwrap(),
            parents: vec!["q".parse().unwrap()],
            manifest: Hash::of(b"manifest"),
            kind: RevisionKind::Edits,
            author: None,
            created_at: DateTime::UNIX_EPOCH,
            git: Some(revision::GitCommit {
                oid: "1".into(),
                message: "m".into(),
                url: None,
                reference: Some("main".into()),
                created_by_service: true,
            }),
            merged_from: None,
            is_primary: true,
        };
        let whole = RevisionContents {
            tree: Tree::default(),
            files: vec![("f".parse().unwrap(), entry())],
            reusable_contents: Vec::new(),
            variables: vec![("version".into(), Variable::Text("2".into()))],
            tags: Vec::new(),
            is_lasting: true,
        };
        let view = View { metadata: true, ..View::new(&links, &stored.space, Place::Primary) };
        let shown_in =
            |view| to_value(revision((&stored, stored.kind), &whole, None, view, DateTime::UNIX_EPOCH)).unwrap();
        let shown = shown_in(view);
        let required =
            ["object", "id", "parents", "pages", "files", "reusableContents", "createdAt", "urls", "type", "tags"];
        assert!(required.iter().all(|field| shown.get(field).is_some()), "{shown}");
        assert_eq!(
            (&shown["object"], &shown["type"], &shown["parents"]),
            (&json!("revision"), &json!("edits"), &json!(["q"]))
        );
        assert_eq!(
            (&shown["git"]["createdByService"], &shown["git"]["createdByGitBook"]),
            (&json!(true), &json!(true))
        );
        assert_eq!((&shown["git"]["ref"], &shown["variables"]), (&json!("main"), &json!({ "version": "2" })));
        assert_eq!((&shown["files"][0]["size"], &shown["files"][0]["dimensions"]["height"]), (&json!(7), &json!(2)));
        assert!(
            shown["files"][0]["downloadURL"].as_str().unwrap().contains("/a%20b.png?type=image%2Fpng&expires="),
            "{shown}"
        );
        assert!(!shown.to_string().contains("null"), "{shown}");
        assert_eq!(shown_in(View::new(&links, &stored.space, Place::Primary)).get("git"), None);
    }

    #[test]
    fn only_a_caller_who_sees_the_change_request_gets_a_merge() {
        assert_eq!(shown_kind(RevisionKind::Merge, true), RevisionKind::Merge);
        assert_eq!(shown_kind(RevisionKind::Merge, false), RevisionKind::Edits);
        assert!(RevisionKind::ALL.iter().all(|kind| shown_kind(*kind, true) == *kind));
    }
}
