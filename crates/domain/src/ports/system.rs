//! Time, ids and secrets. Passed in, so that rules stay pure and tests can travel in time.
use chrono::{DateTime, Utc};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Now, cut to microseconds, which is what both databases keep.
    fn now(&self) -> DateTime<Utc>;
}

/// Makes ids.
pub trait Ids: Send + Sync {
    /// A new id as text: a UUID of version 7 in its usual form, so that ids sort by the time they were made.
    fn next(&self) -> String;
}

impl dyn Ids + '_ {
    /// A new id of the wanted type.
    ///
    /// # Panics
    /// When the port makes texts that are no ids, which is a fault in it.
    pub fn make<T: TryFrom<String, Error = crate::id::InvalidId>>(&self) -> T {
        T::try_from(self.next()).expect("the port makes ids")
    }
}

/// Gives random bytes.
pub trait Secrets: Send + Sync {
    /// 32 bytes from the operating system's source of randomness.
    fn random(&self) -> [u8; 32];
}
