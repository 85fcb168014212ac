//! The use cases and the API inside another program: the example `embed`.
use domain::openapi_spec::{SpecSlug, SpecText};
use domain::site::address::Hosting;
use domain::usecases::UseCases;
use domain::usecases::openapi_specs::{NewSource, NewSpec};
use job_worker::Worker;
use std::net::TcpListener;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

#[path = "../examples/embed.rs"]
#[expect(dead_code, reason = "its `main` does not run here")]
mod embed;

#[tokio::test(flavor = "multi_thread")]
async fn another_program_runs_use_cases_and_serves_the_api() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let url = format!("http://{address}");
    let ports = embed::ports(folder.path()).await.unwrap();
    let use_cases = UseCases::new(&ports, &url, Hosting::default(), &embed::SECRET);

    let guide = Box::pin(embed::write_guide(&use_cases)).await.unwrap();
    assert_eq!(guide.markdown, "Oil the _bearings_.\n");

    let server = embed::server(use_cases, listener, &url).unwrap();
    let handle = server.handle();
    let running = tokio::spawn(server);
    let request = format!(
        "GET /v1/orgs HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\r\n",
        guide.token
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    handle.stop(false).await;
    running.await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("Analytical Engines"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_program_runs_the_jobs_of_its_use_cases() {
    let folder = tempfile::tempdir().unwrap();
    let ports = embed::ports(folder.path()).await.unwrap();
    let use_cases = UseCases::new(&ports, "https://docs.test", Hosting::default(), &embed::SECRET);
    let worker = Worker::start(use_cases.jobs.clone());

    let title = "Analytical Engines".parse().unwrap();
    let made = use_cases.accounts.bootstrap("ada@example.org".parse().unwrap(), title, None).await.unwrap().unwrap();
    let ada = use_cases.accounts.authenticate(made.secret.reveal()).await.unwrap().actor;
    let organization = made.organization.id;
    let slug: SpecSlug = "engine".parse().unwrap();
    let text = SpecText::try_from(include_str!("../../crates/app/demo-api/kestrel.yaml").to_owned()).unwrap();
    let new = NewSpec { slug: slug.clone(), source: NewSource::Text(text) };
    use_cases.openapi_specs.create(&ada, &organization, new.into()).await.unwrap();
    let processed = async {
        while use_cases.openapi_specs.get(&ada, &organization, &slug).await.unwrap().last_version.is_none() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(60), processed).await.expect("a job processes the document");
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_public_url_of_use_cases_may_end_with_a_slash() {
    let folder = tempfile::tempdir().unwrap();
    let ports = embed::ports(folder.path()).await.unwrap();
    for url in ["https://docs.test/product", "https://docs.test/product/"] {
        let use_cases = UseCases::new(&ports, url, Hosting::default(), &embed::SECRET);
        // A link to `https://docs.test/product/spaces/…` is inside with both.
        assert_eq!(&*use_cases.content.public_url, "https://docs.test/product");
        assert_eq!(&*use_cases.urls.public_url, "https://docs.test/product");
    }
}
