//! What the addresses of an exported site lead to.
use super::names::portable_name;
use super::{Entered, Exporting, INDEX, Job, SEARCH, without_anchor};
use crate::error::SiteError;
use crate::guard;
use crate::handler::Reply;
use crate::pictures;
use crate::schemas;
use bytes::Bytes;
use domain::content::document::Kind;
use domain::content::export::{ExportFile, FileBody};
use domain::content::import::path::{check_path, decode, encode};
use domain::site::path::OWN;
use domain::site::reader::SitePage;
use domain::site::resolve::{Form, own_path};
use domain::usecases::sites::reader::{FoundPath, ReadPage};
use site_html::assets;
use site_html::export::relative_address;
use site_html::schema::SCHEMA;
use url::Url;

/// The most redirects from an address to a page.
const MOST_REDIRECTS: usize = 5;
/// How many digits of a hash are in the name of a folder or a file.
const DIGITS: usize = 16;
/// Endings of files that browsers, or usual servers of files, run. Octavo's server lets browsers save them; a server of
/// files does not.
const RUN: [&str; 18] = [
    "html", "htm", "xhtml", "xht", "shtml", "xml", "xsl", "xslt", "mht", "mhtml", "php", "phtml", "phar", "cgi", "asp",
    "aspx", "jsp", "jspx",
];

/// What an address of the site leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A file of the export, by its path.
    File(String),
    /// An absolute address.
    Elsewhere(String),
    /// Nothing, or a feature that needs a server.
    Nothing,
}

/// The target of a path that is not a file of [`OWN`].
pub(super) enum Lead {
    /// A page that is not planned, by its path.
    Page(String),
    /// A page as Markdown, or its feed.
    Form {
        /// The path of the page.
        page: String,
        /// The path of this form of it.
        path: String,
    },
    /// A target that is known already.
    Known(Target),
}

/// A hash as a part of a path.
pub(super) fn hashed(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().chars().take(DIGITS).collect()
}

/// A path on a site as browsers ask for it, with its query: authors can write `./` and `../` in addresses. `None` if it
/// leaves the site. `address` is that of the site, and `base` its path.
fn plain(address: &str, base: &str, path: &str) -> Option<String> {
    let url = Url::parse(&format!("{address}{path}")).ok()?;
    let path = url.path().strip_prefix(base)?;
    Some(url.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}")))
}

