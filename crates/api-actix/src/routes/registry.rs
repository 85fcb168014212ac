//! Registers the operations, with a server or in the OpenAPI document.
use actix_web::dev::HttpServiceFactory;
use actix_web::web;
use utoipa::openapi::OpenApi;
use utoipa_actix_web::OpenApiFactory;

/// Receives the list of operations. Each worker of a server registers only the routes. Only the document collects the
/// schemas: that takes about twenty megabytes for a moment, and a worker would never release them.
pub(crate) enum ServiceConfig<'a> {
    Server(&'a mut web::ServiceConfig),
    Document(&'a mut OpenApi),
}

impl ServiceConfig<'_> {
    pub(crate) fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(&mut self, operation: F) -> &mut Self {
        match self {
            Self::Server(config) => {
                config.service(operation);
            }
            Self::Document(document) => {
                document.paths.merge(operation.paths());
                let mut schemas = Vec::new();
                operation.schemas(&mut schemas);
                document.components.get_or_insert_default().schemas.extend(schemas);
            }
        }
        self
    }

    /// Adds another spelling of a path whose operation is already described.
    pub(super) fn alias(&mut self, resource: actix_web::Resource) -> &mut Self {
        if let Self::Server(config) = self {
            config.service(resource);
        }
        self
    }
}
