//! The scope of a search: the spaces of a site that it includes.
use super::{SiteSpace, Structure};
use crate::id::SiteSpaceId;
use crate::text::Invalid;
use crate::words;

words! {
    /// A narrower default scope.
    pub enum ScopeRestriction {
        /// Only the current space.
        Current = "currentSiteSpace",
        /// All spaces of the scope but the current one.
        Others = "otherSiteSpaces",
    }
}

/// The scope of a search in a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteScope {
    /// The current space, and the default space of each other section.
    Default {
        /// The current space; the default of the site if absent.
        current: Option<SiteSpaceId>,
        /// A narrower scope.
        restriction: Option<ScopeRestriction>,
    },
    /// These spaces.
    Specific(Vec<SiteSpaceId>),
    /// All spaces.
    All,
}

impl Structure {
    /// The spaces in a scope, in order.
    ///
    /// # Errors
    /// [`Invalid`] for a space that is not on the site.
    pub fn in_scope(&self, scope: &SiteScope) -> Result<Vec<&SiteSpace>, Invalid> {
        let all = self.spaces();
        let known = |field: String, id: &SiteSpaceId| match all.iter().find(|(_, space)| space.id == *id) {
            Some((section, space)) => Ok((*section, *space)),
            None => Err(Invalid::new(field, format!("there is no space {id} on the site"))),
        };
        match scope {
            SiteScope::All => Ok(all.iter().map(|(_, space)| *space).collect()),
            SiteScope::Specific(ids) => {
                let named = ids.iter().enumerate().map(|(at, id)| known(format!("scope.siteSpaceIds[{at}]"), id));
                let named = named.map(|found| found.map(|(_, space)| &space.id)).collect::<Result<Vec<_>, _>>()?;
                Ok(all.iter().map(|(_, space)| *space).filter(|space| named.contains(&&space.id)).collect())
            }
            SiteScope::Default { current, restriction } => {
                let current = match current {
                    Some(id) => Some(known("scope.currentSiteSpace".to_owned(), id)?),
                    None => all.iter().copied().find(|(section, space)| {
                        space.settings.default && section.is_none_or(|section| section.settings.default)
                    }),
                };
                let Some((home, current)) = current else { return Ok(Vec::new()) };
                let chosen = all.iter().filter(|(section, space)| {
                    let is_current = space.id == current.id;
                    let beside = section.map(|section| &section.id) == home.map(|section| &section.id);
                    match restriction {
                        None => is_current || (!beside && space.settings.default),
                        Some(ScopeRestriction::Current) => is_current,
                        Some(ScopeRestriction::Others) => !is_current,
                    }
                });
                Ok(chosen.map(|(_, space)| *space).collect())
            }
        }
    }
}
