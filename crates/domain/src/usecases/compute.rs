//! Running the engine's computations over stored objects.
use super::Error;
use crate::content::object::{MemoryObjects, Read, ReadError};
use crate::ports::Tx;

/// A computation needs one round a level of the trees it walks; more than this is a fault that would never end.
const MAX_ROUNDS: usize = 256;

/// Runs a computation over what is in memory; loads what it misses in one query, and runs it again, until it has all it
/// needs.
///
/// # Errors
/// [`Error::Corrupt`] when an object that content names is not stored, or is not what it should be.
pub(super) async fn compute<T>(
    tx: &mut dyn Tx,
    objects: &mut MemoryObjects,
    mut computation: impl FnMut(&MemoryObjects) -> Read<T>,
) -> Result<T, Error> {
    objects.read_through(tx.at_hand());
    for _ in 0..MAX_ROUNDS {
        let missing = match computation(objects) {
            Ok(value) => return Ok(value),
            Err(ReadError::Missing(missing)) => missing,
            Err(fault @ ReadError::Corrupt { .. }) => return Err(Error::Corrupt(fault.to_string())),
        };
        let loaded = tx.content().objects(&missing).await?;
        if loaded.len() < missing.len() {
            let gone = missing.iter().find(|hash| loaded.iter().all(|(found, _)| found != *hash));
            return Err(Error::Corrupt(format!("object {} is missing", gone.unwrap_or(&missing[0]))));
        }
        objects.extend(loaded);
    }
    Err(Error::Corrupt(format!("the computation did not end within {MAX_ROUNDS} rounds")))
}
