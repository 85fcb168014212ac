use super::*;
use rstest::rstest;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

const BOUNDS: Bounds = Bounds {
    threads: 2,
    threads_per_caller: 1,
    waiting_per_caller: 3,
    waiting_bytes_per_caller: 60,
    waiting: 4,
    waiting_bytes: 100,
    idle_timeout: Duration::from_secs(60),
};

type Pool = WorkPool<&'static str>;

/// Work that keeps its thread busy until it is released.
struct Gate {
    release: Sender<()>,
    held: Option<Receiver<()>>,
}

impl Gate {
    fn new() -> Self {
        let (release, held) = channel();
        Self { release, held: Some(held) }
    }

    fn work(&mut self) -> impl Future<Output = ()> + Send + 'static {
        let held = self.held.take().expect("asked once");
        async move { held.recv_timeout(Duration::from_secs(60)).expect("released in time") }
    }
}

/// Polls until `met` is true, for events on another thread.
async fn eventually(met: impl Fn() -> bool) {
    for _ in 0..6000 {
        if met() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not happen");
}

fn running(pool: &Pool) -> usize {
    pool.shared().lock().lines.values().map(|line| line.running).sum()
}

#[tokio::test]
async fn work_runs_on_a_thread_of_the_pool_and_its_result_comes_back() {
    let pool = Pool::new(BOUNDS);
    let name = pool.run("ada", 0, async { std::thread::current().name().map(str::to_owned) }).await.unwrap();
    assert_eq!(name.as_deref(), Some("octavo-work"));
}

#[tokio::test]
async fn work_may_wait_for_timers_and_other_tasks() {
    let pool = Pool::new(BOUNDS);
    let work = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        tokio::spawn(async { 7 }).await.unwrap()
    };
    assert_eq!(pool.run("ada", 0, work).await.unwrap(), 7);
}

#[tokio::test]
async fn one_caller_leaves_a_thread_to_others() {
    let pool = Pool::new(BOUNDS);
    let mut gate = Gate::new();
    let held = pool.run("ada", 0, gate.work());
    let begun = Arc::new(AtomicBool::new(false));
    let flag = begun.clone();
    let second = pool.run("ada", 0, async move {
        flag.store(true, Ordering::SeqCst);
    });
    let others = async {
        eventually(|| running(&pool) == 1).await;
        pool.run("bob", 0, async {}).await.unwrap();
        assert!(!begun.load(Ordering::SeqCst), "the thread that is left is not for Ada");
        gate.release.send(()).unwrap();
    };
    let (held, second, ()) = tokio::join!(held, second, others);
    held.unwrap();
    second.unwrap();
}

#[tokio::test]
async fn what_comes_at_once_is_done_at_once_by_as_many_threads_as_there_may_be() {
    for _ in 0..20 {
        let pool = Pool::new(BOUNDS);
        pool.run("eve", 0, async {}).await.unwrap();
        eventually(|| pool.shared().lock().idle == 1).await;
        let mut gate = Gate::new();
        let held = pool.run("ada", 0, gate.work());
        let other = async {
            pool.run("bob", 0, async {}).await.unwrap();
            gate.release.send(()).unwrap();
        };
        let (held, ()) = tokio::join!(held, other);
        held.unwrap();
    }
}

#[tokio::test]
async fn callers_take_turns() {
    let pool = Pool::new(Bounds { threads: 1, ..BOUNDS });
    let mut gate = Gate::new();
    let order = Arc::new(Mutex::new(Vec::new()));
    let note = |name: &'static str| {
        let order = order.clone();
        async move {
            order.lock().unwrap().push(name);
        }
    };
    let held = pool.run("ada", 0, gate.work());
    let rest = async {
        eventually(|| running(&pool) == 1).await;
        let (ada, bob) = ("ada", "bob");
        let work = (pool.run(ada, 0, note("ada 1")), pool.run(ada, 0, note("ada 2")), pool.run(bob, 0, note("bob")));
        let release = async { gate.release.send(()).unwrap() };
        let (one, two, three, ()) = tokio::join!(work.0, work.1, work.2, release);
        [one, two, three].into_iter().for_each(Result::unwrap);
    };
    let (held, ()) = tokio::join!(held, rest);
    held.unwrap();
    assert_eq!(*order.lock().unwrap(), ["ada 1", "bob", "ada 2"]);
}

