//! What is at a path of a site.
use crate::answer::{Body, CachePolicy};
use crate::error::{HTML, SiteError};
use crate::external::{self, ImageRewriter};
use crate::handler::{NOTHING, Reply, is_entry, is_secure, moved};
use crate::machine;
use crate::packed_article::PackedArticle;
use crate::pictures;
use crate::policy::{Policy, common};
use crate::print;
use crate::render_cache::{Fingerprint, fingerprint};
use crate::request::{ResponseFormat, SiteRequest};
use crate::schemas;
use crate::site::SiteServer;
use crate::speculation;
use actix_web::http::StatusCode;
use domain::site::SiteVisibility;
use domain::site::path::OWN;
use domain::site::reader::{PageLink, References, SiteFrame, SitePage};
use domain::site::resolve::{Form, own_path};
use domain::site::structure::{ScopeRestriction, SiteScope};
use domain::text::SearchQuery;
use domain::usecases::sites::reader::{FoundPath, ReadPage, SiteHit, Visiting};
use serde::Serialize;
use site_html::article::{Article, RenderContext, article};
use site_html::frame::{self, Html, SearchHit, SearchHitSection, SearchRequest, SearchResults};
use site_html::schema::SCHEMA;
use site_html::texts::Texts;
use std::sync::Arc;
use url::Url;

/// The reply for the path of a visit.
pub(crate) async fn reply(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
) -> Result<Reply, SiteError> {
    let path = visiting.path().to_owned();
    if let Some(own) = own_path(&path) {
        return match own.split_once('/').unwrap_or((own, "")) {
            ("search", "") => search(server, site_request, visiting).await,
            (speculation::PATH, "") => Ok(speculation::reply(server, site_request, visiting)),
            (SCHEMA, address) => schemas::reply(server, site_request, visiting, address).await,
            ("print" | "pdf", "") => print::reply(server, site_request, visiting).await,
            ("files", address) => file(visiting, address).await,
            ("diagrams", address) => pictures::diagram(server, site_request, visiting, address).await,
            ("card", address) => pictures::card(server, site_request, visiting, address).await,
            ("external", image) => Ok(external::reply(image, is_public(visiting))),
            ("auth", "logout") => Ok(sign_out(visiting)),
            ("auth", "login") => Ok(sign_in(visiting)),
            _ => Ok(NOTHING),
        };
    }
    if is_entry(&path) {
        return Ok(NOTHING);
    }
    if let Some(reply) = machine::reply(server, site_request, visiting, &path).await? {
        return Ok(reply);
    }
    match visiting.read(&path, site_request.url.query()).await? {
        FoundPath::Page(mut read) => {
            if let Some(rewriting) = ImageRewriter::of(server, visiting) {
                rewriting.frame(&mut read.frame);
                read.page.cover.iter_mut().for_each(|cover| rewriting.cover(cover));
            }
            page(server, site_request, visiting, &mut read).await
        }
        FoundPath::Redirect { url, status } => {
            let (status, lasting) = moved(status.code() == 308);
            // With adaptive content, what is at a path depends on the visitor too.
            let cache_policy = match cache_policy(server, visiting) {
                CachePolicy::Public { .. } => lasting,
                _ => CachePolicy::Never,
            };
            Ok(Reply::Redirect { status, location: url, cache_policy, cookies: Vec::new() })
        }
        FoundPath::Missing(frame) => missing(server, site_request, visiting, &path, frame).await,
    }
}

/// How long a page of the site may be cached.
pub(crate) fn cache_policy(server: &SiteServer, visiting: &Visiting<'_>) -> CachePolicy {
    // With adaptive content, a page depends on the visitor, whom shared caches cannot distinguish.
    let public = visiting.site().visibility.is_open() && !visiting.site().adaptive_content;
    match public && !visiting.visit().is_preview() && visiting.visit().claims().is_empty() {
        true => CachePolicy::Public { edge: server.settings.edge_seconds },
        false => CachePolicy::Private,
    }
}

