//! The route table: all paths and methods, read from the OpenAPI document. The document and the router are built from
//! one list of handlers, so both agree.
//!
//! The table is a tree of path segments, since it is used for every request; the router tries its patterns one by one.
use crate::answer::error::ApiError;
use crate::state::scopes;
use actix_web::HttpRequest;
use actix_web::http::Method;
use domain::id::{CollectionId, OrganizationId, SpaceId};
use domain::scope::Wanted;
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::openapi::{PathItem, Paths};

/// The parameter that matches any number of segments. The document does not distinguish it from others.
const REST: &str = "{pagePath}";

/// The route table.
#[derive(Debug, Default)]
pub(crate) struct RouteTable(Node);

/// The next element of a path pattern.
#[derive(Debug, Default)]
struct Node {
    /// The end of the path.
    end: Option<Arc<Route>>,
    /// A literal segment.
    literal: BTreeMap<String, Node>,
    /// Any segment that is not empty: `{name}`.
    any: Option<Box<Node>>,
    /// Any number of segments.
    rest: Option<Arc<Route>>,
}

/// The route of a request, found before it is handled: an extension of each request.
pub(crate) struct Found(pub(crate) Option<Arc<Route>>);

/// A path pattern.
#[derive(Debug)]
pub(crate) struct Route {
    /// The pattern as in the document.
    pub(crate) pattern: Arc<str>,
    /// The documented methods.
    methods: Vec<Operation>,
}

/// An operation of the API.
#[derive(Debug)]
struct Operation {
    method: Method,
    /// The operation id in the document.
    id: String,
    /// The scope that the operation needs.
    wanted: Wanted,
}

/// How a request matches the API.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It matches an operation, which needs this scope.
    Operation(Wanted),
    /// The path exists with other methods.
    OtherMethods(String),
    /// The path is served but not documented.
    Undocumented,
}

fn methods(item: &PathItem) -> Vec<Operation> {
    let all = [
        (Method::GET, &item.get),
        (Method::PUT, &item.put),
        (Method::POST, &item.post),
        (Method::DELETE, &item.delete),
        (Method::PATCH, &item.patch),
    ];
    let known = |(method, operation): (Method, &Option<utoipa::openapi::path::Operation>)| {
        let operation = operation.as_ref()?;
        let wanted = scopes::wanted(operation).unwrap_or(Wanted::AllScopes);
        Some(Operation { method, id: operation.operation_id.clone().unwrap_or_default(), wanted })
    };
    all.into_iter().filter_map(known).collect()
}

impl Node {
    fn insert(&mut self, segments: &str, route: Arc<Route>) {
        let (segment, following) = first(segments);
        if segment == REST {
            self.rest = Some(route);
            return;
        }
        let node = if segment.starts_with('{') {
            &mut **self.any.get_or_insert_default()
        } else {
            self.literal.entry(segment.to_owned()).or_default()
        };
        match following {
            Some(following) => node.insert(following, route),
            None => node.end = Some(route),
        }
    }

    /// The recursion is bounded by the length of the longest pattern.
    fn find(&self, segments: Option<&str>) -> Option<&Arc<Route>> {
        let Some(segments) = segments else { return self.end.as_ref() };
        let (segment, following) = first(segments);
        let named = self.literal.get(segment).and_then(|node| node.find(following));
        let any = || self.any.as_deref().filter(|_| !segment.is_empty())?.find(following);
        named.or_else(any).or(self.rest.as_ref())
    }
}

/// The first segment and the rest.
fn first(segments: &str) -> (&str, Option<&str>) {
    segments.split_once('/').map_or((segments, None), |(first, following)| (first, Some(following)))
}

impl RouteTable {
    /// The route table of the operations of a document.
    pub(crate) fn of(operations: &Paths) -> Self {
        let mut root = Node::default();
        for (path, item) in &operations.paths {
            let route = Arc::new(Route { pattern: path.as_str().into(), methods: methods(item) });
            if let Some(alias) = path.strip_suffix('/') {
                root.insert(alias, route.clone());
            }
            root.insert(path, route);
        }
        Self(root)
    }

    /// The route of a request. Undocumented paths are looked up in the router.
    pub(crate) fn route(&self, request: &HttpRequest) -> Option<Arc<Route>> {
        let undocumented = || {
            let pattern = request.match_pattern()?.into();
            Some(Arc::new(Route { pattern, methods: Vec::new() }))
        };
        self.find(path(request)).cloned().or_else(undocumented)
    }

    /// The route of a documented path.
    pub(crate) fn find(&self, path: &str) -> Option<&Arc<Route>> {
        self.0.find(Some(path))
    }
}

impl Route {
    /// How a request matches this route.
    pub(crate) fn fit(&self, method: &Method) -> Fit {
        if self.methods.is_empty() {
            return Fit::Undocumented;
        }
        match self.operation(method) {
            Some(operation) => Fit::Operation(operation.wanted),
            None => Fit::OtherMethods(allow(self.methods.iter().map(|operation| &operation.method))),
        }
    }

