//! Pages. They are serialized directly from the domain's tree, however large it is, without a copy.
use super::schemas;
use crate::answer::links::{Links, Place};
use chrono::{DateTime, Utc};
use domain::content::computed::ComputedSource;
use domain::content::document::Document;
use domain::content::document::wire::WireDocument;
use domain::content::object::Hash;
use domain::content::page::{Cover, GitBlob, Layout, MetaLinks, PageEntry, PageKind, PageTag, Variable};
use domain::content::reference::ContentRef;
use domain::content::tree::{Node, Tree};
use domain::id::{PageId, SpaceId};
use domain::site::publication::PageAddresses;
use domain::usecases::content::Body;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The context in which pages of one space are presented.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) links: &'a Links,
    pub(crate) space: &'a SpaceId,
    pub(crate) place: Place<'a>,
    /// Whether to include git metadata.
    pub(crate) metadata: bool,
    /// Where the pages are published.
    pub(crate) published: Option<&'a PageAddresses<'a>>,
}

impl<'a> View<'a> {
    /// A context without git metadata and without published URLs.
    pub(crate) fn new(links: &'a Links, space: &'a SpaceId, place: Place<'a>) -> Self {
        Self { links, space, place, metadata: false, published: None }
    }
}

/// A page: a document, a group of pages, a link, or a place for generated pages.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Page<'a> {
    /// A page with text. Lists omit the text; `documentId` identifies it.
    Document(Box<DocumentPage<'a>>),
    /// A heading in the table of contents, with pages below it.
    Group(GroupPage<'a>),
    /// An entry of the table of contents that links elsewhere.
    Link(LinkPage<'a>),
    /// A place for pages that are generated when the content is read. Only `computed=false` shows it.
    Computed(ComputedPage<'a>),
}

/// A page with text.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentPage<'a> {
    #[schema(value_type = String)]
    id: &'a PageId,
    #[serde(rename = "type")]
    #[schema(pattern = "^document$", example = "document")]
    kind: &'static str,
    #[serde(rename = "kind")]
    #[schema(example = "sheet", deprecated)]
    old_kind: &'static str,
    title: &'a str,
    /// A shorter title for the table of contents.
    #[serde(skip_serializing_if = "Option::is_none")]
    link_title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    emoji: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    /// The page's segment of the path.
    slug: &'a str,
    /// The slugs from the root down, joined by `/`.
    path: &'a str,
    created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<DateTime<Utc>>,
    /// An expression that decides who can see the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'a str>,
    /// Whether the page is hidden from the table of contents.
    hidden: bool,
    /// Whether the page is excluded from search.
    no_index: bool,
    /// Whether the page is excluded from external search engines.
    no_robots_index: bool,
    #[schema(value_type = schemas::PageLayout)]
    layout: &'a Layout,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::PageCover>)]
    cover: Option<&'a Cover>,
    #[schema(value_type = Vec<schemas::PageTag>)]
    tags: &'a [PageTag],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = Option<Object>)]
    variables: &'a BTreeMap<String, Variable>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::PageMetaLinks>)]
    meta_links: Option<&'a MetaLinks>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::GitBlob>)]
    git: Option<&'a GitBlob>,
    /// The id of the page's document; absent if the page has no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    document_id: Option<Hash>,
    /// The source of the page, if it is generated in place of a computed page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::ComputedSource>)]
    computed: Option<&'a ComputedSource>,
    /// A value that changes whenever the source of the page changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    computed_seed: Option<&'a str>,
    /// The text, if Markdown was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<&'a str>,
    urls: PageUrls,
    #[schema(value_type = Vec<Page>, no_recursion)]
    pages: Pages<'a>,
    /// The text, if a single page was requested without another format.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::Document>)]
    // The last field: a stored text is written after the others.
    document: Option<WireDocument<&'a Document>>,
}

/// A heading in the table of contents.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupPage<'a> {
    #[schema(value_type = String)]
    id: &'a PageId,
    #[serde(rename = "type")]
    #[schema(pattern = "^group$", example = "group")]
    kind: &'static str,
    #[serde(rename = "kind")]
    #[schema(example = "group", deprecated)]
    old_kind: &'static str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    emoji: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a str>,
    slug: &'a str,
    path: &'a str,
    created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'a str>,
    hidden: bool,
    no_index: bool,
    no_robots_index: bool,
    #[schema(value_type = Vec<Page>, no_recursion)]
    pages: Pages<'a>,
}

/// An entry of the table of contents that links elsewhere.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LinkPage<'a> {
    #[schema(value_type = String)]
    id: &'a PageId,
    #[serde(rename = "type")]
    #[schema(pattern = "^link$", example = "link")]
    kind: &'static str,
    #[serde(rename = "kind")]
    #[schema(example = "link", deprecated)]
    old_kind: &'static str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    emoji: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a str>,
    created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'a str>,
    hidden: bool,
    #[schema(value_type = schemas::ContentReference)]
    target: &'a ContentRef,
    /// The target, if it is a URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    href: Option<&'a str>,
}

