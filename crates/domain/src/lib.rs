//! The product itself, independent of any framework: entities and rules at the root, interfaces to the outside in
//! [`ports`], and operations in [`usecases`]. The crates below it are exported here, so that a user of this crate needs
//! no other: the content engine ([`content`]), OpenAPI documents ([`openapi`]), the computations of [`conversations`]
//! and [`translations`], and ids, texts and patches ([`values`]).
//!
//! Everything outside `ports` and `usecases` is pure: no I/O, no async, no clock, no randomness.
//!
//! # In another program
//!
//! **The rules alone.** The examples of [`content`] read Markdown, check a document and merge two revisions. Here the
//! level of a member on a space is decided, and a permission is checked:
//!
//! ```
//! use domain::access::{Access, DefaultLevel, Denied, Granted, Level, Membership, Place, Reason, Role, decide};
//! use domain::organization::Organization;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // An editor of the organization, and a space in a collection where members may only comment.
//! let editor = Some(Membership { role: Some(Role::Edit), disabled: false });
//! let space = Place::default();
//! let collection = Place { default: DefaultLevel::Role(Role::Comment), ..Place::default() };
//! // The collection decides: the innermost place with a rule. Places are numbered from the space outwards.
//! assert_eq!(decide(editor, [&space, &collection]), (Level::Comment, Reason::Default(1)));
//!
//! // An object together with the permissions of the caller. Only a check creates it.
//! let organization = Organization::new("engines".parse()?, "Analytical Engines".parse()?, Default::default());
//! let access = Access::new(Some("ada".parse()?), Level::Edit);
//! let granted = Granted::check(organization.clone(), &access, |may| may.list_members);
//! assert!(granted.is_ok_and(|organization| !organization.permissions().admin));
//! assert_eq!(Granted::check(organization, &access, |may| may.admin), Err(Denied::Forbidden));
//! # Ok(())
//! # }
//! ```
//!
//! **The use cases.** [`UseCases::new`](usecases::UseCases::new) builds all of them from the [`ports`]. The crates
//! `adapters-*` implement the ports; any of them can be replaced. This function imports a repository and reads a page:
//!
//! ```
//! use bytes::Bytes;
//! use domain::content::import::InMemory;
//! use domain::site::address::Hosting;
//! use domain::usecases::content::{At, Body, Destination, Format, PageOptions, PageRef};
//! use domain::usecases::{Ports, UseCases};
//!
//! async fn import_and_read(ports: &Ports, secret: &[u8; 32]) -> Result<(), Box<dyn std::error::Error>> {
//!     let use_cases = UseCases::new(ports, "https://octavo.example.org", Hosting::default(), secret);
//!     let UseCases { accounts, content, .. } = &use_cases;
//!
//!     // On an empty database: creates an administrator, an organization and a token.
//!     let made = accounts.bootstrap("ada@example.org".parse()?, "Analytical Engines".parse()?, None).await?;
//!     let made = made.ok_or("the database already has accounts")?;
//!     // Each operation takes its caller first, and checks the caller's rights.
//!     let ada = accounts.authenticate(made.secret.reveal()).await?.actor;
//!
//!     let source = InMemory::new("engine", [("crank.md", Bytes::from_static(b"# Crank\n\nTurn it.\n"))]);
//!     let to = Destination::NewSpace { organization: made.organization.id, title: None };
//!     let space = content.import(&ada, to, &source, &|_progress| {}).await?.space.id.clone();
//!
//!     let pages = content.open(&ada, &space, &At::Primary).await?.pages().await?;
//!     let options = PageOptions { format: Format::Markdown, ..PageOptions::default() };
//!     let page = pages.page(&PageRef::Path("crank".to_owned()), false, options.into()).await?;
//!     assert!(matches!(page.body, Some(Body::Markdown(text)) if text == "Turn it.\n"));
//!     Ok(())
//! }
//! ```
//!
//! [`usecases::Error`] is the reason of a failure. For tests, the feature `mocks` has implementations of all ports, and
//! `ports::testing` has an example.
//!
//! **The whole server.** `tests/examples/embed.rs` runs use cases, the HTTP API and the background jobs inside another
//! program: `cargo run -p acceptance --example embed`.
pub mod access;
pub mod actor;
pub mod agent_instructions;
pub mod change_request;
pub mod collection;
pub mod comment;
pub mod conversation;
pub mod event;
pub mod heartbeat;
pub mod idempotency;
pub mod invite;
pub mod job;
pub mod member;
pub mod merge_rules;
pub mod notification;
pub(crate) mod openapi_pages;
pub mod openapi_spec;
pub mod organization;
pub mod paging;
pub mod place;
pub mod ports;
pub mod retention;
pub mod review;
pub mod rison;
pub mod scope;
pub mod site;
pub mod space;
pub mod team;
pub mod token;
pub mod translation;
pub mod usecases;
pub mod user;
pub mod web_address;
pub mod webhook;

pub use content;
pub use conversations;
pub use openapi;
pub use translations;
pub use values::{self, characters, id, patch, text, words};
