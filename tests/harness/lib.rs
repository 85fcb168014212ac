//! The harness of black-box tests. They send requests to a complete server in their own process, on SQLite and on
//! PostgreSQL.
//!
//! # How to write a case
//!
//! Put it into the file of its area in `tests/api`, and give it a name that is true when it passes:
//!
//! ```
//! use acceptance::{Fields, World};
//! use domain::access::Role;
//! use serde_json::json;
//!
//! #[acceptance::test]
//! #[case::of_a_reader(Role::Read, 403)]
//! #[case::of_an_administrator(Role::Admin, 200)]
//! async fn only_administrators_rename_a_space(world: World, #[case] role: Role, #[case] status: u16) {
//!     // Ada administers the organization. Everyone else joins with a name and a role.
//!     let space = world.space(json!({"title": "Before"})).await;
//!     let bob = world.member("bob", Some(role)).await;
//!
//!     // A path begins behind `/v1`. An answer is read once: `expect(status)`, `ok()`, `error(status)` or `id()`.
//!     let path = format!("/spaces/{space}");
//!     bob.patch(&path, json!({"title": "After"})).await.expect(status);
//!
//!     // Look at what was stored, also after a refusal.
//!     let stored = world.ada.get(&path).await.ok();
//!     assert_eq!(stored.text("title"), if status == 200 { "After" } else { "Before" });
//! }
//! # fn main() {}
//! ```
//!
//! [`test`](macro@test) starts the [`World`] and makes two tests of each case, `…::on_sqlite` and `…::on_postgres`.
//! With `backend: Backend` instead, the case starts its world itself, for example with rate limits
//! ([`World::with_limits`]). Also:
//!
//! - **Callers**: [`World::member`], [`World::stranger`], [`World::anonymous`], [`World::with_scopes`]. A [`Caller`]
//!   sends headers with [`Caller::send`]. An error that the OpenAPI document does not declare for the operation fails
//!   the test.
//! - **Objects**: [`World::space`], [`World::collection`], [`World::team`], [`World::change_request`]. For a space with
//!   content, [`World::import`] a [`Fixture`] and get the id of a page with [`World::page`].
//! - **JSON**: [`Fields`] reads what must be there: `page.id()`, `page.text("title")`, `list.list("items")`.
//! - **Time** passes as on the machine. [`World::pass`] lets more pass, and runs the jobs that become due. Where
//!   seconds matter, stop the clock with [`TestClock::set`]: a busy machine takes long for a request.
//! - **Races**: an [`Editor`] calls use cases from any thread, [`Interleaved`] runs an event between two units of work
//!   of a use case. See `tests/api/races`.
//! - **Webhooks**: a [`Receiver`] gets the requests of a world that is started with [`World::with_fetcher`].
//! - **Translations**: the [`ScriptedTranslator`] of a world translates in the test's process.
//! - **Fetched files**: a [`Host`] has the files that such a world fetches.
//! - **Cost**: [`World::counted`] counts database statements, [`Counted`] what each unit of work writes. What
//!   caches save is counted in a world of [`World::undisturbed`].
//! - **What was stored**: [`World::dump`] is the whole database as text.
//!
//! Run a case with `dev/test -p acceptance only_administrators_rename_a_space`.

mod answer;
mod cached_page;
mod caller;
pub mod clock;
pub mod counted;
mod declared;
pub mod dump;
pub mod editor;
mod engine;
mod fonts;
mod host;
pub mod interleaved;
pub mod mailbox;
mod random;
mod receiver;
pub mod source;
pub mod watched;
pub mod world;

pub use acceptance_macros::test;
pub use answer::{Answer, Fields};
pub use caller::Caller;
pub use clock::TestClock;
pub use counted::{Counted, Written};
pub use dump::Dump;
pub use editor::Editor;
pub use engine::{ScriptedAnswer, ScriptedChat, ScriptedTranslator, accented};
pub use host::Host;
pub use interleaved::Interleaved;
pub use mailbox::{Mailbox, Response};
pub use random::SeededRandom;
pub use receiver::Receiver;
pub use source::Fixture;
pub use test_database::{Backend, TestDatabase};
pub use watched::{Watch, Watched};
pub use world::{PUBLIC_URL, World};
