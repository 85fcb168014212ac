//! Expression nodes that diesel lacks. Each renders on both databases, except those that find sections: what is one
//! statement on PostgreSQL is several short ones on SQLite. Only this module, the connection and searches distinguish
//! the two databases.
//!
//! Every node states in [`diesel::query_builder::QueryId`] whether its type alone determines its SQL. If the SQL
//! depends on a value (a direction, an absent filter), the id is dynamic, and the prepared statement is found by its
//! text.
//!
//! For a list of values, use [`one_of()`]; `eq_any` only for columns that can be null, and for subqueries.
//!
//! An upsert needs no node. This is valid on both, writes the whole row, and is safe against a race:
//! `insert_into(t).values(&row).on_conflict(t::id).do_update().set(&row)`; to keep an existing row,
//! `.on_conflict_do_nothing()`. [`prepared()`] keeps an upsert prepared. `excluded(column)` is the value of the
//! rejected insert. A row struct for inserts needs `#[diesel(treat_none_as_default_value = false)]`, because SQLite
//! cannot insert several rows at once without it, and `#[diesel(treat_none_as_null = true)]` to write NULL on updates.

mod candidates;
mod columns;
mod condition;
mod contains;
mod counts;
mod either;
mod folded_name;
mod level;
mod locked;
mod one_of;
mod ordered;
mod prepared;
mod search;
mod seek;
mod tree;
mod when;

pub(crate) use candidates::{best_sections, occurring};
pub(crate) use columns::columns;
pub(crate) use contains::contains;
pub(crate) use counts::{count_comments, count_events, listed_comments, open_comments};
pub(crate) use either::either;
pub(crate) use folded_name::folded_name;
pub(crate) use level::{has_access, has_role};
pub(crate) use locked::{Lock, locked};
pub(crate) use one_of::one_of;
pub(crate) use ordered::ordered;
pub(crate) use prepared::prepared;
pub(crate) use search::{lexemes, matching_sections, next_sections, remove_empty_parts};
pub(crate) use seek::seek;
pub(crate) use tree::{around, within};
pub(crate) use when::{When, when};

/// The most values that a list binds in one statement, such as its ids: SQLite binds 32,766 values, PostgreSQL 65,535.
pub(crate) const NAMED: usize = 10_000;
