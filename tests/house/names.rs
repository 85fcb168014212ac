//! A public type has a name of its own in its crate, so that a search for the name leads to one type.
use crate::workspace::{files, read, relative, root};
use std::collections::BTreeMap;

/// The name of the public type that a line defines, at the top level of a file or in a macro there.
fn public_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let name = ["struct ", "enum ", "trait ", "type "].iter().find_map(|kind| rest.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric()).next().filter(|name| !name.is_empty())
}

#[test]
fn no_public_type_name_is_used_twice_in_a_crate() {
    let mut crates: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for path in files(&root().join("crates"), "rs") {
        let path_in = relative(&path);
        let Some((name, _)) = path_in.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/")) else {
            continue;
        };
        let types = crates.entry(name.to_owned()).or_default();
        for defined in read(&path).lines().filter_map(public_type) {
            types.entry(defined.to_owned()).or_default().push(path_in.clone());
        }
    }
    assert!(crates["domain"].len() > 100, "only {} types were found", crates["domain"].len());
    let twice = crates.values().flatten().filter(|(_, places)| places.len() > 1);
    let twice: Vec<String> = twice.map(|(name, places)| format!("{name}: {}", places.join(", "))).collect();
    assert!(twice.is_empty(), "rename all but one of each:\n{}", twice.join("\n"));
}

#[test]
fn a_definition_is_found_in_a_macro_too() {
    assert_eq!(public_type("pub struct Map<V> {"), Some("Map"));
    assert_eq!(public_type("    pub enum Role {"), Some("Role"));
    assert_eq!(public_type("pub type Title = Text<0, 50>;"), Some("Title"));
    assert_eq!(public_type("pub(crate) struct Hidden;"), None);
    assert_eq!(public_type("        $vis enum $name {"), None);
    assert_eq!(public_type("        pub struct $set {"), None);
}