/// The name of a file that was uploaded, as it can be on every operating system.
fn file_name(name: &str) -> String {
    let is_special = |char: char| matches!(char, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let plain: String = name.chars().map(|char| if is_special(char) { '_' } else { char }).collect();
    // Names such as `.htaccess` are settings of a server. Windows removes dots and spaces at the end.
    let plain = plain.trim_start_matches('.').trim_end_matches(['.', ' ']);
    let ending = plain.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let name = match ending {
        Some(ending) if RUN.contains(&ending.as_str()) => format!("{plain}.txt"),
        _ => plain.to_owned(),
    };
    if check_path(&name).is_err() { "file".to_owned() } else { portable_name(&name) }
}

/// Whether a page has updates, so that it has a feed.
pub(super) fn has_updates(page: &SitePage) -> bool {
    page.feed.is_some() && page.document.walk().any(|block| matches!(block.kind, Kind::Update(_)))
}

/// The ending of a file with an image or a font.
fn ending(media_type: &str) -> &str {
    match media_type {
        "image/svg+xml" => "svg",
        "image/x-icon" => "ico",
        "image/jpeg" => "jpg",
        other => other.rsplit_once('/').map_or(other, |(_, ending)| ending),
    }
}

impl Exporting<'_> {
    /// The address in an export of a path on the site whose target is known: relative to the page in the file `from`,
    /// or absolute. `None` if there is nothing.
    pub(super) fn address(&self, path: &str, from: Option<&str>) -> Option<String> {
        let (path, anchor) = without_anchor(path);
        let target = self.targets.get(path)?;
        let address = self.address_of(target, from)?;
        // The script of the search reads what to look for.
        let query = path.split_once('?').filter(|_| *target == Target::File(SEARCH.to_owned()));
        let query = query.map(|(_, query)| format!("?{query}")).unwrap_or_default();
        // The anchor of a redirect wins.
        let anchor = if address.contains('#') { "" } else { anchor };
        Some(format!("{address}{query}{anchor}"))
    }

    /// The address of a target; see [`Self::address`].
    pub(super) fn address_of(&self, target: &Target, from: Option<&str>) -> Option<String> {
        match (target, from, self.site.to) {
            (Target::Nothing, ..) => None,
            (Target::Elsewhere(url), ..) => Some(url.clone()),
            (Target::File(file), Some(from), _) => Some(relative_address(from, file)),
            (Target::File(file), None, Some(to)) => {
                Some(format!("{to}{}", encode(file.strip_suffix(INDEX).unwrap_or(file))))
            }
            (Target::File(_), None, None) => None,
        }
    }

    /// Finds what a path on the site with its query leads to.
    pub(super) async fn find(&mut self, path: &str) -> Result<(), SiteError> {
        if self.targets.contains_key(path) {
            return Ok(());
        }
        let url = format!("{}{path}", self.site.address);
        let target = match plain(self.site.address, &self.base, path) {
            Some(plain) => self.target(&plain).await?,
            None => Url::parse(&url).map_or(Target::Nothing, |url| self.elsewhere(url.into())),
        };
        if target == Target::Nothing {
            self.exported.broken_links.insert(url);
        }
        self.targets.insert(path.to_owned(), target);
        Ok(())
    }

    /// An address that is of no page of the site. Without the address of the server, those of the server lead nowhere.
    fn elsewhere(&self, url: String) -> Target {
        let origin = |address: &str| Url::parse(address).ok().map(|url| url.origin());
        let is_unknown = !self.site.is_address_known && origin(&url) == origin(self.site.address);
        if is_unknown { Target::Nothing } else { Target::Elsewhere(url) }
    }

    /// Whether a path below the address of the site is of the server: `/docs` beside a site at the root.
    pub(super) fn is_of_server(&self, path: &str) -> bool {
        let url = Url::parse(&format!("{}{path}", self.site.address));
        url.is_ok_and(|url| guard::is_plainly_of_server(self.server, &url))
    }

    pub(super) async fn target(&mut self, whole: &str) -> Result<Target, SiteError> {
        let path = whole.split_once('?').map_or(whole, |(path, _)| path);
        let Some(own) = own_path(path) else {
            return Ok(match self.lead(whole).await? {
                Lead::Page(path) => Target::File(self.plan(&path)),
                Lead::Form { page, path } => {
                    self.plan(&page);
                    Target::File(self.form_file(&path))
                }
                Lead::Known(target) => target,
            });
        };
        Ok(match own.split_once('/').unwrap_or((own, "")) {
            ("search", "") => Target::File(SEARCH.to_owned()),
            ("assets", name) => self.asset(name),
            ("files", address) => self.file(path, address).await?,
            ("external", image) => self.external(image).await,
            ("diagrams", address) => self.diagram(path, address).await?,
            (SCHEMA, address) => Box::pin(self.schema_at(whole, address)).await?,
            _ => Target::Nothing,
        })
    }

    /// What a path with its query leads to: a page outside of the tables of contents, or a page at another path.
    pub(super) async fn lead(&self, whole: &str) -> Result<Lead, SiteError> {
        let (path, query) = whole.split_at(whole.find('?').unwrap_or(whole.len()));
        // A page has one file, however its path is written.
        let Some(mut path) = plain(self.site.address, &self.base, &encode(&decode(path))) else {
            return Ok(Lead::Known(Target::Nothing));
        };
        let mut query = query.to_owned();
        for _ in 0..=MOST_REDIRECTS {
            if let Some(known) = self.targets.get(&path) {
                return Ok(Lead::Known(known.clone()));
            }
            let url = format!("{}{path}{query}", self.site.address);
            if self.is_of_server(&path) {
                return Ok(Lead::Known(self.elsewhere(url)));
            }
            let entered = self.enter(&path).await?;
            let to = match entered {
                Entered::Site(_, mut visiting) => {
                    let at = visiting.path().to_owned();
                    match visiting.read(&at, None).await? {
                        FoundPath::Page(read) => return Ok(self.read_lead(path, &read)),
                        FoundPath::Redirect { url, .. } => url,
                        FoundPath::Missing(_) => break,
                    }
                }
                Entered::Redirect(to) => to,
                Entered::Other => return Ok(Lead::Known(self.elsewhere(url))),
            };
            let Some(other) = self.own().path(&to).map(|other| without_anchor(other).0) else {
                return Ok(Lead::Known(self.elsewhere(to)));
            };
            let (other, rest) = other.split_at(other.find('?').unwrap_or(other.len()));
            (path, query) = (other.to_owned(), rest.to_owned());
        }
        Ok(Lead::Known(Target::Nothing))
    }

    /// The lead to a page that was read at a path.
    fn read_lead(&self, path: String, read: &ReadPage) -> Lead {
        let page = &read.page;
        let form =
            |path: &str| Lead::Form { page: self.path_of(&page.href).to_owned(), path: self.path_of(path).to_owned() };
        match (read.form, &page.feed) {
            (Form::Page, _) => Lead::Page(path),
            // Without the address of the files, pages have no other form.
            (Form::Markdown, _) if self.site.to.is_some() => form(&page.markdown),
            (Form::Feed, Some(feed)) if self.site.to.is_some() && has_updates(page) => form(feed),
            (Form::Markdown | Form::Feed, _) => Lead::Known(Target::Nothing),
        }
    }

    /// The page of a schema. An author can write the address of one that is gone.
    async fn schema_at(&mut self, path: &str, address: &str) -> Result<Target, SiteError> {
        let file = format!("{OWN}{SCHEMA}/{}/{INDEX}", hashed(path));
        let (site_request, mut visiting) = self.visit(path).await?;
        if schemas::find(&site_request, &mut visiting, address).await?.is_none() {
            return Ok(Target::Nothing);
        }
        if self.names.take(&file) {
            self.queue.push_back(Job::Schema { path: path.to_owned(), file: file.clone() });
        }
        Ok(Target::File(file))
    }

    fn asset(&mut self, name: &str) -> Target {
        let bytes = match (assets::find(name), self.server.settings.fonts.file(name)) {
            (Some(asset), _) => Bytes::from_static(asset.bytes),
            (None, Some(font)) => font.clone(),
            (None, None) => return Target::Nothing,
        };
        let file = format!("{OWN}assets/{name}");
        self.add(file.clone(), bytes);
        Target::File(file)
    }

    async fn file(&mut self, path: &str, address: &str) -> Result<Target, SiteError> {
        let (_, mut visiting) = self.visit(path).await?;
        let Some(file) = visiting.file(address).await? else { return Ok(Target::Nothing) };
        let entry = file.entry;
        let hash: String = entry.blob.to_string().chars().take(DIGITS).collect();
        let path = format!("{OWN}files/{hash}/{}", file_name(&entry.name));
        // A file with this hash has these bytes.
        if let Some(there) = self.names.like(&path) {
            return Ok(Target::File(there.to_owned()));
        }
        if !self.names.take(&path) {
            return Ok(Target::Nothing);
        }
        let body = FileBody::Blob { hash: entry.blob, size: entry.size };
        self.ready.push(ExportFile { path: path.clone(), body });
        Ok(Target::File(path))
    }

    /// An image or a font of another host. Where it cannot be fetched, its own address stays.
    async fn external(&mut self, path: &str) -> Target {
        let images = &self.server.services.external_images;
        let Some(url) = images.signer.verify(path) else { return Target::Nothing };
        let Some(image) = images.fetch(path).await else {
            self.exported.unfetched.insert(url.clone());
            return Target::Elsewhere(url);
        };
        let file = format!("{OWN}external/{}.{}", hashed(&url), ending(image.media_type));
        self.add(file.clone(), image.bytes);
        Target::File(file)
    }

    async fn diagram(&mut self, path: &str, address: &str) -> Result<Target, SiteError> {
        let (site_request, mut visiting) = self.visit(path).await?;
        let reply = pictures::diagram(self.server, &site_request, &mut visiting, address).await?;
        let Reply::Body(body) = reply else { return Ok(Target::Nothing) };
        // The address has the path of a page, which can be too long for a name, or differ from another one in case.
        let mode = if address.ends_with(".dark.svg") { "dark" } else { "light" };
        let file = format!("{OWN}diagrams/{}.{mode}.svg", hashed(address));
        self.add(file.clone(), body.bytes().clone());
        Ok(Target::File(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("plan.pdf", "plan.pdf")]
    #[case("a/b: c?.png", "a_b_ c_.png")]
    #[case("..", "file")]
    #[case("", "file")]
    #[case("page.HTML", "page.HTML.txt")]
    #[case("page.php", "page.php.txt")]
    #[case("page.html. ", "page.html.txt")]
    #[case(&format!("{}.html", "a".repeat(250)), "file")]
    #[case(".htaccess", "htaccess")]
    #[case("drawing.svg", "drawing.svg")]
    #[case("con.png", "con~.png")]
    #[case("Nul", "Nul~")]
    fn a_file_has_a_name_that_runs_nothing(#[case] name: &str, #[case] expected: &str) {
        assert_eq!(file_name(name), expected);
    }

    #[rstest]
    #[case("", Some(""))]
    #[case("a/b?at=%2Fc", Some("a/b?at=%2Fc"))]
    #[case("./a", Some("a"))]
    #[case("a/%2e%2e/b", Some("b"))]
    #[case("../docs/a", Some("a"))]
    #[case("../other/a", None)]
    #[case("~/schema/../../../secret", None)]
    fn a_path_stays_on_the_site(#[case] path: &str, #[case] expected: Option<&str>) {
        assert_eq!(plain("https://docs.test/s/docs/", "/s/docs/", path).as_deref(), expected);
    }

    #[rstest]
    #[case("image/png", "png")]
    #[case("image/svg+xml", "svg")]
    #[case("font/woff2", "woff2")]
    fn an_image_has_an_ending(#[case] media_type: &str, #[case] expected: &str) {
        assert_eq!(ending(media_type), expected);
    }
}
