//! Input that is parsed only after the caller's permission was checked.
use crate::text::Invalid;

/// Unparsed input of a caller. Use cases check the permission first and then call [`Input::read`], so that a caller
/// without permission gets the same error for any input.
pub struct Input<T>(Box<dyn FnOnce() -> Result<T, Invalid> + Send>);

impl<T> Input<T> {
    /// Wraps the parsing of input.
    pub fn new(read: impl FnOnce() -> Result<T, Invalid> + Send + 'static) -> Self {
        Self(Box::new(read))
    }

    /// Parses the input.
    ///
    /// # Errors
    /// [`Invalid`] names the field and the rule it breaks.
    pub fn read(self) -> Result<T, Invalid> {
        (self.0)()
    }
}

impl<T: Send + 'static> From<T> for Input<T> {
    fn from(value: T) -> Self {
        Self::new(move || Ok(value))
    }
}
