//! Handlers of long work.
use crate::Api;
use crate::answer::error::ApiError;
use crate::state::caller::Caller;
use actix_web::web::Data;

/// Handles a request on the [`WorkPool`](http_server::WorkPool), which passes the API and the caller to `work`.
///
/// # Errors
/// The errors of the work; [`ServerError::Busy`](http_server::ServerError::Busy) if too many jobs are waiting.
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
    let owner = caller.actor.owner();
    let work = work(api.clone(), caller);
    api.work_pool.run(owner, bytes, work).await?
}

/// The same for a request that takes `long`; any other is handled on this thread. A job holds one of the few threads of
/// its caller until its commit is durable, so on the pool the commits of short requests would not share a flush.
///
/// # Errors
/// As [`at_length`].
pub(crate) async fn at_length_if<T, F>(
    long: bool,
    api: Data<Api>,
    caller: Caller,
    bytes: usize,
    work: impl FnOnce(Data<Api>, Caller) -> F,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, ApiError>> + Send + 'static,
{
    if long { at_length(api, caller, bytes, work).await } else { work(api, caller).await }
}
