//! The state that all requests share.
use crate::answer::links::Links;
use crate::answer::signature::Signer;
use crate::settings::Settings;
use crate::state::caller::{Bearer, Caller};
use crate::state::revision_cache::{Name, VERSIONS, VersionKey};
use crate::state::route_table::RouteTable;
use crate::state::visitor_token::VisitorSigner;
use domain::actor::Owner;
use domain::token::TokenHash;
use domain::usecases::UseCases;
use domain::usecases::content::Version;
use http_server::{Answer, Bounds, Budgets, LargeBodies, ResponseCache, RevisionCache, StampedCache, WorkPool};
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread::available_parallelism;

/// The API of one instance, shared by all workers of a server.
pub struct Api {
    pub(crate) services: UseCases,
    pub(crate) settings: Settings,
    pub(crate) links: Links,
    pub(crate) signer: Signer,
    pub(crate) visitors: VisitorSigner,
    pub(crate) page_key: [u8; 32],
    /// An id that no object has and that no caller can guess.
    pub(crate) absent_id: String,
    pub(crate) budgets: Budgets<Bearer>,
    pub(crate) response_cache: ResponseCache<TokenHash, Caller>,
    pub(crate) revision_cache: RevisionCache<Name>,
    pub(crate) version_cache: StampedCache<VersionKey, Version>,
    /// The operator and the server itself count as one caller.
    pub(crate) work_pool: WorkPool<Owner>,
    pub(crate) large_bodies: LargeBodies<Owner>,
    pub(crate) route_table: RouteTable,
    /// The OpenAPI document, once it was asked for.
    pub(crate) document: OnceLock<Answer>,
}

impl Api {
    /// The API with the operations of a route table.
    pub(crate) fn of(route_table: RouteTable, services: UseCases, settings: Settings) -> Self {
        let signer = Signer::new(&settings.secret);
        Self {
            links: Links::new(&settings.public_url, signer.clone()).with_sites(&services.sites.hosting),
            signer,
            visitors: VisitorSigner::new(&settings.secret),
            page_key: blake3::derive_key("octavo 2026 page tokens", &settings.secret),
            absent_id: absent_id(&settings.secret),
            budgets: Budgets::new(settings.limits),
            response_cache: ResponseCache::new(settings.answer_cache_bytes / 2),
            revision_cache: RevisionCache::new(settings.answer_cache_bytes / 2),
            version_cache: StampedCache::new(VERSIONS),
            work_pool: WorkPool::new(Bounds::of(available_parallelism().unwrap_or(NonZeroUsize::MIN))),
            large_bodies: LargeBodies::default(),
            route_table,
            document: OnceLock::new(),
            services,
            settings,
        }
    }
}

/// An id, a slug and the hash of a document all can have this form.
fn absent_id(secret: &[u8]) -> String {
    blake3::Hash::from_bytes(blake3::derive_key("octavo 2026 id of nothing", secret)).to_hex().to_string()
}
