//! Queries of reads of sites.
use crate::request::Wire;
use domain::site::share_link::ShareKey;
use domain::text::Invalid;
use serde::Deserialize;
use utoipa::IntoParams;

/// The key of a share link.
#[derive(Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct ShareKeyParams {
    /// The key of a share link. Published URLs on its site then lead through the link.
    share_key: Option<String>,
}

impl Wire for ShareKeyParams {
    type Command = Option<ShareKey>;

    fn command(self) -> Result<Option<ShareKey>, Invalid> {
        Ok(self.share_key.as_deref().map(ShareKey::presented))
    }
}

/// Filters of the list of site spaces.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct SiteSpacesParams {
    /// `true` lists only the default site space of the site, `false` only the others.
    default: Option<bool>,
    /// The key of a share link. Published URLs on its site then lead through the link.
    share_key: Option<String>,
}

impl Wire for SiteSpacesParams {
    type Command = (Option<bool>, Option<ShareKey>);

    fn command(self) -> Result<Self::Command, Invalid> {
        Ok((self.default, self.share_key.as_deref().map(ShareKey::presented)))
    }
}
