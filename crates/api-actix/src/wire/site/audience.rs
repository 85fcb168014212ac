//! Share links, publishing authentication and adaptive schemas of sites.
use super::schemas;
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use crate::wire::given;
use chrono::{DateTime, Utc};
use domain::patch::Patch;
use domain::site::adaptive_schema::{self, SiteAdaptiveSchema};
use domain::site::publishing_auth::{AuthBackend, PublishingAuthPatch};
use domain::site::share_link::ShareLinkPatch;
use domain::text::{Invalid, SearchQuery, ShareLinkName};
use domain::usecases::sites::publishing_auths::ShownPublishingAuth;
use domain::usecases::sites::share_links::ShownShareLink;
use domain::web_address::WebAddress;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// A share link: its address opens a site with the visibility `share-link`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShareLink {
    #[schema(example = "share-link")]
    object: &'static str,
    id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(max_length = 50)]
    name: String,
    /// Whether it opens the site.
    active: bool,
    created_at: DateTime<Utc>,
    urls: ShareLinkUrls,
}

/// URLs of a share link.
#[derive(Serialize, ToSchema)]
pub(crate) struct ShareLinkUrls {
    location: String,
    /// The address for visitors, with the key; absent while the site is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<String>,
}

pub(crate) type ShareLinkList = List<ShareLink>;

pub(crate) fn share_link(shown: ShownShareLink, links: &Links) -> ShareLink {
    let ShownShareLink { link, site, address, .. } = shown;
    let published = address.map(|address| links.published_site(&address));
    let location = links.share_link(&site, &link.id);
    ShareLink {
        object: "share-link",
        id: link.id.into(),
        name: link.name.into(),
        active: link.active,
        created_at: link.created_at,
        urls: ShareLinkUrls { location, published },
    }
}

impl ShareLink {
    pub(crate) fn location(&self) -> String {
        self.urls.location.clone()
    }
}

/// Filters of the list of share links.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ShareLinkParams {
    /// Only links whose name contains this text, ignoring case, or whose key contains it.
    #[serde(default, deserialize_with = "given")]
    #[param(value_type = Option<String>, max_length = 512)]
    search: Option<SearchQuery>,
}

impl Wire for ShareLinkParams {
    type Command = Option<String>;

    fn command(self) -> Result<Option<String>, Invalid> {
        Ok(self.search.map(String::from))
    }
}

/// A share link to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateShareLink {
    #[schema(value_type = String, max_length = 50)]
    name: ShareLinkName,
}

impl Wire for CreateShareLink {
    type Command = ShareLinkName;

    fn command(self) -> Result<ShareLinkName, Invalid> {
        Ok(self.name)
    }
}

/// Changes to a share link: at least one field is required. Absent fields stay unchanged.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateShareLink {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, max_length = 50)]
    name: Option<ShareLinkName>,
    /// Whether it opens the site.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    active: Option<bool>,
}

impl Wire for UpdateShareLink {
    type Command = ShareLinkPatch;

    fn command(self) -> Result<ShareLinkPatch, Invalid> {
        let Self { name, active } = self;
        if name.is_none() && active.is_none() {
            return Err(Invalid::new("body", "must have at least one of active, name"));
        }
        Ok(ShareLinkPatch { name, active })
    }
}

/// How visitors of a site with the visibility `visitor-auth` prove who they are.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PublishingAuth {
    #[schema(example = "publishing-auth")]
    object: &'static str,
    #[schema(value_type = schemas::PublishingAuthBackend)]
    backend: AuthBackend,
    /// The key that signs the tokens of visitors: JSON Web Tokens with HS256, whose key is this text in UTF-8.
    #[schema(example = "octavo_visitor_…")]
    private_key: String,
    /// Where a visitor without a valid token is sent.
    #[serde(rename = "fallbackURL", skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2048)]
    fallback_url: Option<String>,
    /// Where a visitor who signs out is sent.
    #[serde(rename = "logoutURL", skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2048)]
    logout_url: Option<String>,
}

pub(crate) fn publishing_auth(shown: ShownPublishingAuth, _links: &Links) -> PublishingAuth {
    let ShownPublishingAuth { auth, key } = shown;
    PublishingAuth {
        object: "publishing-auth",
        backend: auth.backend,
        private_key: key.reveal().to_owned(),
        fallback_url: auth.fallback_url.map(String::from),
        logout_url: auth.logout_url.map(String::from),
    }
}

/// Changes to the publishing authentication of a site. Absent addresses stay unchanged.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdatePublishingAuth {
    #[schema(value_type = schemas::PublishingAuthBackend)]
    backend: AuthBackend,
    /// An `http` or `https` URL without user and password; `null` removes it.
    #[serde(rename = "fallbackURL", default)]
    #[schema(value_type = Option<String>, max_length = 2048)]
    fallback_url: Patch<WebAddress>,
    /// An `http` or `https` URL without user and password; `null` removes it.
    #[serde(rename = "logoutURL", default)]
    #[schema(value_type = Option<String>, max_length = 2048)]
    logout_url: Patch<WebAddress>,
}

impl Wire for UpdatePublishingAuth {
    type Command = PublishingAuthPatch;

    fn command(self) -> Result<PublishingAuthPatch, Invalid> {
        let Self { backend, fallback_url, logout_url } = self;
        Ok(PublishingAuthPatch { backend, fallback_url, logout_url })
    }
}

