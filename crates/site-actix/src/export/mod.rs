//! Exports a site as files: the pages that every visitor sees, with relative addresses, so that they work without a
//! server.
//!
//! The pages of the tables of contents are exported, and what they lead to. Each is read in a visit of its own, as by a
//! visitor without credentials: nothing else can get into a file.
mod feed;
mod lists;
mod markdown;
mod names;
mod redirects;
mod targets;

use crate::error::SiteError;
use crate::external::ImageRewriter;
use crate::pages::{rendered, texts};
use crate::request::{Credentials, Encoding, ResponseFormat, SiteRequest};
use crate::schemas;
use crate::site::SiteServer;
use actix_web::http::StatusCode;
use bytes::Bytes;
use domain::content::export::{ExportFile, FileBody};
use domain::content::import::path::{decode, encode};
use domain::id::SiteId;
use domain::site::reader::{SiteFrame, SitePage};
use domain::usecases::Error;
use domain::usecases::sites::reader::{FoundPath, ReadPage, VisitOutcome, Visiting};
use lists::Lists;
use names::Names;
use site_html::export::{OwnAddresses, replaced};
use site_html::frame;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, VecDeque};
use targets::Target;
use url::Url;

/// The page that lists all pages: it takes the place of the search.
const SEARCH: &str = "~/search/index.html";
/// The name of the file of a page in the folder of the page.
const INDEX: &str = "index.html";
/// The page for addresses that lead nowhere.
const MISSING: &str = "404.html";
/// An empty file that keeps GitHub Pages from leaving out the files whose path begins with `~`.
const NO_JEKYLL: &str = ".nojekyll";

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub struct SiteExport<'a> {
    /// The absolute address of the site on its server, with a slash at its end.
    pub address: &'a str,
    /// Whether visitors can open this address. Otherwise, links to other addresses of the server lead nowhere.
    pub is_address_known: bool,
    /// The absolute address where the files will be, with a slash at its end. Without it, there are no files that need
    /// it: sitemap, list for assistants, Markdown, and the page for addresses that lead nowhere.
    pub to: Option<&'a str>,
}

/// What was exported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportedSite {
    /// How many pages.
    pub pages: usize,
    /// The addresses of images and fonts of other hosts that could not be fetched. The pages name them as they are.
    pub unfetched: BTreeSet<String>,
    /// The addresses that lead nowhere in the export. Links to them are text.
    pub broken_links: BTreeSet<String>,
}

/// Exports a site: passes its files to `write`, one after the other.
///
/// # Errors
/// [`Error::NotFound`] if the address is not one of a site that everybody sees; the errors of `write`.
pub async fn export<E: From<SiteError>>(
    server: &SiteServer,
    site: SiteExport<'_>,
    mut write: impl AsyncFnMut(ExportFile) -> Result<(), E>,
) -> Result<ExportedSite, E> {
    let mut exporting = Exporting::new(server, site)?;
    Box::pin(exporting.start()).await?;
    loop {
        for file in std::mem::take(&mut exporting.ready) {
            write(file).await?;
        }
        match exporting.queue.pop_front() {
            Some(Job::Page { path, file }) => Box::pin(exporting.page(&path, &file)).await?,
            Some(Job::Schema { path, file }) => Box::pin(exporting.schema(&path, &file)).await?,
            // A redirect can lead to a page that is not rendered yet, so the loop continues.
            None if !std::mem::replace(&mut exporting.redirected, true) => Box::pin(exporting.redirects()).await?,
            None => break,
        }
    }
    Ok(exporting.exported)
}

/// A page that is still to be rendered: its path on the site, as it is written in addresses, and its file.
enum Job {
    Page { path: String, file: String },
    Schema { path: String, file: String },
}

/// What is at a path below the address of the site.
enum Entered<'s> {
    /// The site.
    Site(Box<SiteRequest>, Box<Visiting<'s>>),
    /// Another address.
    Redirect(String),
    /// Another site, or nothing.
    Other,
}

struct Exporting<'s> {
    server: &'s SiteServer,
    site: SiteExport<'s>,
    /// The path of the site on its server, with a slash at both ends.
    base: String,
    /// All absolute addresses of the site, the longest first.
    addresses: Vec<String>,
    /// The site; absent before the first visit.
    id: Option<SiteId>,
    /// What paths on the site lead to, with their queries.
    targets: HashMap<String, Target>,
    /// The files of pages as Markdown and of feeds, by their paths on the site.
    forms: HashMap<String, String>,
    /// The paths of all files.
    names: Names,
    queue: VecDeque<Job>,
    /// Files that are to be written.
    ready: Vec<ExportFile>,
    /// Whether the redirects of the site are exported.
    redirected: bool,
    exported: ExportedSite,
}

