//! Parses addresses.
use domain::ports::FetchError;
use url::{ParseError, Url};

/// Parses an address in a request.
pub(crate) fn parse(raw: &str) -> Result<Url, FetchError> {
    plain(raw)?;
    check(Url::parse(raw))
}

/// Parses the target of a redirect.
pub(crate) fn join(base: &Url, location: &str) -> Result<Url, FetchError> {
    plain(location)?;
    check(base.join(location))
}

/// Refuses characters that browsers drop or change, since another program could have read a different address.
fn plain(raw: &str) -> Result<(), FetchError> {
    let odd = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
    if raw.contains(odd) { Err(FetchError::Address("must not hold spaces or backslashes")) } else { Ok(()) }
}

fn check(parsed: Result<Url, ParseError>) -> Result<Url, FetchError> {
    let url = parsed.map_err(|error| match error {
        ParseError::RelativeUrlWithoutBase => FetchError::Scheme,
        _ => FetchError::Address("is not a valid URL"),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        Err(FetchError::Scheme)
    } else if !url.username().is_empty() || url.password().is_some() {
        Err(FetchError::Address("must not hold a user name or a password"))
    } else {
        Ok(url)
    }
}
