//! Which paths and methods there are, read from the OpenAPI document: what the router serves and what the document
//! says come from one list of handlers, so this says what the router would.
use crate::error::ApiError;
use actix_web::http::Method;
use std::collections::HashMap;
use utoipa::openapi::{OpenApi, PathItem};

/// The methods of every path pattern.
#[derive(Debug)]
pub(crate) struct Surface(HashMap<String, Vec<Method>>);

/// What a request is to the API.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// An operation.
    Operation,
    /// A path that takes other methods.
    OtherMethods(String),
    /// A path that is served, and that the document does not speak of.
    Undocumented,
}

fn methods(item: &PathItem) -> Vec<Method> {
    let all = [
        (Method::GET, &item.get),
        (Method::PUT, &item.put),
        (Method::POST, &item.post),
        (Method::DELETE, &item.delete),
        (Method::PATCH, &item.patch),
    ];
    all.into_iter().filter(|(_, operation)| operation.is_some()).map(|(method, _)| method).collect()
}

/// A pattern of the router as the document writes it: the expression of a parameter is left out.
fn documented(pattern: &str) -> String {
    pattern.replace(":.*}", "}")
}

impl Surface {
    /// The surface that a document describes.
    pub(crate) fn of(document: &OpenApi) -> Self {
        let paths = document.paths.paths.iter();
        Self(paths.map(|(path, item)| (documented(path), methods(item))).collect())
    }

    /// What a request for the pattern is.
    pub(crate) fn fit(&self, pattern: &str, method: &Method) -> Fit {
        match self.0.get(&documented(pattern)) {
            None => Fit::Undocumented,
            Some(methods) if methods.contains(method) => Fit::Operation,
            Some(methods) => Fit::OtherMethods(allow(methods)),
        }
    }

    /// Why a request that no handler took was not served.
    pub(crate) fn refusal(&self, pattern: Option<&str>, method: &Method) -> ApiError {
        match pattern.map(|pattern| self.fit(pattern, method)) {
            Some(Fit::OtherMethods(allow)) => ApiError::MethodNotAllowed { allow },
            _ => ApiError::NoSuchPath,
        }
    }
}

/// The header `Allow`. Whatever can be fetched can be asked about with HEAD.
fn allow(methods: &[Method]) -> String {
    let mut names: Vec<&str> = methods.iter().map(Method::as_str).collect();
    if methods.contains(&Method::GET) {
        names.push("HEAD");
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;
    use rstest::rstest;

    #[rstest]
    #[case("/v1/orgs", Method::GET, Fit::Operation)]
    #[case("/v1/orgs", Method::DELETE, Fit::OtherMethods("GET, POST, HEAD".into()))]
    #[case("/v1/spaces/{spaceId}/content/path/{pagePath:.*}", Method::GET, Fit::Operation)]
    #[case("/v1/nothing", Method::GET, Fit::Undocumented)]
    fn a_request_fits_or_does_not(#[case] pattern: &str, #[case] method: Method, #[case] fit: Fit) {
        assert_eq!(Surface::of(&document("0")).fit(pattern, &method), fit);
    }
}
