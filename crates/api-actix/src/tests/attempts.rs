//! How a request with an idempotency key ends: with a commit or a rollback, and never with an open unit of work.
use super::*;
use crate::pipeline::idempotency;
use crate::state::caller::Caller;
use actix_web::body::{BodyStream, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::CACHE_CONTROL;
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, HttpResponse, web};
use domain::actor::Actor;
use domain::idempotency::IdempotencyKey;
use domain::usecases::organizations::NewOrganization;
use http_server::NO_STORE;
use rstest::rstest;
use std::sync::atomic::{AtomicBool, Ordering};

/// A store with the unit of work that creates an organization, and whether that was committed. The mock expects
/// `answers` stored responses.
fn store(answers: usize) -> (Arc<dyn Store>, Arc<AtomicBool>) {
    let mut tx = MockTx::default();
    tx.tokens.expect_find().returning(|_| Ok(token(&TokenHash::of(TOKEN))));
    tx.idempotency.expect_begin().times(1).returning(|_, _, _, _| Ok(()));
    tx.idempotency.expect_save_response().times(answers).returning(|_, _, _| Ok(()));
    tx.organizations.expect_save().returning(|_| Ok(()));
    tx.members.expect_save().returning(|_| Ok(()));
    tx.events.expect_record().returning(|_| Ok(()));
    tx.into_store()
}

/// What the handler does after its use case.
#[derive(Clone, Copy, Debug)]
enum Ending {
    Succeeds,
    ShowsASecret,
    Fails,
    Redirects,
    Streams,
    Panics,
}

async fn handler(api: Data<Api>, caller: Caller, ending: Data<Ending>) -> Result<HttpResponse, ApiError> {
    let new = NewOrganization { title: "Docs".parse().unwrap(), email_domains: Vec::new(), with_default_site: false };
    api.services.organizations.create(&caller, new.into()).await?;
    Ok(match **ending {
        Ending::Succeeds => HttpResponse::Created().body("{}"),
        Ending::ShowsASecret => HttpResponse::Created().insert_header((CACHE_CONTROL, NO_STORE)).body("{}"),
        Ending::Fails => HttpResponse::InternalServerError().body("{}"),
        Ending::Redirects => HttpResponse::SeeOther().finish(),
        Ending::Streams => HttpResponse::Created()
            .body(BodyStream::new(futures_util::stream::pending::<Result<Bytes, std::io::Error>>())),
        Ending::Panics => panic!("a fault after the use case"),
    })
}

async fn keyed<B: MessageBody + 'static>(
    api: Data<Api>,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let mut actor = Actor::of("ada".parse().unwrap(), "t".parse().unwrap());
    if let Actor::User { idempotency_key, .. } = &mut actor {
        *idempotency_key = Some(IdempotencyKey::new("key", [1; 32]).unwrap());
    }
    idempotency::handle(api, Caller { actor, expires_at: None, as_of: None }, request, next).await
}

#[rstest]
#[case(Ending::Succeeds, 201, true, 1)]
#[case(Ending::ShowsASecret, 201, true, 0)]
#[case(Ending::Fails, 500, false, 0)]
#[case(Ending::Redirects, 303, false, 0)]
#[case(Ending::Streams, 500, false, 0)]
#[case(Ending::Panics, 500, false, 0)]
#[actix_web::test]
async fn a_request_with_a_key_is_committed_or_rolled_back_when_it_ends(
    #[case] ending: Ending,
    #[case] status: u16,
    #[case] commits: bool,
    #[case] answers: usize,
) {
    let (store, committed) = store(answers);
    let api = api_on(store, UNLIMITED);
    let app = App::new()
        .route("/", web::post().to(handler))
        .wrap(from_fn(keyed))
        .app_data(api.clone())
        .app_data(Data::new(ending));
    let service = init_service(app).await;
    let given = match try_call_service(&service, TestRequest::post().to_request()).await {
        Ok(response) => response.status(),
        Err(error) => error.as_response_error().status_code(),
    };
    assert_eq!((given.as_u16(), committed.load(Ordering::SeqCst)), (status, commits));
    assert_eq!(Arc::strong_count(&committed), 1, "the unit of work is still open");
}
