//! Resolving addresses to objects and published content.
use super::{given, schemas};
use crate::answer::links::{Links, Place};
use crate::request::Wire;
use crate::wire::change_request::{ChangeRequest, change_request};
use crate::wire::collection::{Collection, collection};
use crate::wire::page::{Page, View, page};
use crate::wire::space::{Space, space};
use domain::id::SiteSpaceId;
use domain::rison;
use domain::site::publication::PageAddresses;
use domain::site::site_token::VisitorKind;
use domain::text::Invalid;
use domain::usecases::content::At;
use domain::usecases::sites::urls::{
    NamedContent, PreviewQuery, PublishedContent, PublishedQuery, PublishedUrl, RedirectTarget, Subdomain,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;
use utoipa::{IntoParams, ToSchema};

/// The longest address, in bytes: that of a preview of a site with many spaces is long.
const MAX_URL: usize = 96 * 1024;
/// The longest path of a page to begin a preview with, in bytes.
const MAX_TARGET: usize = 2048;

fn address(raw: &str) -> Result<Url, Invalid> {
    let read = Url::parse(raw).ok().filter(|url| raw.len() <= MAX_URL && matches!(url.scheme(), "http" | "https"));
    read.ok_or_else(|| Invalid::new("url", "must be an http or https address"))
}

/// An address that a visitor visits.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResolvePublishedUrl {
    /// The address, with the key of a share link if there is one.
    url: String,
    /// Whether a visitor without a valid token is redirected to sign in, where the site has an address for that.
    #[serde(default)]
    redirect_on_error: bool,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Visitor)]
    visitor: Option<Visitor>,
}

/// A visitor of a site.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SiteVisitor)]
pub(crate) struct Visitor {
    #[serde(rename = "type", default)]
    #[schema(value_type = schemas::VisitorKind)]
    kind: VisitorKind,
    /// The visitor token; the parameter `jwt_token` of the address if absent.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String)]
    jwt_token: Option<String>,
    /// Claims that the visitor states without proof.
    #[serde(default)]
    #[schema(value_type = Object)]
    unsigned_claims: Map<String, Value>,
}

impl Wire for ResolvePublishedUrl {
    type Command = PublishedQuery;

    fn command(self) -> Result<PublishedQuery, Invalid> {
        let Visitor { kind, jwt_token, unsigned_claims } = self.visitor.unwrap_or_default();
        let (url, redirect_on_error) = (address(&self.url)?, self.redirect_on_error);
        Ok(PublishedQuery { url, redirect_on_error, kind, token: jwt_token, unsigned: unsigned_claims })
    }
}

/// An address that a visitor visits.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct PublishedUrlParams {
    /// The address.
    url: String,
    /// The visitor token.
    #[serde(default, deserialize_with = "given")]
    visitor_auth_token: Option<String>,
    /// Whether a visitor without a valid token is redirected to sign in.
    #[serde(default)]
    redirect_on_error: bool,
}

impl Wire for PublishedUrlParams {
    type Command = PublishedQuery;

    fn command(self) -> Result<PublishedQuery, Invalid> {
        let (url, redirect_on_error) = (address(&self.url)?, self.redirect_on_error);
        let (kind, unsigned) = (VisitorKind::Human, Map::new());
        Ok(PublishedQuery { url, redirect_on_error, kind, token: self.visitor_auth_token, unsigned })
    }
}

/// What a visitor finds at an address.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = PublishedUrl)]
pub(crate) enum PublishedAnswer {
    Redirect(PublishedRedirect),
    Content(Box<PublishedSiteContent>),
}

/// A redirect to another address.
#[derive(Serialize, ToSchema)]
pub(crate) struct PublishedRedirect {
    #[schema(value_type = schemas::RedirectTarget)]
    target: RedirectTarget,
    /// The address.
    redirect: String,
    /// The site that redirects.
    site: String,
}

