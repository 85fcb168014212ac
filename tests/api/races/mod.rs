//! Requests at the same time.
use acceptance::{Fields, World};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::Barrier;

mod clusters;
mod edits;
mod interleavings;
mod merges;
mod pairs;

/// Runs both at the same time, on separate threads.
pub(crate) fn at_once<A: Send + 'static, B: Send + 'static>(
    one: impl Future<Output = A> + Send + 'static,
    two: impl Future<Output = B> + Send + 'static,
) -> impl Future<Output = (A, B)> {
    let start = Arc::new(Barrier::new(2));
    let (first, second) = (start.clone(), start);
    let one = tokio::spawn(async move {
        first.wait().await;
        one.await
    });
    let two = tokio::spawn(async move {
        second.wait().await;
        two.await
    });
    async move { (one.await.unwrap(), two.await.unwrap()) }
}

/// The titles of the pages at the top of the primary content or of a change request.
async fn titles(world: &World, base: &str) -> BTreeSet<String> {
    let tree = world.ada.get(&format!("{base}/content/pages")).await.ok();
    tree.list("pages").iter().map(|page| page.text("title").to_owned()).collect()
}
