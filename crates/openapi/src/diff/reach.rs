//! The operations that reach a change.
use super::compare::Unit;

/// For each list of units, the units with an operation that lead to one of them, in ascending order.
///
/// All changes are followed upwards together, 128 at a time with one bit each. So the cost is that of a few walks over
/// the units, not of one walk per change.
pub(super) fn reached(units: &[Unit<'_>], seeds: &[&[usize]]) -> Vec<Vec<usize>> {
    let mut all = Vec::with_capacity(seeds.len());
    let mut bits = vec![0_u128; units.len()];
    for batch in seeds.chunks(128) {
        bits.fill(0);
        let mut queue: Vec<usize> = Vec::new();
        for (at, starts) in batch.iter().enumerate() {
            for &unit in *starts {
                if let Some(bits) = bits.get_mut(unit) {
                    *bits |= 1 << at;
                    queue.push(unit);
                }
            }
        }
        while let Some(unit) = queue.pop() {
            let own = bits.get(unit).copied().unwrap_or_default();
            for &parent in units.get(unit).map(|unit| unit.parents.as_slice()).unwrap_or_default() {
                if let Some(bits) = bits.get_mut(parent).filter(|bits| **bits | own != **bits) {
                    *bits |= own;
                    queue.push(parent);
                }
            }
        }
        let mut found = vec![Vec::new(); batch.len()];
        for (unit, bits) in units
            .iter()
            .zip(&bits)
            .enumerate()
            .filter(|(_, (unit, _))| unit.operation.is_some())
            .map(|(at, (_, bits))| (at, *bits))
        {
            let mut rest = bits;
            while rest != 0 {
                if let Some(list) = found.get_mut(rest.trailing_zeros() as usize) {
                    list.push(unit);
                }
                rest &= rest - 1;
            }
        }
        all.extend(found);
    }
    all
}
