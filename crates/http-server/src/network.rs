//! IP networks, such as those of trusted proxies.
use std::net::IpAddr;
use std::str::FromStr;

/// An IP network such as `10.0.0.0/8`, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// The error of parsing a [`Network`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an IP address, or a network such as 10.0.0.0/8")]
pub struct InvalidNetwork;

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(raw: &str) -> Result<Self, InvalidNetwork> {
        let (address, prefix) = raw.split_once('/').map_or((raw, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().ok().ok_or(InvalidNetwork)?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(longest), u8::from_str).ok().filter(|prefix| *prefix <= longest);
        Ok(Self { address, prefix: prefix.ok_or(InvalidNetwork)? })
    }
}

impl Network {
    /// Whether the network contains the address.
    pub fn contains(&self, address: IpAddr) -> bool {
        let (own, other) = (bits(self.address), bits(address.to_canonical()));
        let same_family = self.address.is_ipv4() == address.to_canonical().is_ipv4();
        let kept = u128::MAX.checked_shl(128 - u32::from(self.prefix)).unwrap_or(0);
        same_family && own & kept == other & kept
    }
}

/// The address as the upper bits of a number, so that one mask works for both families.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
        IpAddr::V6(address) => address.to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("10.0.0.0/8", "10.200.3.4", true)]
    #[case("10.0.0.0/8", "11.0.0.1", false)]
    #[case("10.0.0.1", "10.0.0.1", true)]
    #[case("10.0.0.1", "10.0.0.2", false)]
    #[case("0.0.0.0/0", "8.8.8.8", true)]
    #[case("0.0.0.0/0", "2001:db8::1", false)]
    #[case("10.0.0.0/8", "::ffff:10.1.1.1", true)]
    #[case("2001:db8::/32", "2001:db8:1::1", true)]
    #[case("2001:db8::/32", "2001:db9::1", false)]
    fn a_network_holds_the_addresses_of_its_prefix(#[case] network: &str, #[case] address: &str, #[case] inside: bool) {
        assert_eq!(network.parse::<Network>().unwrap().contains(address.parse().unwrap()), inside);
    }

    #[rstest]
    #[case("")]
    #[case("10.0.0.0/33")]
    #[case("10.0.0.0/x")]
    #[case("::/129")]
    #[case("example.org")]
    fn anything_else_is_no_network(#[case] raw: &str) {
        assert_eq!(raw.parse::<Network>(), Err(InvalidNetwork));
    }
}
