//! Redirects of a site: from paths that no page has to sections, variants, pages and other addresses.
use super::path::is_file;
use super::resolve::own_path;
use crate::content::import::path::decode;
use crate::id::{PageId, SiteId, SiteRedirectId, SiteSectionId, SiteSpaceId};
use crate::text::{Invalid, Rule};
use crate::web_address::WebAddress;
use crate::words;
use chrono::{DateTime, Utc};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::fmt::Write as _;
use url::Url;

/// The most redirects of a site.
pub const MAX_REDIRECTS: usize = 10_000;
/// The longest source, in characters.
pub const MAX_SOURCE: usize = 512;
/// The most redirects of one site that are followed for one request.
const MAX_STEPS: usize = 16;

/// The path of a site that a redirect is for, such as `/old/page` or, with all paths that begin so, `/old/*`.
///
/// It is kept in a normal form, in which a path has one spelling: characters that need no encoding are not encoded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RedirectSource(String);

impl RedirectSource {
    /// The source.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A source from the database, which was checked when it was stored.
    pub fn stored(raw: String) -> Self {
        Self(raw)
    }

    /// Whether it is for all paths that begin so.
    pub fn is_wildcard(&self) -> bool {
        self.0.ends_with('*')
    }

    /// Checks that requests for the path ask for redirects: each site answers some paths itself.
    ///
    /// # Errors
    /// The rule.
    fn check(&self) -> Result<(), Rule> {
        let path = self.0.trim_start_matches('/');
        if is_file(path) {
            return Err(Rule(format!("must not be {self}: every site has this file")));
        }
        match own_path(path) {
            Some(_) => Err(Rule("must not begin with /~/ or /~gitbook/: every site has these addresses itself".into())),
            None => Ok(()),
        }
    }

    /// The part of a path, in normal form, that the `*` stands for; empty without `*`. `None` if the source does not
    /// match the path.
    fn capture<'a>(&self, path: &'a str) -> Option<&'a str> {
        match self.0.strip_suffix('*') {
            Some(prefix) => path.strip_prefix(prefix).filter(|rest| !rest.is_empty()),
            None => (path == self.0).then_some(""),
        }
    }

    /// The sources that can match a path, in the order of their precedence: the path itself, then those with `*`, the
    /// longest first.
    pub fn candidates(path: &str) -> Vec<Self> {
        let Some(path) = normal(path) else { return Vec::new() };
        let prefixes = (2..path.len()).rev().filter(|end| *end < MAX_SOURCE).filter_map(|end| path.get(..end));
        let wildcards = prefixes.map(|prefix| Self(format!("{prefix}*"))).collect::<Vec<_>>();
        let exact = (path.len() <= MAX_SOURCE).then_some(Self(path));
        exact.into_iter().chain(wildcards).collect()
    }
}

impl std::str::FromStr for RedirectSource {
    type Err = Rule;

    fn from_str(raw: &str) -> Result<Self, Rule> {
        let wrong = || Rule("must be a path such as /old/page, /old/* or /old*, with other characters encoded".into());
        if raw.chars().count() > MAX_SOURCE {
            return Err(Rule(format!("must be at most {MAX_SOURCE} characters")));
        }
        if raw == "/*" {
            return Err(Rule(
                "must not be /*, which would match every path: begin it with a name, such as /old/*".into(),
            ));
        }
        let (path, wild) = raw.strip_suffix('*').map_or((raw, ""), |path| (path, "*"));
        // `/old/*` has a slash before the `*`.
        let named = if wild.is_empty() { path } else { path.strip_suffix('/').unwrap_or(path) };
        let segments = named.strip_prefix('/').ok_or_else(wrong)?;
        let plain = segments.split('/').all(|segment| !segment.is_empty() && is_encoded(segment));
        let normal = normal(named).filter(|_| plain).ok_or_else(wrong)?;
        let slash = if path.len() > named.len() { "/" } else { "" };
        Ok(Self(format!("{normal}{slash}{wild}")))
    }
}

impl TryFrom<String> for RedirectSource {
    type Error = Rule;
    fn try_from(raw: String) -> Result<Self, Rule> {
        raw.parse()
    }
}

impl From<RedirectSource> for String {
    fn from(source: RedirectSource) -> Self {
        source.0
    }
}

impl fmt::Display for RedirectSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+".contains(&byte)
}

