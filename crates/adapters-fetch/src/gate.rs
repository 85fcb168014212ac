//! Whom a request may go to.
use crate::own::Own;
use async_trait::async_trait;
use domain::ports::FetchError;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use url::{Host, Url};

/// Whether an address may be asked.
pub(crate) type Rule = fn(SocketAddr) -> Result<(), FetchError>;

/// Finds the addresses of hosts.
#[async_trait]
pub(crate) trait Names: Send + Sync {
    /// All addresses of a host.
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// As the operating system finds them.
pub(crate) struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// Looks at every address before it is asked.
pub(crate) struct Gate {
    pub(crate) rule: Rule,
    pub(crate) own: Own,
    pub(crate) names: Arc<dyn Names>,
}

impl Gate {
    /// The addresses that the host of the URL may be asked at. One that must not be asked keeps all from being asked: a
    /// host with a public and a private address has something in mind.
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
            if self.own.holds(*address, &*self.names).await {
                return Err(FetchError::Private);
            }
        }
        Ok(found)
    }
}
