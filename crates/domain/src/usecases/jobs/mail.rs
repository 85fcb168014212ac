//! Sending e-mails about notifications. An e-mail has all notifications of one user in one thread since the previous
//! e-mail.
use super::lease::{Lease, Outcome, Stop};
use crate::id::{NotificationId, ThreadId, UserId};
use crate::job::Task;
use crate::notification::MAIL_DELAY;
use crate::ports::MailError;
use crate::usecases::Error;
use crate::usecases::notifications::mail::compose;
use crate::usecases::work::Work;
use chrono::{DateTime, Utc};

/// The maximum number of notifications in one e-mail.
const MOST: usize = 50;

/// Sends the e-mail that is due, if the user may still get it. It is sent at least once: if the job is interrupted
/// before the notifications are marked, it is sent again, with the same id if none was added.
pub(super) async fn thread(lease: &Lease<'_>, user: &UserId, thread: &ThreadId) -> Result<Outcome, Stop> {
    let Some(outbox) = &lease.jobs.outbox else {
        return Err(Error::Unable("send e-mail").into());
    };
    let mut work = lease.read().await?;
    let found = work.notifications().to_mail(user, thread, MOST).await?;
    if found.is_empty() {
        return Ok(Outcome::Done);
    }
    let ids: Vec<NotificationId> = found.iter().map(|one| one.id.clone()).collect();
    let mail = compose(&mut work, &*outbox.links, user, found).await?;
    drop(work);
    if let Some(mail) = mail {
        match outbox.mailer.send(&mail).await {
            // Every retry would fail. The notifications stay in the inbox.
            Ok(()) | Err(MailError::Refused(_)) => {}
            Err(error) => return Err(Error::from(error).into()),
        }
    }
    let mut work = lease.step_with(&[user.into()]).await?;
    work.notifications().mailed(user, &ids).await?;
    work.commit().await?;
    Ok(Outcome::Done)
}

/// When a finished job must run again, because notifications were added since it loaded them. The job is locked, so
/// none can be added now.
pub(super) async fn again(work: &mut Work<'_>, task: &Task, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, Stop> {
    let Task::MailThread { user, thread } = task else { return Ok(None) };
    let left = work.notifications().to_mail(user, thread, 1).await?;
    Ok((!left.is_empty()).then(|| now + MAIL_DELAY))
}
