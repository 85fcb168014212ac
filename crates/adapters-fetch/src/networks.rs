//! Networks that are not the public internet, from the special-purpose registries of IANA (RFC 6890 and its
//! successors).
use domain::ports::FetchError;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// An IPv4 network: its first address and the length of its prefix.
type V4 = ([u8; 4], u32);
/// An IPv6 network: its first two groups, which distinguish all networks here, and the length of its prefix.
type V6 = ([u16; 2], u32);

const NOT_PUBLIC_V4: [V4; 18] = [
    ([0, 0, 0, 0], 8),        // this network
    ([10, 0, 0, 0], 8),       // private
    ([100, 64, 0, 0], 10),    // shared by a provider's customers; some clouds keep metadata there
    ([127, 0, 0, 0], 8),      // loopback
    ([168, 63, 129, 16], 32), // a cloud's own services, at an address that looks public
    ([169, 254, 0, 0], 16),   // link-local, metadata
    ([172, 16, 0, 0], 12),    // private
    ([192, 0, 0, 0], 24),     // protocol assignments
    ([192, 0, 2, 0], 24),     // documentation
    ([192, 31, 196, 0], 24),  // AS112
    ([192, 52, 193, 0], 24),  // relays of multicast
    ([192, 88, 99, 0], 24),   // relays of 6to4
    ([192, 168, 0, 0], 16),   // private
    ([192, 175, 48, 0], 24),  // AS112
    ([198, 18, 0, 0], 15),    // benchmarks
    ([198, 51, 100, 0], 24),  // documentation
    ([203, 0, 113, 0], 24),   // documentation
    ([224, 0, 0, 0], 3),      // multicast, reserved, broadcast
];

/// Addresses outside this network are not public: loopback, mapped and translated IPv4, unique local, link-local,
/// multicast.
const PUBLIC_V6: V6 = ([0x2000, 0], 3);

const NOT_PUBLIC_V6: [V6; 5] = [
    ([0x2001, 0], 23),     // protocol assignments; Teredo, which carries IPv4
    ([0x2001, 0xdb8], 32), // documentation
    ([0x2002, 0], 16),     // 6to4, which carries IPv4
    ([0x2620, 0x4f], 32),  // AS112 (2620:4f:8000::/48)
    ([0x3fff, 0], 20),     // documentation
];

/// Networks that are never allowed: link-local addresses and cloud metadata services. Operators do not mean these by
/// "private".
const NEVER_V4: [V4; 6] = [
    ([0, 0, 0, 0], 8),
    ([100, 100, 100, 200], 32),
    ([168, 63, 129, 16], 32),
    ([169, 254, 0, 0], 16),
    ([192, 0, 0, 0], 24),
    ([224, 0, 0, 0], 3),
];

/// Apart from loopback, private IPv6 addresses are unique local ones, except one address of a cloud metadata service.
const INSIDE_V6: V6 = ([0xfc00, 0], 7);
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

fn in_v4(ip: Ipv4Addr, (first, prefix): V4) -> bool {
    (ip.to_bits() ^ Ipv4Addr::from(first).to_bits()) >> (32 - prefix) == 0
}

fn in_v6(ip: Ipv6Addr, ([a, b], prefix): V6) -> bool {
    (ip.to_bits() ^ Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0).to_bits()) >> (128 - prefix) == 0
}

fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !NOT_PUBLIC_V4.iter().any(|network| in_v4(ip, *network)),
        IpAddr::V6(ip) => in_v6(ip, PUBLIC_V6) && !NOT_PUBLIC_V6.iter().any(|network| in_v6(ip, *network)),
    }
}

/// Allows the public internet, on ports 80 and 443.
pub(crate) fn public(address: SocketAddr) -> Result<(), FetchError> {
    match address.port() {
        _ if !is_public(address.ip()) => Err(FetchError::Private),
        80 | 443 => Ok(()),
        _ => Err(FetchError::Port),
    }
}

/// Also allows the operator's own networks, on any port.
pub(crate) fn inside(address: SocketAddr) -> Result<(), FetchError> {
    let fine = match address.ip() {
        IpAddr::V4(ip) => !NEVER_V4.iter().any(|network| in_v4(ip, *network)),
        IpAddr::V6(METADATA_V6) => false,
        IpAddr::V6(ip) => ip.is_loopback() || in_v6(ip, INSIDE_V6) || is_public(ip.into()),
    };
    if fine { Ok(()) } else { Err(FetchError::Private) }
}
