//! The customization of sites.
use crate::answer::links::Links;
use crate::request::{Wire, read_json};
use crate::wire::schemas::customization::{SiteCustomization as Schema, UpdateSiteCustomization as SentSchema};
use chrono::{DateTime, Utc};
use domain::site::customization::{Customization, CustomizationPatch, EffectiveCustomization};
use domain::text::Invalid;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema as OpenApiSchema;
use utoipa::{PartialSchema, ToSchema};

/// The largest body, in bytes.
const MAX_BODY: usize = 256 * 1024;

/// A customization in force.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SiteCustomization {
    #[serde(flatten)]
    customization: Customization,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<DateTime<Utc>>,
}

pub(crate) fn customization(effective: EffectiveCustomization, _links: &Links) -> SiteCustomization {
    SiteCustomization { customization: effective.customization, updated_at: effective.updated_at }
}

/// Values of a customization.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct UpdateSiteCustomization(Map<String, Value>);

impl Wire for UpdateSiteCustomization {
    const MAX_BODY: usize = MAX_BODY;
    type Command = CustomizationPatch;

    fn command(self) -> Result<CustomizationPatch, Invalid> {
        CustomizationPatch::read(self.0, |complete| {
            // As text, so that errors are those of any other body.
            read_json::<Customization>(complete.to_string().as_bytes())?.checked()
        })
    }
}

/// Gives a JSON form the schema of another type.
macro_rules! described {
    ($($name:ident: $schema:ident),+) => {$(
        impl PartialSchema for $name {
            fn schema() -> RefOr<OpenApiSchema> {
                $schema::schema()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                $schema::name()
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<OpenApiSchema>)>) {
                $schema::schemas(schemas);
            }
        }
    )+};
}
described!(SiteCustomization: Schema, UpdateSiteCustomization: SentSchema);

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn patch(body: &Value) -> Result<CustomizationPatch, Invalid> {
        read_json::<UpdateSiteCustomization>(body.to_string().as_bytes())?.command()
    }

    #[rstest]
    #[case(json!([]), "body: must be a JSON object")]
    #[case(json!({"styling": "bold"}), "styling: must be an object")]
    #[case(json!({"styling": {"theme": "neon"}}), "styling.theme: must be one of `clean`, `muted`, `bold`, `gradient`")]
    #[case(json!({"styling": {"theme": 7}}), "styling.theme: must be one of `clean`, `muted`, `bold`, `gradient`")]
    #[case(
        json!({"styling": {"primaryColor": {"light": "red"}}}),
        "styling.primaryColor.light: must be a colour such as #346ddb"
    )]
    #[case(json!({"styling": {"tint": {"color": {"light": "#fff"}}}}), "styling.tint.color.dark: is required")]
    #[case(
        json!({"styling": {"monospaceFont": "Inter"}}),
        "styling.monospaceFont: must be one of FiraCode, IBMPlexMono, JetBrainsMono, SourceCodePro, RobotoMono, \
         SpaceMono, DMMono, Inconsolata"
    )]
    #[case(json!({"styling": {"font": 7}}), "styling.font: must be the name of a font or the definition of one")]
    #[case(
        json!({"styling": {"font": {"id": "f", "custom": true, "fontFamily": "F", "fontFaces": [{"weight": 0, "sources": []}]}}}),
        "styling.font.fontFaces[0].weight: must be a whole number from 1 to 1000"
    )]
    #[case(json!({"header": {"logo": {"light": "x"}}}), "header.logo.light: must be an address such as https://example.org/logo.png")]
    #[case(json!({"header": {"links": [{"title": "a"}, {"to": null}]}}), "header.links[1].title: is required")]
    #[case(
        json!({"header": {"links": [{"title": "a", "links": [{"title": "", "to": {"kind": "space", "space": "s"}}]}]}}),
        "header.links[0].links[0].title: must have at least 1 character"
    )]
    #[case(
        json!({"header": {"primaryLink": {"kind": "url", "url": "javascript:x"}}}),
        "header.primaryLink: must have an address of the scheme http, https, mailto, tel or none"
    )]
    #[case(json!({"ai": {"suggestions": ["Why?", "ab"]}}), "ai.suggestions[1]: must have at least 3 characters")]
    #[case(json!({"pageActions": {"items": ["pdf", "pdf"]}}), "pageActions.items: must not have pdf twice")]
    #[case(json!({"favicon": {"emoji": "x", "icon": {"light": "https://a.org", "dark": "https://a.org"}}}), "favicon: must have either icon or emoji")]
    #[case(json!({"title": "a"}), "title: must have at least 2 characters")]
    #[case(json!({"socialAccounts": [{"platform": "github"}]}), "socialAccounts[0].handle: is required")]
    fn an_error_names_the_value_by_its_path(#[case] body: Value, #[case] message: &str) {
        assert_eq!(patch(&body).unwrap_err().to_string(), message);
    }

    #[test]
    fn a_condition_that_is_no_expression_is_named() {
        let link = |condition: &str| json!({"header": {"links": [{"title": "a", "condition": condition}]}});
        assert_eq!(patch(&link("1 +")).unwrap_err().field, "header.links[0].condition");
        assert!(patch(&link("visitor.claims.plan === 'pro'")).is_ok());
    }

    #[test]
    fn unknown_keys_and_the_time_of_a_response_are_ignored() {
        let sent = json!({"updatedAt": "2026-01-01T00:00:00Z", "unknown": {"a": 1}, "styling": {"unknown": 1}});
        assert_eq!(patch(&sent), patch(&json!({"styling": {}})));
    }
}
