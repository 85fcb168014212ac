//! Lists with a maximum length.
use crate::text::Rule;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};

/// A list of at most `MAX` items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<T>")]
pub struct AtMost<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> Default for AtMost<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const MAX: usize> Deref for AtMost<T, MAX> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

/// The items can be changed, not their number.
impl<T, const MAX: usize> DerefMut for AtMost<T, MAX> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T, const MAX: usize> AtMost<T, MAX> {
    /// Removes the items for which `keep` returns false. It can change the others.
    pub fn retain_mut(&mut self, keep: impl FnMut(&mut T) -> bool) {
        self.0.retain_mut(keep);
    }
}

impl<T, const MAX: usize> TryFrom<Vec<T>> for AtMost<T, MAX> {
    type Error = Rule;

    fn try_from(items: Vec<T>) -> Result<Self, Rule> {
        match items.len() {
            length if length > MAX => Err(Rule(format!("must have at most {MAX} items, not {length}"))),
            _ => Ok(Self(items)),
        }
    }
}
