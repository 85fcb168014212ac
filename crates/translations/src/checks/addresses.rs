//! The addresses of a translation.
use crate::addresses::addresses;
use crate::tagged::Fault;

/// Checks that there is no address that the source does not have. Those that it has are tags, and so are all there.
pub(super) fn check(source: &str, answer: &str) -> Result<(), Fault> {
    match addresses(answer).into_iter().map(|range| &answer[range]).find(|address| !source.contains(address)) {
        Some(address) => Err(Fault::Address(address.to_owned())),
        None => Ok(()),
    }
}
