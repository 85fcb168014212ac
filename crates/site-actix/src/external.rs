//! Images and fonts of other hosts: visitors get them from this server.
use crate::answer::Keeping;
use crate::handler::{NOTHING, Reply};
use crate::site::SiteServer;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName};
use chrono::{DateTime, TimeDelta, Utc};
use domain::site::customization::{Customization, ThemedUrl};
use domain::site::external_image::{EXTERNAL, ImageSeal};
use domain::site::reader::{SiteCover, SiteFrame};
use domain::site::{SiteIcon, customization::Favicon};
use domain::usecases::sites::ExternalImage;
use domain::usecases::sites::reader::Visiting;
use domain::web_address::WebAddress;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// How long a fetched image is used, and how long an image that cannot be fetched is not tried again.
const FRESH: TimeDelta = TimeDelta::days(1);
const FAILED: TimeDelta = TimeDelta::minutes(5);
/// The number of images that are expected in the cache.
const ITEMS: usize = 1_000;

/// An image, or that there is none, until a time.
#[derive(Clone)]
struct Held {
    image: Option<ExternalImage>,
    until: DateTime<Utc>,
}

#[derive(Clone)]
struct Size;

impl Weighter<String, Arc<Held>> for Size {
    fn weight(&self, key: &String, held: &Arc<Held>) -> u64 {
        (key.len() + held.image.as_ref().map_or(0, |image| image.bytes.len()) + 128) as u64
    }
}

/// Images that were fetched lately.
pub(crate) struct HeldImages(Cache<String, Arc<Held>, Size>);

impl HeldImages {
    /// Images of at most `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Cache::with_weighter(ITEMS, bytes, Size))
    }

    /// The image at a signed path. It is fetched if it is not held, once for all who wait for it.
    async fn get(&self, server: &SiteServer, path: &str) -> Option<ExternalImage> {
        let now = server.services.clock.now();
        // A path that is not signed takes no room.
        server.services.external_images.seal.open(path)?;
        if self.0.get(path).is_some_and(|held| held.until <= now) {
            self.0.remove(path);
        }
        let fetch = async {
            let image = server.services.external_images.fetch(path).await;
            let until = now + if image.is_some() { FRESH } else { FAILED };
            Ok::<_, std::convert::Infallible>(Arc::new(Held { image, until }))
        };
        let held = self.0.get_or_insert_async(path, fetch).await;
        held.ok()?.image.clone()
    }
}

/// What a page gets its images and fonts of other hosts from.
#[derive(Clone, Debug)]
pub(crate) struct Rewriting<'a> {
    seal: &'a ImageSeal,
    /// The address of the site for the visitor, with a slash at its end.
    address: String,
    /// Its path.
    base: String,
}

impl<'a> Rewriting<'a> {
    /// For a visit; `None` if images stay where they are.
    pub(crate) fn of(server: &'a SiteServer, visiting: &Visiting<'_>) -> Option<Self> {
        let (address, base) = (visiting.address().to_owned(), visiting.base_path());
        server.image_seal().map(|seal| Self { seal, address, base })
    }

    /// Lets the logos, the icon and the fonts of a site come from this server.
    pub(crate) fn frame(&self, frame: &mut SiteFrame) {
        let Customization { header, footer, favicon: Favicon(favicon), styling, .. } = &mut frame.customization;
        // Without a file that cannot come from this server, the page has the next font.
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

    /// The same for the picture at the head of a page.
    pub(crate) fn cover(&self, cover: &mut SiteCover) {
        for image in std::iter::once(&mut cover.image).chain(&mut cover.dark) {
            if image.starts_with("http://") || image.starts_with("https://") {
                *image = format!("{}{}", self.base, self.seal.path(image));
            }
        }
    }

    /// What follows [`EXTERNAL`] in the path of an image.
    pub(crate) fn path(&self, image: &str) -> String {
        let path = self.seal.path(image);
        path.strip_prefix(EXTERNAL).map(str::to_owned).unwrap_or(path)
    }

    /// Changes an address to one of this server. Returns whether it is one. An address that would get too long stays as it
    /// is: the policy of the page then keeps an image away.
    fn address(&self, image: &mut WebAddress) -> bool {
        if image.as_str().starts_with(&self.address) {
            return true;
        }
        let Ok(kept) = WebAddress::try_from(format!("{}{}", self.address, self.seal.path(image.as_str()))) else {
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

/// The bytes of an image at a signed path, for a picture that has it in it.
pub(crate) async fn logo(server: &SiteServer, path: &str) -> Option<bytes::Bytes> {
    Some(server.images.get(server, path).await?.bytes)
}

/// Sends an image.
pub(crate) async fn send(server: &SiteServer, path: &str, public: bool) -> Option<HttpResponse> {
    let image = server.images.get(server, path).await?;
    let keeping = if public { Keeping::PublicFile } else { Keeping::PrivateFile };
    let policy = match image.media_type {
        "image/svg+xml" => "sandbox; default-src 'none'; style-src 'unsafe-inline'",
        _ => "sandbox; default-src 'none'",
    };
    let mut response = HttpResponse::Ok();
    response
        .insert_header((CONTENT_TYPE, image.media_type))
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header((HeaderName::from_static("cross-origin-resource-policy"), "same-origin"))
        .insert_header((CACHE_CONTROL, keeping.header()));
    Some(response.body(image.bytes))
}
