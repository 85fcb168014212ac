//! The OpenAPI document.
mod areas;
mod errors;
mod nulls;
mod webhooks;

use crate::answer::error::ErrorBody;
use crate::routes;
use crate::state::route_table::RouteTable;
use crate::state::scopes::{self, BEARER};
use crate::{Api, Settings};
use actix_web::error::BlockingError;
use actix_web::http::Method;
use actix_web::web::{self, Data};
use domain::idempotency::MAX_KEY;
use domain::usecases::UseCases;
use http_server::Answer;
use std::collections::HashMap;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder, PathItem, Paths, RefOr, SecurityRequirement,
};
use utoipa::{PartialSchema, ToSchema};

/// Builds the document from the same list of handlers that the server serves.
pub(crate) fn document(version: &str) -> OpenApi {
    let mut document = base(version);
    routes::configure(&mut routes::ServiceConfig::Document(&mut document));
    document.paths = below_base(document.paths);
    for (method, operation) in document.paths.paths.values_mut().flat_map(operations_of) {
        without_null(operation);
        errors::declare(&method, operation);
        scopes::declare(operation);
        if method == Method::POST {
            with_key(operation);
        }
    }
    webhooks::describe(&mut document);
    nulls::remove_from_responses(&mut document);
    document
}

/// The operations of a path, with their methods.
fn operations_of(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let all = [
        (Method::GET, &mut item.get),
        (Method::PUT, &mut item.put),
        (Method::POST, &mut item.post),
        (Method::PATCH, &mut item.patch),
        (Method::DELETE, &mut item.delete),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// The operations of the document, as the routes describe them: all that the route table needs.
pub(crate) fn operations() -> Paths {
    let mut paths = Paths::new();
    routes::configure(&mut routes::ServiceConfig::Paths(&mut paths));
    below_base(paths)
}

fn below_base(mut paths: Paths) -> Paths {
    let relative = std::mem::take(&mut paths.paths).into_iter();
    paths.paths = relative.map(|(path, item)| (format!("{}{path}", routes::BASE), item)).collect();
    paths
}

fn base(version: &str) -> OpenApi {
    let components = ComponentsBuilder::new().schema(ErrorBody::name(), ErrorBody::schema());
    let schemes = scopes::schemes().into_iter();
    let components = schemes.fold(components, |components, (name, scheme)| components.security_scheme(name, scheme));
    let mut components = components.build();
    let mut inner = Vec::new();
    ErrorBody::schemas(&mut inner);
    components.schemas.extend(inner);
    components.responses.extend(errors::responses());
    let info = InfoBuilder::new().title("Octavo").version(version).description(Some(areas::INTRODUCTION));
    OpenApiBuilder::new()
        .info(info)
        .tags(Some(areas::tags()))
        .components(Some(components))
        .security(Some([SecurityRequirement::new(BEARER, Vec::<String>::new())]))
        .build()
}

/// Documents `Idempotency-Key`, which every `POST` accepts.
fn with_key(operation: &mut Operation) {
    let key = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(MAX_KEY))
        .pattern(Some("^[!-~]+$"));
    let header = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .description(Some(
            "A key chosen by the caller. For a day, the same request with the same key returns the first response again; a \
             different request with the key gets 422.",
        ))
        .schema(Some(key));
    operation.parameters.get_or_insert_default().push(header.build().into());
}

/// A body that is described as `Option` can be absent. utoipa also lets it be `null`, which the server refuses.
fn without_null(operation: &mut Operation) {
    let Some(RefOr::T(body)) = &mut operation.request_body else { return };
    for content in body.content.values_mut() {
        let RefOr::T(content) = content else { continue };
        content.schema.iter_mut().for_each(nulls::remove);
    }
}

/// The OpenAPI document of the API, as JSON.
pub fn openapi_document(version: &str) -> String {
    to_json(&document(version))
}

/// The document for the reference at `/docs`, as JSON. It has the body of errors only once for each operation.
pub fn reference_document(version: &str) -> String {
    let mut document = document(version);
    errors::remove_bodies(&mut document);
    to_json(&document)
}

fn to_json(document: &OpenApi) -> String {
    document.to_pretty_json().expect("the document has a JSON form")
}

/// The statuses of the errors that each operation declares, by its method and path. All other errors are its `default`.
pub fn declared_errors() -> HashMap<(Method, String), Vec<u16>> {
    let mut all = HashMap::new();
    for (path, item) in &mut operations().paths {
        for (method, operation) in operations_of(item) {
            let statuses = errors::statuses(&method, operation);
            all.insert((method, path.clone()), statuses);
        }
    }
    all
}

impl Api {
    /// Builds the API.
    pub fn new(services: UseCases, settings: Settings) -> Self {
        Self::of(RouteTable::of(&operations()), services, settings)
    }
}

/// Adds the document to a server.
pub(crate) fn configure(config: &mut web::ServiceConfig) {
    config.service(web::resource("/openapi.json").route(web::get().to(serve_document)));
}

/// Most servers are never asked for the document, so it is built for the first request: on a thread that ends, since
/// a worker would never release the memory that this takes.
async fn serve_document(api: Data<Api>) -> Result<Answer, BlockingError> {
    if let Some(built) = api.document.get() {
        return Ok(built.clone());
    }
    let build = move || {
        let json = || openapi_document(&api.settings.version);
        api.document.get_or_init(|| Answer::new("application/json", json()).cached_as("no-cache")).clone()
    };
    web::block(build).await
}

#[cfg(test)]
mod tests {
    use super::nulls::references;
    use super::*;
    use serde_json::{Value, to_value};
    use std::collections::BTreeSet;

    fn json() -> Value {
        to_value(document("0.1.0")).unwrap()
    }

    /// The names of the fields of all objects.
    fn fields<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
        match value {
            Value::Object(parts) => {
                let properties = parts.get("properties").and_then(Value::as_object);
                found.extend(properties.into_iter().flat_map(|named| named.keys()).map(String::as_str));
                parts.values().for_each(|part| fields(part, found));
            }
            Value::Array(items) => items.iter().for_each(|item| fields(item, found)),
            _ => {}
        }
    }

    fn operations(document: &Value) -> Vec<(String, Value)> {
        let paths = document["paths"].as_object().unwrap();
        let of = |(path, item): (&String, &Value)| {
            let item = item.as_object().unwrap().clone();
            item.into_iter().map(|(method, operation)| (format!("{method} {path}"), operation)).collect::<Vec<_>>()
        };
        paths.iter().flat_map(of).collect()
    }

    #[test]
    fn the_operations_that_are_served_are_those_of_the_document() {
        let ids = |paths: Paths| -> Vec<(String, String)> {
            let of = |(path, item): (String, PathItem)| {
                let all = [item.get, item.put, item.post, item.patch, item.delete].into_iter().flatten();
                all.map(move |one| (path.clone(), one.operation_id.unwrap())).collect::<Vec<_>>()
            };
            paths.paths.into_iter().flat_map(of).collect()
        };
        assert_eq!(ids(super::operations()), ids(document("0").paths));
    }

    #[test]
    fn every_reference_leads_somewhere_and_every_component_is_used() {
        let document = json();
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        let mut known = BTreeSet::new();
        for kind in ["schemas", "responses"] {
            let components = document["components"][kind].as_object().unwrap();
            known.extend(components.keys().map(|name| format!("#/components/{kind}/{name}")));
        }
        assert_eq!(found.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "dangling");
        assert_eq!(known.difference(&found).collect::<Vec<_>>(), Vec::<&String>::new(), "unused");
    }

    /// utoipa does not know `rename_all_fields` of serde.
    #[test]
    fn fields_are_named_as_in_bodies() {
        let document = json();
        let mut found = BTreeSet::new();
        fields(&document, &mut found);
        assert!(found.len() > 100, "{found:?}");
        assert_eq!(found.into_iter().filter(|name| name.contains('_')).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn a_field_that_is_always_present_is_required_even_if_it_can_be_null() {
        let document = json();
        let schema = |name: &str| document["components"]["schemas"][name].clone();
        let requires = |part: &Value, field: &str| {
            part["required"].as_array().is_some_and(|names| names.iter().any(|name| name == field))
        };
        for (name, field) in [
            ("Space", "defaultLevel"),
            ("Collection", "defaultLevel"),
            ("Site", "defaultLevel"),
            ("Organization", "defaultRole"),
            ("Member", "role"),
            ("LinkInvite", "role"),
            ("UserPermission", "permission"),
            ("TeamPermission", "permission"),
            ("SiteUserPermission", "permission"),
            ("OpenAPISpecVersionContentUrls", "public"),
            ("UpdateSpaceNotificationSettings", "level"),
        ] {
            let schema = schema(name);
            let parts = schema["allOf"].as_array().cloned().unwrap_or_default();
            assert!(requires(&schema, field) || parts.iter().any(|part| requires(part, field)), "{name}: {schema}");
        }
    }

    #[test]
    fn no_body_can_be_null() {
        let all = operations(&json());
        let bodies: Vec<_> = all.iter().filter(|(_, operation)| operation["requestBody"].is_object()).collect();
        assert!(bodies.len() > 50, "{}", bodies.len());
        for (place, operation) in bodies {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            assert!(schema["$ref"].is_string(), "{place}: {schema}");
        }
    }

    #[test]
    fn every_operation_has_a_name_of_its_own_a_summary_an_area_and_an_error() {
        let document = json();
        let operations = operations(&document);
        let names: BTreeSet<&str> =
            operations.iter().map(|(_, operation)| operation["operationId"].as_str().unwrap()).collect();
        assert_eq!(names.len(), operations.len());
        let mut used = BTreeSet::new();
        for (place, operation) in &operations {
            assert!(operation["summary"].is_string(), "{place}");
            assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "{place}");
            used.insert(operation["tags"][0].clone().to_string());
            assert!(operation["responses"]["default"].is_object(), "{place}");
        }
        let areas = document["tags"].as_array().unwrap();
        assert_eq!(areas.iter().map(|area| area["name"].to_string()).collect::<BTreeSet<_>>(), used);
        assert_eq!(document["security"][0]["bearer"], serde_json::json!([]));
    }

    #[test]
    fn the_kinds_of_pages_have_distinct_types() {
        let document = json();
        let schemas = &document["components"]["schemas"];
        for (name, kind) in [("DocumentPage", "document"), ("GroupPage", "group"), ("LinkPage", "link")] {
            assert_eq!(schemas[name]["properties"]["type"]["pattern"], format!("^{kind}$"), "{name}");
        }
    }

    #[test]
    fn every_parameter_of_a_path_is_described() {
        for (place, operation) in operations(&json()) {
            let in_path: BTreeSet<&str> =
                place.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect();
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let described: BTreeSet<&str> = parameters
                .iter()
                .filter(|parameter| parameter["in"] == "path")
                .filter_map(|parameter| parameter["name"].as_str())
                .collect();
            assert_eq!(in_path, described, "{place}");
        }
    }

    #[test]
    fn the_operations_are_named_as_clients_know_them() {
        let found = operations(&json());
        let name = |place: &str| {
            let operation = found.iter().find(|(known, _)| known == place).unwrap_or_else(|| panic!("{place}"));
            operation.1["operationId"].as_str().unwrap().to_owned()
        };
        let known = [
            ("get /v1/orgs", "listOrganizationsForAuthenticatedUser"),
            ("get /v1/orgs/{organizationId}", "getOrganizationById"),
            ("patch /v1/orgs/{organizationId}", "updateOrganizationById"),
            ("get /v1/spaces/{spaceId}", "getSpaceById"),
            ("patch /v1/spaces/{spaceId}", "updateSpaceById"),
            ("get /v1/spaces/{spaceId}/links", "listSpaceLinks"),
            ("get /v1/spaces/{spaceId}/search", "searchSpaceContent"),
            ("get /v1/spaces/{spaceId}/content", "getCurrentRevision"),
            ("get /v1/spaces/{spaceId}/content/pages", "listPages"),
            ("get /v1/spaces/{spaceId}/content/files", "listFiles"),
            ("get /v1/spaces/{spaceId}/content/files/{fileId}", "getFileById"),
            ("get /v1/spaces/{spaceId}/content/files/{fileId}/backlinks", "listSpaceFileBacklinks"),
            ("get /v1/spaces/{spaceId}/content/page/{pageId}", "getPageById"),
            ("get /v1/spaces/{spaceId}/content/page/{pageId}/links", "listPageLinksInSpace"),
        ];
        for (place, operation) in known {
            assert_eq!(name(place), operation);
        }
    }
}