    fn operation(&self, method: &Method) -> Option<&Operation> {
        self.methods.iter().find(|operation| operation.method == *method)
    }

    /// The operation id in the document.
    pub(crate) fn operation_id(&self, method: &Method) -> Option<&str> {
        self.operation(method).map(|operation| operation.id.as_str())
    }

    /// The space, collection and organization in a path of this route.
    pub(crate) fn places(&self, path: &str) -> Places {
        let named = |name: &str| {
            let mut segments = self.pattern.split('/').zip(path.split('/'));
            segments.find(|(segment, _)| *segment == name).map(|(_, value)| value)
        };
        Places {
            space: named("{spaceId}").and_then(|id| id.parse().ok()),
            collection: named("{collectionId}").and_then(|id| id.parse().ok()),
            organization: named("{organizationId}").and_then(|id| id.parse().ok()),
        }
    }
}

/// The ids in a path, for code that runs before the router has parsed the path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) space: Option<SpaceId>,
    pub(crate) collection: Option<CollectionId>,
    pub(crate) organization: Option<OrganizationId>,
}

/// The path of a request as the router sees it, without needless percent-encoding. In the raw path, `/v1/%75ser` would
/// not match an operation, although the router routes it to one.
pub(crate) fn path(request: &HttpRequest) -> &str {
    request.match_info().as_str()
}

/// The error for a request that no handler took.
pub(crate) fn refusal(route: Option<&Route>, method: &Method) -> ApiError {
    match route.map(|route| route.fit(method)) {
        Some(Fit::OtherMethods(allow)) => ApiError::MethodNotAllowed { allow },
        _ => ApiError::NoSuchPath,
    }
}

/// The header `Allow`. A path with `GET` also accepts `HEAD`.
fn allow<'a>(methods: impl Iterator<Item = &'a Method>) -> String {
    let mut names: Vec<&str> = methods.map(Method::as_str).collect();
    if names.contains(&"GET") {
        names.push("HEAD");
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::operations;
    use domain::scope::Scope;
    use rstest::rstest;

    #[rstest]
    #[case("/v1/", Method::GET, Some(("/v1/", Fit::Operation(Wanted::AnyToken))))]
    #[case("/v1", Method::GET, Some(("/v1/", Fit::Operation(Wanted::AnyToken))))]
    #[case("/v1/orgs", Method::GET, Some(("/v1/orgs", Fit::Operation(Wanted::Scope(Scope::OrganizationRead)))))]
    #[case("/v1/orgs", Method::POST, Some(("/v1/orgs", Fit::Operation(Wanted::Scope(Scope::OrganizationWrite)))))]
    #[case("/v1/user/tokens", Method::GET, Some(("/v1/user/tokens", Fit::Operation(Wanted::AllScopes))))]
    #[case("/v1/orgs", Method::DELETE, Some(("/v1/orgs", Fit::OtherMethods("GET, POST, HEAD".into()))))]
    #[case(
        "/v1/orgs/o",
        Method::GET,
        Some(("/v1/orgs/{organizationId}", Fit::Operation(Wanted::Scope(Scope::OrganizationRead))))
    )]
    #[case("/v1/orgs/", Method::GET, None)]
    #[case("/v1/nothing", Method::GET, None)]
    #[case("/nothing", Method::GET, None)]
    #[case("", Method::GET, None)]
    fn a_request_fits_or_does_not(#[case] path: &str, #[case] method: Method, #[case] expected: Option<(&str, Fit)>) {
        let surface = RouteTable::of(&operations());
        let found = surface.find(path).map(|route| (&*route.pattern, route.fit(&method)));
        assert_eq!(found, expected);
    }

    #[rstest]
    #[case("/a/b", Some("/a/b"))]
    #[case("/a/x", Some("/a/{one}"))]
    #[case("/a/b/d", Some("/a/{one}/d"))]
    #[case("/a/b/c", Some("/a/b/c"))]
    #[case("/a/", None)]
    #[case("/a//d", None)]
    #[case("/a/b/c/", None)]
    #[case("/t", None)]
    #[case("/t/", Some("/t/{pagePath}"))]
    #[case("/t/x//y/", Some("/t/{pagePath}"))]
    #[case("/t/u", Some("/t/u"))]
    #[case("/t/u/v", Some("/t/{pagePath}"))]
    fn literal_segments_precede_parameters_and_parameters_precede_wildcards(
        #[case] path: &str,
        #[case] expected: Option<&str>,
    ) {
        let mut root = Node::default();
        for pattern in ["/a/{one}", "/a/{one}/d", "/a/b", "/a/b/c", "/t/{pagePath}", "/t/u"] {
            root.insert(pattern, Arc::new(Route { pattern: pattern.into(), methods: Vec::new() }));
        }
        assert_eq!(root.find(Some(path)).map(|route| &*route.pattern), expected);
    }
}
