//! Expression nodes that diesel lacks. Each renders on both databases; this and the connection are the only places that
//! know there are two.
//!
//! Every node says in [`diesel::query_builder::QueryId`] whether its type alone fixes its SQL. Where the SQL depends on
//! a value (a direction, an absent filter), the id is dynamic: the prepared statement is then found by its text.
//!
//! An upsert needs no node. This is valid on both, writes the whole row, and is safe against a race:
//! `insert_into(t).values(&row).on_conflict(t::id).do_update().set(&row)`; to keep what is there,
//! `.on_conflict_do_nothing()`. `excluded(column)` names the value that was to be inserted. A row struct that is inserted
//! needs `#[diesel(treat_none_as_default_value = false)]`, or many of them cannot be inserted at once on SQLite, and
//! `#[diesel(treat_none_as_null = true)]` to write NULL when it is set.

mod columns;
mod contains;
mod either;
mod locked;
mod ordered;
mod search;
mod seek;
mod tree;
mod when;

pub(crate) use columns::columns;
pub(crate) use contains::contains;
pub(crate) use either::either;
pub(crate) use locked::{Lock, locked};
pub(crate) use ordered::ordered;
pub(crate) use search::{in_order, lexemes, matches, next_sections};
pub(crate) use seek::seek;
pub(crate) use tree::{around, within};
pub(crate) use when::when;

/// How many ids one statement names at most: SQLite binds 32,766 values, PostgreSQL 65,535.
pub(crate) const NAMED: usize = 10_000;
