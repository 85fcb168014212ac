//! The shared code of the black-box tests.

mod answer;
mod caller;
pub mod clock;
pub mod counted;
pub mod dump;
pub mod hand;
pub mod meanwhile;
pub mod source;
pub mod watched;
pub mod world;

pub use acceptance_macros::test;
pub use answer::{Answer, Fields};
pub use caller::Caller;
pub use clock::TestClock;
pub use counted::{Counted, Written};
pub use dump::Dump;
pub use hand::Hand;
pub use meanwhile::Meanwhile;
pub use source::Fixture;
pub use test_database::{Backend, TestDatabase};
pub use watched::{Watch, Watched};
pub use world::{PUBLIC_URL, World};
