//! The scopes of tokens: a token may do everything that its user may do, or only the operations of certain scopes.
use crate::text::Rule;
use crate::words;
use serde::{Deserialize, Serialize};

words! {
    /// A scope: a set of operations that a token can be limited to. Scopes of areas without operations exist as well,
    /// so that tokens can be created for them in advance.
    pub enum Scope {
        /// The user's own account, and other accounts that the user may see.
        UserRead = "user:read",
        /// Organizations.
        OrganizationRead = "organization:read",
        /// Settings of organizations.
        OrganizationWrite = "organization:write",
        /// Members and teams.
        OrganizationMembersRead = "organization:members:read",
        /// Changes to members and teams, and invites.
        OrganizationMembersWrite = "organization:members:write",
        /// Questions about the content of an organization.
        OrganizationAsk = "organization:ask",
        /// Searches in the content of an organization.
        OrganizationSearch = "organization:search",
        /// Spaces, collections, their content, change requests, reviews.
        SpaceRead = "space:read",
        /// Changes to these, except merging.
        SpaceWrite = "space:write",
        /// Permissions of spaces and collections.
        SpacePermissionsRead = "space:permissions:read",
        /// Changes to that.
        SpacePermissionsWrite = "space:permissions:write",
        /// Merging change requests.
        ChangeRequestMerge = "change-request:merge",
        /// Sites and their parts.
        SiteRead = "site:read",
        /// Changes to these.
        SiteWrite = "site:write",
        /// Publishing sites.
        SitePublish = "site:publish",
        /// Permissions of sites.
        SitePermissionsRead = "site:permissions:read",
        /// Changes to that.
        SitePermissionsWrite = "site:permissions:write",
        /// Authentication of visitors of a site.
        SiteAuthRead = "site:auth:read",
        /// Changes to that.
        SiteAuthWrite = "site:auth:write",
        /// Analytics of visitors of a site.
        SiteInsightsRead = "site:insights:read",
        /// Questions about the content of a site.
        SiteAsk = "site:ask",
        /// Searches in the content of a site.
        SiteSearch = "site:search",
        /// Integrations.
        IntegrationRead = "integration:read",
        /// Where integrations are installed.
        IntegrationInstallationsRead = "integration:installations:read",
        /// Changes to that.
        IntegrationInstallationsWrite = "integration:installations:write",
        /// Publishing integrations.
        IntegrationPublish = "integration:publish",
        /// Deleting integrations.
        IntegrationDelete = "integration:delete",
        /// OpenAPI specifications.
        OpenapiRead = "openapi:read",
        /// Changes to these.
        OpenapiWrite = "openapi:write",
    }
}

/// A set of at least one scope.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Scope>", into = "Vec<Scope>")]
pub struct ScopeSet(u64);

impl ScopeSet {
    /// The scopes of the content tokens of sites. The rights of the visitor decide which objects they can read.
    pub const OF_VISITORS: Self = Self(1 << (Scope::SiteRead as u64) | 1 << (Scope::SpaceRead as u64));

    /// A set of these scopes.
    ///
    /// # Errors
    /// [`Rule`] for an empty list: the token would permit nothing.
    pub fn new(scopes: impl IntoIterator<Item = Scope>) -> Result<Self, Rule> {
        let bits = scopes.into_iter().fold(0, |bits, scope| bits | Self::bit(scope));
        if bits == 0 { Err(Rule("must name at least one scope".into())) } else { Ok(Self(bits)) }
    }

    fn bit(scope: Scope) -> u64 {
        1 << (scope as u64)
    }

    /// Whether the set contains the scope.
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & Self::bit(scope) != 0
    }

    /// Each scope of the set, in the order of the API.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }
}

impl std::fmt::Debug for ScopeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl TryFrom<Vec<Scope>> for ScopeSet {
    type Error = Rule;
    fn try_from(scopes: Vec<Scope>) -> Result<Self, Rule> {
        Self::new(scopes)
    }
}

impl From<ScopeSet> for Vec<Scope> {
    fn from(set: ScopeSet) -> Self {
        set.iter().collect()
    }
}

/// The limit of a token, within the rights of its user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scopes {
    /// Everything.
    #[default]
    All,
    /// Only the operations of these scopes.
    Only(ScopeSet),
}

