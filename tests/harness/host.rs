//! A host of files in the test's process: no request leaves it.
use async_trait::async_trait;
use bytes::Bytes;
use domain::openapi_spec::Validators;
use domain::ports::{FetchError, FetchRequest, Fetched, Fetcher, FoundFile, PostRequest, Posted, Store};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

type Running = Pin<Box<dyn Future<Output = ()> + Send>>;
type During = Arc<dyn Fn() -> Running + Send + Sync>;

/// Has files at addresses. Each file has an `ETag` that changes with its bytes.
#[derive(Default)]
pub struct Host {
    files: Mutex<BTreeMap<String, Result<Bytes, FetchError>>>,
    requests: Mutex<Vec<(String, Validators)>>,
    without_tags: Mutex<bool>,
    during: Mutex<Option<During>>,
    store: Mutex<Option<Arc<dyn Store>>>,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host {
    /// A host without files.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Has a file at an address from now on.
    pub fn put(&self, url: &str, bytes: impl Into<Bytes>) {
        open(&self.files).insert(url.to_owned(), Ok(bytes.into()));
    }

    /// Fails for an address from now on.
    pub fn fail(&self, url: &str, error: FetchError) {
        open(&self.files).insert(url.to_owned(), Err(error));
    }

    /// Sends no `ETag` from now on.
    pub fn forget_tags(&self) {
        *open(&self.without_tags) = true;
    }

    /// Runs this once, during the next request.
    pub fn during(&self, work: impl Fn() -> Running + Send + Sync + 'static) {
        *open(&self.during) = Some(Arc::new(work));
    }

    /// Opens a writing unit of work of this store during each request: that fails if the caller holds one.
    pub fn write_to(&self, store: Arc<dyn Store>) {
        *open(&self.store) = Some(store);
    }

    /// The addresses that were asked for since the last call, each with what was said to be known.
    pub fn take(&self) -> Vec<(String, Validators)> {
        std::mem::take(&mut open(&self.requests))
    }
}

#[async_trait]
impl Fetcher for Host {
    async fn fetch(&self, request: FetchRequest) -> Result<Fetched, FetchError> {
        let found = self.fetch_if_changed(request, &Validators::default()).await?;
        Ok(found.expect("nothing is known").file)
    }

    async fn fetch_if_changed(
        &self,
        request: FetchRequest,
        known: &Validators,
    ) -> Result<Option<FoundFile>, FetchError> {
        open(&self.requests).push((request.url.clone(), known.clone()));
        let store = open(&self.store).clone();
        if let Some(store) = store {
            let writing = tokio::time::timeout(Duration::from_secs(10), store.write()).await;
            writing.expect("no unit of work is open during a request").expect("the store works");
        }
        let during = open(&self.during).take();
        if let Some(during) = during {
            during().await;
        }
        let found = open(&self.files).get(&request.url).cloned();
        let bytes = found.unwrap_or(Err(FetchError::Status(404)))?;
        if bytes.len() as u64 > request.max_bytes {
            return Err(FetchError::TooLarge(request.max_bytes));
        }
        let etag = Some(format!("\"{}\"", domain::content::object::Hash::of(&bytes)));
        let etag = etag.filter(|_| !*open(&self.without_tags));
        if etag.is_some() && etag == known.etag {
            return Ok(None);
        }
        let file = Fetched { bytes, content_type: None };
        Ok(Some(FoundFile { file, address: request.url, validators: Validators { etag, last_modified: None } }))
    }

    async fn post(&self, _: PostRequest) -> Result<Posted, FetchError> {
        Err(FetchError::Private)
    }
}
