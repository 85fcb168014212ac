//! Where operations are told of: a server, or the document that describes it.
use actix_web::dev::HttpServiceFactory;
use actix_web::web;
use utoipa::openapi::OpenApi;
use utoipa_actix_web::OpenApiFactory;

/// Takes the list of operations. Every worker of a server goes through the list for its routes; only the document asks
/// what their bodies look like, since that takes some twenty megabytes for a moment, which a worker would keep.
pub(crate) enum ServiceConfig<'a> {
    /// Serves the operations.
    Server(&'a mut web::ServiceConfig),
    /// Describes them.
    Document(&'a mut OpenApi),
}

impl ServiceConfig<'_> {
    /// Adds an operation.
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

    /// Adds another way to write the path of an operation that is described already.
    pub(super) fn alias(&mut self, resource: actix_web::Resource) -> &mut Self {
        if let Self::Server(config) = self {
            config.service(resource);
        }
        self
    }
}
