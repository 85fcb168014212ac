//! The folders of `api-actix` are layers: a module imports from its own layer and from those below.
use crate::purity::code;
use crate::workspace::{files, read, relative, root};
use std::path::Path;

/// The layers, the lowest first.
const LAYERS: [&str; 10] =
    ["settings", "answer", "state", "api", "request", "wire", "files", "routes", "openapi", "pipeline"];

/// What the root of the crate exports, with its layer.
const EXPORTS: [(&str, &str); 3] = [("Api", "api"), ("app", "pipeline"), ("Settings", "settings")];

fn layer(name: &str) -> Option<usize> {
    let name = EXPORTS.iter().find(|(export, _)| *export == name).map_or(name, |(_, layer)| layer);
    LAYERS.iter().position(|layer| *layer == name)
}

/// The first segments of all paths in a line that begin at the crate's root.
fn imported(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).flat_map(|path| {
        let path = path.strip_prefix('{').map_or(path, |list| list.split('}').next().unwrap_or_default());
        let is_list = path.contains(", ");
        path.split(", ")
            .take(if is_list { usize::MAX } else { 1 })
            .map(|path| path.split(|char: char| !char.is_alphanumeric() && char != '_').next().unwrap_or_default())
    })
}

/// The layer of a file: its folder, or its own name.
fn layer_of(path: &Path, source: &Path) -> Option<usize> {
    let inside = path.strip_prefix(source).ok()?;
    let first = inside.iter().next()?.to_str()?;
    layer(first.strip_suffix(".rs").unwrap_or(first))
}

#[test]
fn no_module_of_the_http_interface_imports_from_a_layer_above() {
    let source = root().join("crates/api-actix/src");
    let mut upward = Vec::new();
    for path in files(&source, "rs") {
        let Some(own) = layer_of(&path, &source) else { continue };
        for (at, line) in code(&read(&path)) {
            for name in imported(line).filter(|name| layer(name).is_some_and(|layer| layer > own)) {
                upward.push(format!("{} line {at}: {} imports {name}", relative(&path), LAYERS[own]));
            }
        }
    }
    assert!(upward.is_empty(), "imports from a layer above:\n{}", upward.join("\n"));
}

#[test]
fn an_import_path_is_classified_by_its_first_segment() {
    let names = |line| imported(line).collect::<Vec<_>>();
    assert_eq!(names("use crate::answer::error::ApiError;"), ["answer"]);
    assert_eq!(names("use crate::{Api, openapi, routes::BASE};"), ["Api", "openapi", "routes"]);
    assert_eq!(names("let a = crate::wire::page(crate::state::b);"), ["wire", "state"]);
    assert!(names("use domain::usecases::Error;").is_empty());
    assert!(layer("pipeline") > layer("routes") && layer("app") == layer("pipeline"));
}
