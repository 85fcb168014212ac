//! `If-Match`: the state that an object must have before a change.
//!
//! Every `PATCH`, `PUT` and `DELETE` of a single object takes an [`IfMatch`] and passes it as a precondition to its use
//! case, which checks it in the unit of work that writes. If the object has a `GET`, the tag is the `ETag` of that
//! response.
use crate::Api;
use crate::answer::links::Links;
use actix_web::dev::Payload;
use actix_web::http::header::IF_MATCH;
use actix_web::{FromRequest, HttpRequest};
use domain::usecases::Precondition;
use http_server::{Comparison, list_names, tag};
use serde::Serialize;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use utoipa::IntoParams;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};

/// All values of the header; empty if it is absent.
#[derive(Debug)]
pub(crate) struct IfMatch(Vec<String>);

impl FromRequest for IfMatch {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let lists = request.headers().get_all(IF_MATCH);
        ready(Ok(Self(lists.map(|list| String::from_utf8_lossy(list.as_bytes()).into_owned()).collect())))
    }
}

impl IfMatch {
    /// The object has one of the current tags that `tags` returns.
    pub(crate) fn tags<T>(self, tags: impl Fn(&T) -> Vec<String> + Send + Sync + 'static) -> Precondition<T> {
        let Self(lists) = self;
        if lists.is_empty() {
            return Precondition::none();
        }
        Precondition::that(move |current: &T| {
            let tags = tags(current);
            lists.iter().any(|list| tags.iter().any(|tag| list_names(list, tag, Comparison::Strong)))
        })
    }

    /// The object is unchanged since the caller read it: its `GET`, presented by `present`, still has the tag.
    pub(crate) fn shown<T: Clone, P: Serialize>(
        self,
        api: &Arc<Api>,
        present: impl Fn(T, &Links) -> P + Send + Sync + 'static,
    ) -> Precondition<T> {
        let links = api.links.clone();
        self.tags(move |current: &T| vec![shown_tag(&present(current.clone(), &links))])
    }

    /// The state of the object is a word that lists show; the tag is that word.
    pub(crate) fn word<T>(self, word: impl Fn(&T) -> &str + Send + Sync + 'static) -> Precondition<T> {
        self.tags(move |current: &T| vec![quoted(word(current))])
    }
}

/// The entity tag of a response with this body.
pub(crate) fn shown_tag(body: &impl Serialize) -> String {
    tag(&serde_json::to_vec(body).unwrap_or_default())
}

/// A word as an entity tag.
pub(crate) fn quoted(word: &str) -> String {
    format!("\"{word}\"")
}

fn header(description: &str) -> Parameter {
    ParameterBuilder::new()
        .name(IF_MATCH_NAME)
        .parameter_in(ParameterIn::Header)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build()
}

const IF_MATCH_NAME: &str = "If-Match";

macro_rules! described {
    ($($(#[$doc:meta])* $Name:ident = $description:literal;)+) => {$(
        $(#[$doc])*
        pub(crate) struct $Name;

        impl IntoParams for $Name {
            fn into_params(_provider: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
                vec![header($description)]
            }
        }
    )+};
}

described! {
    /// For objects with a `GET`.
    IfShown = "The `ETag` of the object when it was read, or `*` for any existing object";
    /// For change requests and their content.
    IfShownOrAt = "The current revision of the change request, in quotes, or its `ETag` when it was read";
    /// For roles granted to users and teams.
    IfPermission = "The `permission` that the list shows, in quotes, such as `\"edit\"` or `\"null\"`";
    /// For members of a team.
    IfRole = "The role in the team that the list shows, in quotes: `\"owner\"` or `\"member\"`";
    /// For review requests.
    IfAskedAt = "The `revision` that the list shows, in quotes";
}

/// Whether an operation takes `If-Match`.
pub(crate) fn is_taken_by(operation: &Operation) -> bool {
    let named = |parameter: &RefOr<Parameter>| matches!(parameter, RefOr::T(one) if one.name == IF_MATCH_NAME);
    operation.parameters.iter().flatten().any(named)
}
