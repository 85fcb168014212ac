//! What belongs to this instance.
use crate::gate::Names;
use std::net::{IpAddr, SocketAddr, UdpSocket};

/// Hosts and ports that are never asked, whatever else is allowed: nobody may speak to the database, or to the server
/// as its own neighbour, by having it fetch.
pub(crate) struct Own(pub(crate) Vec<(String, u16)>);

impl Own {
    /// Whether the address is one of them.
    pub(crate) async fn holds(&self, address: SocketAddr, names: &dyn Names) -> bool {
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

/// Only an address of this machine can be bound to.
fn is_of_this_machine(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}
