//! Requests that are read only once their sender has shown the right to make them.
use crate::text::Invalid;

/// What a caller sent, not yet looked at. Use cases check the right first and call [`Input::read`] then, so that junk
/// sent by somebody who may not write gets the same answer as a sound request would.
pub struct Input<T>(Box<dyn FnOnce() -> Result<T, Invalid> + Send>);

impl<T> Input<T> {
    /// Wraps the parsing of a request.
    pub fn new(read: impl FnOnce() -> Result<T, Invalid> + Send + 'static) -> Self {
        Self(Box::new(read))
    }

    /// Looks at it.
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
