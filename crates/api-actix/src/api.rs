//! The state that all requests share.
use crate::answer::links::Links;
use crate::answer::revision_cache::RevisionCache;
use crate::files::Signer;
use crate::openapi;
use crate::pipeline::rate_limits::Budgets;
use crate::pipeline::response_cache::ResponseCache;
use crate::pipeline::route_table::RouteTable;
use crate::pipeline::work_pool::{Bounds, WorkPool};
use crate::request::visitor_token::VisitorSigner;
use crate::server::connection::Traffic;
use crate::server::settings::Settings;
use domain::usecases::UseCases;
use std::sync::Arc;

/// The API of one instance, shared by all workers of a server.
pub struct Api {
    pub(crate) services: UseCases,
    pub(crate) settings: Settings,
    pub(crate) links: Links,
    pub(crate) signer: Signer,
    pub(crate) visitors: VisitorSigner,
    pub(crate) page_key: [u8; 32],
    pub(crate) budgets: Budgets,
    pub(crate) response_cache: ResponseCache,
    pub(crate) revision_cache: RevisionCache,
    pub(crate) work_pool: WorkPool,
    pub(crate) route_table: RouteTable,
    pub(crate) traffic: Arc<Traffic>,
    pub(crate) document: String,
}

impl Api {
    /// Builds the API.
    pub fn new(services: UseCases, settings: Settings) -> Self {
        let document = openapi::document(&settings.version);
        let signer = Signer::new(&settings.secret);
        Self {
            links: Links::new(&settings.public_url, signer.clone()),
            signer,
            visitors: VisitorSigner::new(&settings.secret),
            page_key: blake3::derive_key("octavo 2026 page tokens", &settings.secret),
            budgets: Budgets::new(settings.limits),
            response_cache: ResponseCache::new(settings.answer_cache_bytes / 2),
            revision_cache: RevisionCache::new(settings.answer_cache_bytes / 2),
            work_pool: WorkPool::new(Bounds::default()),
            route_table: RouteTable::of(&document),
            document: openapi::json(&document),
            traffic: Arc::default(),
            services,
            settings,
        }
    }
}
