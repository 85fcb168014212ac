//! The storage ports, implemented with diesel. One set of queries serves SQLite and PostgreSQL.

mod conn;
mod database;
mod error;
mod locks;
mod migrate;
mod objects;
mod postgres;
mod schema;
mod sql;
mod sqlite;
mod store;
#[cfg(test)]
mod tests;
mod tx;

pub use database::{Database, DatabaseOptions};
pub use migrate::UnsuitableDatabase;
pub use tx::{DieselStore, StoreOptions};
