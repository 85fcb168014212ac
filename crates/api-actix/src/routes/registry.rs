//! Registers the operations, with a server or in the OpenAPI document.
use super::BASE;
use crate::state::route_table::Found;
use actix_web::dev::HttpServiceFactory;
use actix_web::guard::{GuardContext, fn_guard};
use actix_web::{Scope, web};
use std::array::from_fn;
use std::collections::BTreeMap;
use utoipa::openapi::{OpenApi, Paths};
use utoipa_actix_web::OpenApiFactory;

/// Receives the list of operations. Each worker of a server registers only the routes. Only the document collects the
/// schemas: that takes about twenty megabytes for a moment, and a worker would never release them.
pub(crate) enum ServiceConfig<'a> {
    Server(Routing<'a>),
    Document(&'a mut OpenApi),
    /// The operations of the document without their schemas, which take most of its time.
    Paths(&'a mut Paths),
}

/// The routes of a worker.
///
/// The router tries patterns one by one, which takes longer than many handlers. The route table has already found the
/// pattern of a request, so a guard lets the router try only this pattern. Patterns are in groups, and each group has a
/// guard too.
pub(crate) struct Routing<'a> {
    config: &'a mut web::ServiceConfig,
    patterns: BTreeMap<String, Scope>,
}

/// The number of groups. The router calls the guards of the groups until one matches, and then the guards of the
/// patterns in this group. It calls the fewest guards if there are about as many groups as patterns in each.
const GROUPS: usize = 16;

fn group(pattern: &str) -> usize {
    pattern.len() % GROUPS
}

/// A scope for requests whose pattern is one of these.
fn scope_of(has: impl Fn(&str) -> bool + 'static) -> Scope {
    let guard = move |context: &GuardContext<'_>| {
        let found = context.req_data();
        found.get::<Found>().and_then(|found| found.0.as_ref()).is_some_and(|route| has(&route.pattern))
    };
    web::scope("").guard(fn_guard(guard))
}

impl<'a> Routing<'a> {
    pub(super) fn new(config: &'a mut web::ServiceConfig) -> Self {
        Self { config, patterns: BTreeMap::new() }
    }

    fn service<F: HttpServiceFactory + utoipa::Path + 'static>(&mut self, operation: F) {
        let pattern = format!("{BASE}{}", F::path());
        let own = pattern.clone();
        let scope = self.patterns.remove(&pattern).unwrap_or_else(|| scope_of(move |found| found == own));
        self.patterns.insert(pattern, scope.service(operation));
    }

    /// Adds the routes to the worker.
    pub(super) fn finish(self) {
        let mut groups: [Scope; GROUPS] = from_fn(|at| scope_of(move |found| group(found) == at));
        for (pattern, scope) in self.patterns {
            let all = &mut groups[group(&pattern)];
            *all = std::mem::replace(all, web::scope("")).service(scope);
        }
        for all in groups {
            self.config.service(all);
        }
    }
}

impl ServiceConfig<'_> {
    pub(crate) fn service<F>(&mut self, operation: F) -> &mut Self
    where
        F: HttpServiceFactory + OpenApiFactory + utoipa::Path + 'static,
    {
        match self {
            Self::Server(routing) => routing.service(operation),
            Self::Document(document) => {
                document.paths.merge(operation.paths());
                let mut schemas = Vec::new();
                operation.schemas(&mut schemas);
                document.components.get_or_insert_default().schemas.extend(schemas);
            }
            Self::Paths(paths) => paths.merge(operation.paths()),
        }
        self
    }

    /// Adds another spelling of a path whose operation is already described.
    pub(super) fn alias(&mut self, resource: actix_web::Resource) -> &mut Self {
        if let Self::Server(routing) = self {
            routing.config.service(resource);
        }
        self
    }
}
