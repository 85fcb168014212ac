//! The binary as a person meets it: what it prints, how it ends.
mod content;
mod demo;
mod harness;
mod server;
mod settings;
mod tokens;
