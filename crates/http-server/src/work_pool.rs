//! A thread pool for work that takes more than a millisecond of processor time.
//!
//! A thread that handles requests serves many connections, and none of them advances while it computes. So this pool
//! parses and writes texts, merges, compares, searches and reads whole trees. It limits the number of threads, the
//! threads per caller, and the work that waits. Callers take turns, so one caller's work does not delay that of others.
//! Work beyond the limits is refused with 503. A thread without work ends after a while, so that its memory is free for
//! others.
use crate::error::ServerError;
use futures_util::FutureExt;
use futures_util::future::{AbortHandle, Abortable, BoxFuture};
use metrics::{counter, gauge};
use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tracing::Instrument;

/// The niceness of the pool's threads: the lowest priority. They get a processor when no thread that handles requests
/// needs it.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 19;

/// How long a thread waits for work before it ends. Until then, the allocator keeps memory for it.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// The limits of a pool.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The number of threads.
    pub threads: usize,
    /// Threads that work for one caller at the same time.
    pub threads_per_caller: usize,
    /// Waiting jobs of one caller.
    pub waiting_per_caller: usize,
    /// Total size of the request bodies of one caller's waiting jobs, in bytes.
    pub waiting_bytes_per_caller: usize,
    /// Waiting jobs of all callers together.
    pub waiting: usize,
    /// Total size of the request bodies of waiting jobs, in bytes.
    pub waiting_bytes: usize,
    /// How long a thread waits for work before it ends.
    pub idle_timeout: Duration,
}

impl Bounds {
    /// Two threads for each processor, since jobs also wait for the database. One caller gets at most half of the
    /// processors: the scheduler lets a thread run for some milliseconds before a thread of higher priority replaces
    /// it, so with all processors busy the requests of others would wait for that time.
    ///
    /// A waiting job takes little memory besides the body of its request. So many small requests at once may wait, such
    /// as 200 short comments, and the bytes limit large ones. One caller can take a quarter of the places of all callers,
    /// and half of the bytes.
    pub fn of(processors: NonZeroUsize) -> Self {
        let processors = processors.get();
        Self {
            threads: 2 * processors,
            threads_per_caller: (processors / 2).max(1),
            waiting_per_caller: 256,
            waiting_bytes_per_caller: 128 * 1024 * 1024,
            waiting: 1024,
            waiting_bytes: 256 * 1024 * 1024,
            idle_timeout: IDLE_TIMEOUT,
        }
    }
}

/// The caller that a job belongs to.
pub trait Owner: Clone + Eq + Hash + Send + 'static {}

impl<O: Clone + Eq + Hash + Send + 'static> Owner for O {}

/// The result of any job. It hides the type, so the code around a job is compiled once, and not for each of the more
/// than 100 places that have work.
type ErasedResult = Box<dyn Any + Send>;

/// A waiting job.
struct Waiting {
    work: BoxFuture<'static, ()>,
    bytes: usize,
}

/// The jobs of one caller.
#[derive(Default)]
struct Line {
    running: usize,
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
}

impl Line {
    /// Whether another job with so many bytes may wait.
    fn has_room(&self, bytes: usize, bounds: &Bounds) -> bool {
        self.waiting.len() < bounds.waiting_per_caller && self.waiting_bytes + bytes <= bounds.waiting_bytes_per_caller
    }
}

struct State<O> {
    lines: HashMap<O, Line>,
    /// Callers with waiting jobs, in round-robin order.
    turns: VecDeque<O>,
    waiting: usize,
    waiting_bytes: usize,
    /// Threads that run, or are being started.
    threads: usize,
    /// Threads that wait to be woken. Each looks for a job once more before it ends.
    idle: usize,
    closed: bool,
}

impl<O> Default for State<O> {
    fn default() -> Self {
        Self {
            lines: HashMap::new(),
            turns: VecDeque::new(),
            waiting: 0,
            waiting_bytes: 0,
            threads: 0,
            idle: 0,
            closed: false,
        }
    }
}

