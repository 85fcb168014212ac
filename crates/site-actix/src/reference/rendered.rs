//! The reference as pages of HTML.
use super::content::{Chapter, Entry, SPEC, chapters, start, targets};
use super::search::search;
use crate::answer::{Body, CachePolicy, Encoded};
use crate::error::HTML;
use crate::machine::OPENSEARCH;
use crate::pages::texts;
use crate::policy::{Policy, common};
use crate::request::Encoding;
use actix_web::http::StatusCode;
use chrono::DateTime;
use domain::content::document::SpecificationPart;
use domain::content::page::Layout;
use domain::id::PageId;
use domain::openapi::example::{operation_examples, webhook_examples};
use domain::openapi::pages::PageBlock;
use domain::openapi::parts::{Summary, summary};
use domain::openapi::sample::{SampleOptions, operation_samples};
use domain::openapi::text::read;
use domain::openapi::tree::{Member, Members, Node, Place, Value};
use domain::openapi::view::{self, Budget};
use domain::site::customization::{Customization, PageAction};
use domain::site::path::MARKDOWN;
use domain::site::reader::{
    NavigationEntry, OpenapiBlock, OpenapiKey, OpenapiSources, PageLink, References, SiteFrame, SitePage,
};
use domain::site::served_font::FontTable;
use domain::text::Language;
use site_html::article::{Article, RenderContext, article};
use site_html::diagram::UncachedDiagrams;
use site_html::frame::{self, Html, SearchRequest, SearchResults};
use site_html::machine;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use url::Url;

/// The title of the reference.
const TITLE: &str = "Octavo API";
/// The title of its start in the navigation.
const INTRODUCTION: &str = "Introduction";
/// The file with the OpenAPI document, below the address of the server.
const FILE: &str = "openapi.json";
/// The reference, below the address of the server.
const REFERENCE: &str = "docs/";
/// The name of the start as Markdown.
const START: &str = "index";
/// The media type of Markdown.
const MARKDOWN_TYPE: &str = "text/markdown; charset=utf-8";
/// Where a page may send requests and forms: the reference is on a host without pages of others.
const OWN: &str = "'self'";

/// The reference: the inputs of its pages, and the pages rendered so far.
pub(crate) struct Reference {
    root: Node,
    summary: Summary,
    chapters: Vec<Chapter>,
    /// The id of the start in the navigation.
    start: PageId,
    /// Without a current page.
    frame: SiteFrame,
    /// The known fonts that the server has.
    fonts: Arc<FontTable>,
    /// Cached responses of the start and then of each chapter, by format and encoding.
    finished: Vec<[[OnceLock<Arc<Encoded>>; 3]; 2]>,
}

/// The page of a path, and its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// The number of the page; 0 is the start.
    pub(super) page: usize,
    pub(super) form: Form,
}

/// What a page is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Html,
    Markdown,
}

impl Reference {
    /// The reference for an OpenAPI document of the server at an address; `None` if it cannot be read.
    pub(super) fn read(json: &str, server: &Url) -> Option<Self> {
        let root = with_server(read(json.as_bytes()).root?, server)?;
        let summary = summary(&root);
        let chapters = chapters(&summary);
        let address = format!("{}/", server.as_str().trim_end_matches('/'));
        let path = format!("{}/", server.path().trim_end_matches('/'));
        let finished = std::iter::repeat_with(Default::default).take(chapters.len() + 1).collect();
        let frame = site(&address, &path)?;
        let fonts = Arc::default();
        Some(Self { root, summary, chapters, start: "start".parse().ok()?, frame, fonts, finished })
    }

    /// The same with fonts of the server.
    pub(super) fn with_fonts(self, fonts: Arc<FontTable>) -> Self {
        Self { fonts, ..self }
    }

    /// The path of the reference, with a slash at both ends.
    pub(super) fn base(&self) -> &str {
        &self.frame.base
    }

    /// What is at a path below the reference.
    pub(super) fn find(&self, path: &str) -> Option<Named> {
        let (slug, form) = match path.strip_suffix(MARKDOWN) {
            Some(slug) => (slug, Form::Markdown),
            None => (path, Form::Html),
        };
        let page = match slug {
            "" if form == Form::Html => 0,
            START if form == Form::Markdown => 0,
            slug => self.chapters.iter().position(|chapter| chapter.slug == slug)? + 1,
        };
        Some(Named { page, form })
    }

    /// The response of a page, if it was made before.
    pub(super) fn made(&self, named: Named, encoding: Encoding) -> Option<Arc<Encoded>> {
        self.slot(named, encoding)?.get().cloned()
    }

    fn slot(&self, Named { page, form }: Named, encoding: Encoding) -> Option<&OnceLock<Arc<Encoded>>> {
        self.finished.get(page)?.get(form as usize)?.get(encoding as usize)
    }