/// Content at the address of a site.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PublishedSiteContent {
    organization: String,
    site: String,
    /// The section; absent on a site without sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    site_section: Option<String>,
    site_space: String,
    space: String,
    /// The change request, in the preview of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    change_request: Option<String>,
    /// The revision that is shown: the primary one of the space, unless the address is of a preview of another one.
    revision: String,
    /// The path below `basePath`, with a slash at its start.
    #[schema(example = "/install/linux")]
    pathname: String,
    /// The path of the space on the site.
    #[schema(example = "/s/docs/v2/")]
    base_path: String,
    /// The path of the site.
    #[schema(example = "/s/docs/")]
    site_base_path: String,
    /// A token with read access to what this visitor sees, valid for at most an hour.
    api_token: String,
    /// The key of the share link in the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    share_key: Option<String>,
    /// Whether all longer addresses lead to the same space on the site.
    complete: bool,
    /// A hash of the claims of the visitor: equal claims give the same value. Absent without claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_id: Option<String>,
    /// The canonical address of the page: the same for all visitors.
    #[serde(rename = "canonicalUrl")]
    canonical_url: String,
    /// Whether it is a preview; absent if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    preview: bool,
}

pub(crate) fn published_url(found: PublishedUrl) -> PublishedAnswer {
    match found {
        PublishedUrl::Redirect { target, url, site } => {
            PublishedAnswer::Redirect(PublishedRedirect { target, redirect: url, site: site.into() })
        }
        PublishedUrl::Content(content) => {
            let content: PublishedContent = *content;
            PublishedAnswer::Content(Box::new(PublishedSiteContent {
                organization: content.organization.into(),
                site: content.site.into(),
                site_section: content.section.map(String::from),
                site_space: content.site_space.into(),
                space: content.space.into(),
                change_request: content.change_request.map(String::from),
                revision: content.revision.into(),
                pathname: content.pathname,
                base_path: content.base_path,
                site_base_path: content.site_base_path,
                api_token: content.api_token,
                share_key: content.share_key,
                complete: content.complete,
                context_id: content.context_id,
                canonical_url: content.canonical_url,
                preview: content.preview,
            }))
        }
    }
}

/// An address of an object.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct UrlParams {
    /// The address: one of the `urls` of an object, or of a page of a published site.
    url: String,
}

impl Wire for UrlParams {
    type Command = Url;

    fn command(self) -> Result<Url, Invalid> {
        address(&self.url)
    }
}

/// The object that an address names.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ContentOfUrl<'a> {
    /// A collection.
    Collection { collection: Box<Collection> },
    /// A space, or a page or a change request of it.
    #[serde(rename_all = "camelCase")]
    Space {
        space: Box<Space>,
        #[serde(skip_serializing_if = "Option::is_none")]
        change_request: Option<Box<ChangeRequest>>,
        /// The page without its text.
        #[serde(skip_serializing_if = "Option::is_none")]
        page: Option<Box<Page<'a>>>,
    },
}

/// The addresses of the pages of a space, if the address names its primary content.
pub(crate) fn page_addresses<'a>(found: &'a NamedContent, links: &Links) -> Option<PageAddresses<'a>> {
    let NamedContent::Space { space, page: Some(named), .. } = found else { return None };
    let published = space.published.as_ref().filter(|_| matches!(named.at, At::Primary))?;
    links.published_pages(published, named.start.clone())
}

pub(crate) fn content_of_url<'a>(
    found: &'a NamedContent,
    published: Option<&'a PageAddresses<'a>>,
    links: &'a Links,
) -> ContentOfUrl<'a> {
    match found {
        NamedContent::Collection(found) => {
            ContentOfUrl::Collection { collection: Box::new(collection(found.clone(), links)) }
        }
        NamedContent::Space { space: found, change_request: proposed, page: named } => {
            let shown = named.as_ref().map(|named| {
                let place = match &named.at {
                    At::Primary => Place::Primary,
                    At::Revision(revision) => Place::Revision(revision),
                    At::ChangeRequest(which) => Place::ChangeRequest(which),
                };
                let view = View { metadata: true, published, ..View::new(links, &found.id, place) };
                Box::new(page(&named.node, None, view))
            });
            ContentOfUrl::Space {
                space: Box::new(space((**found).clone(), links)),
                change_request: proposed.as_ref().map(|proposed| Box::new(change_request((**proposed).clone(), links))),
                page: shown,
            }
        }
    }
}

