//! Records the time of the build. `SOURCE_DATE_EPOCH` (reproducible-builds.org) overrides it.
use std::time::{SystemTime, UNIX_EPOCH};

fn main() {
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seconds = std::env::var("SOURCE_DATE_EPOCH").unwrap_or_else(|_unset| now.to_string());
    println!("cargo::rustc-env=OCTAVO_BUILD_SECONDS={seconds}");
}
