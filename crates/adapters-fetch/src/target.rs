//! Reading addresses.
use domain::ports::FetchError;
use url::{ParseError, Url};

/// Reads an address as somebody wrote it.
pub(crate) fn parse(raw: &str) -> Result<Url, FetchError> {
    plain(raw)?;
    check(Url::parse(raw))
}

/// Reads where an answer redirects to.
pub(crate) fn join(base: &Url, location: &str) -> Result<Url, FetchError> {
    plain(location)?;
    check(base.join(location))
}

/// Browsers drop or change some characters; what another program saw in them is not known, so they are not taken.
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
