//! The metadata of a page that never conflicts: times, authors and the file that it was imported from.
use super::three_way::agreed;
use crate::object::Hash;
use crate::page::{GitBlob, PageEntry};

/// Sets the times, the author and the source file of a merged page.
pub(super) fn join_provenance(
    joint: &mut PageEntry,
    base: Option<&PageEntry>,
    primary: &PageEntry,
    change: &PageEntry,
) {
    joint.created_at = primary.created_at.min(change.created_at);
    joint.updated_at = primary.updated_at.max(change.updated_at);
    let author = |page: &PageEntry| page.created_by.clone();
    joint.created_by = either(base.and_then(author), author(primary), author(change));
    joint.git = join_git(base.and_then(|page| page.git.as_ref()), primary.git.as_ref(), change.git.as_ref());
    let source = |page: &PageEntry| Source { text: page.source, digest: page.import_digest };
    let source = source_of(
        joint.document(),
        base.map(source).unwrap_or_default(),
        (primary.document(), source(primary)),
        (change.document(), source(change)),
    );
    (joint.source, joint.import_digest) = (source.text, source.digest);
}

/// The file that something was imported from.
pub(super) fn join_git(base: Option<&GitBlob>, primary: Option<&GitBlob>, change: Option<&GitBlob>) -> Option<GitBlob> {
    let told = |git: Option<&GitBlob>| git.map(|git| (git.path.clone(), git.oid.clone()));
    either(told(base), told(primary), told(change)).map(|(path, oid)| GitBlob { oid, path })
}

/// A source file with the digest of its import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Source {
    pub(super) text: Option<Hash>,
    pub(super) digest: Option<Hash>,
}

/// The source file of a merged document: that of the side with the same document. A document of neither side has no
/// source file.
pub(super) fn source_of(
    joint: Option<Hash>,
    base: Source,
    primary: (Option<Hash>, Source),
    change: (Option<Hash>, Source),
) -> Source {
    match (joint == primary.0, joint == change.0) {
        (true, true) => either(base, primary.1, change.1),
        (true, false) => primary.1,
        (false, true) => change.1,
        (false, false) => Source::default(),
    }
}

/// The value of the only side that changed it. If both did, the greater value, so the result does not depend on the
/// order of the sides.
fn either<T: Ord + Clone>(base: T, primary: T, change: T) -> T {
    agreed(&base, &primary, &change).cloned().unwrap_or_else(|| primary.max(change))
}
