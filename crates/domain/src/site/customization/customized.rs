//! Stored customizations of a site and its spaces, and the effective customization.
use super::{Customization, Overrides};
use crate::id::SiteSpaceId;
use crate::site::adaptive_schema::VisitorClaims;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Stored overrides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customized {
    /// The values.
    pub overrides: Overrides,
    /// When they were last changed.
    pub updated_at: DateTime<Utc>,
}

/// The stored overrides of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteCustomizations {
    /// Of the site, on the defaults; absent if it was never customized.
    pub site: Option<Customized>,
    /// Of spaces on it, on the values of the site.
    pub spaces: BTreeMap<SiteSpaceId, Customized>,
}

/// The effective customization of a site or a space on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectiveCustomization {
    /// The values.
    pub customization: Customization,
    /// When they were last changed; absent if never.
    pub updated_at: Option<DateTime<Utc>>,
}

impl EffectiveCustomization {
    /// With these overrides.
    fn with(self, customized: &Customized) -> Self {
        let updated_at = self.updated_at.max(Some(customized.updated_at));
        Self { customization: customized.overrides.on(&self.customization), updated_at }
    }

    /// As a visitor with these claims sees it.
    #[must_use]
    pub fn for_visitor(mut self, claims: &VisitorClaims) -> Self {
        self.customization.hide_links(claims);
        self
    }
}

impl SiteCustomizations {
    /// The customization of the site: its overrides on the defaults.
    pub fn of_site(&self) -> EffectiveCustomization {
        let default = EffectiveCustomization::default();
        self.site.iter().fold(default, EffectiveCustomization::with)
    }

    /// The customization of a space on the site: its overrides on the customization of the site.
    pub fn of_space(&self, id: &SiteSpaceId) -> EffectiveCustomization {
        self.spaces.get(id).into_iter().fold(self.of_site(), EffectiveCustomization::with)
    }
}
