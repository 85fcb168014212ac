//! The origins of images in the frame, for the policy of the page.
use super::context::FrameContext;
use domain::site::SiteIcon;
use domain::site::customization::ThemedUrl;
use domain::site::reader::SitePage;
use domain::web_address::WebAddress;
use std::collections::BTreeSet;
use url::Url;

/// The origins of images that may be on other hosts.
pub(super) fn of(context: &FrameContext<'_>, page: Option<&SitePage>) -> Vec<String> {
    let mut addresses: Vec<&str> = Vec::new();
    let logos = [&context.customization.header.logo, &context.customization.footer.logo];
    for ThemedUrl { light, dark } in logos.into_iter().flatten() {
        addresses.extend([light, dark].map(WebAddress::as_str));
    }
    if let Some(SiteIcon::Icon { light, dark }) = &context.frame.icon {
        addresses.extend([light, dark].map(WebAddress::as_str));
    }
    if let Some(cover) = page.and_then(|page| page.cover.as_ref()) {
        addresses.push(&cover.image);
        addresses.extend(cover.dark.as_deref());
    }
    let own = origin(&context.frame.canonical);
    let origins: BTreeSet<String> = addresses.into_iter().filter_map(origin).collect();
    let origins = origins.into_iter().filter(|origin| Some(origin) != own.as_ref());
    origins.collect()
}

/// The origin of an absolute address of the web.
fn origin(address: &str) -> Option<String> {
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}
