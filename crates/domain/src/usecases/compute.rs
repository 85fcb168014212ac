//! Running computations of the content engine over stored objects.
use super::Error;
use super::work::Work;
use crate::content::object::{MemoryObjects, Read, ReadError};

/// A computation needs one round per level of the trees that it walks; more than this number is a bug that would loop
/// forever.
const MAX_ROUNDS: usize = 256;

impl Work<'_> {
    /// Runs a computation over the objects in memory, loads missing ones in one query, and repeats this until the
    /// computation has all objects.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if an object that content refers to is not stored or is damaged.
    pub(super) async fn compute<T>(
        &mut self,
        objects: &mut MemoryObjects,
        mut computation: impl FnMut(&MemoryObjects) -> Read<T>,
    ) -> Result<T, Error> {
        objects.read_through(self.cached_objects());
        for _ in 0..MAX_ROUNDS {
            let missing = match computation(objects) {
                Ok(value) => return Ok(value),
                Err(ReadError::Missing(missing)) => missing,
                Err(fault @ ReadError::Corrupt { .. }) => return Err(Error::Corrupt(fault.to_string())),
            };
            let loaded = self.load_objects(&missing).await?;
            if loaded.len() < missing.len() {
                let gone = missing.iter().find(|hash| loaded.iter().all(|(found, _)| found != *hash));
                return Err(Error::Corrupt(format!("object {} is missing", gone.unwrap_or(&missing[0]))));
            }
            objects.extend(loaded);
        }
        Err(Error::Corrupt(format!("the computation did not end within {MAX_ROUNDS} rounds")))
    }
}