/// A place for generated pages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComputedPage<'a> {
    #[schema(value_type = String)]
    id: &'a PageId,
    #[serde(rename = "type")]
    #[schema(pattern = "^computed$", example = "computed")]
    kind: &'static str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    emoji: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a str>,
    created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'a str>,
    hidden: bool,
    #[schema(value_type = schemas::ComputedSource)]
    computed: &'a ComputedSource,
}

/// URLs of a page.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageUrls {
    /// For people.
    app: String,
    /// In this API.
    location: String,
    /// For visitors of the first site that publishes the space, if the page was read from its primary content. Lists of
    /// links leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<String>,
}

/// Pages in order. Each page is presented only when it is serialized.
#[derive(Clone, Copy)]
pub(crate) struct Pages<'a> {
    nodes: &'a [Node],
    view: View<'a>,
}

impl Serialize for Pages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A tree has at most `domain::content::page::MAX_DEPTH` levels, and a few of generated pages below them, so
        // this recursion is bounded.
        serializer.collect_seq(self.nodes.iter().map(|node| page(node, None, self.view)))
    }
}

pub(crate) fn pages<'a>(tree: &'a Tree, view: View<'a>) -> Pages<'a> {
    Pages { nodes: &tree.roots, view }
}

/// Presents a page, with its text if `body` has it.
pub(crate) fn page<'a>(node: &'a Node, body: Option<&'a Body>, view: View<'a>) -> Page<'a> {
    let Node { id, page, path, children, generated } = node;
    let below = Pages { nodes: children, view };
    match &page.kind {
        PageKind::Document { document } => {
            let page = document_page(id, page, path, *document, body, below);
            let computed = generated.as_ref().map(|generated| &*generated.source);
            let computed_seed = generated.as_ref().map(|generated| &*generated.seed);
            Page::Document(Box::new(DocumentPage { computed, computed_seed, ..page }))
        }
        PageKind::Group => Page::Group(GroupPage {
            id,
            kind: "group",
            old_kind: "group",
            title: &page.title,
            emoji: page.emoji.as_deref(),
            icon: page.icon.as_deref(),
            slug: &page.slug,
            path,
            created_at: page.created_at,
            updated_at: page.updated_at,
            condition: page.condition.as_deref(),
            hidden: page.hidden,
            no_index: page.no_index,
            no_robots_index: page.no_robots_index,
            pages: below,
        }),
        PageKind::Link { target } => Page::Link(LinkPage {
            id,
            kind: "link",
            old_kind: "link",
            title: &page.title,
            emoji: page.emoji.as_deref(),
            icon: page.icon.as_deref(),
            created_at: page.created_at,
            updated_at: page.updated_at,
            condition: page.condition.as_deref(),
            hidden: page.hidden,
            target,
            href: match target {
                ContentRef::Url { url } => Some(url),
                _ => None,
            },
        }),
        PageKind::Computed { computed } => Page::Computed(ComputedPage {
            id,
            kind: "computed",
            title: &page.title,
            emoji: page.emoji.as_deref(),
            icon: page.icon.as_deref(),
            created_at: page.created_at,
            updated_at: page.updated_at,
            condition: page.condition.as_deref(),
            hidden: page.hidden,
            computed,
        }),
    }
}

fn document_page<'a>(
    id: &'a PageId,
    page: &'a PageEntry,
    path: &'a str,
    text: Option<Hash>,
    body: Option<&'a Body>,
    pages: Pages<'a>,
) -> DocumentPage<'a> {
    let View { links, space, place, metadata, published } = pages.view;
    let location = links.page(space, place, id);
    let (markdown, document) = match body {
        None => (None, None),
        Some(Body::Markdown(markdown)) => (Some(markdown.as_str()), None),
        Some(Body::Document(document)) => (None, Some(WireDocument(document))),
        Some(Body::Stored(_)) => (None, None),
    };
    DocumentPage {
        id,
        kind: "document",
        old_kind: "sheet",
        title: &page.title,
        link_title: page.link_title.as_deref(),
        emoji: page.emoji.as_deref(),
        icon: page.icon.as_deref(),
        description: page.description.as_deref(),
        slug: &page.slug,
        path,
        created_at: page.created_at,
        updated_at: page.updated_at,
        condition: page.condition.as_deref(),
        hidden: page.hidden,
        no_index: page.no_index,
        no_robots_index: page.no_robots_index,
        layout: &page.layout,
        cover: page.cover.as_deref(),
        tags: &page.tags,
        variables: &page.variables,
        meta_links: Some(&page.meta_links).filter(|links| **links != MetaLinks::default()),
        git: page.git.as_ref().filter(|_| metadata),
        document_id: text,
        computed: None,
        computed_seed: None,
        markdown,
        urls: PageUrls { app: location.clone(), location, published: published.map(|at| at.of(id, path)) },
        pages,
        document,
    }
}