/// Whether a segment has only plain characters and `%` with two hexadecimal digits, and is text.
fn is_encoded(segment: &str) -> bool {
    let mut rest = segment.as_bytes();
    loop {
        rest = match rest {
            // What encodes no text is decoded to itself.
            [] => return !segment.contains('%') || decode(segment) != segment,
            [b'%', high, low, rest @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => rest,
            [byte, rest @ ..] if is_plain(*byte) => rest,
            _ => return false,
        }
    }
}

/// A path in the form in which sources are compared: one slash at its start, none at its end, and everything encoded
/// but plain characters. `None` for the root, and for paths with `.` and `..`, which mean another path.
fn normal(path: &str) -> Option<String> {
    let mut normal = String::with_capacity(path.len() + 1);
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        let segment = decode(segment);
        if segment == "." || segment == ".." || segment.contains(['\0', '/', '\\']) {
            return None;
        }
        normal.push('/');
        for byte in segment.bytes() {
            if is_plain(byte) {
                normal.push(char::from(byte));
            } else {
                // Writing to a string does not fail.
                let _ = write!(normal, "%{byte:02X}");
            }
        }
    }
    (!normal.is_empty()).then_some(normal)
}

/// Where a redirect leads.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum RedirectDestination {
    /// A section.
    SiteSection {
        /// The section.
        site_section_id: SiteSectionId,
    },
    /// A variant.
    SiteSpace {
        /// The site space.
        site_space_id: SiteSpaceId,
    },
    /// A page of a variant, wherever it is moved.
    SitePage {
        /// The site space.
        site_space_id: SiteSpaceId,
        /// The page.
        page_id: PageId,
    },
    /// An address.
    External {
        /// The address.
        url: WebAddress,
    },
}

/// A redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteRedirect {
    /// The id.
    pub id: SiteRedirectId,
    /// The site.
    pub site: SiteId,
    /// The path that it is for. A site has at most one redirect and one draft with the same source.
    pub source: RedirectSource,
    /// Where it leads.
    pub destination: RedirectDestination,
    /// Whether the part that the `*` of the source stands for is added to the destination.
    pub capture_wildcard: bool,
    /// Whether clients may cache it.
    pub permanent: bool,
    /// Whether it has no effect yet.
    pub draft: bool,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed; absent if it never was.
    pub updated_at: Option<DateTime<Utc>>,
}

words! {
    /// The order of a list of redirects.
    #[derive(Default)]
    pub enum RedirectOrder {
        /// When they were created, the newest first.
        #[default]
        CreatedAt = "createdAt",
        /// When they were last changed, or else created, the last one first.
        UpdatedAt = "updatedAt",
        /// The source.
        Source = "source",
    }
}

/// Which redirects to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedirectFilter {
    /// Only those whose source contains this text; case does not matter.
    pub search: Option<String>,
    /// Whether to list drafts, or the redirects that are not drafts.
    pub draft: bool,
    /// The order.
    pub order_by: RedirectOrder,
}

/// The status of the response to a redirected request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectStatus {
    /// 307: the client must not cache it.
    Temporary,
    /// 308: the client may cache it.
    Permanent,
}

impl RedirectStatus {
    /// The status of a redirect: permanent only on a site that everybody sees.
    pub fn of(permanent: bool, public_and_live: bool) -> Self {
        if permanent && public_and_live { Self::Permanent } else { Self::Temporary }
    }

    /// The status code.
    pub fn code(self) -> u16 {
        match self {
            Self::Temporary => 307,
            Self::Permanent => 308,
        }
    }
}

/// The address that a redirect with the destination `target` leads to for a path. It includes the part that the `*`
/// stands for, if that is captured. `None` if the source does not match the path.
fn redirect_url(redirect: &SiteRedirect, target: &Url, path: &str) -> Option<Url> {
    let captured = redirect.source.capture(path)?.trim_start_matches('/');
    let mut target = target.clone();
    if redirect.capture_wildcard && !captured.is_empty() {
        // `captured` is in normal form: it has no segment that leads up.
        let joined = format!("{}/{captured}", target.path().trim_end_matches('/'));
        target.set_path(&joined);
    }
    Some(target)
}

/// The redirects of a site that are not drafts, each with the address of its destination; redirects to a missing
/// destination are left out.
#[derive(Clone, Debug, Default)]
pub struct Redirects(HashMap<RedirectSource, (SiteRedirect, Url)>);