/// A page in the requested format.
async fn page(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
    read: &mut ReadPage,
) -> Result<Reply, SiteError> {
    let ReadPage { frame, page, form } = read;
    match form {
        Form::Page if site_request.response_format != ResponseFormat::Markdown => {
            html(server, site_request, visiting, frame, page).await
        }
        Form::Page | Form::Markdown => {
            visiting.load_openapi(page).await?;
            Ok(machine::markdown(server, site_request, visiting, page))
        }
        Form::Feed => {
            visiting.load_openapi(page).await?;
            Ok(machine::feed(server, site_request, visiting, frame, page))
        }
    }
}

/// A page as HTML. The content of its OpenAPI blocks is loaded only if neither the page nor its text is cached.
async fn html(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
    frame: &SiteFrame,
    page: &mut SitePage,
) -> Result<Reply, SiteError> {
    let cache_policy = cache_policy(server, visiting);
    let about = (visiting.address(), visiting.site().visibility, cache_policy, site_request.encoding);
    let texts = texts(frame);
    let article_key = article_fingerprint(frame, page, &texts);
    let key = page_fingerprint(&("page", about, frame), page, article_key);
    if let Some(body) = server.pages.cached(key.as_ref()) {
        return Ok(Reply::Body(body));
    }
    let cached = server.articles.cached(article_key.as_ref()).and_then(|packed| packed.unpack());
    let (article, key) = match cached {
        Some(article) => (Arc::new(article), key),
        None => {
            let is_complete = visiting.load_openapi(page).await?;
            let article = rendered(server, frame, page, &texts, article_key.filter(|_| is_complete));
            (article, key.filter(|_| is_complete))
        }
    };
    let body = server.pages.get(key, || {
        let html = frame::page(frame, page, &article, &texts, &server.settings.fonts);
        let body = html_body(server, visiting, &html, Some(&article), page.indexed);
        let links = format!("<{}>; rel=\"alternate\"; type=\"text/markdown\"", page.markdown);
        let body = body.with("link", links);
        // Pages for a single visitor are not prefetched.
        let body = match cache_policy {
            CachePolicy::Public { .. } => body.with(speculation::HEADER, speculation::header(&frame.base)),
            _ => body,
        };
        body.encode(site_request.encoding)
    });
    Ok(Reply::Body(body))
}

/// The words of the interface for a site.
pub(crate) fn texts(frame: &SiteFrame) -> Texts {
    Texts::of(frame.language, frame.customization.internationalization.locale)
}

/// The context to render the text of a page with: the targets of its references, and its path on the server.
pub(crate) fn render_context<'a>(
    server: &'a SiteServer,
    frame: &'a SiteFrame,
    texts: &'a Texts,
    (references, page): (&'a References, &'a str),
) -> RenderContext<'a> {
    RenderContext {
        references,
        texts,
        external_links: frame.customization.external_links.target,
        icons: frame.customization.styling.icons,
        base: &frame.base,
        page,
        external_images: server.image_signer(),
        schemas: None,
        former_anchors: &[],
        diagrams: &server.diagrams,
    }
}

/// A hash of all that the text of a page is rendered from. The content of its OpenAPI blocks need not be loaded.
fn article_fingerprint(frame: &SiteFrame, page: &SitePage, texts: &Texts) -> Option<Fingerprint> {
    let SitePage { document, references, openapi, former_anchors, href, .. } = page;
    let (external_links, icons) = (frame.customization.external_links.target, frame.customization.styling.icons);
    let schemas = schemas::pages_of(frame, page);
    let text = (document, references, openapi, former_anchors);
    fingerprint(&(text, texts.locale, external_links, icons, &frame.base, href, schemas))
}

/// A hash of all that a page is rendered from: `around` it, the page, and its text with this hash. The text is most of
/// a page, so it is hashed once.
fn page_fingerprint(
    around: &impl Serialize,
    page: &mut SitePage,
    article_key: Option<Fingerprint>,
) -> Option<Fingerprint> {
    let article_key = article_key?;
    let document = std::mem::take(&mut page.document);
    let key = fingerprint(&(around, &*page, article_key));
    page.document = document;
    key
}

