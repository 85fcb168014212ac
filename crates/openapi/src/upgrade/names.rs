//! Names of components: the names in use, and valid replacements for invalid names.
use std::collections::{HashMap, HashSet};

/// The names of one kind of components.
#[derive(Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
    /// The number to try next for a name, so that many equal names take linear time.
    next: HashMap<String, usize>,
}

impl Names {
    /// The names that exist already.
    pub(crate) fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { taken: names.into_iter().map(str::to_owned).collect(), next: HashMap::new() }
    }

    /// Takes a name similar to the wanted one: characters that a component cannot have become `_`, and `_2`, `_3`, … is
    /// added if the name is taken.
    pub(crate) fn take(&mut self, wanted: &str) -> String {
        let base = encoded(wanted);
        if self.taken.insert(base.clone()) {
            return base;
        }
        let next = self.next.entry(base.clone()).or_insert(2);
        loop {
            let name = format!("{base}_{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Whether the specification allows this name for a component.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_name_char)
}

fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-')
}

fn encoded(name: &str) -> String {
    if name.is_empty() {
        return "_".to_owned();
    }
    name.chars().map(|char| if is_name_char(char) { char } else { '_' }).collect()
}
