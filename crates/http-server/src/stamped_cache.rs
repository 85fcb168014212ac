//! Values read from the database, reused until the next commit.
use chrono::{DateTime, TimeDelta, Utc};
use quick_cache::sync::Cache;
use std::hash::Hash;
use std::sync::Arc;

/// The maximum age of a value. Only few values change without a commit: the URLs of files, which are valid for at least
/// a day, and the list of deleted spaces that can be restored.
const MAX_AGE: TimeDelta = TimeDelta::seconds(10);

/// The state of the database that a value was made from.
#[derive(Clone, Copy, Debug)]
pub struct AsOf {
    /// The database's stamp before the value was made. It changes with every commit.
    pub stamp: u64,
    /// The time before the value was made.
    pub at: DateTime<Utc>,
}

impl AsOf {
    /// Whether a value made then is still valid now.
    pub(crate) fn holds(self, now: Self) -> bool {
        // A value is also invalid if the clock was set back.
        let age = now.at - self.at;
        self.stamp == now.stamp && (TimeDelta::zero()..MAX_AGE).contains(&age)
    }
}

/// A cache of values that are valid until the next commit, by this server or another process.
pub struct StampedCache<K, V>(Cache<K, Arc<(AsOf, V)>>);

impl<K: Clone + Eq + Hash, V: Clone> StampedCache<K, V> {
    /// A cache of at most `entries` values.
    pub fn new(entries: usize) -> Self {
        Self(Cache::new(entries))
    }

    /// The value, if it is still valid.
    pub fn find(&self, key: &K, now: AsOf) -> Option<V> {
        let known = self.0.get(key)?;
        known.0.holds(now).then(|| known.1.clone())
    }

    /// Stores a value.
    pub fn store(&self, key: K, as_of: AsOf, value: V) {
        self.0.insert(key, Arc::new((as_of, value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(stamp: u64, seconds: i64) -> AsOf {
        AsOf { stamp, at: DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds) }
    }

    #[test]
    fn a_value_is_found_until_the_next_commit_and_for_ten_seconds() {
        let cache = StampedCache::new(8);
        cache.store("key", since(7, 100), "value");
        assert_eq!(cache.find(&"key", since(7, 109)), Some("value"));
        assert_eq!(cache.find(&"other", since(7, 109)), None);
        assert_eq!(cache.find(&"key", since(8, 100)), None, "there was a commit");
        assert_eq!(cache.find(&"key", since(7, 110)), None, "it is too old");
        assert_eq!(cache.find(&"key", since(7, 99)), None, "the clock was set back");
    }
}