/// The claims of visitors that a site uses.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdaptiveSchema {
    #[schema(example = "site-adaptive-schema")]
    object: &'static str,
    /// A JSON Schema of an object: its properties are the claims.
    #[schema(value_type = Object)]
    json_schema: Value,
    /// When it was set.
    updated_at: DateTime<Utc>,
}

pub(crate) fn adaptive_schema(set: SiteAdaptiveSchema, _links: &Links) -> AdaptiveSchema {
    AdaptiveSchema { object: "site-adaptive-schema", json_schema: set.schema.to_json(), updated_at: set.updated_at }
}

/// A schema to set.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateAdaptiveSchema {
    /// A JSON Schema of an object without further properties. A property is a boolean, a string, a string of an `enum`,
    /// a number, an array of these, or an object of properties, each with a `description`. `unsigned` is an object with
    /// the claims that visitors state without proof.
    #[schema(value_type = Object)]
    json_schema: Value,
}

impl Wire for UpdateAdaptiveSchema {
    type Command = adaptive_schema::AdaptiveSchema;

    fn command(self) -> Result<adaptive_schema::AdaptiveSchema, Invalid> {
        adaptive_schema::AdaptiveSchema::parse(&self.json_schema)
    }
}

/// Conditions that an adaptive schema suggests.
#[derive(Serialize, ToSchema)]
pub(crate) struct TemplateConditions {
    items: Vec<TemplateCondition>,
}

/// A condition that an adaptive schema suggests.
#[derive(Serialize, ToSchema)]
pub(crate) struct TemplateCondition {
    #[schema(example = "Visitors whose claim plan is \"pro\".")]
    description: String,
    /// The expression.
    #[schema(example = "visitor.claims.plan === 'pro'", max_length = 1024)]
    condition: String,
}

pub(crate) fn template_conditions(found: Vec<adaptive_schema::TemplateCondition>) -> TemplateConditions {
    let item = |found: adaptive_schema::TemplateCondition| TemplateCondition {
        description: found.description,
        condition: found.condition,
    };
    TemplateConditions { items: found.into_iter().map(item).collect() }
}

/// A script of an integration.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IntegrationScript {
    /// Its address.
    script: String,
    /// Whether it sets cookies.
    cookies: bool,
}

/// The scripts of the integrations of a site. This server has no integrations.
pub(crate) fn integration_scripts() -> Vec<IntegrationScript> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{read_json, read_query};
    use rstest::rstest;

    fn fault<T>(body: &str) -> Invalid
    where
        T: Wire + serde::de::DeserializeOwned,
    {
        read_json::<T>(body.as_bytes()).and_then(Wire::command).err().unwrap()
    }

    #[rstest]
    #[case(fault::<CreateShareLink>("{}"), "name")]
    #[case(fault::<CreateShareLink>(r#"{"name":null}"#), "name")]
    #[case(fault::<CreateShareLink>(&format!(r#"{{"name":"{}"}}"#, "é".repeat(51))), "name")]
    #[case(fault::<UpdateShareLink>("{}"), "body")]
    #[case(fault::<UpdateShareLink>(r#"{"active":null}"#), "active")]
    #[case(fault::<UpdatePublishingAuth>("{}"), "backend")]
    #[case(fault::<UpdatePublishingAuth>(r#"{"backend":"saml"}"#), "backend")]
    #[case(fault::<UpdatePublishingAuth>(r#"{"backend":"custom","fallbackURL":"javascript:alert(1)"}"#), "fallbackURL")]
    #[case(fault::<UpdatePublishingAuth>(r#"{"backend":"custom","logoutURL":"https://a:b@example.org/"}"#), "logoutURL")]
    #[case(fault::<UpdateAdaptiveSchema>("{}"), "jsonSchema")]
    #[case(fault::<UpdateAdaptiveSchema>(r#"{"jsonSchema":{"type":"array"}}"#), "jsonSchema.type")]
    fn a_field_that_breaks_a_rule_is_named(#[case] fault: Invalid, #[case] field: &str) {
        assert_eq!(fault.field, field);
    }

    #[test]
    fn an_address_is_kept_removed_or_set() {
        let patch = |body: &str| read_json::<UpdatePublishingAuth>(body.as_bytes()).unwrap().command().unwrap();
        let kept = patch(r#"{"backend":"custom"}"#);
        assert_eq!((kept.fallback_url, kept.logout_url), (Patch::Keep, Patch::Keep));
        let changed = patch(r#"{"backend":"integration","fallbackURL":null,"logoutURL":"https://example.org"}"#);
        let address = "https://example.org/".parse().unwrap();
        assert_eq!((changed.fallback_url, changed.logout_url), (Patch::Clear, Patch::Set(address)));
        assert_eq!(changed.backend, AuthBackend::Integration);
    }

    #[test]
    fn a_search_is_at_most_512_characters() {
        let search = |query: &str| read_query::<ShareLinkParams>(query)?.command();
        assert_eq!(search("search=Partners"), Ok(Some("Partners".to_owned())));
        assert_eq!(search(""), Ok(None));
        assert_eq!(search(&format!("search={}", "x".repeat(513))).unwrap_err().field, "search");
    }
}
