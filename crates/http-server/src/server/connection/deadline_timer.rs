//! A timer that can be moved to another deadline.
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::{Instant, Sleep, sleep_until};

/// A timer for deadlines that mostly move before they pass.
#[derive(Default)]
pub(super) struct DeadlineTimer(Option<Pin<Box<Sleep>>>);

impl DeadlineTimer {
    /// Resolves when the deadline has passed. Until then, it may wake the task too early.
    pub(super) fn poll(&mut self, deadline: Instant, context: &mut Context<'_>) -> Poll<()> {
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if sleep.deadline() > deadline {
            sleep.as_mut().reset(deadline);
        }
        // To move a timer costs more than to look at it: it moves to a later time only when it has passed.
        while sleep.as_mut().poll(context).is_ready() {
            if sleep.deadline() >= deadline {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::time::Duration;

    const STEP: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn the_timer_resolves_at_the_last_deadline_however_it_moved() {
        let (begin, mut timer) = (Instant::now(), DeadlineTimer::default());
        let later = |steps: u32| begin + steps * STEP;
        let mut passed = async |deadline| {
            poll_fn(|context| timer.poll(deadline, context)).await;
            Instant::now()
        };
        assert!(passed(later(1)).await >= later(1));
        assert!(passed(later(3)).await >= later(3), "later than the one that has passed");
        assert!(passed(later(2)).await >= later(3), "one that has passed already");
        let (far, near) = (later(10_000), Instant::now() + STEP);
        let mut context = Context::from_waker(std::task::Waker::noop());
        assert!(timer.poll(far, &mut context).is_pending());
        assert!(timer.poll(near + STEP, &mut context).is_pending(), "earlier");
        let woken = poll_fn(|context| timer.poll(near, context));
        assert!(tokio::time::timeout(later(10_000) - begin, woken).await.is_ok(), "earlier again");
        assert!(Instant::now() >= near);
    }
}