/// The scope that an operation requires, in addition to the rights of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Any token.
    AnyToken,
    /// A token with this scope, or without limit.
    Scope(Scope),
    /// A token without limit: no scope allows the operation.
    AllScopes,
}

impl Scopes {
    /// The scopes that a token is limited to; `None` without limit.
    pub fn limit(self) -> Option<ScopeSet> {
        match self {
            Self::All => None,
            Self::Only(set) => Some(set),
        }
    }

    /// Checks that a token allows an operation.
    ///
    /// # Errors
    /// [`Rule`] names the missing scope.
    pub fn check(self, wanted: Wanted) -> Result<(), Rule> {
        let Self::Only(set) = self else { return Ok(()) };
        match wanted {
            Wanted::AnyToken => Ok(()),
            Wanted::Scope(scope) if set.contains(scope) => Ok(()),
            Wanted::Scope(scope) => Err(Rule(format!("the token lacks the scope {scope}"))),
            Wanted::AllScopes => {
                Err(Rule("no scope allows this operation: use a token that is not limited to scopes".into()))
            }
        }
    }
}

impl From<Option<ScopeSet>> for Scopes {
    fn from(limit: Option<ScopeSet>) -> Self {
        limit.map_or(Self::All, Self::Only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_29_scopes_each_with_a_word_of_its_own() {
        let words: BTreeSet<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        assert_eq!((Scope::ALL.len(), words.len()), (29, 29));
        for scope in Scope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(*scope));
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.as_str(), "stored and sent as its word");
        }
    }

    #[test]
    fn the_error_for_an_unknown_scope_lists_the_known_ones() {
        let Err(Rule(rule)) = "space:delete".parse::<Scope>() else { panic!("accepted") };
        assert!(rule.starts_with("must be one of user:read, organization:read") && rule.ends_with("openapi:write"));
    }

    #[rstest]
    #[case::whole_any(Scopes::All, Wanted::AnyToken, None)]
    #[case::whole_scope(Scopes::All, Wanted::Scope(Scope::SpaceWrite), None)]
    #[case::whole_all(Scopes::All, Wanted::AllScopes, None)]
    #[case::any(only(&[Scope::SiteAsk]), Wanted::AnyToken, None)]
    #[case::has_it(only(&[Scope::SiteAsk, Scope::SpaceRead]), Wanted::Scope(Scope::SpaceRead), None)]
    #[case::lacks_it(only(&[Scope::SpaceRead]), Wanted::Scope(Scope::SpaceWrite), Some("space:write"))]
    #[case::writing_is_not_reading(only(&[Scope::SpaceWrite]), Wanted::Scope(Scope::SpaceRead), Some("space:read"))]
    #[case::every_scope_is_not_all(only(Scope::ALL), Wanted::AllScopes, Some("not limited to scopes"))]
    fn a_token_allows_the_operations_of_its_scopes(
        #[case] has: Scopes,
        #[case] wanted: Wanted,
        #[case] refused: Option<&str>,
    ) {
        match (has.check(wanted), refused) {
            (Ok(()), None) => {}
            (Err(Rule(rule)), Some(part)) => assert!(rule.contains(part), "{rule}"),
            (answer, _) => panic!("{answer:?}"),
        }
    }

    fn only(scopes: &[Scope]) -> Scopes {
        Scopes::Only(ScopeSet::new(scopes.iter().copied()).unwrap())
    }

    #[test]
    fn a_set_of_scopes_cannot_be_empty() {
        assert!(ScopeSet::new([]).is_err());
        assert!(serde_json::from_str::<ScopeSet>("[]").is_err());
    }

    proptest! {
        #[test]
        fn a_set_contains_its_scopes_also_after_it_was_stored(picked in proptest::collection::vec(0usize..29, 1..40)) {
            let scopes: Vec<Scope> = picked.iter().map(|at| Scope::ALL[*at]).collect();
            let set = ScopeSet::new(scopes.iter().copied()).unwrap();
            for scope in Scope::ALL {
                prop_assert_eq!(set.contains(*scope), scopes.contains(scope));
            }
            let stored = serde_json::to_value(set).unwrap();
            prop_assert_eq!(serde_json::from_value::<ScopeSet>(stored).unwrap(), set);
        }
    }
}