/// Pages as a tree.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageTree<'a> {
    #[schema(value_type = Vec<Page>)]
    pub(crate) pages: Pages<'a>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::signature::Signer;
    use domain::content::order::OrderKey;
    use domain::content::reference::ContentRef;
    use domain::content::tree::Generated;
    use rstest::rstest;
    use serde_json::{Value, json, to_value};

    fn node(id: &str, kind: PageKind, children: Vec<Node>) -> Node {
        let order = OrderKey::sequence(1).remove(0);
        let page = PageEntry::new(kind, "Title", "slug", order, DateTime::UNIX_EPOCH);
        Node::stored(id.parse().unwrap(), page, "above/slug".into(), children)
    }
    fn shown(node: &Node, body: Option<&Body>, metadata: bool) -> Value {
        let links = Links::new(&"https://docs.test".parse().unwrap(), Signer::new(&[1; 32]));
        let space = "s".parse().unwrap();
        let view = View { metadata, ..View::new(&links, &space, Place::Primary) };
        to_value(page(node, body, view)).unwrap()
    }
    fn document(id: &str, children: Vec<Node>) -> Node {
        node(id, PageKind::Document { document: Some(Hash::of(b"text")) }, children)
    }

    #[test]
    fn a_document_page_has_every_required_field_and_no_null() {
        let shown = shown(&document("p", vec![document("q", Vec::new())]), None, true);
        let required = ["id", "title", "kind", "type", "urls", "slug", "path", "pages", "layout", "tags", "createdAt"];
        assert!(required.iter().all(|field| shown.get(field).is_some()), "{shown}");
        assert_eq!((&shown["type"], &shown["kind"]), (&json!("document"), &json!("sheet")));
        assert_eq!(shown["documentId"], json!(Hash::of(b"text")));
        assert_eq!(shown["pages"][0]["id"], "q");
        assert_eq!(shown["urls"]["app"], "https://docs.test/v1/spaces/s/content/page/p");
        assert_eq!(shown["layout"].as_object().unwrap().len(), 13);
        assert!(!shown.to_string().contains("null"), "{shown}");
        assert!(shown.get("markdown").is_none() && shown.get("document").is_none(), "a listing has no texts");
    }

    #[rstest]
    #[case(Body::Markdown("# A".into()), "markdown", "document")]
    #[case(Body::Document(domain::content::document::Document::default()), "document", "markdown")]
    fn a_text_is_sent_in_exactly_one_form(#[case] body: Body, #[case] form: &str, #[case] other: &str) {
        let shown = shown(&document("p", Vec::new()), Some(&body), true);
        assert!(shown.get(form).is_some() && shown.get(other).is_none(), "{shown}");
    }

    #[test]
    fn what_git_knows_is_left_out_on_demand() {
        let mut page = document("p", Vec::new());
        page.page.git = Some(GitBlob { oid: "1".into(), path: "a.md".into() });
        assert_eq!(shown(&page, None, true)["git"], json!({ "oid": "1", "path": "a.md" }));
        assert_eq!(shown(&page, None, false).get("git"), None);
    }

    #[test]
    fn groups_and_links_have_forms_of_their_own() {
        let group = shown(&node("g", PageKind::Group, vec![document("p", Vec::new())]), None, true);
        assert_eq!(
            (&group["type"], &group["kind"], &group["pages"][0]["id"]),
            (&json!("group"), &json!("group"), &json!("p"))
        );
        let url = |url: &str| PageKind::Link { target: ContentRef::Url { url: url.into() } };
        let link = shown(&node("l", url("https://example.org"), Vec::new()), None, true);
        assert_eq!((&link["type"], &link["kind"]), (&json!("link"), &json!("link")));
        assert_eq!(link["target"], json!({ "kind": "url", "url": "https://example.org" }));
        assert_eq!(link["href"], "https://example.org");
        assert!(link.get("slug").is_none() && link.get("path").is_none(), "{link}");
    }

    #[test]
    fn computed_and_generated_pages_show_their_source_and_no_document() {
        let source = ComputedSource::openapi("pets", serde_json::Map::new());
        let shown_source = to_value(&source).unwrap();
        let computed =
            shown(&node("c", PageKind::Computed { computed: Box::new(source.clone()) }, Vec::new()), None, true);
        assert_eq!((&computed["type"], &computed["computed"]), (&json!("computed"), &shown_source));
        assert!(["kind", "slug", "path", "pages"].iter().all(|field| computed.get(field).is_none()), "{computed}");
        let mut page = node("c_1", PageKind::Document { document: None }, Vec::new());
        page.generated = Some(Box::new(Generated { source: source.into(), seed: "s".into() }));
        let generated = shown(&page, None, true);
        assert_eq!((&generated["computed"], &generated["computedSeed"]), (&shown_source, &json!("s")));
        assert_eq!(generated.get("documentId"), None);
    }

    #[test]
    fn the_deepest_tree_is_written() {
        let deepest = (1..domain::content::page::MAX_DEPTH)
            .fold(document("p0", Vec::new()), |below, level| document(&format!("p{level}"), vec![below]));
        let mut at = &shown(&deepest, None, true);
        let mut depth = 1;
        while let Some(below) = at["pages"].get(0) {
            (at, depth) = (below, depth + 1);
        }
        assert_eq!(depth, domain::content::page::MAX_DEPTH);
    }
}