impl<O: Owner> State<O> {
    /// Adds a job. Returns whether there was room for it.
    fn add(&mut self, owner: &O, waiting: Waiting, bounds: &Bounds) -> bool {
        let full = self.waiting >= bounds.waiting || self.waiting_bytes + waiting.bytes > bounds.waiting_bytes;
        let line = self.lines.entry(owner.clone()).or_default();
        if full || !line.has_room(waiting.bytes, bounds) {
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
        line.waiting_bytes += waiting.bytes;
        line.waiting.push_back(waiting);
        true
    }

    /// The next job to start: from the caller who has waited longest and has a free thread.
    fn take(&mut self, bounds: &Bounds) -> Option<(O, Waiting)> {
        let may_begin = |owner: &O| self.lines.get(owner).is_some_and(|line| line.running < bounds.threads_per_caller);
        let at = self.turns.iter().position(may_begin)?;
        let owner = self.turns.remove(at)?;
        let line = self.lines.get_mut(&owner)?;
        let work = line.waiting.pop_front()?;
        line.running += 1;
        line.waiting_bytes -= work.bytes;
        self.waiting -= 1;
        self.waiting_bytes -= work.bytes;
        if !line.waiting.is_empty() {
            self.turns.push_back(owner.clone());
        }
        Some((owner, work))
    }

    /// Takes all waiting jobs. Their callers get an error when the jobs are dropped; drop them after the lock.
    fn give_up(&mut self) -> Vec<Waiting> {
        self.turns.clear();
        (self.waiting, self.waiting_bytes) = (0, 0);
        let mut given_up = Vec::new();
        for line in self.lines.values_mut() {
            line.waiting_bytes = 0;
            given_up.extend(line.waiting.drain(..));
        }
        self.lines.retain(|_, line| line.running > 0);
        given_up
    }

    /// Records the end of a job.
    fn end(&mut self, owner: &O) {
        let Some(line) = self.lines.get_mut(owner) else { return };
        line.running -= 1;
        if line.running == 0 && line.waiting.is_empty() {
            self.lines.remove(owner);
        }
    }
}

struct Shared<O> {
    bounds: Bounds,
    state: Mutex<State<O>>,
    /// Wakes a thread that waits for a job.
    wake: Condvar,
    /// The runtime for connections and timers of the jobs. Its own threads never compute, so these are always served.
    runtime: Handle,
}

impl<O: Owner> Shared<O> {
    fn lock(&self) -> MutexGuard<'_, State<O>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs jobs until the pool is closed, or until there was no job for [`Bounds::idle_timeout`].
    ///
    /// No job is forgotten when a thread ends. A thread looks for a job after every wait, also when the timeout has
    /// passed, and holds the lock from the look that finds nothing until it no longer counts. So `enqueue`, which takes
    /// the same lock, adds a job either before that look, which finds it, or when the thread is neither in `idle` nor
    /// in `threads`. A job that may not begin, because its caller has enough threads, needs no idle thread: the thread
    /// that ends a job of this caller takes it.
    fn serve(&self) {
        // Only on Linux does this apply to a single thread. If it fails, the threads have the same priority as others.
        #[cfg(target_os = "linux")]
        let _as_before = rustix::process::nice(NICENESS);
        let mut idle_since = Instant::now();
        let mut state = self.lock();
        while !state.closed {
            if let Some((owner, waiting)) = state.take(&self.bounds) {
                drop(state);
                gauge!("octavo_work_running").increment(1.0);
                gauge!("octavo_work_waiting").decrement(1.0);
                self.runtime.block_on(waiting.work);
                gauge!("octavo_work_running").decrement(1.0);
                idle_since = Instant::now();
                state = self.lock();
                state.end(&owner);
                continue;
            }
            let left = self.bounds.idle_timeout.saturating_sub(idle_since.elapsed());
            if left.is_zero() {
                break;
            }
            state.idle += 1;
            (state, _) = self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
        state.threads -= 1;
    }
}

/// Threads for long work of callers `O`. They are started on demand, and end without work, and with the pool.
pub struct WorkPool<O: Owner> {
    bounds: Bounds,
    shared: std::sync::OnceLock<Arc<Shared<O>>>,
    runtime: Option<Handle>,
}

impl<O: Owner> WorkPool<O> {
    /// A pool with these limits. Within a runtime, jobs use its connections and timers.
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, shared: std::sync::OnceLock::new(), runtime: Handle::try_current().ok() }
    }

