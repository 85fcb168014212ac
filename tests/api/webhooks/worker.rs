//! A worker that sends to receivers on this machine.
use super::deliveries;
use acceptance::{Backend, Fields, World};
use adapters_fetch::{FetchOptions, HttpFetcher};
use domain::webhook::REQUESTS;
use job_worker::Worker;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// The longest time for what must happen at once.
const HANG: Duration = Duration::from_secs(60);

/// A listener on this machine, and its URL.
async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    (listener, url)
}

/// A receiver that accepts connections and never responds. Returns its URL and the number of connections.
async fn silent() -> (String, Arc<AtomicUsize>) {
    let (listener, url) = listener().await;
    let accepted = Arc::<AtomicUsize>::default();
    let count = accepted.clone();
    tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            open.push(stream);
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    (url, accepted)
}

async fn respond(mut stream: TcpStream) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"}") {
        stream.read_buf(&mut request).await?;
    }
    stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").await
}

/// A receiver that accepts every request. Returns its URL and one message per request.
async fn accepting() -> (String, mpsc::UnboundedReceiver<()>) {
    let (listener, url) = listener().await;
    let (heard, hears) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            respond(stream).await.unwrap();
            let _ended = heard.send(());
        }
    });
    (url, hears)
}

async fn webhook(world: &World, organization: &str, url: &str) -> String {
    let webhooks = format!("/orgs/{organization}/webhooks");
    let made = world.ada.post(&webhooks, json!({"url": url, "events": ["space_created"]})).await.expect(201);
    format!("{webhooks}/{}", made.id())
}

#[actix_web::test]
async fn webhooks_of_two_organizations_that_never_respond_do_not_delay_a_third_one() {
    let fetcher = HttpFetcher::new(FetchOptions { allow_private: true, ..FetchOptions::default() });
    let world = World::with_fetcher(Backend::Sqlite, Arc::new(fetcher)).await.unwrap();
    let ((dead, accepted), (alive, mut hears)) = (silent().await, accepting().await);
    let mut dead_webhooks = Vec::new();
    for home in [world.organization.to_string(), world.ada.post("/orgs", json!({"title": "Second"})).await.id()] {
        for _ in 0..3 {
            dead_webhooks.push(webhook(&world, &home, &dead).await);
        }
        for _ in 0..REQUESTS {
            world.ada.post(&format!("/orgs/{home}/spaces"), json!({})).await.id();
        }
    }
    let third = world.ada.post("/orgs", json!({"title": "Third"})).await.id();
    webhook(&world, &third, &alive).await;
    world.ada.post(&format!("/orgs/{third}/spaces"), json!({})).await.id();

    let worker = Worker::start(world.jobs.clone());
    timeout(HANG, hears.recv()).await.expect("it is sent").unwrap();
    for webhook in &dead_webhooks {
        let ended = deliveries(&world, webhook).await.iter().filter(|one| one["attempts"] != 0).count();
        assert_eq!(ended, 0, "it was sent before any of the other requests ended");
    }
    assert!((1..REQUESTS).contains(&accepted.load(Ordering::SeqCst)));
    worker.stop().await;
}

#[actix_web::test]
async fn webhooks_that_never_respond_do_not_delay_another_organization_and_are_retried() {
    let fetcher = HttpFetcher::new(FetchOptions { allow_private: true, ..FetchOptions::default() });
    let world = World::with_fetcher(Backend::Sqlite, Arc::new(fetcher)).await.unwrap();
    let ((dead, accepted), (alive, mut hears)) = (silent().await, accepting().await);
    let mut dead_webhooks = Vec::new();
    for _ in 0..3 {
        dead_webhooks.push(webhook(&world, world.organization.as_ref(), &dead).await);
    }
    for _ in 0..REQUESTS {
        world.space(json!({})).await;
    }
    let other = world.ada.post("/orgs", json!({"title": "Other"})).await.id();
    let healthy = webhook(&world, &other, &alive).await;
    world.ada.post(&format!("/orgs/{other}/spaces"), json!({})).await.id();

    let worker = Worker::start(world.jobs.clone());
    timeout(HANG, hears.recv()).await.expect("it is sent").unwrap();
    let attempts = async || {
        let mut attempts = 0;
        for webhook in &dead_webhooks {
            attempts += deliveries(&world, webhook).await.iter().filter(|one| one["attempts"] != 0).count();
        }
        attempts
    };
    assert_eq!(attempts().await, 0, "it was sent before any of the other requests ended");
    assert!((1..REQUESTS).contains(&accepted.load(Ordering::SeqCst)));

    let ended = async {
        while attempts().await == 0 {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(HANG, ended).await.expect("a request has a deadline");
    let mut tried = Vec::new();
    for webhook in &dead_webhooks {
        tried.extend(deliveries(&world, webhook).await.into_iter().filter(|one| one["attempts"] != 0));
    }
    assert_eq!(tried[0].text("state"), "pending");
    assert_eq!(tried[0]["lastResponse"], json!({"error": "the host took too long to respond"}));
    assert!(tried[0]["nextAttemptAt"].is_string());
    worker.stop().await;
    assert_eq!(deliveries(&world, &healthy).await[0]["state"], "delivered");
}
