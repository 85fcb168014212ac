//! Versions of a space that a preview shows: the content of a change request, or a revision.
use crate::change_request::ChangeRequestRef;
use crate::id::RevisionId;
use std::fmt;

/// The first segment of the path of the preview of a change request.
const CHANGES: &str = "~changes";
/// The first segment of the path of the preview of a revision.
const REVISIONS: &str = "~revisions";

/// A version of a space that a preview shows instead of the primary content. Displays as the segments of its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreviewedVersion {
    /// The content of a change request. A number can refer to change requests of several spaces.
    ChangeRequest(ChangeRequestRef),
    /// A revision.
    Revision(RevisionId),
}

impl fmt::Display for PreviewedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangeRequest(which) => write!(f, "{CHANGES}/{which}"),
            Self::Revision(id) => write!(f, "{REVISIONS}/{id}"),
        }
    }
}

/// The path of a preview, without a slash at its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreviewPath<'a> {
    /// A path of the site, with the primary content of all spaces.
    Primary(&'a str),
    /// A path of the site, with another version of one space.
    Version(PreviewedVersion, &'a str),
    /// A path with an invalid version.
    Nothing,
}

impl<'a> PreviewPath<'a> {
    /// Reads a path.
    pub fn read(path: &'a str) -> Self {
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let (named, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let version = match first {
            CHANGES => named.parse().ok().map(PreviewedVersion::ChangeRequest),
            REVISIONS => named.parse().ok().map(PreviewedVersion::Revision),
            _ => return Self::Primary(path),
        };
        version.map_or(Self::Nothing, |version| Self::Version(version, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("install/linux", Some(("", "install/linux")))]
    #[case("", Some(("", "")))]
    #[case("~/search", Some(("", "~/search")))]
    #[case("~changes/3/install/linux", Some(("~changes/3", "install/linux")))]
    #[case("~changes/3", Some(("~changes/3", "")))]
    #[case("~changes/03/", Some(("~changes/3", "")))]
    #[case("~changes/QmFyb21ldGVy/a", Some(("~changes/QmFyb21ldGVy", "a")))]
    #[case("~revisions/QmFyb21ldGVy/~/print", Some(("~revisions/QmFyb21ldGVy", "~/print")))]
    #[case("~changes", None)]
    #[case("~changes/not%20an%20id/a", None)]
    #[case("~revisions//a", None)]
    fn the_version_is_at_the_start_of_the_path(#[case] path: &str, #[case] expected: Option<(&str, &str)>) {
        let read = match PreviewPath::read(path) {
            PreviewPath::Primary(rest) => Some((String::new(), rest)),
            PreviewPath::Version(version, rest) => Some((version.to_string(), rest)),
            PreviewPath::Nothing => None,
        };
        assert_eq!(read.as_ref().map(|(version, rest)| (version.as_str(), *rest)), expected);
    }
}
