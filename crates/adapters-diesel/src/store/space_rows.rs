//! Rows of spaces. A list can have a thousand of them, so a row is read without a copy of each of its texts.
use super::positions::Positioned;
use super::spaces::default_level;
use super::stored::number;
use crate::schema::organizations::spaces;
use chrono::NaiveDateTime;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::{Json, Text};
use diesel::sqlite::{Sqlite, SqliteValue};
use diesel::{Queryable, Selectable};
use domain::access::DefaultLevel;
use domain::change_request::Counters;
use domain::content::order::OrderKey;
use domain::id::{CollectionId, OrganizationId, RevisionId, SpaceId};
use domain::merge_rules::MergeRules;
use domain::ports::StoreResult;
use domain::space::{EditMode, Space, Visibility};
use domain::text::{Emoji, Language, SpaceTitle};
use domain::web_address::WebAddress;
use std::fmt::Display;
use std::str::FromStr;

/// The stored form of [`MergeRules::Inherit`], which most spaces have.
const INHERITED: &str = r#"{"type":"inherit"}"#;

/// A text column, parsed where it arrives.
#[derive(Debug, FromSqlRow)]
pub(super) struct Parsed<T>(T);

impl<T: FromStr<Err: Display>> Parsed<T> {
    fn parse(text: &str) -> deserialize::Result<Self> {
        text.parse().map(Self).map_err(|error| format!("{text:?}: {error}").into())
    }
}

impl<T: FromStr<Err: Display>> FromSql<Text, Pg> for Parsed<T> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Self::parse(std::str::from_utf8(value.as_bytes())?)
    }
}

impl<T: FromStr<Err: Display>> FromSql<Text, Sqlite> for Parsed<T> {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Self::parse(value.read_text())
    }
}

/// The column `default_level`.
#[derive(Debug)]
pub(super) struct StoredLevel(DefaultLevel);

impl FromStr for StoredLevel {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        default_level("spaces.default_level", text).map(Self).map_err(|_internal| "is not a level")
    }
}

/// The column `merge_rules`.
#[derive(Debug, FromSqlRow)]
pub(super) struct StoredRules(MergeRules);

impl StoredRules {
    fn parse(text: &[u8]) -> deserialize::Result<Self> {
        if text == INHERITED.as_bytes() {
            return Ok(Self(MergeRules::Inherit));
        }
        Ok(Self(serde_json::from_slice(text)?))
    }
}

impl FromSql<Json, Pg> for StoredRules {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Self::parse(value.as_bytes())
    }
}

impl FromSql<Json, Sqlite> for StoredRules {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Self::parse(value.read_text().as_bytes())
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = spaces)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct StoredSpace {
    id: Parsed<SpaceId>,
    organization_id: Parsed<OrganizationId>,
    parent_id: Option<Parsed<CollectionId>>,
    title: Parsed<SpaceTitle>,
    emoji: Parsed<Emoji>,
    icon: Option<String>,
    visibility: Parsed<Visibility>,
    edit_mode: Parsed<EditMode>,
    default_level: Parsed<StoredLevel>,
    language: Option<Parsed<Language>>,
    merge_rules: StoredRules,
    revision_id: Parsed<RevisionId>,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
    deleted_at: Option<NaiveDateTime>,
    change_requests: i32,
    change_requests_open: i32,
    change_requests_draft: i32,
    position: Parsed<OrderKey>,
    edit_url: Option<String>,
}

/// A space with its number of open comments.
pub(super) type CountedSpace = (StoredSpace, i64);

impl Positioned for CountedSpace {
    fn place(&self) -> (&str, &str) {
        (self.0.position.0.as_str(), self.0.id.0.as_str())
    }
}

/// Reads a space.
pub(super) fn space((row, comments): CountedSpace) -> StoreResult<Space> {
    Ok(Space {
        id: row.id.0,
        organization: row.organization_id.0,
        parent: row.parent_id.map(|Parsed(parent)| parent),
        position: row.position.0,
        title: row.title.0,
        emoji: row.emoji.0,
        icon: row.icon.map(WebAddress::stored),
        visibility: row.visibility.0,
        edit_mode: row.edit_mode.0,
        default_level: row.default_level.0.0,
        language: row.language.map(|Parsed(language)| language),
        merge_rules: row.merge_rules.0,
        edit_url: row.edit_url.map(WebAddress::stored),
        revision: row.revision_id.0,
        counters: Counters {
            total: number("spaces.change_requests", row.change_requests)?,
            open: number("spaces.change_requests_open", row.change_requests_open)?,
            draft: number("spaces.change_requests_draft", row.change_requests_draft)?,
            comments: number("comment_counts.comments", comments)?,
        },
        created_at: row.created_at.and_utc(),
        updated_at: row.updated_at.and_utc(),
        deleted_at: row.deleted_at.map(|at| at.and_utc()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::merge_rules::MergeRule;
    use rstest::rstest;

    #[rstest]
    #[case(MergeRules::Inherit)]
    #[case(MergeRules::None)]
    #[case(MergeRules::Rules { rules: vec![MergeRule::RequireAtLeastOneReview] })]
    fn merge_rules_are_read_as_they_were_written(#[case] rules: MergeRules) {
        let stored = serde_json::to_value(&rules).unwrap().to_string();
        assert_eq!(stored == INHERITED, rules == MergeRules::Inherit);
        assert_eq!(StoredRules::parse(stored.as_bytes()).unwrap().0, rules);
        let spaced = stored.replace(':', ": ");
        assert_eq!(StoredRules::parse(spaced.as_bytes()).unwrap().0, rules, "written by something else");
    }

    #[rstest]
    #[case("")]
    #[case("{}")]
    #[case(r#"{"type":"other"}"#)]
    fn merge_rules_that_cannot_be_read_are_an_error(#[case] stored: &str) {
        assert!(StoredRules::parse(stored.as_bytes()).is_err());
    }

    #[test]
    fn a_text_that_cannot_be_parsed_is_in_the_error() {
        let error = Parsed::<SpaceId>::parse("a b").unwrap_err().to_string();
        assert!(error.starts_with("\"a b\": must be 1 to 64"), "{error}");
    }
}
