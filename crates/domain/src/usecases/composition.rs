//! The composition root: all use cases, built from the ports in one place.
use super::accounts::LastUse;
use super::search::Search;
use super::{
    Accounts, Audit, ChangeRequests, Collections, Content, Explain, Instructions, Invites, Jobs, Members,
    Organizations, Permissions, Spaces, Teams,
};
use crate::invite::InviteSeal;
use crate::ports::{Clock, Fetcher, Files, Ids, Secrets, Store};
use std::sync::Arc;

/// The ports that the use cases need.
#[derive(Clone)]
#[expect(missing_docs, reason = "one port each")]
pub struct Ports {
    pub store: Arc<dyn Store>,
    pub files: Arc<dyn Files>,
    pub fetcher: Arc<dyn Fetcher>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub secrets: Arc<dyn Secrets>,
}

/// All use cases, and the ports that drivers such as an HTTP server use themselves.
#[derive(Clone)]
#[expect(missing_docs, reason = "use cases and ports by their names")]
pub struct UseCases {
    pub accounts: Accounts,
    pub audit: Audit,
    pub organizations: Organizations,
    pub members: Members,
    pub teams: Teams,
    pub invites: Invites,
    pub instructions: Instructions,
    pub spaces: Spaces,
    pub collections: Collections,
    pub permissions: Permissions,
    pub explain: Explain,
    pub content: Content,
    pub change_requests: ChangeRequests,
    pub search: Search,
    pub jobs: Jobs,
    pub store: Arc<dyn Store>,
    pub files: Arc<dyn Files>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
}

impl UseCases {
    /// Builds the use cases. Links to the product start with `public_url`; it may be empty where nothing links to this
    /// instance. Invites are sealed with a key derived from the instance's `secret`.
    pub fn new(ports: &Ports, public_url: &str, secret: &[u8; 32]) -> Self {
        let Ports { store, files, fetcher, clock, ids, secrets } = ports;
        let (s, c, i, f) = (|| store.clone(), || clock.clone(), || ids.clone(), || files.clone());
        let fetcher = fetcher.clone();
        Self {
            accounts: Accounts { store: s(), clock: c(), ids: i(), secrets: secrets.clone(), uses: LastUse::default() },
            audit: Audit { store: s(), clock: c(), ids: i() },
            organizations: Organizations { store: s(), clock: c(), ids: i() },
            members: Members { store: s(), clock: c(), ids: i() },
            teams: Teams { store: s(), clock: c(), ids: i() },
            invites: Invites { store: s(), clock: c(), ids: i(), seal: InviteSeal::new(secret) },
            instructions: Instructions { store: s(), clock: c(), ids: i() },
            spaces: Spaces { store: s(), clock: c(), ids: i() },
            collections: Collections { store: s(), clock: c(), ids: i() },
            permissions: Permissions { store: s(), clock: c(), ids: i() },
            explain: Explain { store: s() },
            content: Content { store: s(), clock: c(), ids: i(), files: f(), public_url: public_url.into() },
            change_requests: ChangeRequests { store: s(), clock: c(), ids: i(), files: f(), fetcher },
            search: Search { store: s() },
            jobs: Jobs { store: s(), clock: c(), ids: i(), files: f() },
            store: s(),
            files: f(),
            clock: c(),
            ids: i(),
        }
    }
}
