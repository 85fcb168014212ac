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
pub(crate) struct SearchSite {
    #[schema(value_type = String, max_length = 512)]
    query: SearchQuery,
    /// The default scope if absent.
    scope: Option<SearchScope>,
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

impl Wire for SearchSite {
    type Command = (SearchQuery, SiteScope);

    fn command(self) -> Result<(SearchQuery, SiteScope), Invalid> {
        let scope = match self.scope {
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
        Ok((self.query, scope))
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
    fn a_search_has_a_query_and_a_scope(#[case] body: &str, #[case] field: Option<&str>) {
        let read = read_json::<SearchSite>(body.as_bytes()).and_then(Wire::command);
        assert_eq!(read.err().map(|error| error.field).as_deref(), field);
    }
}
