//! Glossaries.
use super::schemas;
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::id::GlossaryEntryId;
use domain::text::{Invalid, Language, Rule};
use domain::translation::glossary::{self, GlossaryOperation, MAX_OPERATIONS, Terms};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// A term with its words in some languages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GlossaryEntry {
    #[schema(example = "glossary-entry")]
    object: &'static str,
    id: String,
    /// The words by the codes of their languages.
    #[schema(value_type = BTreeMap<String, String>)]
    translations: Terms,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    urls: GlossaryEntryUrls,
}

/// URLs of a glossary entry.
#[derive(Serialize, ToSchema)]
pub(crate) struct GlossaryEntryUrls {
    location: String,
}

pub(crate) type GlossaryEntryList = List<GlossaryEntry>;

pub(crate) fn glossary_entry(entry: glossary::GlossaryEntry, links: &Links) -> GlossaryEntry {
    GlossaryEntry {
        object: "glossary-entry",
        urls: GlossaryEntryUrls { location: links.glossary_entry(&entry.organization, &entry.id) },
        id: entry.id.into(),
        translations: entry.translations,
        created_at: entry.created_at,
        updated_at: entry.updated_at,
    }
}

/// The order of a glossary.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GlossaryParams {
    /// A language, such as `en`: entries are ordered by their words in it, those without one last. Without it, the
    /// oldest entry is first.
    #[param(inline, value_type = Option<schemas::Language>)]
    order_by: Option<String>,
}

impl Wire for GlossaryParams {
    type Command = Option<Language>;

    fn command(self) -> Result<Option<Language>, Invalid> {
        self.order_by.map(|raw| raw.parse().map_err(|rule: Rule| rule.of("orderBy"))).transpose()
    }
}

/// A change of a glossary.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum GlossaryChange {
    /// Adds an entry.
    Insert {
        /// The words by the codes of their languages: 1 to 255 characters each, on one line.
        translations: BTreeMap<String, String>,
    },
    /// Replaces the words of an entry.
    Update {
        #[schema(value_type = String)]
        id: GlossaryEntryId,
        /// The words by the codes of their languages: 1 to 255 characters each, on one line.
        translations: BTreeMap<String, String>,
    },
    /// Removes an entry, if it is there.
    Delete {
        #[schema(value_type = String)]
        id: GlossaryEntryId,
    },
}

/// Changes of a glossary.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PutGlossary {
    /// At most 500 changes, in their order. All are made, or none.
    #[schema(max_items = 500)]
    operations: Vec<GlossaryChange>,
}

fn terms(at: usize, translations: BTreeMap<String, String>) -> Result<Terms, Invalid> {
    let field = format!("operations[{at}].translations");
    if translations.is_empty() {
        return Err(Invalid::new(field, "must have at least one language"));
    }
    let read = |(code, word): (String, String)| {
        let field = format!("{field}.{code}");
        let language: Language = code.parse().map_err(|rule: Rule| rule.of(field.clone()))?;
        Ok((language.as_str().to_owned(), word.try_into().map_err(|rule: Rule| rule.of(field))?))
    };
    translations.into_iter().map(read).collect()
}

impl Wire for PutGlossary {
    type Command = Vec<GlossaryOperation>;

    fn command(self) -> Result<Vec<GlossaryOperation>, Invalid> {
        if self.operations.len() > MAX_OPERATIONS {
            return Err(Invalid::new("operations", format!("must have at most {MAX_OPERATIONS} items")));
        }
        let read = |(at, change)| {
            Ok(match change {
                GlossaryChange::Insert { translations } => GlossaryOperation::Insert(terms(at, translations)?),
                GlossaryChange::Update { id, translations } => GlossaryOperation::Update(id, terms(at, translations)?),
                GlossaryChange::Delete { id } => GlossaryOperation::Delete(id),
            })
        };
        self.operations.into_iter().enumerate().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    fn read(operation: &str) -> Result<Vec<GlossaryOperation>, Invalid> {
        let body = format!(r#"{{"operations":[{{"type":"delete","id":"a"}},{operation}]}}"#);
        read_json::<PutGlossary>(body.as_bytes())?.command()
    }

    #[rstest]
    #[case(r#"{"type":"insert","translations":{}}"#, "operations[1].translations")]
    #[case(r#"{"type":"insert","translations":{"en":""}}"#, "operations[1].translations.en")]
    #[case(r#"{"type":"insert","translations":{"en":"a\nb"}}"#, "operations[1].translations.en")]
    #[case(r#"{"type":"insert","translations":{"english":"a"}}"#, "operations[1].translations.english")]
    fn a_term_that_breaks_a_rule_is_named(#[case] operation: &str, #[case] field: &str) {
        assert_eq!(read(operation).unwrap_err().field, field);
    }

    #[rstest]
    #[case(r#"{"type":"insert"}"#)]
    #[case(r#"{"type":"update","translations":{"en":"a"}}"#)]
    #[case(r#"{"type":"replace","id":"a"}"#)]
    fn another_operation_is_refused(#[case] operation: &str) {
        assert!(read(operation).is_err());
    }

    #[test]
    fn a_word_has_at_most_255_characters() {
        let insert = |length: usize| {
            read(&format!(r#"{{"type":"insert","translations":{{"pt-br":"{}"}}}}"#, "é".repeat(length)))
        };
        assert_eq!(insert(255).unwrap().len(), 2);
        assert!(insert(256).is_err());
    }
}
