//! Every source file belongs to a module. Otherwise it is never compiled, and its tests never run.
use crate::workspace::{packages, read, relative, sources};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The root files of all targets: libraries, binaries, tests, benches, build scripts.
fn roots() -> BTreeSet<PathBuf> {
    let packages = packages();
    let targets = packages.iter().flat_map(|package| package["targets"].as_array().expect("a list"));
    targets.map(|target| PathBuf::from(target["src_path"].as_str().expect("a path"))).collect()
}

/// The files that may declare the module of this file: `a/b/mod.rs`, `a/b.rs`, or a root in `a/b`.
fn parents(path: &Path, roots: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let is_mod = path.file_name().is_some_and(|name| name == "mod.rs");
    let folder =
        path.parent().and_then(|folder| if is_mod { folder.parent() } else { Some(folder) }).expect("a folder");
    let beside = roots.iter().filter(|root| root.parent() == Some(folder)).cloned();
    [folder.join("mod.rs"), folder.with_extension("rs")]
        .into_iter()
        .chain(beside)
        .filter(|file| file.is_file())
        .collect()
}

/// The module name of a file.
fn module(path: &Path) -> String {
    let is_mod = path.file_name().is_some_and(|name| name == "mod.rs");
    let named = if is_mod { path.parent().expect("a folder").file_name() } else { path.file_stem() };
    named.expect("a name").to_string_lossy().into_owned()
}

fn declares(text: &str, module: &str, file: &str) -> bool {
    text.lines().map(str::trim).filter(|line| !line.starts_with("//")).any(|line| {
        line.strip_suffix(';').is_some_and(|line| line.ends_with(&format!("mod {module}")))
            || line.starts_with("#[path") && line.contains(file)
    })
}

#[test]
fn every_source_file_belongs_to_a_build() {
    let roots = roots();
    let forgotten: Vec<String> = sources()
        .into_iter()
        .filter(|path| !roots.contains(path))
        .filter(|path| {
            let file = path.file_name().expect("a name").to_string_lossy();
            !parents(path, &roots).iter().any(|parent| declares(&read(parent), &module(path), &file))
        })
        .map(|path| relative(&path))
        .collect();
    assert!(forgotten.is_empty(), "no module names these files:\n{}", forgotten.join("\n"));
}

#[test]
fn a_declaration_is_distinguished_from_a_mention() {
    assert!(declares("pub(crate) mod size;\n", "size", "size.rs"));
    assert!(declares("mod size;", "size", "size.rs"));
    assert!(!declares("// mod size;\nmod sizes;\nmod size {\n", "size", "size.rs"));
}
