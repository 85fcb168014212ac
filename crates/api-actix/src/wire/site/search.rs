//! Searches in sites.
use crate::request::{Wire, strictly};
use crate::wire::schemas;
use domain::id::SiteSpaceId;
use domain::site::structure::{ScopeRestriction, SiteScope};
use domain::text::{Invalid, SearchQuery};
use serde::Deserialize;
use utoipa::ToSchema;

/// A search in a site.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchSite {
    #[schema(value_type = String, max_length = 512)]
    query: SearchQuery,
    /// The default scope if absent.
    scope: Option<SearchScope>,
    /// The scope as older clients send it: `specific`, `current` or `all`. Ignored if `scope` is given.
    #[schema(value_type = Option<String>, pattern = "^(specific|current|all)$", deprecated)]
    mode: Option<SearchMode>,
    /// The site spaces of the mode `specific`, which is the mode if there is none.
    #[schema(value_type = Option<Vec<String>>, deprecated)]
    site_space_ids: Option<Vec<SiteSpaceId>>,
    /// The current site space of the mode `current`.
    #[schema(value_type = Option<String>, deprecated)]
    site_space_id: Option<SiteSpaceId>,
}

/// Where to search, as older clients send it.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SearchMode {
    /// The site spaces of `siteSpaceIds`.
    Specific,
    /// The site space `siteSpaceId`, and the default one of each other section.
    Current,
    /// All site spaces.
    All,
}

/// Where to search.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "mode", rename_all = "lowercase")]
#[schema(as = SiteSearchScope)]
pub(crate) enum SearchScope {
    /// The current site space, and the default one of each other section.
    #[serde(rename_all = "camelCase")]
    Default {
        /// The default site space of the site if absent.
        #[schema(value_type = Option<String>)]
        current_site_space: Option<SiteSpaceId>,
        /// Searches only the current site space, or all but that.
        #[serde(default, deserialize_with = "strictly")]
        #[schema(value_type = Option<schemas::ScopeRestriction>)]
        restrict_to: Option<ScopeRestriction>,
    },
    /// These site spaces.
    #[serde(rename_all = "camelCase")]
    Specific {
        /// At least one.
        #[schema(value_type = Vec<String>)]
        site_space_ids: Vec<SiteSpaceId>,
    },
    /// All site spaces.
    All {},
}

impl SearchScope {
    /// The scope that the fields of older clients mean.
    fn older(
        mode: Option<SearchMode>,
        site_space_ids: Option<Vec<SiteSpaceId>>,
        current_site_space: Option<SiteSpaceId>,
    ) -> Option<Self> {
        match mode {
            Some(SearchMode::All) => Some(Self::All {}),
            Some(SearchMode::Current) => Some(Self::Default { current_site_space, restrict_to: None }),
            Some(SearchMode::Specific) => Some(Self::Specific { site_space_ids: site_space_ids.unwrap_or_default() }),
            None => site_space_ids.map(|site_space_ids| Self::Specific { site_space_ids }),
        }
    }
}

impl Wire for SearchSite {
    type Command = (SearchQuery, SiteScope);

    fn command(self) -> Result<(SearchQuery, SiteScope), Invalid> {
        let Self { query, scope, mode, site_space_ids, site_space_id } = self;
        let scope = match scope.or_else(|| SearchScope::older(mode, site_space_ids, site_space_id)) {
            None => SiteScope::Default { current: None, restriction: None },
            Some(SearchScope::Default { current_site_space, restrict_to }) => {
                SiteScope::Default { current: current_site_space, restriction: restrict_to }
            }
            Some(SearchScope::Specific { site_space_ids }) if site_space_ids.is_empty() => {
                return Err(Invalid::new("scope.siteSpaceIds", "must have at least one entry"));
            }
            Some(SearchScope::Specific { site_space_ids }) => SiteScope::Specific(site_space_ids),
            Some(SearchScope::All {}) => SiteScope::All,
        };
        Ok((query, scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{"query":"engine"}"#, None)]
    #[case(r#"{"query":"engine","scope":{"mode":"all"}}"#, None)]
    #[case(r#"{"query":"engine","scope":{"mode":"default","restrictTo":"currentSiteSpace"}}"#, None)]
    #[case(r#"{"query":"engine","scope":{"mode":"specific","siteSpaceIds":[]}}"#, Some("scope.siteSpaceIds"))]
    #[case(r#"{"query":"engine","scope":{"mode":"default","restrictTo":null}}"#, None)]
    #[case(
        r#"{"query":"engine","scope":{"mode":"default","restrictTo":{"currentSiteSpace":null}}}"#,
        Some("scope.restrictTo")
    )]
    #[case(r#"{"scope":{"mode":"all"}}"#, Some("query"))]
    #[case(r#"{"query":"engine","mode":"specific"}"#, Some("scope.siteSpaceIds"))]
    #[case(r#"{"query":"engine","mode":"some"}"#, Some("mode"))]
    #[case(r#"{"query":"engine","mode":"specific","scope":{"mode":"all"}}"#, None)]
    fn a_search_has_a_query_and_a_scope(#[case] body: &str, #[case] field: Option<&str>) {
        let read = read_json::<SearchSite>(body.as_bytes()).and_then(Wire::command);
        assert_eq!(read.err().map(|error| error.field).as_deref(), field);
    }
}
