//! The hosts and ports of this instance.
use crate::admission::Resolver;
use std::net::{IpAddr, SocketAddr, UdpSocket};

/// Hosts and ports that are always refused: otherwise a caller could reach the database, or the server from its own
/// machine, through a fetch.
pub(crate) struct OwnEndpoints(pub(crate) Vec<(String, u16)>);

impl OwnEndpoints {
    /// Whether the address belongs to this instance.
    pub(crate) async fn contains(&self, address: SocketAddr, names: &dyn Resolver) -> bool {
        for (host, _) in self.0.iter().filter(|(_, port)| *port == address.port()) {
            let own = match host.parse::<IpAddr>() {
                Ok(ip) => vec![ip],
                Err(_name) => names.addresses(host).await.unwrap_or_default(),
            };
            let here = |ip: &IpAddr| ip.is_unspecified() || ip.is_loopback();
            if own.contains(&address.ip()) || own.iter().any(here) && is_of_this_machine(address.ip()) {
                return true;
            }
        }
        false
    }
}

/// Whether the address belongs to this machine: only then a socket can bind to it.
fn is_of_this_machine(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}