    fn shared(&self) -> &Arc<Shared<O>> {
        self.shared.get_or_init(|| {
            let runtime = self.runtime.clone().unwrap_or_else(Handle::current);
            Arc::new(Shared { bounds: self.bounds, state: Mutex::default(), wake: Condvar::new(), runtime })
        })
    }

    /// Runs a job for a caller who sent `bytes` bytes. The job is dropped if its result is no longer awaited.
    ///
    /// # Errors
    /// [`ServerError::Busy`] if too many jobs are waiting.
    pub fn run<T: Send + 'static>(
        &self,
        owner: O,
        bytes: usize,
        work: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = Result<T, ServerError>> {
        self.run_as(owner, bytes, async move { Box::new(work.await) as ErasedResult }.boxed())
    }

    /// The same for a job whose result is a `T`.
    async fn run_as<T: 'static>(
        &self,
        owner: O,
        bytes: usize,
        work: BoxFuture<'static, ErasedResult>,
    ) -> Result<T, ServerError> {
        let done = self.run_boxed(owner, bytes, work).await?;
        Ok(*done.downcast::<T>().expect("the job returns a T"))
    }

    async fn run_boxed(
        &self,
        owner: O,
        bytes: usize,
        work: BoxFuture<'static, ErasedResult>,
    ) -> Result<ErasedResult, ServerError> {
        let (sender, receiver) = oneshot::channel();
        let (abort, registration) = AbortHandle::new_pair();
        let work = AssertUnwindSafe(work.in_current_span()).catch_unwind();
        let work = Abortable::new(work, registration).map(|done| match done {
            // It is not an error if the result is no longer awaited.
            Ok(done) => drop(sender.send(done)),
            Err(_aborted) => {}
        });
        let _dropped = AbortOnDrop(abort);
        enqueue(self.shared(), owner, Waiting { work: work.boxed(), bytes })?;
        match receiver.await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_closed) => Err(ServerError::Busy),
        }
    }
}

impl<O: Owner> Drop for WorkPool<O> {
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

/// Adds a job to the queue of its caller, and makes sure that a thread runs it.
fn enqueue<O: Owner>(shared: &Arc<Shared<O>>, owner: O, waiting: Waiting) -> Result<(), ServerError> {
    let mut state = shared.lock();
    if !state.add(&owner, waiting, &shared.bounds) {
        counter!("octavo_work_refused_total").increment(1);
        return Err(ServerError::Busy);
    }
    gauge!("octavo_work_waiting").increment(1.0);
    // A thread counts as idle until it has woken and looks for a job: two jobs that come at once need two threads.
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
        tracing::warn!(error = %error, "cannot start a thread for long work");
        start_failed(shared);
    }
    Ok(())
}

/// Records that a thread could not be started. Another one takes the waiting jobs, since each looks for one before it
/// ends. Without any, the jobs are given up.
fn start_failed<O: Owner>(shared: &Shared<O>) {
    let mut state = shared.lock();
    state.threads -= 1;
    let given_up = if state.threads == 0 { state.give_up() } else { Vec::new() };
    drop(state);
    gauge!("octavo_work_waiting").decrement(given_up.len() as f64);
}

#[cfg(test)]
mod tests;
