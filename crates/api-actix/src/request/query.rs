//! Query strings.
use super::Wire;
use super::tracked::{Failed, tracked};
use crate::answer::error::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::text::Invalid;
use domain::usecases::Input;
use domain::values::json::serde_error;
use std::borrow::Cow;
use std::future::{Ready, ready};
use std::marker::PhantomData;

/// A query string, not yet parsed.
#[derive(Debug)]
pub(crate) struct Query<T> {
    raw: String,
    form: PhantomData<fn() -> T>,
}

impl<T: Wire + 'static> Query<T> {
    /// The parsed query, for the use case to read.
    pub(crate) fn input(self) -> Input<T::Command> {
        Input::new(move || self.read())
    }

    /// The raw query string.
    pub(crate) fn as_sent(&self) -> &str {
        &self.raw
    }

    /// The parsed query, for parameters that only affect the presentation.
    ///
    /// # Errors
    /// The parameter that breaks a rule.
    pub(crate) fn read(&self) -> Result<T::Command, Invalid> {
        read::<T>(&self.raw)?.command()
    }
}

impl<T> FromRequest for Query<T> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self { raw: request.query_string().to_owned(), form: PhantomData }))
    }
}

/// The rule of a parameter that is not a list.
pub(super) const ONCE: &str = "must be given once";

/// The decoded parameters of a query string.
pub(crate) fn pairs(raw: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    url::form_urlencoded::parse(raw.as_bytes())
}

/// Parses the parameters that `T` knows, and ignores others.
///
/// # Errors
/// The parameter and the rule it breaks.
pub(crate) fn read<T: serde::de::DeserializeOwned>(raw: &str) -> Result<T, Invalid> {
    if let Some((name, _)) = pairs(raw).find(|(name, value)| name.contains('\0') || value.contains('\0')) {
        return Err(Invalid::new(name.replace('\0', ""), "must not contain U+0000"));
    }
    if pairs(raw).any(|(_, value)| value.is_empty()) {
        // An empty value of an optional parameter would parse as absent. But an empty value is neither a number nor a
        // word, so it is valid only where any text is. Parse once with a filler for empty values to find the errors.
        let filled = pairs(raw).map(|(name, value)| if value.is_empty() { (name, "?".into()) } else { (name, value) });
        let filled = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(filled).finish();
        let _: T = parse(&filled)?;
    }
    parse(raw)
}

fn parse<T: serde::de::DeserializeOwned>(raw: &str) -> Result<T, Invalid> {
    let deserializer = serde_html_form::Deserializer::new(url::form_urlencoded::parse(raw.as_bytes()));
    tracked(deserializer).map_err(|Failed { path, text }| {
        let path = path.to_string();
        let field = if path == "." { "body" } else { &path };
        match text.as_str() {
            // The parameter was repeated, and is not a list.
            "unsupported value" => Invalid::new(field, ONCE),
            text => serde_error(field, text),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[derive(Debug, Default, PartialEq, Eq, serde::Deserialize)]
    #[serde(default)]
    struct Sent {
        query: Option<String>,
        metadata: Option<bool>,
        status: Option<Status>,
    }
    #[derive(Debug, PartialEq, Eq, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Status {
        Ok,
        InApp,
    }

    #[rstest]
    #[case("metadata=maybe", "metadata")]
    #[case("metadata=", "metadata")]
    #[case("query=a&status", "status")]
    #[case("status=nope", "status")]
    #[case("query=a%00b", "query")]
    #[case("query=a&query=b", "query")]
    fn an_error_names_the_parameter(#[case] raw: &str, #[case] field: &str) {
        let error = read::<Sent>(raw).unwrap_err();
        assert_eq!(error.field, field, "{error}");
        assert!(!error.rule.contains("nope"), "{error}");
    }

    #[rstest]
    #[case("query=a&query=b")]
    #[case("status=ok&status=in-app")]
    #[case("metadata=true&metadata=true")]
    fn a_parameter_is_given_once(#[case] raw: &str) {
        assert_eq!(read::<Sent>(raw).unwrap_err().rule, "must be given once");
    }

    #[test]
    fn a_text_may_be_empty() {
        let sent: Sent = read("query=&other=").unwrap();
        assert_eq!(sent.query.unwrap_or_default(), "");
    }

    #[test]
    fn what_is_not_known_is_left_alone() {
        let sent: Sent = read("other=1&metadata=false&status=in-app&query=a+b%2Fc").unwrap();
        assert_eq!(sent, Sent { query: Some("a b/c".into()), metadata: Some(false), status: Some(Status::InApp) });
    }
}