/// The site is not what it was when its pages were listed.
fn changed() -> SiteError {
    SiteError::Refused(StatusCode::CONFLICT, "the site changed while it was exported: run the command again")
}

/// A path on a site without its anchor, and the anchor with its `#`.
fn without_anchor(path: &str) -> (&str, &str) {
    path.split_at(path.find('#').unwrap_or(path.len()))
}

impl<'s> Exporting<'s> {
    fn new(server: &'s SiteServer, site: SiteExport<'s>) -> Result<Self, SiteError> {
        let address = Url::parse(site.address).map_err(|_no_address| Error::NotFound("site"))?;
        Ok(Self {
            server,
            site,
            base: format!("{}/", address.path().trim_end_matches('/')),
            addresses: vec![site.address.to_owned()],
            id: None,
            targets: HashMap::new(),
            forms: HashMap::new(),
            names: Names::default(),
            queue: VecDeque::new(),
            ready: Vec::new(),
            redirected: false,
            exported: ExportedSite::default(),
        })
    }

    fn own(&self) -> OwnAddresses<'_> {
        OwnAddresses { base: &self.base, sites: &self.addresses }
    }

    /// A visit at a path on the site, by a visitor without credentials.
    async fn visit(&self, path: &str) -> Result<(SiteRequest, Box<Visiting<'s>>), SiteError> {
        match self.enter(path).await? {
            Entered::Site(site_request, visiting) => Ok((*site_request, visiting)),
            Entered::Redirect(_) | Entered::Other => Err(Error::NotFound("site").into()),
        }
    }

    /// What this visitor gets at a path. Below a site at the root, there can be other sites.
    async fn enter(&self, path: &str) -> Result<Entered<'s>, SiteError> {
        let server = self.server;
        let url = format!("{}{path}", self.site.address);
        let url = Url::parse(&url).map_err(|_no_address| Error::NotFound("page"))?;
        let (credentials, response_format, encoding) =
            (Credentials::default(), ResponseFormat::Html, Encoding::Identity);
        let site_request = SiteRequest { url: url.into(), credentials, response_format, encoding };
        let entrance = server.services.site_reader.enter(&site_request.visitor()).await?;
        let is_own = |visiting: &Visiting<'_>| self.id.as_ref().is_none_or(|id| *id == visiting.site().id);
        Ok(match entrance {
            VisitOutcome::Site(visiting) if is_own(&visiting) => Entered::Site(Box::new(site_request), visiting),
            VisitOutcome::Redirect { url, .. } => Entered::Redirect(url),
            _ => Entered::Other,
        })
    }

    /// Adds a file, unless it is there already.
    fn add(&mut self, path: String, bytes: impl Into<Bytes>) {
        if self.names.take(&path) {
            self.put(path, bytes);
        }
    }

    /// Adds a file whose path is reserved in `names`.
    fn put(&mut self, path: String, bytes: impl Into<Bytes>) {
        self.ready.push(ExportFile { path, body: FileBody::Text(bytes.into()) });
    }

    /// Plans a page, unless it is planned already. Returns its file.
    fn plan(&mut self, path: &str) -> String {
        if let Some(Target::File(file)) = self.targets.get(path) {
            return file.clone();
        }
        let file = self.names.take_below(&decode(path), INDEX);
        self.targets.insert(path.to_owned(), Target::File(file.clone()));
        self.queue.push_back(Job::Page { path: path.to_owned(), file: file.clone() });
        file
    }

    /// The file of a page as Markdown, or of its feed, by its path on the site.
    fn form_file(&mut self, path: &str) -> String {
        if let Some(file) = self.forms.get(path) {
            return file.clone();
        }
        let file = self.names.take_file(&decode(path));
        self.forms.insert(path.to_owned(), file.clone());
        let target = Target::File(file.clone());
        self.targets.insert(encode(&file), target.clone());
        // As on the server, a page with exactly this path wins.
        self.targets.entry(path.to_owned()).or_insert(target);
        file
    }

    /// Plans the pages of the tables of contents, and adds the files that are made of their list.
    async fn start(&mut self) -> Result<(), SiteError> {
        let (_, mut visiting) = self.visit("").await?;
        self.id = Some(visiting.site().id.clone());
        self.addresses = visiting.addresses();
        self.addresses.sort_by_key(|address| Reverse(address.len()));
        for name in [SEARCH, MISSING, redirects::LIST] {
            self.names.take(name);
        }
        self.add(NO_JEKYLL.to_owned(), Bytes::new());
        let Some(mut frame) = visiting.around().await? else { return Err(Error::NotFound("page").into()) };
        self.prepare(&mut frame, &visiting);
        let lists = Lists::of(&mut visiting).await?;
        drop(visiting);
        let paths: Vec<String> = lists.pages.iter().map(|page| self.path_of(&page.url).to_owned()).collect();
        let Some(first) = paths.first() else { return Err(Error::NotFound("page").into()) };
        self.reserve(&lists);
        // Where the site starts can be a page that has another address, and a variant without pages.
        let start = match self.target("").await? {
            Target::Nothing => Target::File(self.plan(first)),
            found => found,
        };
        self.targets.insert(String::new(), start.clone());
        for path in &paths {
            self.plan(path);
        }
        // Hosts show this file first.
        if self.names.take(INDEX) {
            self.lead_on(&frame.title, INDEX, &start);
        }
        self.lists(&frame, lists, &paths).await
    }

    /// Makes a frame one of a file.
    fn prepare(&self, frame: &mut SiteFrame, visiting: &Visiting<'_>) {
        frame.exported = true;
        ImageRewriter::of(self.server, visiting).iter().for_each(|rewriting| rewriting.frame(frame));
    }

    /// The same for a page.
    fn prepare_page(&self, page: &mut SitePage, visiting: &Visiting<'_>) {
        if let Some(rewriting) = ImageRewriter::of(self.server, visiting) {
            page.cover.iter_mut().for_each(|cover| rewriting.cover(cover));
        }
        match self.site.to {
            Some(to) => {
                page.canonical = self.moved(&page.canonical, to);
                page.alternates.iter_mut().for_each(|other| other.href = self.moved(&other.href, to));
            }
            None => {
                page.canonical.clear();
                page.alternates.clear();
                page.markdown.clear();
                page.feed = None;
            }
        }
    }

    /// The path on the site of an address that is on it.
    fn path_of<'t>(&self, address: &'t str) -> &'t str {
        self.own().path(address).unwrap_or(address)
    }

    /// Where a page with an absolute address will be; addresses of other sites stay as they are.
    fn moved(&self, address: &str, to: &str) -> String {
        let Some((path, anchor)) = self.own().path(address).map(without_anchor) else { return address.to_owned() };
        let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
        match self.targets.get(path) {
            Some(Target::File(file)) => {
                format!("{to}{}{query}{anchor}", encode(file.strip_suffix(INDEX).unwrap_or(file)))
            }
            _ if path.is_empty() => format!("{to}{query}{anchor}"),
            _ => format!("{to}{path}/{query}{anchor}"),
        }
    }

    /// Adds a page, and its Markdown.
    async fn page(&mut self, path: &str, file: &str) -> Result<(), SiteError> {
        let (_, mut visiting) = self.visit(path).await?;
        let at = visiting.path().to_owned();
        let FoundPath::Page(read) = visiting.read(&at, None).await? else { return Err(changed()) };
        let ReadPage { mut frame, mut page, .. } = *read;
        self.prepare(&mut frame, &visiting);
        self.prepare_page(&mut page, &visiting);
        visiting.load_openapi(&mut page).await?;
        drop(visiting);
        if let Some(to) = self.site.to {
            self.markdown(&mut page, to).await?;
            self.feed(&frame, &mut page, to).await?;
        }
        let texts = texts(&frame);
        let article = rendered(self.server, &frame, &page, &texts, None);
        let html = frame::page(&frame, &page, &article, &texts, &self.server.settings.fonts).html;
        self.exported.pages += 1;
        self.add_html(file, &html, Some(file)).await
    }

    /// Adds the page of a schema.
    async fn schema(&mut self, path: &str, file: &str) -> Result<(), SiteError> {
        let (site_request, mut visiting) = self.visit(path).await?;
        let address = schemas::address(path).unwrap_or_default();
        let Some((mut shown, query)) = schemas::find(&site_request, &mut visiting, address).await? else {
            return Err(changed());
        };
        self.prepare(&mut shown.read.frame, &visiting);
        self.prepare_page(&mut shown.read.page, &visiting);
        drop(visiting);
        // It is the Markdown of the page with the block.
        shown.read.page.markdown.clear();
        shown.read.page.canonical.clear();
        shown.read.page.feed = None;
        let (html, _) = schemas::rendered(self.server, &shown, &query);
        self.add_html(file, &html.html, Some(file)).await
    }

    /// Adds a page whose path is reserved in `names`, after the targets of its links are found. Its addresses are
    /// relative to `from`, or absolute.
    async fn add_html(&mut self, file: &str, html: &str, from: Option<&str>) -> Result<(), SiteError> {
        let mut found = BTreeSet::new();
        replaced(html, &self.own(), |path| {
            found.insert(without_anchor(path).0.to_owned());
            Some(String::new())
        });
        for path in found {
            self.find(&path).await?;
        }
        let html = replaced(html, &self.own(), |path| self.address(path, from));
        self.put(file.to_owned(), html);
        Ok(())
    }
}
