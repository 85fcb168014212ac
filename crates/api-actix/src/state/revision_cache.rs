//! The keys of the revision cache, and of the cache of versions that callers may read.
use domain::actor::Owner;
use domain::content::object::Hash;
use domain::content::revision::RevisionKind;
use domain::id::{PageId, RevisionId, SpaceId};
use domain::usecases::content::{At, PageRef};
pub(crate) use http_server::CachedAnswer;
use http_server::KeySize;

/// The cache key: everything that a response depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    pub(crate) space: SpaceId,
    /// How the revision was selected. The links in the response use the same form.
    pub(crate) at: At,
    pub(crate) revision: RevisionId,
    pub(crate) what: What,
    /// Where the pages are published ([`SpacePublication::fingerprint`](domain::site::publication::SpacePublication)).
    pub(crate) published: Option<Hash>,
    /// The query string, unparsed.
    pub(crate) query: String,
    /// A hash of the claims of a visitor of a site, who may not see all pages.
    pub(crate) visit: Option<[u8; 32]>,
}

/// The maximum number of cached versions.
pub(crate) const VERSIONS: usize = 4096;

/// The key of a version: the caller and the version.
pub(crate) type VersionKey = (Owner, SpaceId, At);

/// The part of a revision that is read.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum What {
    /// The pages as a tree.
    Pages,
    Page(PageRef),
    /// The text of a page.
    Text(PageId),
    /// All of the revision except the texts and the change request that it merged.
    Revision {
        /// The origin of the revision, as far as the caller may see it.
        kind: RevisionKind,
        /// When the URLs of files expire, in seconds since 1970.
        files_expire: i64,
    },
}

impl KeySize for Name {
    fn size(&self) -> usize {
        self.query.len() + 384
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::ok;
    use http_server::RevisionCache;

    fn name(revision: &str, query: &str) -> Name {
        let page = What::Page(PageRef::Path("install".into()));
        let (space, revision) = ("s".parse().unwrap(), revision.parse().unwrap());
        Name { space, at: At::Primary, revision, what: page, published: None, query: query.into(), visit: None }
    }

    #[test]
    fn an_answer_is_found_under_all_that_it_depends_on() {
        let finished = RevisionCache::new(1 << 20);
        finished.store(name("r", "format=markdown"), &ok(&"text").unwrap());
        assert!(matches!(finished.find(&name("r", "format=markdown")), Some(CachedAnswer::Whole(_))));
        assert!(finished.find(&name("r2", "format=markdown")).is_none());
        assert!(finished.find(&name("r", "")).is_none());
        let published = Name { published: Some(Hash::of(b"docs")), ..name("r", "format=markdown") };
        assert!(finished.find(&published).is_none());
        let elsewhere = Name { at: At::Revision("r".parse().unwrap()), ..name("r", "format=markdown") };
        assert!(finished.find(&elsewhere).is_none());
        let visitor = Name { visit: Some([0; 32]), ..name("r", "format=markdown") };
        assert!(finished.find(&visitor).is_none());
    }

    #[test]
    fn a_revision_is_found_under_the_kind_that_is_shown_and_the_day_of_its_urls() {
        let of = |kind, files_expire| Name { what: What::Revision { kind, files_expire }, ..name("r", "") };
        let finished = RevisionCache::new(1 << 20);
        finished.store(of(RevisionKind::Merge, 1), &ok(&"text").unwrap());
        assert!(finished.find(&of(RevisionKind::Merge, 1)).is_some());
        assert!(finished.find(&of(RevisionKind::Edits, 1)).is_none(), "the caller may not see the change request");
        assert!(finished.find(&of(RevisionKind::Merge, 2)).is_none(), "another day");
    }
}
