//! `extends` of `myst.yml`: the files whose settings it has besides its own.
use super::address::has_scheme;
use super::navigation::Files;
use super::path;
use serde_json::Value;

/// How deep files may extend others, and how many of them are read for one `myst.yml`.
const MAX_DEPTH: usize = 8;
const MAX_FILES: usize = 32;

/// The settings in a file.
pub(super) struct Settings {
    /// Its path.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The settings.
    pub value: Value,
}

/// The settings of a file and of those that it extends. The first ones that have a value count: a file comes before
/// those that it extends, and of these the last comes first. `read` returns the text and the value of a file. What
/// cannot be extended is reported.
pub(super) fn settings(
    files: &Files<'_>,
    first: &str,
    read: &dyn Fn(&str) -> Option<(String, Value)>,
) -> Vec<Settings> {
    let mut reader = Reader { files, read, around: Vec::new(), count: 0, found: Vec::new() };
    reader.add(first.to_owned());
    reader.found
}

struct Reader<'r> {
    files: &'r Files<'r>,
    read: &'r dyn Fn(&str) -> Option<(String, Value)>,
    /// The files that lead to the next one.
    around: Vec<String>,
    /// How many files were read, with those that have no settings.
    count: usize,
    found: Vec<Settings>,
}

impl Reader<'_> {
    /// Reads a file and those that it extends. Recursion ends at [`MAX_DEPTH`].
    fn add(&mut self, file: String) {
        self.count += 1;
        let Some((text, value)) = (self.read)(&file) else { return };
        let extended: Vec<String> = match value.get("extends") {
            Some(Value::String(address)) => vec![address.clone()],
            Some(Value::Array(list)) => list.iter().filter_map(|address| Some(address.as_str()?.to_owned())).collect(),
            _ => Vec::new(),
        };
        self.found.push(Settings { file: file.clone(), text, value });
        self.around.push(file.clone());
        for address in extended.iter().rev() {
            if self.count > MAX_FILES {
                self.note(&file, address, &format!("more than {MAX_FILES} files are extended"));
                break;
            }
            match self.resolve(&file, address) {
                Ok(file) => self.add(file),
                Err(reason) => self.note(&file, address, reason),
            }
        }
        self.around.pop();
    }

    /// The file that another one names, or why it has no effect.
    fn resolve(&self, from: &str, address: &str) -> Result<String, &'static str> {
        if has_scheme(address) {
            return Err("an import fetches no settings");
        }
        let file = Some(address).filter(|address| !address.starts_with('/'));
        let file = file.and_then(|address| path::resolve(path::folder(from), address));
        let file =
            file.filter(|file| self.files.tree.contains(file)).ok_or("there is no such file in the documentation")?;
        if self.around.contains(&file) {
            return Err("it extends itself");
        }
        if self.around.len() >= MAX_DEPTH { Err("files extend each other too deeply") } else { Ok(file) }
    }

    fn note(&self, file: &str, address: &str, reason: &str) {
        self.files.fail(file, format!("extends: {address} has no effect: {reason}"));
    }
}
