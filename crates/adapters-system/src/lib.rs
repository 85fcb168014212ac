//! Ports of `domain` that need only the operating system: time, ids, secrets and threads.
use async_trait::async_trait;
use chrono::{DateTime, SubsecRound, Utc};
use domain::ports::{Clock, Ids, LongWork, Secrets};
use rand::TryRng;
use rand::rngs::SysRng;

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the port's one implementation that reads the clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(6)
    }
}

/// Ids that sort by their time of creation: UUIDs of version 7 (RFC 9562, 5.7), in their usual form.
#[derive(Clone, Copy, Debug, Default)]
pub struct UuidIds;

impl Ids for UuidIds {
    #[expect(clippy::disallowed_methods, reason = "this is the port's one implementation that makes ids")]
    fn next(&self) -> String {
        uuid::Uuid::now_v7().to_string()
    }
}

/// Random bytes from the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsSecrets;

impl Secrets for OsSecrets {
    /// # Panics
    /// If the operating system returns no random bytes: a secret without them would not be safe.
    fn random(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        SysRng.try_fill_bytes(&mut bytes).expect("the operating system gives random bytes");
        bytes
    }
}

/// Runs computations on tokio's threads for blocking work. Must be used within a tokio runtime.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockingThreads;

#[async_trait]
impl LongWork for BlockingThreads {
    async fn run(&self, work: Box<dyn FnOnce() + Send>) {
        // The panic hook logs a panic; the caller sees that there is no result.
        let _panicked = tokio::task::spawn_blocking(work).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_time_has_no_more_than_microseconds() {
        let now = SystemClock.now();
        assert_eq!(now.timestamp_subsec_nanos() % 1_000, 0);
        assert!(now <= SystemClock.now(), "and does not go back");
    }

    #[test]
    fn ids_are_valid_distinct_and_sort_by_the_time_they_were_made() {
        let ids: Vec<String> = (0..10_000).map(|_| UuidIds.next()).collect();
        assert!(ids.is_sorted());
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
        assert!(ids.iter().all(|id| id.parse::<domain::id::PageId>().is_ok() && id.len() == 36));
    }

    #[test]
    fn secrets_never_repeat() {
        let secrets: HashSet<[u8; 32]> = (0..1_000).map(|_| OsSecrets.random()).collect();
        assert_eq!(secrets.len(), 1_000);
    }
}
