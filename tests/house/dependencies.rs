//! The direction of dependencies: outer crates depend on inner ones, never the reverse.
use crate::workspace::packages;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The crate that adapters and drivers may depend on; they must not depend on each other.
const DOMAIN: &str = "domain";
/// The inner crates, each with those that it may depend on. Others use them through the domain, which exports them.
const INNER: [(&str, &[&str]); 8] = [
    ("cards", &[]),
    ("diagrams", &[]),
    ("values", &[]),
    ("content", &["values"]),
    ("openapi", &["values"]),
    ("conversations", &["values", "content"]),
    ("translations", &["values", "content"]),
    (DOMAIN, &["values", "content", "openapi", "conversations", "translations"]),
];
/// The common part of the HTTP drivers. It depends on no crate of the workspace, so it cannot use a use case.
const HTTP_SERVER: &str = "http-server";
/// Renders pages of sites; pure like the inner crates. Only the driver of sites uses it.
const SITE_HTML: &str = "site-html";
/// The driver of sites.
const SITE_DRIVER: &str = "site-actix";
/// The end of the names of the HTTP drivers, the only ones that may depend on it.
const HTTP_DRIVER: &str = "-actix";
/// Crates that may depend on all others.
const OUTER: [&str; 2] = ["app", "acceptance"];

/// Dependencies that would bring a framework, a database, a clock or randomness into the inner crates.
const OUTSIDE: [&str; 13] = [
    "actix-web",
    "axum",
    "clap",
    "deadpool",
    "diesel",
    "diesel-async",
    "hyper",
    "lettre",
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

/// The crates of the workspace that a crate may depend on.
fn allowed(name: &str) -> &'static [&'static str] {
    match INNER.iter().find(|(inner, _)| *inner == name) {
        Some((_, allowed)) => allowed,
        None if name == HTTP_SERVER => &[],
        None if name == SITE_HTML => &[DOMAIN, "cards", "diagrams"],
        None if name == SITE_DRIVER => &[DOMAIN, HTTP_SERVER, SITE_HTML],
        None if name.ends_with(HTTP_DRIVER) => &[DOMAIN, HTTP_SERVER],
        None => &[DOMAIN],
    }
}

#[test]
fn adapters_and_drivers_know_the_domain_and_never_each_other() {
    let packages = packages();
    let members: BTreeSet<&str> = packages.iter().map(name).collect();
    let mut named = INNER.iter().map(|(inner, _)| inner).chain(&OUTER).chain([&HTTP_SERVER]);
    assert!(named.all(|name| members.contains(name)), "{members:?}");
    let mut wrong = BTreeMap::new();
    for package in packages.iter().filter(|package| !OUTER.contains(&name(package))) {
        let allowed = allowed(name(package));
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
fn the_http_server_depends_on_no_use_case_and_no_driver_on_another() {
    assert!(allowed("http-server").is_empty());
    assert_eq!(allowed("api-actix"), ["domain", "http-server"]);
    assert_eq!(allowed("site-actix"), ["domain", "http-server", "site-html"]);
    assert_eq!(allowed("site-html"), ["domain", "cards", "diagrams"]);
    assert_eq!(allowed("adapters-diesel"), ["domain"]);
    assert_eq!(allowed("job-worker"), ["domain"]);
    assert_eq!(allowed("content"), ["values"]);
    assert_eq!(allowed("conversations"), ["values", "content"]);
}

#[test]
fn the_inner_crates_need_no_framework_no_database_and_no_machine() {
    let packages = packages();
    for inner in INNER.iter().map(|(inner, _)| *inner).chain([SITE_HTML]) {
        let package = packages.iter().find(|package| name(package) == inner).expect("the crate is in the workspace");
        let outside: Vec<&str> =
            dependencies(package, &[None, Some("build")]).filter(|one| OUTSIDE.contains(one)).collect();
        assert!(outside.is_empty(), "{inner} depends on {outside:?}");
    }
}

#[test]
fn every_crate_uses_the_lints_of_the_workspace() {
    for package in packages() {
        let manifest = std::fs::read_to_string(package["manifest_path"].as_str().expect("a path")).expect("a manifest");
        let lints = manifest.split("[lints]").nth(1).unwrap_or_default().trim_start();
        assert!(lints.starts_with("workspace = true"), "{} has no [lints] workspace = true", name(&package));
    }
}
