//! Addresses of links.

/// The schemes of addresses that links can have. Browsers could run something at others.
pub(crate) const SCHEMES: [&str; 4] = ["http", "https", "mailto", "tel"];

/// The address of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Href {
    pub(crate) href: String,
    /// Whether it is of another site.
    pub(crate) external: bool,
}
