//! Removing old notifications.
use super::lease::{Lease, Outcome, Stop};
use crate::id::NotificationId;
use crate::retention::{can_be_old, is_notification_old};

/// The number of notifications that one step checks.
const PORTION: usize = 500;

/// Checks all notifications that can be expired, from the oldest on, and removes the expired ones.
pub(super) async fn remove_old(lease: &Lease<'_>) -> Result<Outcome, Stop> {
    let mut after: Option<NotificationId> = None;
    loop {
        let now = lease.now();
        let mut work = lease.step().await?;
        let mut some = work.notifications().oldest(after.as_ref(), PORTION).await?;
        // Ids sort by time: after the first recent one, all are recent.
        let young = some.iter().position(|one| !can_be_old(one.created_at, now));
        let ends = young.is_some() || some.len() < PORTION;
        some.truncate(young.unwrap_or(some.len()));
        after = some.last().map(|one| one.id.clone()).or(after);
        let old: Vec<NotificationId> = some
            .into_iter()
            .filter(|one| is_notification_old(one.created_at, one.read_at, now))
            .map(|one| one.id)
            .collect();
        work.notifications().remove(&old).await?;
        work.commit().await?;
        if ends {
            return Ok(Outcome::Done);
        }
    }
}
