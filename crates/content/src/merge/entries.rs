//! Joins entries of maps by key; and merges all entries other than pages.
use super::conflict::{Conflict, Holder, Subject, Value};
use super::fields::{Entry, join_fields};
use super::provenance::{Source, join_git, source_of};
use super::texts::Texts;
use super::three_way::agreed;
use super::{Output, Sides};
use crate::import::Repository;
use crate::map::MapChange;
use crate::object::{Hash, Read, Scratch};
use crate::page::{FileEntry, ReusableContent, Tag};
use std::collections::BTreeMap;

/// A key whose value differs from the base on at least one side, with the three values.
#[derive(Clone, Debug)]
pub(super) struct Differing<V> {
    pub(super) base: Option<V>,
    pub(super) primary: Option<V>,
    pub(super) change: Option<V>,
}

/// The keys of two differences from the same base, in order.
pub(super) fn differing<V: Clone>(primary: &[MapChange<V>], change: &[MapChange<V>]) -> BTreeMap<String, Differing<V>> {
    let mut found = BTreeMap::new();
    for MapChange { key, before, after } in primary {
        let (before, after) = (before.as_deref(), after.as_deref());
        let differing = Differing { base: before.cloned(), primary: after.cloned(), change: before.cloned() };
        found.insert(key.clone(), differing);
    }
    for MapChange { key, before, after } in change {
        let before = || before.as_deref().cloned();
        let fresh = || Differing { base: before(), primary: before(), change: None };
        found.entry(key.clone()).or_insert_with(fresh).change = after.as_deref().cloned();
    }
    found
}

/// The result for an entry.
pub(super) enum Fate<V> {
    /// Both sides agree on this value.
    Agreed(Option<V>),
    /// One side removed the entry and the other one edited it; it stays.
    Kept(V),
    /// Both sides edited it.
    Edited,
}

impl<V: PartialEq + Clone> Differing<V> {
    pub(super) fn fate(&self) -> Fate<V> {
        match (agreed(&self.base, &self.primary, &self.change), &self.primary, &self.change) {
            (Some(agreed), ..) => Fate::Agreed(agreed.clone()),
            (None, Some(_), Some(_)) | (None, None, None) => Fate::Edited,
            (None, Some(kept), None) | (None, None, Some(kept)) => Fate::Kept(kept.clone()),
        }
    }

    pub(super) fn conflict(&self, subject: Subject, value: impl Fn(V) -> Value) -> Conflict {
        let told = |side: &Option<V>| side.clone().map(&value);
        Conflict { subject, base: told(&self.base), primary: told(&self.primary), change: told(&self.change) }
    }
}

impl Output {
    /// Merges files, variables and tags.
    pub(super) fn entries(&mut self, sides: &Sides<'_>) {
        for (key, differing) in differing(&sides.of_primary.files, &sides.of_change.files) {
            let Ok(file) = values::id::FileId::try_from(key) else { continue };
            let subject = Subject::File { file: file.clone() };
            let of_field = |field| Subject::FileField { file: file.clone(), field };
            let value = |file: FileEntry| Value::File(Box::new(file));
            let mut joint = self.entry(&differing, subject, of_field, value);
            if let (Some(joint), Some(primary), Some(change)) = (&mut joint, &differing.primary, &differing.change) {
                let base = differing.base.as_ref().and_then(|file| file.git.as_ref());
                joint.git = join_git(base, primary.git.as_ref(), change.git.as_ref());
            }
            self.edits.files.insert(file, joint);
        }
        for (name, differing) in differing(&sides.of_primary.variables, &sides.of_change.variables) {
            let joint = match differing.fate() {
                Fate::Agreed(value) => value,
                Fate::Kept(value) => {
                    self.conflicts.push(differing.conflict(Subject::Variable { name: name.clone() }, Value::Variable));
                    Some(value)
                }
                Fate::Edited => {
                    self.conflicts.push(differing.conflict(Subject::Variable { name: name.clone() }, Value::Variable));
                    differing.change
                }
            };
            self.edits.variables.insert(name, joint);
        }
        for (slug, differing) in differing(&sides.of_primary.tags, &sides.of_change.tags) {
            let subject = Subject::Tag { slug: slug.clone() };
            let of_field = |field| Subject::TagField { slug: slug.clone(), field };
            let joint = self.entry(&differing, subject, of_field, |tag: Tag| Value::Tag(Box::new(tag)));
            self.edits.tags.insert(slug, joint);
        }
    }

