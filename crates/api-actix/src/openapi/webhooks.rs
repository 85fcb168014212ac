//! The requests that this server sends to webhooks, as `webhooks` of the document: one for each type of event.
use crate::wire::webhook_event::WebhookEvent;
use domain::event::Action;
use domain::webhook::PING;
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, ParameterBuilder, ParameterIn, PathsBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, Type};
use utoipa::openapi::{Content, OpenApi, PathItem, Ref, RefOr, Required, ResponseBuilder, SecurityRequirement};
use utoipa::{PartialSchema, ToSchema};

/// The headers of each request, with their descriptions.
const HEADERS: [(&str, &str); 3] = [
    ("Octavo-Webhook-Id", "The id of the delivery, the same in every attempt."),
    ("Octavo-Webhook-Timestamp", "When the request was signed, in seconds since 1970."),
    (
        "Octavo-Webhook-Signature",
        "`v1=` and the HMAC-SHA256 of `{id}.{timestamp}.{body}` with the secret of the webhook, in hexadecimal.",
    ),
];

/// Adds the requests to the document.
pub(super) fn describe(document: &mut OpenApi) {
    let mut schemas = vec![(WebhookEvent::name().into_owned(), WebhookEvent::schema())];
    WebhookEvent::schemas(&mut schemas);
    document.components.get_or_insert_default().schemas.extend(schemas);
    let kinds = Action::sent().map(|action| (action.id, action.label)).chain([(PING, "Ping")]);
    let item = |kind, label| PathItem::new(HttpMethod::Post, request(kind, label));
    let all = kinds.fold(PathsBuilder::new(), |all, (kind, label)| all.path(kind, item(kind, label)));
    document.webhooks = Some(all.build());
}

/// The request for events of a type.
fn request(kind: &str, label: &str) -> Operation {
    let of_kind = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([kind]));
    let body = AllOfBuilder::new()
        .item(Ref::from_schema_name(WebhookEvent::name()))
        .item(ObjectBuilder::new().property("type", of_kind).required("type"));
    let content = Content::new(Some(RefOr::T(body.build().into())));
    let body = RequestBodyBuilder::new().required(Some(Required::True)).content("application/json", content);
    let header = |(name, about): (&str, &str)| {
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .required(Required::True)
            .description(Some(about))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
            .build()
    };
    let accepted = ResponseBuilder::new()
        .description("The event is accepted. With any other status, or without a response, the request is sent again.");
    OperationBuilder::new()
        .tag("webhooks")
        .summary(Some(label))
        .parameters(Some(HEADERS.map(header)))
        .request_body(Some(body.build()))
        .response("2XX", accepted)
        .securities(Some(Vec::<SecurityRequirement>::new()))
        .build()
}
