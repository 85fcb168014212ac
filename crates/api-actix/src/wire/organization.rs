//! Organizations.
use super::merge_rules::SentMergeRules;
use super::{given, schemas};
use crate::answer::links::Links;
use crate::answer::resource::{Presented, Resource};
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::access::{Granted, Role};
use domain::id::SiteId;
use domain::merge_rules::MergeRules;
use domain::organization::{self, OrganizationPatch, email_domains, hostname};
use domain::patch::Patch;
use domain::text::{Invalid, OrganizationTitle};
use domain::usecases::organizations::NewOrganization;
use domain::web_address::WebAddress;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// An organization. It owns spaces and has members.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Organization)]
pub(crate) struct OrganizationFields {
    id: String,
    title: String,
    created_at: DateTime<Utc>,
    /// Users with a verified email address of one of these domains may join.
    email_domains: Vec<String>,
    /// The default host name of public content.
    #[serde(skip_serializing_if = "Option::is_none")]
    hostname: Option<String>,
    #[serde(rename = "type")]
    #[schema(example = "business")]
    kind: &'static str,
    /// The role of new members; `null` for guests.
    #[schema(value_type = Option<schemas::Role>, required)]
    default_role: Option<Role>,
    /// The site that the organization's host name leads to. Only administrators see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    default_content: Option<DefaultContent>,
    /// Whether members must sign in through the organization's identity provider. Stored; it has no effect yet, as
    /// there is no sign-in by identity providers.
    sso: bool,
    /// Whether language models of the operator may see texts of the organization.
    ai: bool,
    /// Whether invite links are enabled.
    invite_links: bool,
    /// The plan. A self-hosted server has all features.
    #[schema(example = "internal")]
    plan: &'static str,
    #[schema(value_type = schemas::MergeRules)]
    merge_rules: MergeRules,
    trial: Trial,
}

/// The trial period. A self-hosted server has none.
#[derive(Serialize, ToSchema)]
#[schema(as = OrganizationTrial)]
pub(crate) struct Trial {
    #[schema(example = "notapplicable")]
    status: &'static str,
    count: u32,
}

/// URLs of an organization.
#[derive(Serialize, ToSchema)]
pub(crate) struct OrganizationUrls {
    /// In this API.
    pub(crate) location: String,
    /// For people.
    app: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    logo: Option<String>,
}

impl Resource for OrganizationFields {
    const OBJECT: &'static str = "organization";
    type Entity = organization::Organization;
    type Urls = OrganizationUrls;
}

pub(crate) type Organization = Presented<OrganizationFields>;
pub(crate) type OrganizationList = List<Organization>;

/// Organizations that an email address may join.
#[derive(Serialize, ToSchema)]
pub(crate) struct Organizations {
    pub(crate) organizations: Vec<Organization>,
}

pub(crate) fn organization(granted: Granted<organization::Organization>, links: &Links) -> Organization {
    // Members may not see every site.
    let administers = granted.permissions().admin;
    Presented::new(granted, |organization: organization::Organization| {
        let location = links.organization(&organization.id);
        let urls = OrganizationUrls { app: location.clone(), location, logo: organization.logo.map(String::from) };
        let fields = OrganizationFields {
            id: organization.id.into(),
            title: organization.title.into(),
            created_at: organization.created_at,
            email_domains: organization.email_domains,
            hostname: organization.hostname,
            kind: "business",
            default_role: organization.default_role,
            default_content: organization.default_site.filter(|_| administers).map(DefaultContent::of),
            sso: organization.sso,
            ai: organization.ai,
            invite_links: organization.invite_links,
            plan: "internal",
            merge_rules: organization.merge_rules,
            trial: Trial { status: "notapplicable", count: 0 },
        };
        (fields, urls)
    })
}

/// Options of a new organization.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct CreateOrganizationParams {
    /// Whether to create a site too, which becomes the `defaultContent`; `false` if absent. A token with scopes also
    /// needs `site:write` for it.
    with_default_site: Option<bool>,
    /// A spec is created by an operation of its own.
    #[param(ignore)]
    openapi_url: Option<String>,
}

impl Wire for CreateOrganizationParams {
    /// Whether to create a site too.
    type Command = bool;

    fn command(self) -> Result<bool, Invalid> {
        if self.openapi_url.is_some() {
            let rule = "is not supported: create the spec with POST /orgs/{organizationId}/openapi";
            return Err(Invalid::new("openapiUrl", rule));
        }
        Ok(self.with_default_site.unwrap_or(false))
    }
}

/// An organization to create.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateOrganization {
    #[schema(value_type = String, min_length = 2, max_length = 255)]
    title: OrganizationTitle,
    /// Users with a verified email address of one of these domains may join.
    #[serde(default)]
    email_domains: Vec<String>,
    /// The preferences of the user for the first steps. They are checked and have no effect, since this server has no
    /// such steps.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = OnboardingPreferences)]
    #[expect(dead_code, reason = "read for its errors")]
    onboarding_preferences: Option<OnboardingPreferences>,
}