/// The text of a page, rendered and cached by its fingerprint. The content of its OpenAPI blocks must be loaded.
pub(crate) fn rendered(
    server: &SiteServer,
    frame: &SiteFrame,
    page: &SitePage,
    texts: &Texts,
    key: Option<Fingerprint>,
) -> Arc<Article> {
    let SitePage { document, references, href, .. } = page;
    let schemas = schemas::pages_of(frame, page);
    let (schemas, former_anchors) = (Some(schemas.as_str()), page.former_anchors.as_slice());
    let context = RenderContext { schemas, former_anchors, ..render_context(server, frame, texts, (references, href)) };
    let mut fresh = None;
    let packed = server.articles.get(key, || {
        let article = fresh.insert(Arc::new(article(document, &context)));
        Arc::new(PackedArticle::of(article))
    });
    let article = fresh.or_else(|| packed.unpack().map(Arc::new));
    article.unwrap_or_else(|| Arc::new(self::article(document, &context)))
}

/// A page as HTML, with the headers that protect its readers.
pub(crate) fn html_body(
    server: &SiteServer,
    visiting: &Visiting<'_>,
    html: &Html,
    article: Option<&Article>,
    indexed: bool,
) -> Body {
    let secure = is_secure(visiting);
    let own = format!("{}{OWN}", visiting.address());
    let policy = Policy { html, article, own: &own, secure }.content_security();
    let private = !visiting.site().visibility.is_open();
    let body = Body::new(HTML, html.html.clone(), cache_policy(server, visiting));
    let mut body = body.with("content-security-policy", policy).with("link", &html.preload);
    body.headers.extend(common(private || visiting.visit().is_preview(), secure));
    if !indexed {
        body = body.with("x-robots-tag", "noindex");
    }
    body
}

/// The 404 page of the site, with similar pages.
async fn missing(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
    path: &str,
    frame: Option<Box<SiteFrame>>,
) -> Result<Reply, SiteError> {
    let Some(frame) = frame else {
        if path.is_empty() {
            return Ok(empty(server, site_request, visiting));
        }
        return Ok(NOTHING);
    };
    let mut frame = frame;
    ImageRewriter::of(server, visiting).iter().for_each(|rewriting| rewriting.frame(&mut frame));
    let hits = visiting.suggestions(path).await?;
    if path.ends_with(".md") || site_request.response_format == ResponseFormat::Markdown {
        return Ok(machine::missing(visiting, site_request, &hits));
    }
    let near: Vec<PageLink> = hits
        .into_iter()
        .map(|hit| PageLink { title: hit.title, emoji: hit.emoji, icon: hit.icon, href: Some(hit.href) })
        .collect();
    let texts = texts(&frame);
    let html = frame::not_found(&frame, &near, &texts, &server.settings.fonts);
    let body = html_body(server, visiting, &html, None, false).with_status(StatusCode::NOT_FOUND);
    Ok(Reply::Body(body.encode(site_request.encoding)))
}

/// A site without content.
fn empty(server: &SiteServer, site_request: &SiteRequest, visiting: &Visiting<'_>) -> Reply {
    let texts = Texts::of(None, domain::site::customization::Locale::En);
    let html = frame::empty_site(visiting.site().title.as_str(), &visiting.base_path(), &texts);
    Reply::Body(html_body(server, visiting, &html, None, false).encode(site_request.encoding))
}