    /// Merges an entry field by field.
    pub(super) fn entry<V: Entry + PartialEq>(
        &mut self,
        differing: &Differing<V>,
        subject: Subject,
        of_field: impl Fn(String) -> Subject,
        value: impl Fn(V) -> Value,
    ) -> Option<V> {
        match (differing.fate(), &differing.primary, &differing.change) {
            (Fate::Edited, Some(primary), Some(change)) => {
                let base = differing.base.as_ref().map(Entry::fields).unwrap_or_default();
                let (joint, contested) = join_fields(&base, &primary.fields(), &change.fields());
                let Some(joint) = change.with(joint) else {
                    self.conflicts.push(differing.conflict(subject, value));
                    return Some(change.clone());
                };
                for conflict in contested {
                    let [base, primary, change] =
                        [conflict.base, conflict.primary, conflict.change].map(|side| side.map(Value::Field));
                    self.conflicts.push(Conflict { subject: of_field(conflict.field), base, primary, change });
                }
                Some(joint)
            }
            (Fate::Agreed(value), ..) => value,
            (Fate::Kept(kept), ..) => {
                self.conflicts.push(differing.conflict(subject, value));
                Some(kept)
            }
            (Fate::Edited, ..) => None,
        }
    }

    /// Merges reusable contents: their titles and texts.
    pub(super) fn reusable_contents(&mut self, scratch: &mut Scratch<'_>, sides: &Sides<'_>, texts: &Texts) {
        for (key, differing) in differing(&sides.of_primary.reusable_contents, &sides.of_change.reusable_contents) {
            let Ok(reusable_content) = values::id::ReusableContentId::try_from(key) else { continue };
            let subject = Subject::ReusableContent { reusable_content: reusable_content.clone() };
            let of_field = |field| Subject::ReusableContentField { reusable_content: reusable_content.clone(), field };
            let value = |content: ReusableContent| Value::ReusableContent(Box::new(content));
            let joint = self.entry(&differing, subject, of_field, value);
            let joint = match (joint, differing.fate(), &differing.primary, &differing.change) {
                (Some(mut joint), Fate::Edited, Some(primary), Some(change)) => {
                    let holder = Holder::ReusableContent(reusable_content.clone());
                    let base = differing.base.as_ref();
                    let documents: [Option<Hash>; 3] =
                        [base.and_then(|content| content.document), primary.document, change.document];
                    joint.document = self.text(scratch, &holder, texts, documents);
                    let git = base.and_then(|content| content.git.as_ref());
                    joint.git = join_git(git, primary.git.as_ref(), change.git.as_ref());
                    let source =
                        |content: &ReusableContent| Source { text: content.source, digest: content.import_digest };
                    let source = source_of(
                        joint.document,
                        base.map(source).unwrap_or_default(),
                        (primary.document, source(primary)),
                        (change.document, source(change)),
                    );
                    (joint.source, joint.import_digest) = (source.text, source.digest);
                    Some(joint)
                }
                (joint, ..) => joint,
            };
            self.edits.reusable_contents.insert(reusable_content, joint);
        }
    }

    /// Merges the layout files of a repository.
    pub(super) fn repository(&mut self, scratch: &mut Scratch<'_>, sides: &Sides<'_>) -> Read<()> {
        let [base, primary, change] = [sides.base, sides.primary, sides.change].map(|side| side.repository());
        if let Some(agreed) = agreed(base, primary, change) {
            self.edits.repository = Some(agreed);
            return Ok(());
        }
        let mut read = Vec::new();
        for hash in [base, primary, change] {
            read.push(hash.map_or(Ok(Repository::default()), |hash| Repository::load(scratch, &hash)));
        }
        let read = crate::object::together(read)?;
        if let [base, primary, change] = &read[..] {
            let (joint, contested) = join_fields(&base.fields(), &primary.fields(), &change.fields());
            // The bytes of a file are used only with its text, which has a conflict of its own.
            for conflict in contested.into_iter().filter(|conflict| !conflict.field.starts_with("raw.")) {
                let [base, primary, change] =
                    [conflict.base, conflict.primary, conflict.change].map(|side| side.map(Value::Field));
                let subject = Subject::Repository { field: conflict.field };
                self.conflicts.push(Conflict { subject, base, primary, change });
            }
            let joint = change.with(joint).unwrap_or_else(|| change.clone());
            self.edits.repository = Some(joint.store(scratch));
        }
        Ok(())
    }
}
