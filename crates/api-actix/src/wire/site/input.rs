//! Sites in requests.
use super::AdaptiveContent;
use crate::request::Wire;
use crate::wire::place::default_level_patch;
use crate::wire::{given, schemas};
use domain::id::{SiteSectionId, SiteSpaceId, SpaceId};
use domain::patch::Patch;
use domain::site::path::{Basename, Hostname, Proxy};
use domain::site::structure::SiteTitle;
use domain::site::{self, AgentsContext, NewSite, SiteIcon, SitePatch, SiteType, SiteVisibility};
use domain::text::{Emoji, Invalid};
use domain::usecases::sites::SiteFilter;
use domain::web_address::WebAddress;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// Filters of the list of sites.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListSites {
    /// Only sites with this space.
    #[param(value_type = Option<String>)]
    space: Option<SpaceId>,
    /// Only sites whose title contains this text; case does not matter.
    title: Option<String>,
    /// Only sites that are published, or that are not.
    published: Option<bool>,
    /// Only sites of these types. Repeat the parameter for several.
    #[serde(default, rename = "type")]
    #[param(value_type = Vec<schemas::SiteType>)]
    kinds: Vec<SiteType>,
}

impl Wire for ListSites {
    type Command = SiteFilter;

    fn command(self) -> Result<SiteFilter, Invalid> {
        Ok(SiteFilter { space: self.space, title: self.title, published: self.published, kinds: self.kinds })
    }
}

/// A site to create. It is not published.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct CreateSite {
    #[serde(default, rename = "type")]
    #[schema(value_type = schemas::SiteType)]
    kind: SiteType,
    #[schema(value_type = Option<String>, min_length = 2, max_length = 128)]
    title: Option<SiteTitle>,
    #[serde(default)]
    #[schema(value_type = schemas::SiteVisibility)]
    visibility: SiteVisibility,
    /// The spaces on the site, in order; the first one is the default. The caller must be allowed to manage them.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    spaces: Vec<SpaceId>,
}

impl Wire for CreateSite {
    type Command = NewSite;

    fn command(self) -> Result<NewSite, Invalid> {
        Ok(NewSite { kind: self.kind, title: self.title, visibility: self.visibility, spaces: self.spaces })
    }
}

/// The icon of a site: `icon` or `emoji`, not both. An empty object removes it.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SetSiteIcon {
    icon: Option<SetSiteIconImages>,
    #[schema(value_type = Option<String>, max_length = 50)]
    emoji: Option<Emoji>,
}

/// Addresses of images for light and dark mode.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SetSiteIconImages {
    #[schema(value_type = String)]
    light: WebAddress,
    #[schema(value_type = String)]
    dark: WebAddress,
}

/// Changes to a site; absent fields stay unchanged.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateSite {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, min_length = 2, max_length = 128)]
    title: Option<SiteTitle>,
    /// `null` removes the icon.
    #[serde(default)]
    #[schema(value_type = Option<SetSiteIcon>)]
    icon: Patch<SetSiteIcon>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = schemas::SiteVisibility)]
    visibility: Option<SiteVisibility>,
    /// The name in addresses of the server: 1 to 100 characters of a-z, 0-9, `.`, `_` and `-`.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    basename: Option<Basename>,
    /// A host name of the site, such as `docs.example.org`; `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 512)]
    hostname: Patch<Hostname>,
    /// The address of the site behind a proxy, a host and a path such as `www.example.org/docs`; `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 512)]
    proxy: Patch<Proxy>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = AdaptiveContent)]
    adaptive_content: Option<AdaptiveContent>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = schemas::AgentsContext)]
    agents_context: Option<AgentsContext>,
    /// `null` means no access for members without a grant of their own, except administrators.
    #[serde(default)]
    #[schema(value_type = Option<schemas::DefaultLevel>)]
    default_level: Patch<String>,
    /// The space with the rules of style for the content; `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    styleguide: Patch<SpaceId>,
    /// The default site space, of the default section if there are sections.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String)]
    default_site_space: Option<SiteSpaceId>,
    /// The default section.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String)]
    default_site_section: Option<SiteSectionId>,
}

fn icon(icon: Patch<SetSiteIcon>) -> Result<Patch<SiteIcon>, Invalid> {
    let read = |sent: SetSiteIcon| {
        site::icon(sent.icon.map(|images| (images.light, images.dark)), sent.emoji).map_err(|rule| rule.of("icon"))
    };
    Ok(match icon.try_map(read)? {
        Patch::Keep => Patch::Keep,
        Patch::Clear | Patch::Set(None) => Patch::Clear,
        Patch::Set(Some(icon)) => Patch::Set(icon),
    })
}

impl Wire for UpdateSite {
    type Command = SitePatch;

    fn command(self) -> Result<SitePatch, Invalid> {
        Ok(SitePatch {
            title: self.title,
            icon: icon(self.icon)?,
            visibility: self.visibility,
            basename: self.basename,
            hostname: self.hostname,
            proxy: self.proxy,
            default_level: default_level_patch(self.default_level)?,
            adaptive_content: self.adaptive_content.map(|adaptive| adaptive.enabled),
            agents_context: self.agents_context,
            styleguide: self.styleguide,
            default_section: self.default_site_section,
            default_space: self.default_site_space,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{"title":"D"}"#, Some("title"))]
    #[case(r#"{"title":null}"#, Some("title"))]
    #[case(r#"{"visibility":"private"}"#, Some("visibility"))]
    #[case(r#"{"basename":"a/b"}"#, Some("basename"))]
    #[case(r#"{"hostname":"example.org"}"#, Some("hostname"))]
    #[case(r#"{"hostname":null,"proxy":null,"icon":null,"defaultLevel":null}"#, None)]
    #[case(r#"{"proxy":"example.org"}"#, Some("proxy"))]
    #[case(r#"{"proxy":"example.org/docs","adaptiveContent":{"enabled":true}}"#, None)]
    #[case(r#"{"icon":{"emoji":"1f4d6","icon":{"light":"https://a.test/l","dark":"https://a.test/d"}}}"#, Some("icon"))]
    #[case(r#"{"icon":{}}"#, None)]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: Option<&str>) {
        let read = read_json::<UpdateSite>(body.as_bytes()).and_then(Wire::command);
        assert_eq!(read.err().map(|error| error.field).as_deref(), field);
    }
}