/// Results of a search, as a page or for the dialog.
async fn search(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
) -> Result<Reply, SiteError> {
    let text = site_request.parameter("q").unwrap_or_default();
    let Ok(query) = SearchQuery::try_from(text) else {
        return Ok(Reply::Message(StatusCode::BAD_REQUEST, "The search text has more than 512 characters."));
    };
    let scope = match (site_request.parameter("scope").as_deref(), site_request.parameter("variant")) {
        (Some("all"), _) => SiteScope::All,
        (Some("variant"), Some(variant)) => {
            SiteScope::Default { current: variant.parse().ok(), restriction: Some(ScopeRestriction::Current) }
        }
        (_, variant) => SiteScope::Default { current: variant.and_then(|id| id.parse().ok()), restriction: None },
    };
    let hits = visiting.search(&query, &scope).await?;
    let results = SearchResults { items: hits.into_iter().map(result).collect() };
    if site_request.response_format == ResponseFormat::Json {
        let json = serde_json::to_vec(&results).unwrap_or_default();
        let body = Body::new("application/json", json, CachePolicy::Private).with("x-robots-tag", "noindex");
        return Ok(Reply::Body(body.encode_once(site_request.encoding)));
    }
    let variant = site_request.parameter("variant").and_then(|id| id.parse().ok());
    let around = match &variant {
        Some(variant) => visiting.around_variant(variant).await?,
        None => visiting.around().await?,
    };
    let Some(mut frame) = around else { return Ok(NOTHING) };
    ImageRewriter::of(server, visiting).iter().for_each(|rewriting| rewriting.frame(&mut frame));
    let scope = site_request.parameter("scope");
    let request = SearchRequest { query: query.as_str(), scope: scope.as_deref() };
    let html = frame::search(&frame, &request, &results, &texts(&frame), &server.settings.fonts);
    Ok(Reply::Body(html_body(server, visiting, &html, None, false).encode_once(site_request.encoding)))
}

fn result(hit: SiteHit) -> SearchHit {
    let sections = hit.sections.into_iter().map(|section| SearchHitSection {
        title: section.title,
        href: section.href,
        text: section.body.text,
        matches: section.body.matches.into_iter().map(|range| (range.start, range.end)).collect(),
    });
    SearchHit { title: hit.title, href: hit.href, above: hit.above, sections: sections.collect() }
}

/// Whether the site is public, and no preview.
pub(crate) fn is_public(visiting: &Visiting<'_>) -> bool {
    visiting.site().visibility == SiteVisibility::Public && !visiting.visit().is_preview()
}

/// A file of the site.
async fn file(visiting: &mut Visiting<'_>, address: &str) -> Result<Reply, SiteError> {
    let public = is_public(visiting);
    Ok(match visiting.file(address).await? {
        Some(file) => Reply::File { file: Box::new(file.entry), public: public && file.for_all },
        None => NOTHING,
    })
}

/// Removes the credentials of the visitor.
fn sign_out(visiting: &Visiting<'_>) -> Reply {
    use crate::cookies::{
        CLAIMS, FOREIGN_CLAIMS, FOREIGN_VISITOR, SHARE, SIGN_IN_ATTEMPTS, Scope, VISITOR, remove, remove_foreign,
    };
    let base = visiting.base_path();
    let scope = Scope { path: &base, secure: is_secure(visiting) };
    let own = [VISITOR, CLAIMS, SHARE, SIGN_IN_ATTEMPTS].into_iter().map(|name| remove(name, scope));
    let foreign = [FOREIGN_VISITOR, FOREIGN_CLAIMS].into_iter().flat_map(|name| remove_foreign(name, scope));
    let cookies = own.chain(foreign).collect();
    let location = visiting.logout_url().unwrap_or(visiting.address()).to_owned();
    Reply::Redirect { status: 302, location, cache_policy: CachePolicy::Never, cookies }
}

/// Where visitors sign in; the start of the site for one who is signed in already, or if there is no such address.
fn sign_in(visiting: &Visiting<'_>) -> Reply {
    let login = visiting.login_url().and_then(|url| Url::parse(url).ok());
    if let Some(to) = login.filter(|_| visiting.visit().claims().is_empty()) {
        return Reply::SignIn { to: Some(to), location: "/".to_owned(), base: visiting.base_path() };
    }
    let location = visiting.address().to_owned();
    Reply::Redirect { status: 302, location, cache_policy: CachePolicy::Never, cookies: Vec::new() }
}
