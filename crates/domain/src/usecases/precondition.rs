//! The state that a caller requires of an object before it is changed.
use super::Error;

/// A condition on the state of an object, such as the `If-Match` header. `T` is the object in the form of the API.
///
/// It is checked in the writing unit of work, after the permission and the input and before any change.
pub struct Precondition<T>(Option<Matches<T>>);

type Matches<T> = Box<dyn Fn(&T) -> bool + Send + Sync>;

impl<T> Precondition<T> {
    /// No condition.
    pub fn none() -> Self {
        Self(None)
    }

    /// The state must satisfy `matches`.
    pub fn that(matches: impl Fn(&T) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(matches)))
    }

    /// Checks a loaded object.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`] if the condition does not hold.
    pub(super) fn check(&self, current: &T) -> Result<(), Error> {
        match &self.0 {
            Some(matches) if !matches(current) => Err(failed()),
            _ => Ok(()),
        }
    }

    /// The same for an object that needs queries to be shown; they run only if there is a condition.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`] if the condition does not hold, and the errors of `current`.
    pub(super) async fn check_shown(&self, current: impl Future<Output = Result<T, Error>>) -> Result<(), Error> {
        match &self.0 {
            Some(_) => self.check(&current.await?),
            None => Ok(()),
        }
    }

    /// Checks the condition for a missing object, for which every `If-Match` fails (RFC 9110, section 13.1.1).
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`] if there is a condition.
    pub(super) fn check_absent(&self) -> Result<(), Error> {
        match &self.0 {
            Some(_) => Err(failed()),
            None => Ok(()),
        }
    }

    /// An object to delete, or `None` if it is missing or hidden, so that there is nothing to delete.
    ///
    /// # Errors
    /// The errors of [`Self::check_absent`], and all of `found` except [`Error::NotFound`].
    pub(super) fn found<O>(&self, found: Result<O, Error>) -> Result<Option<O>, Error> {
        match found {
            Err(Error::NotFound(_)) => self.check_absent().map(|()| None),
            found => found.map(Some),
        }
    }

    /// The result of deleting a missing object: `false`.
    ///
    /// # Errors
    /// The errors of [`Self::check_absent`].
    pub(super) fn nothing_removed(&self) -> Result<bool, Error> {
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
    async fn a_condition_matches_its_version_and_never_a_missing_object() {
        let seven = Precondition::that(|current: &u8| *current == 7);
        assert!(seven.check(&7).is_ok() && refused(seven.check(&8)));
        assert!(seven.check_shown(async { Ok(7) }).await.is_ok());
        assert!(refused(seven.check_shown(async { Ok(8) }).await));
        assert!(refused(seven.check_absent()));
        assert!(refused(seven.found::<u8>(Err(Error::NotFound("it"))).map(|_| ())));
        assert!(matches!(seven.found(Ok(8)), Ok(Some(8))));
    }

    #[tokio::test]
    async fn without_a_condition_nothing_is_checked() {
        let none = Precondition::<u8>::none();
        assert!(none.check(&7).is_ok() && none.check_absent().is_ok());
        assert!(none.check_shown(async { Err(Error::NotFound("it")) }).await.is_ok());
        assert!(matches!(none.nothing_removed(), Ok(false)));
        assert!(matches!(none.found::<u8>(Err(Error::NotFound("it"))), Ok(None)));
    }
}
