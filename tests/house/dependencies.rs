//! The direction of dependencies: outer crates depend on inner ones, never the reverse.
use crate::workspace::packages;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The only crate that adapters and drivers may depend on; they must not depend on each other.
const INNER: &str = "domain";
/// Crates that may depend on all others.
const OUTER: [&str; 2] = ["app", "acceptance"];

/// Dependencies that would bring a framework, a database, a clock or randomness into the domain.
const OUTSIDE: [&str; 12] = [
    "actix-web",
    "axum",
    "clap",
    "deadpool",
    "diesel",
    "diesel-async",
    "hyper",
    "rand",
    "reqwest",
    "tokio",
    "utoipa",
    "uuid",
];

fn name(package: &Value) -> &str {
    package["name"].as_str().expect("a name")
}

/// The names of a package's dependencies. `kind` is that of `cargo metadata`; absent for normal dependencies.
fn dependencies<'a>(package: &'a Value, kinds: &'a [Option<&'a str>]) -> impl Iterator<Item = &'a str> {
    let all = package["dependencies"].as_array().expect("a list").iter();
    all.filter(move |one| kinds.contains(&one["kind"].as_str())).map(name)
}

#[test]
fn adapters_and_drivers_know_the_domain_and_never_each_other() {
    let packages = packages();
    let members: BTreeSet<&str> = packages.iter().map(name).collect();
    assert!(members.contains(INNER) && OUTER.iter().all(|outer| members.contains(outer)), "{members:?}");
    let mut wrong = BTreeMap::new();
    for package in packages.iter().filter(|package| !OUTER.contains(&name(package))) {
        let allowed: &[&str] = if name(package) == INNER { &[] } else { &[INNER] };
        let known: Vec<&str> = dependencies(package, &[None, Some("build")])
            .filter(|one| members.contains(one) && !allowed.contains(one))
            .collect();
        if !known.is_empty() {
            wrong.insert(name(package), known);
        }
    }
    assert!(wrong.is_empty(), "forbidden dependencies: {wrong:?}");
}

#[test]
fn the_domain_needs_no_framework_no_database_and_no_machine() {
    let packages = packages();
    let domain = packages.iter().find(|package| name(package) == INNER).expect("there is a domain");
    let outside: Vec<&str> = dependencies(domain, &[None, Some("build")]).filter(|one| OUTSIDE.contains(one)).collect();
    assert!(outside.is_empty(), "the domain depends on {outside:?}");
}

#[test]
fn every_crate_stands_under_the_lints_of_the_workspace() {
    for package in packages() {
        let manifest = std::fs::read_to_string(package["manifest_path"].as_str().expect("a path")).expect("a manifest");
        let lints = manifest.split("[lints]").nth(1).unwrap_or_default().trim_start();
        assert!(lints.starts_with("workspace = true"), "{} has no [lints] workspace = true", name(&package));
    }
}
