//! Images and fonts of other hosts, which this server fetches for visitors.
use crate::answer::CachePolicy;
use crate::handler::{NOTHING, Reply};
use crate::site::SiteServer;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName};
use chrono::{DateTime, TimeDelta, Utc};
use domain::site::customization::{Customization, ThemedUrl};
use domain::site::external_image::{EXTERNAL, ImageSigner};
use domain::site::reader::{SiteCover, SiteFrame};
use domain::site::{SiteIcon, customization::Favicon};
use domain::usecases::sites::ExternalImage;
use domain::usecases::sites::reader::Visiting;
use domain::web_address::WebAddress;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// How long a fetched image is cached, and how long a failed fetch is not retried.
const FRESH: TimeDelta = TimeDelta::days(1);
const FAILED: TimeDelta = TimeDelta::minutes(5);
/// The number of images that are expected in the cache.
const ITEMS: usize = 1_000;

/// A cached image or failure, with its expiry.
#[derive(Clone)]
struct CachedImage {
    image: Option<ExternalImage>,
    until: DateTime<Utc>,
}

#[derive(Clone)]
struct Size;

impl Weighter<String, Arc<CachedImage>> for Size {
    fn weight(&self, key: &String, held: &Arc<CachedImage>) -> u64 {
        (key.len() + held.image.as_ref().map_or(0, |image| image.bytes.len()) + 128) as u64
    }
}

/// The cache of fetched images.
pub(crate) struct ImageCache(Cache<String, Arc<CachedImage>, Size>);

impl ImageCache {
    /// Images of at most `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Cache::with_weighter(ITEMS, bytes, Size))
    }

    /// The image at a signed path. If it is not cached, it is fetched once for all waiting requests.
    async fn get(&self, server: &SiteServer, path: &str) -> Option<ExternalImage> {
        let now = server.services.clock.now();
        // An unsigned path adds no entry to the cache.
        server.services.external_images.signer.verify(path)?;
        if self.0.get(path).is_some_and(|held| held.until <= now) {
            self.0.remove(path);
        }
        let fetch = async {
            let image = server.services.external_images.fetch(path).await;
            let until = now + if image.is_some() { FRESH } else { FAILED };
            Ok::<_, std::convert::Infallible>(Arc::new(CachedImage { image, until }))
        };
        let held = self.0.get_or_insert_async(path, fetch).await;
        held.ok()?.image.clone()
    }
}

/// Rewrites the addresses of images and fonts of other hosts on a page.
#[derive(Clone, Debug)]
pub(crate) struct ImageRewriter<'a> {
    signer: &'a ImageSigner,
    /// The address of the site for the visitor, with a slash at its end.
    address: String,
    /// Its path.
    base: String,
}

impl<'a> ImageRewriter<'a> {
    /// For a visit; `None` if images stay where they are.
    pub(crate) fn of(server: &'a SiteServer, visiting: &Visiting<'_>) -> Option<Self> {
        let (address, base) = (visiting.address().to_owned(), visiting.base_path());
        server.image_signer().map(|signer| Self { signer, address, base })
    }

    /// Rewrites the addresses of the logos, the icon and the fonts of a site.
    pub(crate) fn frame(&self, frame: &mut SiteFrame) {
        let Customization { header, footer, favicon: Favicon(favicon), styling, .. } = &mut frame.customization;
        // If a font file cannot come from this server, the page uses the next font.
        for font in styling.heading_font.iter_mut().chain([&mut styling.font]) {
            font.retain_files(|file| self.address(file));
        }
        styling.monospace_font.retain_files(|file| self.address(file));
        for logo in header.logo.iter_mut().chain(&mut footer.logo) {
            let ThemedUrl { light, dark } = logo;
            self.address(light);
            self.address(dark);
        }
        for icon in favicon.iter_mut().chain(&mut frame.icon) {
            if let SiteIcon::Icon { light, dark } = icon {
                self.address(light);
                self.address(dark);
            }
        }
    }

    /// The same for the cover image of a page.
    pub(crate) fn cover(&self, cover: &mut SiteCover) {
        for image in std::iter::once(&mut cover.image).chain(&mut cover.dark) {
            if image.starts_with("http://") || image.starts_with("https://") {
                *image = format!("{}{}", self.base, self.signer.path(image));
            }
        }
    }

    /// What follows [`EXTERNAL`] in the path of an image.
    pub(crate) fn path(&self, image: &str) -> String {
        let path = self.signer.path(image);
        path.strip_prefix(EXTERNAL).map(str::to_owned).unwrap_or(path)
    }

    /// Changes an address to one of this server. Returns whether it did. An address that would get too long is not
    /// changed: the policy of the page then blocks the image.
    fn address(&self, image: &mut WebAddress) -> bool {
        if image.as_str().starts_with(&self.address) {
            return true;
        }
        let Ok(kept) = WebAddress::try_from(format!("{}{}", self.address, self.signer.path(image.as_str()))) else {
            return false;
        };
        *image = kept;
        true
    }
}

/// The image at an address below `~/external/`, for a visitor of the site.
pub(crate) fn reply(path: &str, public: bool) -> Reply {
    if path.is_empty() { NOTHING } else { Reply::External { path: path.to_owned(), public } }
}

/// The bytes of an image at a signed path, to embed in another image.
pub(crate) async fn logo(server: &SiteServer, path: &str) -> Option<bytes::Bytes> {
    Some(server.images.get(server, path).await?.bytes)
}

/// Sends an image.
pub(crate) async fn send(server: &SiteServer, path: &str, public: bool) -> Option<HttpResponse> {
    let image = server.images.get(server, path).await?;
    let cache_policy = if public { CachePolicy::PublicFile } else { CachePolicy::PrivateFile };
    let policy = match image.media_type {
        "image/svg+xml" => "sandbox; default-src 'none'; style-src 'unsafe-inline'",
        _ => "sandbox; default-src 'none'",
    };
    let mut response = HttpResponse::Ok();
    response
        .insert_header((CONTENT_TYPE, image.media_type))
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header((HeaderName::from_static("cross-origin-resource-policy"), "same-origin"))
        .insert_header((CACHE_CONTROL, cache_policy.header()));
    Some(response.body(image.bytes))
}
