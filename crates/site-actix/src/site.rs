//! The state that all requests share.
use crate::address::AddressParser;
use crate::answer::Encoded;
use crate::external::ImageCache;
use crate::packed_article::PackedArticle;
use crate::reference::Reference;
use crate::render_cache::{DiagramCache, RenderCache};
use crate::request::VisitKey;
use crate::settings::SiteSettings;
use chrono::{DateTime, Utc};
use domain::site::external_image::ImageSigner;
use domain::usecases::UseCases;
use http_server::{AsOf, Bounds, Budgets, Expiring, Limits, ResponseCache, StampedCache, WorkPool};
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;

/// The maximum number of cached host names.
const HOSTS: usize = 10_000;

/// The sites of one instance, shared by all workers of a server.
pub struct SiteServer {
    pub(crate) services: UseCases,
    pub(crate) settings: SiteSettings,
    pub(crate) address_parser: AddressParser,
    pub(crate) responses: ResponseCache<VisitKey, Visitor>,
    /// The stamp that the database had last.
    last_stamp: AtomicU64,
    /// Whether a site has a host name.
    pub(crate) hosts: StampedCache<String, bool>,
    /// Texts of pages, rendered and compressed.
    pub(crate) articles: RenderCache<PackedArticle>,
    /// Diagrams of pages.
    pub(crate) diagrams: DiagramCache,
    /// Pages, rendered and compressed.
    pub(crate) pages: RenderCache<Encoded>,
    pub(crate) images: ImageCache,
    /// The feedback budgets of networks.
    pub(crate) feedback: Budgets<IpAddr>,
    /// The search budgets of networks.
    pub(crate) searches: Budgets<IpAddr>,
    pub(crate) work_pool: WorkPool<IpAddr>,
    /// The reference of the API, read at its first use; `None` if its document cannot be read.
    pub(crate) reference: OnceLock<Option<Reference>>,
}

impl SiteServer {
    /// The sites of these use cases.
    pub fn new(services: UseCases, settings: SiteSettings) -> Self {
        Self {
            address_parser: AddressParser::new(&settings.sites_url),
            responses: ResponseCache::new(settings.cache_bytes / 8 * 3),
            last_stamp: AtomicU64::new(0),
            hosts: StampedCache::new(HOSTS),
            articles: RenderCache::new(settings.cache_bytes / 4),
            diagrams: DiagramCache::new(settings.cache_bytes / 16),
            pages: RenderCache::new(settings.cache_bytes / 16 * 3),
            images: ImageCache::new(settings.cache_bytes / 8),
            feedback: Budgets::new(per_minute(settings.feedback_per_minute)),
            searches: Budgets::new(per_minute(settings.searches_per_minute)),
            work_pool: WorkPool::new(Bounds::of(available_parallelism().unwrap_or(NonZeroUsize::MIN))),
            reference: OnceLock::new(),
            services,
            settings,
        }
    }

    /// The state of the database now; `None` if it cannot be determined.
    pub(crate) async fn as_of(&self) -> Option<AsOf> {
        // Take the time first: a response built later is never older than that.
        let at = self.services.clock.now();
        let stamp = self.services.store.stamp().await?;
        self.last_stamp.store(stamp, Ordering::Relaxed);
        Some(AsOf { stamp, at })
    }

    /// Whether the database had this stamp when it was last asked. If not, it hardly ever has it now.
    pub(crate) fn had_stamp(&self, stamp: u64) -> bool {
        self.last_stamp.load(Ordering::Relaxed) == stamp
    }

    /// Signs the addresses of images of other hosts; `None` if they stay where they are.
    pub(crate) fn image_signer(&self) -> Option<&ImageSigner> {
        self.settings.keep_external_images.then_some(&self.services.external_images.signer)
    }
}

/// A limit per minute for the visitors of a network. The whole budget can be used at once.
fn per_minute(most: u32) -> Limits {
    Limits { requests_per_minute: most, burst: most, failures_per_minute: 0 }
}

/// The visitor of a cached response.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visitor {
    /// When the visit ends.
    pub(crate) expires_at: Option<DateTime<Utc>>,
}

impl Expiring for Visitor {
    fn expires_at(&self) -> Option<DateTime<Utc>> {
        self.expires_at
    }
}
