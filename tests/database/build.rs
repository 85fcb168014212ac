//! Hashes the migrations, so that a binary names its templates after the migrations that it was built with.
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

const MIGRATIONS: &str = "../../migrations";

fn add(folder: &Path, hasher: &mut DefaultHasher) {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    paths.sort();
    for path in paths {
        path.hash(hasher);
        if path.is_dir() {
            add(&path, hasher);
        } else {
            std::fs::read(&path).expect("the file can be read").hash(hasher);
        }
    }
}

fn main() {
    let mut hasher = DefaultHasher::new();
    add(Path::new(MIGRATIONS), &mut hasher);
    println!("cargo::rerun-if-changed={MIGRATIONS}");
    println!("cargo::rustc-env=MIGRATIONS_FINGERPRINT={:016x}", hasher.finish());
}