    /// The response of a page, made at its first request.
    pub(super) fn page(&self, named: Named, encoding: Encoding) -> Option<Arc<Encoded>> {
        let render = || match named.form {
            Form::Html => self.render(named.page),
            Form::Markdown => self.write(named.page),
        };
        Some(self.slot(named, encoding)?.get_or_init(|| render().encode(encoding)).clone())
    }

    /// A page as Markdown, with absolute addresses.
    fn write(&self, at: usize) -> Body {
        let SiteFrame { base, canonical, .. } = &self.frame;
        let page = self.content(at, canonical);
        let text = machine::Text {
            title: &page.title,
            description: page.description.as_deref(),
            url: &page.canonical,
            document: &page.document,
            references: &page.references,
        };
        let text = machine::markdown(&text, &machine::Addresses { base, site: canonical });
        let link = format!("<{}>; rel=\"canonical\"", page.canonical);
        self.open(MARKDOWN_TYPE, text).with("link", link)
    }

    fn render(&self, at: usize) -> Body {
        let frame = self.around(Some(at));
        let texts = texts(&frame);
        let page = self.content(at, self.base());
        let context = RenderContext {
            references: &page.references,
            texts: &texts,
            external_links: frame.customization.external_links.target,
            icons: frame.customization.styling.icons,
            base: &frame.base,
            page: &page.href,
            external_images: None,
            schemas: None,
            former_anchors: &[],
            diagrams: &UncachedDiagrams,
        };
        let article = article(&page.document, &context);
        let html = frame::page(&frame, &page, &article, &texts, &self.fonts);
        let link = format!("<{}>; rel=\"alternate\"; type=\"text/markdown\"", page.markdown);
        self.body(&html, Some(&article)).with("link", link)
    }

    /// The 404 page.
    pub(super) fn missing(&self) -> Body {
        let frame = self.around(None);
        let html = frame::not_found(&frame, &Vec::from_iter(self.link(0)), &texts(&frame), &self.fonts);
        Body { cache_policy: CachePolicy::Never, ..self.body(&html, None) }.with_status(StatusCode::NOT_FOUND)
    }

    /// What a search finds.
    pub(super) fn search(&self, query: &str) -> SearchResults {
        search(&self.chapters, query, self.base())
    }

    /// What a search finds, as a page.
    pub(super) fn results(&self, query: &str) -> Body {
        let frame = self.around(None);
        self.body(
            &frame::search(
                &frame,
                &SearchRequest { query, ..SearchRequest::default() },
                &self.search(query),
                &texts(&frame),
                &self.fonts,
            ),
            None,
        )
    }

    /// How browsers search it.
    pub(super) fn opensearch(&self) -> Body {
        let SiteFrame { title, canonical, .. } = &self.frame;
        let language = Some(Language::En.as_str());
        self.open(OPENSEARCH, machine::opensearch(&machine::Search { title, site: canonical, icon: None, language }))
    }

    fn body(&self, html: &Html, article: Option<&Article>) -> Body {
        let policy = Policy { html, article, own: OWN, secure: self.is_secure() }.content_security();
        self.open(HTML, html.html.clone()).with("content-security-policy", policy).with("link", &html.preload)
    }

    /// A body with the headers of all pages.
    fn open(&self, media_type: &'static str, text: String) -> Body {
        let mut body = Body::new(media_type, text, CachePolicy::Public { edge: 0 });
        body.headers.extend(common(false, self.is_secure()));
        // Every instance has the same reference.
        body.with("x-robots-tag", "noindex")
    }

    fn is_secure(&self) -> bool {
        self.frame.canonical.starts_with("https:")
    }

    /// The frame around a page.
    fn around(&self, at: Option<usize>) -> SiteFrame {
        SiteFrame { navigation: self.navigation(at), ..self.frame.clone() }
    }

    fn navigation(&self, current: Option<usize>) -> Vec<NavigationEntry> {
        let entry = |id: &PageId, title: &str, href: String, current: bool, children: Vec<NavigationEntry>| {
            let (id, title, href) = (id.clone(), title.to_owned(), Some(href));
            NavigationEntry {
                id,
                title,
                emoji: None,
                icon: None,
                href,
                external: false,
                group: false,
                current,
                children,
            }
        };
        let start = entry(&self.start, INTRODUCTION, self.base().to_owned(), current == Some(0), Vec::new());
        let chapters = self.chapters.iter().enumerate().map(|(at, chapter)| {
            let href = format!("{}{}", self.base(), chapter.slug);
            let operation =
                |one: &Entry| entry(&one.page, &one.title, format!("{href}#{}", one.anchor), false, Vec::new());
            let operations = chapter.entries.iter().map(operation).collect();
            entry(&chapter.page, &chapter.title, href.clone(), current == Some(at + 1), operations)
        });
        std::iter::once(start).chain(chapters).collect()
    }