#[tokio::test]
async fn what_does_not_fit_is_refused_and_leaves_no_trace() {
    let pool = Pool::new(BOUNDS);
    let mut gates = [Gate::new(), Gate::new()];
    let [ada, bob] = ["ada", "bob"];
    let [first, second] = &mut gates;
    let held = (pool.run(ada, 0, first.work()), pool.run(bob, 0, second.work()));
    let rest = async {
        eventually(|| running(&pool) == 2).await;
        let busy = |refused: Result<(), ServerError>| refused == Err(ServerError::Busy);
        let fine = || async {};
        assert!(busy(pool.run(ada, 61, fine()).await), "more bytes than may wait");
        let waiting = [pool.run(ada, 0, fine()), pool.run(ada, 0, fine()), pool.run(ada, 0, fine())];
        let waiting = futures_util::future::join_all(waiting);
        let refused = async {
            assert!(busy(pool.run(ada, 0, fine()).await), "three of one caller wait");
            let last = pool.run(bob, 0, fine());
            let refused = async {
                assert!(busy(pool.run("eve", 0, fine()).await), "four wait in all");
                gates.iter().for_each(|gate| gate.release.send(()).unwrap());
            };
            tokio::join!(last, refused).0.unwrap();
        };
        let (waiting, ()) = tokio::join!(waiting, refused);
        waiting.into_iter().for_each(Result::unwrap);
    };
    let (one, two, ()) = tokio::join!(held.0, held.1, rest);
    one.unwrap();
    two.unwrap();
    eventually(|| pool.shared().lock().lines.is_empty()).await;
    let state = pool.shared().lock();
    assert_eq!((state.waiting, state.waiting_bytes, state.turns.len()), (0, 0, 0));
}

#[test]
fn the_bytes_that_wait_are_limited_for_each_caller_and_for_all() {
    let mut state = State::default();
    let mut adds = |owner, bytes| state.add(&owner, Waiting { work: async {}.boxed(), bytes }, &BOUNDS);
    assert!(!adds("ada", 61), "more than one caller may have");
    assert!(adds("ada", 50) && !adds("ada", 11) && adds("ada", 10));
    assert!(!adds("bob", 41), "more than all may have together");
    assert!(adds("bob", 40) && !adds("eve", 1) && adds("eve", 0));
    let first = state.take(&BOUNDS).map(|(owner, waiting)| (owner, waiting.bytes));
    assert_eq!(first, Some(("ada", 50)));
    let mut adds = |owner, bytes| state.add(&owner, Waiting { work: async {}.boxed(), bytes }, &BOUNDS);
    assert!(!adds("ada", 51) && adds("ada", 50), "a job that runs does not wait");
    state.give_up();
    assert_eq!((state.waiting, state.waiting_bytes, state.lines["ada"].waiting_bytes), (0, 0, 0));
}

#[test]
fn a_burst_of_small_jobs_of_one_caller_waits_and_leaves_room_for_others() {
    let bounds = Bounds::of(NonZeroUsize::MIN);
    let mut state = State::default();
    let mut adds = |owner, bytes| state.add(&owner, Waiting { work: async {}.boxed(), bytes }, &bounds);
    assert!((0..200).all(|_| adds("ada", 300)));
    let large = (0..200).take_while(|_| adds("bob", 2 << 20)).count();
    assert_eq!(large, 64, "the bytes of large jobs are limited");
    assert!(adds("eve", 2 << 20));
}

struct NoteDrop(Arc<AtomicBool>);

impl Drop for NoteDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn work_without_a_waiting_caller_is_dropped_in_the_middle() {
    let pool = Pool::new(BOUNDS);
    let dropped = Arc::new(AtomicBool::new(false));
    let guard = NoteDrop(dropped.clone());
    let endless = async move {
        let () = std::future::pending().await;
        drop(guard);
    };
    tokio::select! {
        _ = pool.run("ada", 0, endless) => unreachable!("it never ends"),
        () = eventually(|| running(&pool) == 1) => {}
    }
    eventually(|| dropped.load(Ordering::SeqCst)).await;
    pool.run("ada", 0, async {}).await.unwrap();
}

