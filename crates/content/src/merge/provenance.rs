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
    joint.source = source_of(
        joint.document(),
        base.and_then(|page| page.source),
        (primary.document(), primary.source),
        (change.document(), change.source),
    );
}

/// The file that something was imported from.
pub(super) fn join_git(base: Option<&GitBlob>, primary: Option<&GitBlob>, change: Option<&GitBlob>) -> Option<GitBlob> {
    let told = |git: Option<&GitBlob>| git.map(|git| (git.path.clone(), git.oid.clone()));
    either(told(base), told(primary), told(change)).map(|(path, oid)| GitBlob { oid, path })
}

/// The source file of a merged document: that of the side with the same document. A document of neither side has no
/// source file.
pub(super) fn source_of(
    joint: Option<Hash>,
    base: Option<Hash>,
    primary: (Option<Hash>, Option<Hash>),
    change: (Option<Hash>, Option<Hash>),
) -> Option<Hash> {
    match (joint == primary.0, joint == change.0) {
        (true, true) => either(base, primary.1, change.1),
        (true, false) => primary.1,
        (false, true) => change.1,
        (false, false) => None,
    }
}

/// The value of the only side that changed it. If both did, the greater value, so the result does not depend on the
/// order of the sides.
fn either<T: Ord + Clone>(base: Option<T>, primary: Option<T>, change: Option<T>) -> Option<T> {
    agreed(&base, &primary, &change).cloned().unwrap_or_else(|| primary.max(change))
}
