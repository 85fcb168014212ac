//! Glossaries: terms, each with its words in some languages.
use crate::id::{GlossaryEntryId, OrganizationId};
use crate::text::{GlossaryText, Invalid, Language};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, HashMap};

/// The most entries of an organization.
pub const MAX_ENTRIES: usize = 2000;
/// The most operations in one request.
pub const MAX_OPERATIONS: usize = 500;

/// The words of a term by the codes of their languages.
pub type Terms = BTreeMap<String, GlossaryText>;

/// A term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlossaryEntry {
    /// The id; ids sort by time.
    pub id: GlossaryEntryId,
    /// The organization.
    pub organization: OrganizationId,
    /// Its words.
    pub translations: Terms,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
}

impl GlossaryEntry {
    /// Its word in a language.
    pub fn term(&self, language: Language) -> Option<&GlossaryText> {
        self.translations.get(language.as_str())
    }
}

/// A change of a glossary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GlossaryOperation {
    /// Adds a term.
    Insert(Terms),
    /// Replaces the words of a term.
    Update(GlossaryEntryId, Terms),
    /// Removes a term, if it exists.
    Delete(GlossaryEntryId),
}

/// The result of operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlossaryChanges {
    /// Entries to add or update.
    pub saved: Vec<GlossaryEntry>,
    /// Entries to remove.
    pub removed: Vec<GlossaryEntryId>,
}

/// Applies operations in order. An update with the words that the entry has changes nothing. `id` creates new ids.
///
/// # Errors
/// [`Invalid`] for a missing entry, and for more than [`MAX_ENTRIES`].
pub fn apply(
    organization: &OrganizationId,
    entries: Vec<GlossaryEntry>,
    operations: Vec<GlossaryOperation>,
    mut id: impl FnMut() -> GlossaryEntryId,
    now: DateTime<Utc>,
) -> Result<GlossaryChanges, Invalid> {
    let mut known: HashMap<GlossaryEntryId, GlossaryEntry> =
        entries.into_iter().map(|entry| (entry.id.clone(), entry)).collect();
    let mut changed: BTreeMap<GlossaryEntryId, bool> = BTreeMap::new();
    for (at, operation) in operations.into_iter().enumerate() {
        match operation {
            GlossaryOperation::Insert(translations) => {
                let (id, organization) = (id(), organization.clone());
                let entry =
                    GlossaryEntry { id: id.clone(), organization, translations, created_at: now, updated_at: now };
                changed.insert(id.clone(), true);
                known.insert(id, entry);
            }
            GlossaryOperation::Update(id, translations) => {
                let entry = known
                    .get_mut(&id)
                    .ok_or_else(|| Invalid::new(format!("operations[{at}].id"), "there is no such entry"))?;
                if entry.translations != translations {
                    (entry.translations, entry.updated_at) = (translations, now);
                    changed.insert(id, true);
                }
            }
            GlossaryOperation::Delete(id) => {
                if known.remove(&id).is_some() {
                    changed.insert(id, false);
                }
            }
        }
    }
    if known.len() > MAX_ENTRIES {
        return Err(Invalid::new("operations", format!("the glossary must have at most {MAX_ENTRIES} entries")));
    }
    let mut changes = GlossaryChanges::default();
    for (id, stays) in changed {
        match known.remove(&id).filter(|_| stays) {
            Some(entry) => changes.saved.push(entry),
            None => changes.removed.push(id),
        }
    }
    Ok(changes)
}

/// Sorts entries: by their word in a language, those without one last; else the oldest first.
pub fn sort(entries: &mut [GlossaryEntry], by: Option<Language>) {
    entries.sort_by(|one, other| {
        let key = |entry: &GlossaryEntry| {
            by.map(|language| {
                let word = entry.term(language).map(|word| word.as_str().to_lowercase());
                (word.is_none(), word.unwrap_or_default())
            })
        };
        key(one).cmp(&key(other)).then_with(|| one.id.cmp(&other.id))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn terms(text: &str) -> Terms {
        let pair = |pair: &str| pair.split_once('=').map(|(code, word)| (code.to_owned(), word.parse().unwrap()));
        text.split(' ').filter_map(pair).collect()
    }

    fn entry(id: &str, text: &str) -> GlossaryEntry {
        let (created_at, updated_at) = (DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH);
        let organization = "o".parse().unwrap();
        GlossaryEntry { id: id.parse().unwrap(), organization, translations: terms(text), created_at, updated_at }
    }

    fn run(operations: Vec<GlossaryOperation>) -> Result<GlossaryChanges, Invalid> {
        let entries = vec![entry("a", "en=space de=Bereich"), entry("b", "en=page")];
        apply(&"o".parse().unwrap(), entries, operations, || "new".parse().unwrap(), DateTime::UNIX_EPOCH)
    }

    #[test]
    fn operations_apply_in_their_order() {
        let (a, b) = ("a".parse().unwrap(), "b".parse().unwrap());
        let changes = run(vec![
            GlossaryOperation::Insert(terms("en=site")),
            GlossaryOperation::Update(a, terms("en=room")),
            GlossaryOperation::Delete(b),
            GlossaryOperation::Delete("gone".parse().unwrap()),
        ]);
        let changes = changes.unwrap();
        assert_eq!(changes.saved, [entry("a", "en=room"), entry("new", "en=site")]);
        assert_eq!(changes.removed, ["b".parse().unwrap()]);
    }

    #[test]
    fn an_update_with_the_same_words_changes_nothing() {
        let same = GlossaryOperation::Update("b".parse().unwrap(), terms("en=page"));
        assert_eq!(run(vec![same]), Ok(GlossaryChanges::default()));
    }

    #[test]
    fn a_missing_entry_is_named() {
        let update = |id: &str| GlossaryOperation::Update(id.parse().unwrap(), terms("en=x"));
        assert_eq!(run(vec![update("a"), update("c")]).unwrap_err().field, "operations[1].id");
        let deleted = vec![GlossaryOperation::Delete("a".parse().unwrap()), update("a")];
        assert_eq!(run(deleted).unwrap_err().field, "operations[1].id");
    }

    #[test]
    fn a_glossary_has_a_limit() {
        let mut number = 0;
        let many = vec![GlossaryOperation::Insert(terms("en=x")); MAX_ENTRIES + 1];
        let mut id = || {
            number += 1;
            format!("n{number}").parse().unwrap()
        };
        let at = DateTime::UNIX_EPOCH;
        assert!(apply(&"o".parse().unwrap(), Vec::new(), many[1..].to_vec(), &mut id, at).is_ok());
        assert_eq!(apply(&"o".parse().unwrap(), Vec::new(), many, &mut id, at).unwrap_err().field, "operations");
    }

    #[rstest]
    #[case(None, "a b c")]
    #[case(Some(Language::En), "b a c")]
    #[case(Some(Language::De), "a b c")]
    fn entries_are_ordered_by_a_language(#[case] by: Option<Language>, #[case] expected: &str) {
        let mut all = vec![entry("c", "fr=espace"), entry("a", "en=space de=Bereich"), entry("b", "en=Page")];
        sort(&mut all, by);
        assert_eq!(all.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>().join(" "), expected);
    }
}