/// A host name of an organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Subdomain)]
pub(crate) struct SubdomainOfOrganization {
    /// `subdomain`.
    object: &'static str,
    #[schema(min_length = 3, max_length = 32)]
    subdomain: String,
    target: SubdomainTarget,
    /// Whether this server serves sites below the host name (`OCTAVO_SITES_HOST`).
    is_active: bool,
}

/// The owner of a host name.
#[derive(Serialize, ToSchema)]
pub(crate) struct SubdomainTarget {
    /// `organization`.
    #[serde(rename = "type")]
    kind: &'static str,
    organization: String,
}

pub(crate) fn subdomain(found: Subdomain) -> SubdomainOfOrganization {
    SubdomainOfOrganization {
        object: "subdomain",
        subdomain: found.name,
        target: SubdomainTarget { kind: "organization", organization: found.organization.id.to_string() },
        is_active: found.is_active,
    }
}

/// What a preview shows.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct PreviewParams {
    /// The site space to begin with; the default one if absent.
    #[serde(default, deserialize_with = "given")]
    #[param(value_type = Option<String>)]
    site_space: Option<SiteSpaceId>,
    /// The claims of the visitor that the preview is for, as a Rison object: `(plan:pro,unsigned:(language:de))`.
    #[serde(default, deserialize_with = "given")]
    claims: Option<String>,
    /// Whether drafts are shown.
    #[serde(default = "shown")]
    draft: bool,
    /// The path of the page to begin with, below the site space.
    #[serde(default, deserialize_with = "given")]
    #[param(max_length = 2048)]
    target: Option<String>,
}

fn shown() -> bool {
    true
}

impl Wire for PreviewParams {
    type Command = PreviewQuery;

    fn command(self) -> Result<PreviewQuery, Invalid> {
        let Self { site_space, claims, draft, target } = self;
        let claims = match claims.as_deref().map(rison::read).transpose().map_err(|rule| rule.of("claims"))? {
            None => Map::new(),
            Some(Value::Object(claims)) => claims,
            Some(_) => return Err(Invalid::new("claims", "must be an object")),
        };
        if target.as_ref().is_some_and(|target| target.len() > MAX_TARGET) {
            return Err(Invalid::new("target", format!("must be at most {MAX_TARGET} bytes")));
        }
        Ok(PreviewQuery { site_space, claims, draft, target })
    }
}

/// The address of a preview.
#[derive(Serialize, ToSchema)]
pub(crate) struct SitePreview {
    /// It is valid for an hour, for everyone who has it.
    url: String,
}

pub(crate) fn site_preview(url: String) -> SitePreview {
    SitePreview { url }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{read_json, read_query};
    use rstest::rstest;

    fn fault<T: Wire>(read: Result<T, Invalid>) -> String {
        read.and_then(Wire::command).err().map(|invalid| invalid.field).unwrap_or_default()
    }

    #[rstest]
    #[case(r#"{"url":"https://docs.test/"}"#, "")]
    #[case(r#"{}"#, "url")]
    #[case(r#"{"url":"docs.test"}"#, "url")]
    #[case(r#"{"url":"javascript:alert(1)"}"#, "url")]
    #[case(r#"{"url":"https://docs.test/","visitor":{"type":"robot"}}"#, "visitor.type")]
    #[case(r#"{"url":"https://docs.test/","visitor":{"unsignedClaims":1}}"#, "visitor.unsignedClaims")]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: &str) {
        assert_eq!(fault(read_json::<ResolvePublishedUrl>(body.as_bytes())), field);
    }

    #[rstest]
    #[case("", "")]
    #[case("claims=(plan:pro)&draft=false&target=/install&siteSpace=a", "")]
    #[case("claims=plan", "claims")]
    #[case("claims=(plan", "claims")]
    #[case("draft=maybe", "draft")]
    fn a_parameter_of_a_preview_that_breaks_a_rule_is_named(#[case] query: &str, #[case] field: &str) {
        assert_eq!(fault(read_query::<PreviewParams>(query)), field);
    }

    #[test]
    fn a_preview_shows_drafts_unless_it_should_not() {
        let draft = |query: &str| read_query::<PreviewParams>(query).unwrap().command().unwrap().draft;
        assert!(draft("") && !draft("draft=false"));
    }
}
