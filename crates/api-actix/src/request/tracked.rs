//! Reads a value, and tells the place of an error in it.
use serde::{Deserialize, Deserializer};
use serde_path_to_error::{Path, Track};

/// Serde's error about a value.
pub(super) struct Failed {
    /// The path of the value; `.` for the whole input.
    pub(super) path: Path,
    /// Serde's message.
    pub(super) text: String,
}

/// Reads a value.
///
/// The deserializer is erased, so the code that reads a type is compiled once, and not for each deserializer with all
/// layers around it.
///
/// # Errors
/// The first error.
pub(super) fn tracked<'de, T: Deserialize<'de>>(deserializer: impl Deserializer<'de>) -> Result<T, Failed> {
    let mut track = Track::new();
    let read = {
        let tracking = serde_path_to_error::Deserializer::new(deserializer, &mut track);
        let mut erased = <dyn erased_serde::Deserializer<'_>>::erase(tracking);
        erased_serde::deserialize(&mut erased)
    };
    read.map_err(|error: erased_serde::Error| Failed { path: track.path(), text: error.to_string() })
}
