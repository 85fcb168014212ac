//! The binary as people use it: its output and its exit codes.
#![expect(clippy::unwrap_used, reason = "a test ends where a step of it fails")]

mod apertium;
mod audit;
mod backup;
mod content;
mod demo;
mod engine_harness;
mod engines;
mod fonts;
mod harness;
mod jobs;
mod killed;
mod killed_comments;
mod llama;
mod mail;
mod neural;
mod openapi;
mod people;
mod request;
mod restarted;
mod server;
mod settings;
mod site_export;
mod site_export_links;
mod sites;
mod stopping;
mod tokens;
mod unwritable_log;
