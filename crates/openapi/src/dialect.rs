//! The version of OpenAPI that a document is written in.
use crate::finding::{Code, Finding};
use crate::tree::{Node, Path, Step};
use std::fmt;

/// A version of OpenAPI, without its patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Version {
    /// 2.0, called Swagger.
    V2_0,
    /// 3.0.x.
    V3_0,
    /// 3.1.x.
    V3_1,
    /// 3.2.x.
    V3_2,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V2_0 => "2.0",
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
            Self::V3_2 => "3.2",
        })
    }
}

/// Whether a text can be a version of OpenAPI, known or not.
fn is_version(text: &str) -> bool {
    let text = text.trim();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
    text.len() <= 20 && text.starts_with(|first: char| first.is_ascii_digit()) && text.bytes().all(is_part)
}

impl Version {
    /// The version that a document states.
    ///
    /// # Errors
    /// A finding `not-openapi` or `version-unknown`, both fatal.
    pub(crate) fn of(root: &Node) -> Result<Self, Box<Finding>> {
        let key = if root.get("openapi").is_some() { "openapi" } else { "swagger" };
        let stated = root.get(key);
        // `swagger: 2.0` without quotation marks: the structure says so, but the version is clear.
        let text = stated.and_then(Node::text_or_digits);
        // Only versions are quoted: a caller could name the address of a page that only the server can reach.
        let (Some(stated), Some(text)) = (stated, text.filter(|text| is_version(text))) else {
            let message = "there is no \"openapi\" or \"swagger\" with a version: is this an OpenAPI document?";
            return Err(Box::new(Finding::new(Code::NotOpenapi, root.at, Path::default(), message)));
        };
        let mut numbers = text.trim().split('.');
        let version = match (key, numbers.next(), numbers.next()) {
            ("swagger", Some("2"), Some("0") | None) => Some(Self::V2_0),
            ("openapi", Some("3"), Some("0") | None) => Some(Self::V3_0),
            ("openapi", Some("3"), Some("1")) => Some(Self::V3_1),
            ("openapi", Some("3"), Some("2")) => Some(Self::V3_2),
            _ => None,
        };
        version.ok_or_else(|| {
            let name = if key == "swagger" { "Swagger" } else { "OpenAPI" };
            let message = format!("{name} {} is not supported: 2.0 and 3.0 to 3.2 are", text.trim());
            Box::new(Finding::new(Code::VersionUnknown, stated.at, Path(vec![Step::Key(key.into())]), message))
        })
    }
}