#[tokio::test]
async fn work_without_a_waiting_caller_does_not_begin() {
    let pool = Pool::new(BOUNDS);
    let mut gate = Gate::new();
    let begun = Arc::new(AtomicBool::new(false));
    let flag = begun.clone();
    let holding = pool.run("ada", 0, gate.work());
    let given_up = async {
        eventually(|| running(&pool) == 1).await;
        let work = pool.run("ada", 0, async move {
            flag.store(true, Ordering::SeqCst);
        });
        tokio::select! {
            _ = work => unreachable!("the thread is taken"),
            () = eventually(|| pool.shared().lock().waiting == 1) => {}
        }
        gate.release.send(()).unwrap();
    };
    let (held, ()) = tokio::join!(holding, given_up);
    held.unwrap();
    eventually(|| pool.shared().lock().lines.is_empty()).await;
    assert!(!begun.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_panic_of_the_work_reaches_its_caller_and_the_thread_continues() {
    let pool = Pool::new(Bounds { threads: 1, ..BOUNDS });
    let work = pool.run::<()>("ada", 0, async { panic!("a fault") });
    assert!(AssertUnwindSafe(work).catch_unwind().await.is_err());
    pool.run("ada", 0, async {}).await.unwrap();
    assert_eq!(pool.shared().lock().threads, 1);
}

#[tokio::test]
async fn threads_end_with_their_pool() {
    let pool = Pool::new(BOUNDS);
    pool.run("ada", 0, async {}).await.unwrap();
    let shared = Arc::downgrade(pool.shared());
    drop(pool);
    eventually(|| shared.strong_count() == 0).await;
}

#[tokio::test]
async fn a_thread_without_work_ends_and_later_work_starts_another_one() {
    let pool = Pool::new(Bounds { idle_timeout: Duration::from_millis(20), ..BOUNDS });
    for _ in 0..3 {
        pool.run("ada", 0, async {}).await.unwrap();
        // A thread shares the state of the pool until its very end.
        eventually(|| Arc::strong_count(pool.shared()) == 1).await;
        let state = pool.shared().lock();
        assert_eq!((state.threads, state.idle), (0, 0));
    }
}

#[tokio::test]
async fn work_that_comes_before_the_timeout_runs_on_the_same_thread() {
    let pool = Pool::new(BOUNDS);
    let mut threads = Vec::new();
    for _ in 0..3 {
        threads.push(pool.run("ada", 0, async { std::thread::current().id() }).await.unwrap());
        eventually(|| pool.shared().lock().idle == 1).await;
        assert_eq!(pool.shared().lock().threads, 1);
    }
    assert!(threads.iter().all(|thread| *thread == threads[0]), "{threads:?}");
}

#[tokio::test]
async fn a_thread_with_work_does_not_end_when_others_do() {
    let pool = Pool::new(Bounds { idle_timeout: Duration::from_millis(20), ..BOUNDS });
    let mut gate = Gate::new();
    let held = pool.run("ada", 0, gate.work());
    let rest = async {
        eventually(|| running(&pool) == 1).await;
        pool.run("bob", 0, async {}).await.unwrap();
        eventually(|| pool.shared().lock().threads == 1).await;
        assert_eq!(running(&pool), 1, "the thread of Bob has ended, and not that of Ada");
        gate.release.send(()).unwrap();
    };
    let (held, ()) = tokio::join!(held, rest);
    held.unwrap();
    eventually(|| Arc::strong_count(pool.shared()) == 1).await;
}

#[rstest]
#[case::at_once(0)]
#[case::soon(50)]
#[case::later(500)]
#[tokio::test]
async fn no_work_is_forgotten_while_threads_end(#[case] micros: u64) {
    let idle_timeout = Duration::from_micros(micros);
    let pool = Pool::new(Bounds { idle_timeout, ..BOUNDS });
    for _ in 0..300 {
        let both = async { tokio::join!(pool.run("ada", 0, async {}), pool.run("bob", 0, async {})) };
        let done = tokio::time::timeout(Duration::from_secs(60), both).await;
        let (ada, bob) = done.expect("a thread looks for the work");
        ada.unwrap();
        bob.unwrap();
        // The next work comes when the timeout of the threads has just passed, or is about to.
        let next = Instant::now() + idle_timeout;
        while Instant::now() < next {
            std::hint::spin_loop();
        }
    }
    eventually(|| Arc::strong_count(pool.shared()) == 1).await;
    let state = pool.shared().lock();
    assert_eq!((state.threads, state.idle, state.waiting, state.lines.len()), (0, 0, 0, 0));
}

#[tokio::test]
async fn work_is_refused_if_the_only_thread_cannot_be_started() {
    let pool = Pool::new(Bounds { threads: 1, ..BOUNDS });
    // A thread that is being started.
    pool.shared().lock().threads = 1;
    let failed = async {
        eventually(|| pool.shared().lock().waiting == 2).await;
        start_failed(pool.shared());
    };
    let (ada, bob, ()) = tokio::join!(pool.run("ada", 1, async {}), pool.run("bob", 1, async {}), failed);
    assert_eq!((ada, bob), (Err(ServerError::Busy), Err(ServerError::Busy)));
    {
        let state = pool.shared().lock();
        assert_eq!((state.threads, state.waiting, state.waiting_bytes), (0, 0, 0));
        assert_eq!((state.turns.len(), state.lines.len()), (0, 0));
    }
    pool.run("ada", 1, async {}).await.expect("the next work starts a thread again");
}

#[tokio::test]
async fn work_waits_for_another_thread_if_one_cannot_be_started() {
    let pool = Pool::new(BOUNDS);
    let mut gate = Gate::new();
    let held = pool.run("ada", 0, gate.work());
    let rest = async {
        eventually(|| running(&pool) == 1).await;
        pool.shared().lock().threads += 1;
        let failed = async {
            eventually(|| pool.shared().lock().waiting == 1).await;
            start_failed(pool.shared());
            assert_eq!(pool.shared().lock().waiting, 1);
            gate.release.send(()).unwrap();
        };
        let (bob, ()) = tokio::join!(pool.run("bob", 1, async {}), failed);
        bob.expect("the thread of Ada runs it");
    };
    let (held, ()) = tokio::join!(held, rest);
    held.unwrap();
}

#[rstest]
#[case::one(1, 2, 1)]
#[case::two(2, 4, 1)]
#[case::eight(8, 16, 4)]
fn one_caller_gets_half_of_the_processors_and_at_least_one(
    #[case] processors: usize,
    #[case] threads: usize,
    #[case] of_one_caller: usize,
) {
    let bounds = Bounds::of(NonZeroUsize::new(processors).unwrap());
    assert_eq!((bounds.threads, bounds.threads_per_caller), (threads, of_one_caller));
}