    /// What is on a page. Links lead to addresses below `base`.
    fn content(&self, at: usize, base: &str) -> SitePage {
        let chapter = at.checked_sub(1).and_then(|at| self.chapters.get(at));
        let slug = chapter.map(|chapter| chapter.slug.as_str()).unwrap_or_default();
        let (document, references) = match chapter {
            Some(chapter) => {
                (chapter.text(), References { targets: BTreeMap::new(), openapi: blocks(&self.root, chapter) })
            }
            None => {
                let file = format!("{}{FILE}", base.strip_suffix(REFERENCE).unwrap_or_default());
                let targets = targets(&self.chapters, base, file);
                (start(&self.root, &self.summary, &self.chapters), References { targets, openapi: BTreeMap::new() })
            }
        };
        SitePage {
            id: chapter.map_or(&self.start, |chapter| &chapter.page).clone(),
            title: chapter.map_or(TITLE, |chapter| &chapter.title).to_owned(),
            emoji: None,
            icon: None,
            description: chapter.and_then(|chapter| chapter.description.clone()),
            layout: Layout { metadata: false, ..Layout::default() },
            cover: None,
            tags: Vec::new(),
            updated_at: DateTime::UNIX_EPOCH,
            href: format!("{}{slug}", self.base()),
            canonical: format!("{}{slug}", self.frame.canonical),
            markdown: format!("{}{}{MARKDOWN}", self.base(), chapter.map_or(START, |chapter| &chapter.slug)),
            feed: None,
            alternates: Vec::new(),
            indexed: false,
            breadcrumbs: Vec::new(),
            previous: at.checked_sub(1).and_then(|at| self.link(at)),
            next: self.link(at + 1),
            edit: None,
            openapi: OpenapiSources::default(),
            former_anchors: Vec::new(),
            document,
            references,
        }
    }

    /// A link to a page; `None` if there is none with this number.
    fn link(&self, at: usize) -> Option<PageLink> {
        let (title, slug) = match at.checked_sub(1) {
            None => (INTRODUCTION, ""),
            Some(at) => self.chapters.get(at).map(|chapter| (chapter.title.as_str(), chapter.slug.as_str()))?,
        };
        let href = Some(format!("{}{slug}", self.base()));
        Some(PageLink { title: title.to_owned(), emoji: None, icon: None, href })
    }
}

/// What the blocks of a page show.
fn blocks(root: &Node, chapter: &Chapter) -> BTreeMap<OpenapiKey, OpenapiBlock> {
    let budget = Budget::default();
    let one = |block: &PageBlock| {
        let (shows, block) = match block {
            PageBlock::Operation { method, path, .. } => {
                let block = OpenapiBlock::Operation {
                    view: Box::new(view::operation(root, path, method, &budget)?),
                    examples: Box::new(operation_examples(root, path, method).unwrap_or_default()),
                    samples: operation_samples(root, path, method, &SampleOptions::default()).unwrap_or_default(),
                };
                (SpecificationPart::Operation { method: method.clone(), path: path.clone() }, block)
            }
            PageBlock::Webhook { name, method, .. } => {
                let block = OpenapiBlock::Operation {
                    view: Box::new(view::webhook(root, name, method, &budget)?),
                    examples: Box::new(webhook_examples(root, name, method).unwrap_or_default()),
                    samples: Vec::new(),
                };
                (SpecificationPart::Webhook { name: name.clone(), method: method.clone() }, block)
            }
            _ => return None,
        };
        Some((OpenapiKey { spec: SPEC.to_owned(), version: None, shows }, block))
    };
    chapter.blocks.iter().filter_map(one).collect()
}

/// The document with the address of the server, so that samples and forms lead there.
fn with_server(root: Node, address: &Url) -> Option<Node> {
    let Node { value: Value::Map(mut members), at } = root else { return None };
    let member = |node: Node| Member { at: Place::default(), node };
    let url = Node::text(address.as_str().trim_end_matches('/'));
    let server = Members::from_iter([(Box::from("url"), member(url))]);
    let servers = Node::made(Value::List(vec![Node::made(Value::Map(server))]));
    members.insert(Box::from("servers"), member(servers));
    Some(Node { at, value: Value::Map(members) })
}

/// The site around all pages. `address` is that of the server and `path` its path, both with a slash at their end.
fn site(address: &str, path: &str) -> Option<SiteFrame> {
    let mut customization = Customization::default();
    customization.page_actions.items = vec![PageAction::Markdown].try_into().ok()?;
    Some(SiteFrame {
        id: SPEC.parse().ok()?,
        title: TITLE.to_owned(),
        icon: None,
        customization,
        language: Some(Language::En),
        base: format!("{path}{REFERENCE}"),
        canonical: format!("{address}{REFERENCE}"),
        indexed: false,
        preview: false,
        exported: false,
        previewed: None,
        sections: Vec::new(),
        variant: SPEC.parse().ok()?,
        variants: Vec::new(),
        navigation: Vec::new(),
        references: References::default(),
    })
}
