//! A receiver of webhooks in the test's process: no request leaves it.
use async_trait::async_trait;
use domain::openapi_spec::Validators;
use domain::ports::{FetchError, FetchRequest, Fetched, Fetcher, FoundFile, PostRequest, Posted, Store};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

type Answers = Box<dyn FnMut(&PostRequest) -> Result<Posted, FetchError> + Send>;

/// Receives the requests to all addresses.
pub struct Receiver {
    requests: Mutex<Vec<PostRequest>>,
    answers: Mutex<Answers>,
    store: Mutex<Option<Arc<dyn Store>>>,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Receiver {
    /// A receiver that accepts every request.
    pub fn new() -> Arc<Self> {
        let receiver = Self {
            requests: Mutex::default(),
            answers: Mutex::new(Box::new(|_| Ok(status(200)))),
            store: Mutex::default(),
        };
        Arc::new(receiver)
    }

    /// Responds with the results of a function from now on.
    pub fn answer(&self, answer: impl FnMut(&PostRequest) -> Result<Posted, FetchError> + Send + 'static) {
        *open(&self.answers) = Box::new(answer);
    }

    /// Responds with this status from now on.
    pub fn answer_with(&self, code: u16) {
        self.answer(move |_| Ok(status(code)));
    }

    /// Opens a writing unit of work of this store during each request: that fails if the sender holds one.
    pub fn write_to(&self, store: Arc<dyn Store>) {
        *open(&self.store) = Some(store);
    }

    /// The requests since the last call.
    pub fn take(&self) -> Vec<PostRequest> {
        std::mem::take(&mut open(&self.requests))
    }

    /// The bodies of the requests since the last call.
    ///
    /// # Panics
    /// If one is not JSON.
    pub fn bodies(&self) -> Vec<Value> {
        let json = |request: PostRequest| serde_json::from_slice(&request.body).expect("JSON");
        self.take().into_iter().map(json).collect()
    }
}

/// A response with this status and a short body.
fn status(status: u16) -> Posted {
    Posted { status, body: format!("status {status}").into() }
}

#[async_trait]
impl Fetcher for Receiver {
    async fn fetch(&self, _: FetchRequest) -> Result<Fetched, FetchError> {
        Err(FetchError::Private)
    }

    async fn fetch_if_changed(&self, _: FetchRequest, _: &Validators) -> Result<Option<FoundFile>, FetchError> {
        Err(FetchError::Private)
    }

    async fn post(&self, request: PostRequest) -> Result<Posted, FetchError> {
        let store = open(&self.store).clone();
        if let Some(store) = store {
            let writing = tokio::time::timeout(Duration::from_secs(10), store.write()).await;
            writing.expect("no unit of work is open during a request").expect("the store works");
        }
        let answered = (open(&self.answers))(&request);
        open(&self.requests).push(request);
        answered
    }
}
