//! Work that takes more than a millisecond of processor time: it runs on threads of its own.
//!
//! A thread that answers requests serves many connections, and none of them gets anywhere while it computes. So parsing
//! and writing texts, merging, diffing, searching and reading whole trees run here. The pool is bounded in three ways:
//! so many threads, so many of them for one caller, so much work that waits. Callers take turns, so nobody waits for all
//! that somebody else has sent. What does not fit is refused with 503.
use crate::Api;
use crate::caller::Caller;
use crate::error::ApiError;
use actix_web::web::Data;
use domain::id::UserId;
use futures_util::FutureExt;
use futures_util::future::{AbortHandle, Abortable, BoxFuture};
use metrics::{counter, gauge};
use std::collections::{HashMap, VecDeque};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tracing::Instrument;

/// How far the threads of the pool give way to those that answer requests, as `nice` counts: as far as can be. They get all
/// of a processor that no other thread wants.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 19;

/// The bounds of a pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Threads.
    pub(crate) threads: usize,
    /// Threads that work for one caller at once.
    pub(crate) threads_per_caller: usize,
    /// Pieces of work of one caller that may wait.
    pub(crate) waiting_per_caller: usize,
    /// Pieces of work of all callers together that may wait.
    pub(crate) waiting: usize,
    /// Bytes of the bodies of requests that may wait.
    pub(crate) waiting_bytes: usize,
}

impl Default for Bounds {
    /// Two threads for each processor, since work also waits for the database. One caller gets half of the processors at
    /// most: the scheduler lets a thread run for some milliseconds before another one of higher priority gets its
    /// processor, and with all of them taken the requests of others would wait for that.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            threads: 2 * processors,
            threads_per_caller: (processors / 2).max(1),
            waiting_per_caller: 64,
            waiting: 256,
            waiting_bytes: 256 * 1024 * 1024,
        }
    }
}

/// Who work is done for. Work of the operator and of the server itself is one caller's.
pub(crate) type Owner = Option<UserId>;

/// A piece of work that waits.
struct Waiting {
    work: BoxFuture<'static, ()>,
    bytes: usize,
}

/// The work of one caller.
#[derive(Default)]
struct Line {
    running: usize,
    waiting: VecDeque<Waiting>,
}

#[derive(Default)]
struct State {
    lines: HashMap<Owner, Line>,
    /// Callers whose work waits, in the order of their turns.
    turns: VecDeque<Owner>,
    waiting: usize,
    waiting_bytes: usize,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl State {
    /// Adds work; whether there was room for it.
    fn add(&mut self, owner: &Owner, waiting: Waiting, bounds: &Bounds) -> bool {
        let full = self.waiting >= bounds.waiting || self.waiting_bytes + waiting.bytes > bounds.waiting_bytes;
        let line = self.lines.entry(owner.clone()).or_default();
        if full || line.waiting.len() >= bounds.waiting_per_caller {
            if line.running == 0 && line.waiting.is_empty() {
                self.lines.remove(owner);
            }
            return false;
        }
        if line.waiting.is_empty() {
            self.turns.push_back(owner.clone());
        }
        self.waiting += 1;
        self.waiting_bytes += waiting.bytes;
        line.waiting.push_back(waiting);
        true
    }

    /// The next work that may begin: of the caller who has waited for a turn the longest and has a thread to spare.
    fn take(&mut self, bounds: &Bounds) -> Option<(Owner, Waiting)> {
        let may_begin =
            |owner: &Owner| self.lines.get(owner).is_some_and(|line| line.running < bounds.threads_per_caller);
        let at = self.turns.iter().position(may_begin)?;
        let owner = self.turns.remove(at)?;
        let line = self.lines.get_mut(&owner)?;
        let work = line.waiting.pop_front()?;
        line.running += 1;
        self.waiting -= 1;
        self.waiting_bytes -= work.bytes;
        if !line.waiting.is_empty() {
            self.turns.push_back(owner.clone());
        }
        Some((owner, work))
    }

    /// Notes that work of a caller has ended.
    fn end(&mut self, owner: &Owner) {
        let Some(line) = self.lines.get_mut(owner) else { return };
        line.running -= 1;
        if line.running == 0 && line.waiting.is_empty() {
            self.lines.remove(owner);
        }
    }
}

struct Shared {
    bounds: Bounds,
    state: Mutex<State>,
    /// Wakes a thread that waits for work.
    wake: Condvar,
    /// Where connections and timers of the work live. Its own threads never compute, so they are always looked after.
    runtime: Handle,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does work until the pool is closed.
    fn serve(&self) {
        // Only on Linux the niceness is that of a thread. Where it cannot be set, threads are as good as others.
        #[cfg(target_os = "linux")]
        let _as_before = rustix::process::nice(NICENESS);
        let mut state = self.lock();
        loop {
            if state.closed {
                return;
            }
            let Some((owner, waiting)) = state.take(&self.bounds) else {
                state.idle += 1;
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
                continue;
            };
            drop(state);
            gauge!("octavo_work_running").increment(1.0);
            gauge!("octavo_work_waiting").decrement(1.0);
            self.runtime.block_on(waiting.work);
            gauge!("octavo_work_running").decrement(1.0);
            state = self.lock();
            state.end(&owner);
        }
    }
}

/// Threads for work that takes long. They begin when there is work for them, and end with the pool.
pub(crate) struct WorkPool {
    bounds: Bounds,
    shared: std::sync::OnceLock<Arc<Shared>>,
    runtime: Option<Handle>,
}

impl WorkPool {
    /// A pool with these bounds. Made within a runtime, its work uses the connections and timers of that one.
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self { bounds, shared: std::sync::OnceLock::new(), runtime: Handle::try_current().ok() }
    }

