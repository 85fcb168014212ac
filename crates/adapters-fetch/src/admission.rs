//! Checks the addresses of a request.
use crate::refused_hosts::OwnEndpoints;
use async_trait::async_trait;
use domain::ports::FetchError;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use url::{Host, Url};

/// Whether requests to an address are allowed.
pub(crate) type Rule = fn(SocketAddr) -> Result<(), FetchError>;

/// Resolves host names.
#[async_trait]
pub(crate) trait Resolver: Send + Sync {
    /// All addresses of a host.
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// Resolves host names with the operating system.
pub(crate) struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// Checks every address before a request.
pub(crate) struct AddressCheck {
    pub(crate) rule: Rule,
    pub(crate) own: OwnEndpoints,
    pub(crate) names: Arc<dyn Resolver>,
}

impl AddressCheck {
    /// The addresses of the host in the URL, if all of them are allowed. One forbidden address refuses the host: a host
    /// with a public and a private address is suspicious.
    pub(crate) async fn admit(&self, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        let port = url.port_or_known_default().ok_or(FetchError::Scheme)?;
        let found = match url.host().ok_or(FetchError::Address("has no host"))? {
            Host::Ipv4(ip) => vec![ip.into()],
            Host::Ipv6(ip) => vec![ip.into()],
            Host::Domain(host) => self.names.addresses(host).await.map_err(|_error| FetchError::Private)?,
        };
        if found.is_empty() {
            return Err(FetchError::Private);
        }
        let found: Vec<SocketAddr> = found.into_iter().map(|ip| (ip.to_canonical(), port).into()).collect();
        for address in &found {
            (self.rule)(*address)?;
            if self.own.contains(*address, &*self.names).await {
                return Err(FetchError::Private);
            }
        }
        Ok(found)
    }
}
