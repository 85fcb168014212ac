//! Checks the addresses of a translation.
use crate::addresses::addresses;
use crate::tagged::Fault;

/// Checks that the answer has no address that the source lacks. Addresses of the source are tags, so they are all
/// present.
pub(super) fn check(source: &str, answer: &str) -> Result<(), Fault> {
    match addresses(answer).into_iter().map(|range| &answer[range]).find(|address| !source.contains(address)) {
        Some(address) => Err(Fault::Address(address.to_owned())),
        None => Ok(()),
    }
}
