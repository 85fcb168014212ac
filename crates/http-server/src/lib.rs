//! The common part of all HTTP drivers: connections and their deadlines, request ids, logs and metrics, limits, threads
//! for long work, caches of finished responses, conditional requests.
//!
//! A driver is an application of actix-web with its own routes, its own form of errors ([`Driver`]) and its own way to
//! identify callers. This crate knows none of them, and no use case.
mod answer;
mod body;
mod cache_size;
mod client_address;
mod conditional;
mod error;
mod large_bodies;
mod network;
mod range;
mod rate_limits;
mod request_metrics;
mod response_cache;
mod revision_cache;
mod server;
mod stamped_cache;
mod telemetry;
#[cfg(test)]
mod tests;
mod work_pool;

pub use answer::{Answer, LastField, NO_STORE, tag};
pub use body::{LARGEST_BODY, announced, collect, refuse_announced};
pub use cache_size::{allocated, fitted};
pub use client_address::{client_address, client_network, user_agent};
pub use conditional::{Comparison, client_has, list_names};
pub use error::{RETRY_UNAVAILABLE, ServerError, chain};
pub use large_bodies::{Arrival, LARGEST_WITH_ROOM, LargeBodies, LargeBodyTimes, Room};
pub use network::{InvalidNetwork, Network};
pub use range::{RequestedRange, requested_range};
pub use rate_limits::{Budget, Budgets, Exceeded, Limits};
pub use response_cache::{CacheKey, Cached, Expiring, ResponseCache};
pub use revision_cache::{CachedAnswer, KeySize, RevisionCache};
pub use server::{
    Either, EitherService, FastPath, FastResponse, PendingResponse, ServerOptions, StopSignal, StopSignals, Traffic,
    is_draining, is_refused, serve, stop_at, stop_signal,
};
pub use stamped_cache::{AsOf, StampedCache};
pub use telemetry::{Driver, RequestId, observe, running_again};
pub use work_pool::{Bounds, WorkPool};
