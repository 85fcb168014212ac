//! The packages and files of the workspace.
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is in the workspace").to_owned()
}

/// The workspace members, from `cargo metadata`.
pub(crate) fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    metadata["packages"].as_array().expect("a list of packages").clone()
}

/// Every file below a folder with this extension, except build output.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let hidden = name.to_string_lossy().starts_with('.') || name == "target" || name == "octavo-data";
            if path.is_dir() && !hidden {
                open.push(path);
            } else if path.extension().is_some_and(|own| own == extension) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "{} holds no .{extension} files: the test searches the wrong folder", folder.display());
    found.sort();
    found
}

/// Every source file of the workspace.
pub(crate) fn sources() -> Vec<PathBuf> {
    ["crates", "tests"].iter().flat_map(|folder| files(&root().join(folder), "rs")).collect()
}

/// The path relative to the workspace root.
pub(crate) fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().into_owned()
}

/// The content of a file.
pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
