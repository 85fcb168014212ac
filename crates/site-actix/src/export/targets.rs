//! What the addresses of an exported site lead to.
use super::{Exporting, INDEX, Job, SEARCH, file_of, without_anchor};
use crate::error::SiteError;
use crate::handler::Reply;
use crate::pages::{FOREIGN, OWN};
use crate::pictures;
use crate::schemas;
use bytes::Bytes;
use domain::content::export::{ExportFile, FileBody};
use domain::content::import::path::{check_path, decode, encode};
use domain::site::resolve::Form;
use domain::usecases::sites::reader::FoundPath;
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
    /// Nothing that works without a server.
    Nothing,
}

/// A hash as a part of a path.
fn hashed(text: &str) -> String {
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
    // Names such as `.htaccess` are settings of a server.
    let plain = plain.trim_start_matches('.');
    if check_path(plain).is_err() {
        return "file".to_owned();
    }
    let ending = plain.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending {
        Some(ending) if RUN.contains(&ending.as_str()) => format!("{plain}.txt"),
        _ => plain.to_owned(),
    }
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
        match (self.targets.get(path)?, from) {
            (Target::Nothing, _) => None,
            (Target::Elsewhere(url), _) if url.contains('#') => Some(url.clone()),
            (Target::Elsewhere(url), _) => Some(format!("{url}{anchor}")),
            (Target::File(file), from) => {
                let address = match (from, self.site.to) {
                    (Some(from), _) => relative_address(from, file),
                    (None, Some(to)) => format!("{to}{}", encode(file.strip_suffix(INDEX).unwrap_or(file))),
                    (None, None) => return None,
                };
                // Its script reads what to look for.
                let query = path.split_once('?').filter(|_| file == SEARCH);
                let query = query.map(|(_, query)| format!("?{query}")).unwrap_or_default();
                Some(format!("{address}{query}{anchor}"))
            }
        }
    }

    /// Finds what a path on the site with its query leads to.
    pub(super) async fn find(&mut self, path: &str) -> Result<(), SiteError> {
        if !self.targets.contains_key(path) {
            let target = match plain(self.site.address, &self.base, path) {
                Some(plain) => self.target(&plain).await?,
                None => Target::Nothing,
            };
            self.targets.insert(path.to_owned(), target);
        }
        Ok(())
    }

    async fn target(&mut self, whole: &str) -> Result<Target, SiteError> {
        let path = whole.split_once('?').map_or(whole, |(path, _)| path);
        let Some(own) = path.strip_prefix(OWN).or_else(|| path.strip_prefix(FOREIGN)) else {
            return self.page_at(path).await;
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

    /// A page outside of the tables of contents, or a path that leads to a page.
    async fn page_at(&mut self, path: &str) -> Result<Target, SiteError> {
        let mut path = path.to_owned();
        for _ in 0..=MOST_REDIRECTS {
            if let Some(known) = self.targets.get(&path) {
                return Ok(known.clone());
            }
            let Some((_, mut visiting)) = self.enter(&path).await? else {
                return Ok(Target::Elsewhere(format!("{}{path}", self.site.address)));
            };
            let at = visiting.path().to_owned();
            match visiting.read(&at, None).await? {
                FoundPath::Page(read) if read.form == Form::Page => {
                    let file = file_of(&path);
                    self.plan(&path, &file);
                    return Ok(Target::File(file));
                }
                FoundPath::Elsewhere { url, .. } => match self.own().path(&url) {
                    Some(other) => path = other.split(['?', '#']).next().unwrap_or_default().to_owned(),
                    None => return Ok(Target::Elsewhere(url)),
                },
                FoundPath::Page(_) | FoundPath::Missing(_) => return Ok(Target::Nothing),
            }
        }
        Ok(Target::Nothing)
    }

    /// The page of a schema. An author can write the address of one that is gone.
    async fn schema_at(&mut self, path: &str, address: &str) -> Result<Target, SiteError> {
        let file = format!("{OWN}{SCHEMA}/{}/{INDEX}", hashed(path));
        let (asked, mut visiting) = self.visit(path).await?;
        if schemas::find(&asked, &mut visiting, address).await?.is_none() {
            return Ok(Target::Nothing);
        }
        if self.files.insert(file.clone()) {
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
        if self.files.insert(path.clone()) {
            let body = FileBody::Blob { hash: entry.blob, size: entry.size };
            self.ready.push(ExportFile { path: path.clone(), body });
        }
        Ok(Target::File(path))
    }

    /// An image or a font of another host. Where it cannot be fetched, its own address stays.
    async fn external(&mut self, path: &str) -> Target {
        let images = &self.server.services.external_images;
        let Some(url) = images.seal.open(path) else { return Target::Nothing };
        let Some(image) = images.fetch(path).await else {
            self.exported.unfetched.insert(url.clone());
            return Target::Elsewhere(url);
        };
        let file = format!("{OWN}external/{}.{}", hashed(&url), ending(image.media_type));
        self.add(file.clone(), image.bytes);
        Target::File(file)
    }

    async fn diagram(&mut self, path: &str, address: &str) -> Result<Target, SiteError> {
        let (asked, mut visiting) = self.visit(path).await?;
        let reply = pictures::diagram(self.server, &asked, &mut visiting, address).await?;
        let Reply::Body(body) = reply else { return Ok(Target::Nothing) };
        let file = format!("{OWN}diagrams/{}", decode(address));
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
    #[case(".htaccess", "htaccess")]
    #[case("drawing.svg", "drawing.svg")]
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