/// What a user wants to do with a new organization.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "read for its errors")]
pub(crate) struct OnboardingPreferences {
    source: Option<OnboardingSource>,
    audience: Option<OnboardingAudience>,
    #[serde(default)]
    interests: Vec<OnboardingInterest>,
}

/// Where the first content comes from.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OnboardingSource {
    MarkdownInGit,
    Import,
    Template,
}

/// Who reads the content.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OnboardingAudience {
    Public,
    Mixed,
    Protected,
    Internal,
}

/// A feature that the user is interested in.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OnboardingInterest {
    AdaptiveContent,
    ApiDocs,
    ProactiveAgent,
}

impl Wire for CreateOrganization {
    type Command = NewOrganization;

    fn command(self) -> Result<NewOrganization, Invalid> {
        let email_domains = email_domains("emailDomains", self.email_domains)?;
        Ok(NewOrganization { title: self.title, email_domains, with_default_site: false })
    }
}

/// Changes to an organization; absent fields stay unchanged.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateOrganization {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, min_length = 2, max_length = 255)]
    title: Option<OrganizationTitle>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Vec<String>)]
    email_domains: Option<Vec<String>>,
    /// 3 to 32 characters; `null` removes the host name. With a wildcard host of the operator, the sites of the
    /// organization have addresses below it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    hostname: Patch<String>,
    /// `null` for guests.
    #[serde(default)]
    #[schema(value_type = Option<schemas::Role>)]
    default_role: Patch<Role>,
    /// The URL of an image; `null` removes the logo.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 2048)]
    logo: Patch<WebAddress>,
    /// The site that the organization's host name leads to, with a wildcard host of the operator; `null` removes it. A
    /// site that is deleted is no longer set.
    #[serde(default)]
    #[schema(value_type = Option<DefaultContent>)]
    default_content: Patch<DefaultContent>,
    /// Stored; it has no effect yet, as there is no sign-in by identity providers.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    sso: Option<bool>,
    /// Whether language models of the operator may see texts of the organization.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    ai: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    invite_links: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = schemas::MergeRules)]
    merge_rules: Option<SentMergeRules>,
}

/// The content that an organization's host name leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct DefaultContent {
    #[serde(rename = "type")]
    kind: DefaultContentKind,
    #[schema(value_type = String)]
    site: SiteId,
}

/// The kind of content that a host name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DefaultContentKind {
    Site,
}

impl DefaultContent {
    fn of(site: SiteId) -> Self {
        Self { kind: DefaultContentKind::Site, site }
    }
}

impl Wire for UpdateOrganization {
    type Command = OrganizationPatch;

    fn command(self) -> Result<OrganizationPatch, Invalid> {
        Ok(OrganizationPatch {
            title: self.title,
            email_domains: self.email_domains.map(|domains| email_domains("emailDomains", domains)).transpose()?,
            hostname: self.hostname.try_map(|name| hostname("hostname", name))?,
            default_role: self.default_role,
            logo: self.logo,
            default_site: self.default_content.try_map(|content| Ok::<_, Invalid>(content.site))?,
            sso: self.sso,
            ai: self.ai,
            invite_links: self.invite_links,
            merge_rules: self.merge_rules.map(|rules| rules.read("mergeRules", false)).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    fn patch(body: &str) -> Result<OrganizationPatch, Invalid> {
        read_json::<UpdateOrganization>(body.as_bytes())?.command()
    }

    #[test]
    fn every_part_of_a_response_sent_back_changes_nothing_else() {
        let body =
            r#"{"id":"x","object":"x","createdAt":"2020-01-01T00:00:00Z","permissions":{"admin":true},"plan":"x"}"#;
        assert_eq!(patch(body), Ok(OrganizationPatch::default()));
    }

    #[test]
    fn null_takes_away_what_may_be_absent() {
        let patch = patch(r#"{"hostname":null,"logo":null,"defaultRole":null,"defaultContent":null}"#).unwrap();
        assert_eq!((patch.hostname, patch.logo, patch.default_role), (Patch::Clear, Patch::Clear, Patch::Clear));
        assert_eq!(patch.default_site, Patch::Clear);
    }

    #[rstest]
    #[case(r#"{"title":"a"}"#, "title")]
    #[case(r#"{"title":null}"#, "title")]
    #[case(r#"{"sso":null}"#, "sso")]
    #[case(r#"{"emailDomains":["ok.org","nope"]}"#, "emailDomains[1]")]
    #[case(r#"{"hostname":"x"}"#, "hostname")]
    #[case(r#"{"logo":"javascript:x"}"#, "logo")]
    #[case(r#"{"defaultRole":"owner"}"#, "defaultRole")]
    #[case(r#"{"defaultContent":{"type":"site","site":"a b"}}"#, "defaultContent.site")]
    #[case(r#"{"defaultContent":{"type":"space","site":"s"}}"#, "defaultContent.type")]
    #[case(r#"{"mergeRules":{"type":"inherit"}}"#, "mergeRules.type")]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: &str) {
        assert_eq!(patch(body).unwrap_err().field, field);
    }
}
