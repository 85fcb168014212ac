//! The state that a caller says an object must be in before it is changed.
use super::Error;

/// What a caller says the object looks like, such as an `If-Match` header does. `T` is the object as an answer shows it.
///
/// It is checked in the unit of work that writes, after the right and the input and before any effect.
pub struct Precondition<T>(Option<Matches<T>>);

type Matches<T> = Box<dyn Fn(&T) -> bool + Send + Sync>;

impl<T> Precondition<T> {
    /// Any state will do.
    pub fn none() -> Self {
        Self(None)
    }

    /// Only a state for which `matches` holds.
    pub fn that(matches: impl Fn(&T) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(matches)))
    }

    /// Checks an object that is loaded.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`] when it is in another state.
    pub(super) fn check(&self, current: &T) -> Result<(), Error> {
        match &self.0 {
            Some(matches) if !matches(current) => Err(failed()),
            _ => Ok(()),
        }
    }

    /// The same for an object that takes queries to show: they are sent only if there is a condition.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`] when it is in another state, and those of `current`.
    pub(super) async fn check_shown(&self, current: impl Future<Output = Result<T, Error>>) -> Result<(), Error> {
        match &self.0 {
            Some(_) => self.check(&current.await?),
            None => Ok(()),
        }
    }

    /// Checks where there is no such object: no condition holds of what is not there (RFC 9110, 13.1.1).
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`] when there is a condition.
    pub(super) fn check_absent(&self) -> Result<(), Error> {
        match &self.0 {
            Some(_) => Err(failed()),
            None => Ok(()),
        }
    }

    /// What a deletion tells where there is nothing to delete.
    ///
    /// # Errors
    /// Those of [`Self::check_absent`].
    pub(super) fn nothing_there(&self) -> Result<bool, Error> {
        self.check_absent().map(|()| false)
    }
}

fn failed() -> Error {
    Error::PreconditionFailed("the resource changed since you read it: read it again, then repeat the change".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(answer: Result<(), Error>) -> bool {
        matches!(answer, Err(Error::PreconditionFailed(_)))
    }

    #[tokio::test]
    async fn a_condition_holds_of_what_it_matches_and_never_of_what_is_not_there() {
        let seven = Precondition::that(|current: &u8| *current == 7);
        assert!(seven.check(&7).is_ok() && refused(seven.check(&8)));
        assert!(seven.check_shown(async { Ok(7) }).await.is_ok());
        assert!(refused(seven.check_shown(async { Ok(8) }).await));
        assert!(refused(seven.check_absent()));
    }

    #[tokio::test]
    async fn without_a_condition_nothing_is_looked_at() {
        let none = Precondition::<u8>::none();
        assert!(none.check(&7).is_ok() && none.check_absent().is_ok());
        assert!(none.check_shown(async { Err(Error::NotFound("it")) }).await.is_ok());
        assert!(matches!(none.nothing_there(), Ok(false)));
    }
}