    fn shared(&self) -> &Arc<Shared> {
        self.shared.get_or_init(|| {
            let runtime = self.runtime.clone().unwrap_or_else(Handle::current);
            Arc::new(Shared { bounds: self.bounds, state: Mutex::default(), wake: Condvar::new(), runtime })
        })
    }

    /// Does work for a caller who sent `bytes` along. It is dropped when nobody waits for its result any more.
    ///
    /// # Errors
    /// Those of the work; [`ApiError::Busy`] when too much work waits already.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        owner: Owner,
        bytes: usize,
        work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
    ) -> Result<T, ApiError> {
        let (sender, receiver) = oneshot::channel();
        let (abort, registration) = AbortHandle::new_pair();
        let work = AssertUnwindSafe(work.in_current_span()).catch_unwind();
        let work = Abortable::new(work, registration).map(|done| match done {
            // That nobody waits any more is no fault.
            Ok(done) => drop(sender.send(done)),
            Err(_aborted) => {}
        });
        let shared = self.shared();
        enqueue(shared, owner, Waiting { work: work.boxed(), bytes })?;
        let _dropped = AbortOnDrop(abort);
        match receiver.await {
            Ok(Ok(done)) => done,
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_closed) => Err(ApiError::Busy),
        }
    }
}

impl Drop for WorkPool {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.get() {
            shared.lock().closed = true;
            shared.wake.notify_all();
        }
    }
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Puts work into the line of its caller, and sees to it that a thread does it.
fn enqueue(shared: &Arc<Shared>, owner: Owner, waiting: Waiting) -> Result<(), ApiError> {
    let mut state = shared.lock();
    if !state.add(&owner, waiting, &shared.bounds) {
        counter!("octavo_work_refused_total").increment(1);
        return Err(ApiError::Busy);
    }
    gauge!("octavo_work_waiting").increment(1.0);
    // A thread counts as idle until it wakes: two pieces of work that come at once need two of them.
    if state.waiting <= state.idle || state.threads >= shared.bounds.threads {
        drop(state);
        shared.wake.notify_one();
        return Ok(());
    }
    state.threads += 1;
    drop(state);
    let own = shared.clone();
    let started = std::thread::Builder::new().name("octavo-work".to_owned()).spawn(move || own.serve());
    if let Err(error) = started {
        tracing::warn!(error = %error, "a thread for long work cannot be started");
        let mut state = shared.lock();
        state.threads -= 1;
        if state.threads == 0 {
            return Err(ApiError::Busy);
        }
    }
    Ok(())
}

/// Handles a request whose work takes long: see [`WorkPool`]. The work gets the API and the caller.
///
/// # Errors
/// Those of the work; [`ApiError::Busy`] when too much work waits already.
pub(crate) async fn at_length<T, F>(
    api: Data<Api>,
    caller: Caller,
    bytes: usize,
    work: impl FnOnce(Data<Api>, Caller) -> F,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, ApiError>> + Send + 'static,
{
    let owner = caller.actor.user().cloned();
    let work = work(api.clone(), caller);
    api.work_pool.run(owner, bytes, work).await
}

#[cfg(test)]
mod tests;