impl Redirects {
    /// These redirects. `target` is the address of the destination of each.
    pub fn new(
        redirects: impl IntoIterator<Item = SiteRedirect>,
        target: impl Fn(&SiteRedirect) -> Option<Url>,
    ) -> Self {
        let live = redirects.into_iter().filter(|redirect| !redirect.draft);
        let all = live.filter_map(|redirect| {
            let target = target(&redirect)?;
            Some((redirect.source.clone(), (redirect, target)))
        });
        Self(all.collect())
    }

    /// The redirect for a path: an exact one before one with `*`, and the longest of these.
    pub fn matching(&self, path: &str) -> Option<&SiteRedirect> {
        self.one(path).map(|(redirect, _)| redirect)
    }

    fn one(&self, path: &str) -> Option<&(SiteRedirect, Url)> {
        let candidates = RedirectSource::candidates(path);
        candidates.iter().find_map(|source| self.0.get(source))
    }

    /// The redirect for a path, and the address that it leads to. If that is a path of the same site for which there is
    /// another redirect, that one is followed too, so that a client is redirected once. `within` is the path that an
    /// address has on the site. `has_no_page` tells for a path whether redirects apply to it: a page precedes them.
    ///
    /// `None` if there is no redirect, or if the redirects lead in a circle.
    pub fn find(
        &self,
        path: &str,
        within: impl Fn(&Url) -> Option<String>,
        has_no_page: impl Fn(&str) -> bool,
    ) -> Option<RedirectMatch<'_>> {
        let (first, target) = self.one(path)?;
        let mut address = redirect_url(first, target, &normal(path)?)?;
        let mut seen = BTreeSet::from([normal(path)?]);
        let (mut permanent, mut end) = (first.permanent, None);
        while let Some(path) = within(&address).and_then(|path| normal(&path)) {
            if seen.len() >= MAX_STEPS || !seen.insert(path.clone()) {
                return None;
            }
            let Some((next, target)) = self.one(&path).filter(|_| has_no_page(&path)) else {
                end = Some(path);
                break;
            };
            let query = address.query().map(str::to_owned);
            address = with_query(redirect_url(next, target, &path)?, query.as_deref());
            permanent &= next.permanent;
        }
        Some(RedirectMatch { redirect: first, address, permanent, end })
    }
}

/// The result of following the redirects for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectMatch<'a> {
    /// The redirect for the path.
    pub redirect: &'a SiteRedirect,
    /// The final address.
    pub address: Url,
    /// Whether clients may cache it: all redirects on the way are permanent.
    pub permanent: bool,
    /// The path of the address, if it is one of the same site.
    pub end: Option<String>,
}

impl SiteRedirect {
    /// Checks that requests for its path ask for redirects, and that it does not lead to a path that it is for. `within`
    /// is the path that an address has on the site.
    ///
    /// # Errors
    /// [`Invalid`].
    pub fn check(&self, within: impl Fn(&Url) -> Option<String>) -> Result<(), Invalid> {
        self.source.check().map_err(|rule| rule.of("source"))?;
        let RedirectDestination::External { url } = &self.destination else { return Ok(()) };
        let inside = Url::parse(url.as_str()).ok().and_then(|url| within(&url)).and_then(|path| normal(&path));
        match inside {
            Some(path) if self.source.capture(&path).is_some() => {
                Err(Invalid::new("destination.url", "must not lead to a path that the redirect is for"))
            }
            _ => Ok(()),
        }
    }
}

/// The address of a path below `base`, in place of another address of the path: with its query and its fragment. `path`
/// is encoded, without a slash at its start.
pub fn below(base: &str, path: &str, other: &Url) -> Option<Url> {
    let mut address = Url::parse(&format!("{base}{path}")).ok()?;
    address.set_query(other.query());
    address.set_fragment(other.fragment());
    Some(address)
}

/// Adds the query of a request to the address that it is redirected to.
pub fn with_query(mut address: Url, query: Option<&str>) -> Url {
    let joined = match (address.query(), query) {
        (Some(own), Some(query)) => Some(format!("{own}&{query}")),
        (None, Some(query)) => Some(query.to_owned()),
        (_, None) => return address,
    };
    address.set_query(joined.as_deref());
    address
}

#[cfg(test)]
mod tests;
