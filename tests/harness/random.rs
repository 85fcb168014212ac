//! Random numbers that follow from a seed.

/// A sequence of numbers that follows from its seed.
#[derive(Debug)]
pub struct SeededRandom(u64);

impl SeededRandom {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        // The seed zero would produce only zeros, and a small seed would produce small numbers at first.
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The next number, below `sides`.
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or_default() % sides
    }

    /// One of these.
    pub fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}
