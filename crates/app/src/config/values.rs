//! Parsers of settings. Each error names the expected format. No parser here reads a secret, since clap quotes the
//! value in the error.
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use clap::ValueEnum;
use domain::id::SiteId;
use domain::site::address::WildcardHost;
use domain::site::isolation::Isolation;
use domain::site::path::Basename;
use domain::text::Email;
use http_server::Network;
use std::fmt::Display;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::str::FromStr;
use tracing_subscriber::EnvFilter;
use url::{ParseError, Url};

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people.
    Pretty,
    /// One JSON object per line.
    Json,
}

/// An address to listen on; `localhost` means 127.0.0.1.
pub(super) fn listen(raw: &str) -> Result<SocketAddr, String> {
    let local = raw.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    let parsed = local.map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port))).or_else(|| raw.parse().ok());
    parsed.ok_or_else(|| "must be an IP address and a port, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080".into())
}

/// The URL of the server for clients.
pub(crate) fn public_url(raw: &str) -> Result<Url, String> {
    let example = "use a URL such as https://docs.example.org";
    let scheme = "must begin with http:// or https://";
    let url = Url::parse(raw).map_err(|error| match error {
        ParseError::RelativeUrlWithoutBase => format!("{scheme}; {example}"),
        error => format!("is not a URL: {error}; {example}"),
    })?;
    let fault = if !matches!(url.scheme(), "http" | "https") {
        scheme
    } else if url.host_str().is_none_or(str::is_empty) {
        "must have a host"
    } else if !url.username().is_empty() || url.password().is_some() {
        "must not have a user name or a password"
    } else if url.query().is_some() || url.fragment().is_some() {
        "must end before any ? or #"
    } else {
        return Ok(url);
    };
    Err(format!("{fault}; {example}"))
}

/// A parser of whole numbers in a range.
pub(crate) fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |raw: &str| {
        let number = raw.parse::<T>().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("must be a whole number from {} to {}", range.start(), range.end()))
    }
}

/// The id or the basename of a site.
pub(super) fn site(raw: &str) -> Result<String, String> {
    let known = raw.parse::<SiteId>().is_ok() || raw.parse::<Basename>().is_ok();
    if known { Ok(raw.to_owned()) } else { Err("must be the id or the basename of a site".into()) }
}

/// The wildcard host of the sites of organizations.
pub(super) fn wildcard_host(raw: &str) -> Result<WildcardHost, String> {
    raw.parse().map_err(|rule: domain::text::Rule| rule.to_string())
}

/// How to handle private sites that share an origin with sites of other organizations.
pub(super) fn isolation(raw: &str) -> Result<Isolation, String> {
    raw.parse().map_err(|_unknown| "must be report or strict".to_owned())
}

/// A level or filters of the log.
pub(super) fn log_filter(raw: &str) -> Result<String, String> {
    let wrong = "must be error, warn, info, debug or trace, or filters such as info,http_server=debug";
    // A single word that is not a level would be read as the name of a module, and would disable all other logs.
    let is_filter =
        raw.contains(['=', ',']) || !raw.is_empty() && raw.parse::<tracing::level_filters::LevelFilter>().is_ok();
    if is_filter && EnvFilter::try_new(raw).is_ok() { Ok(raw.to_owned()) } else { Err(wrong.into()) }
}

/// The address of a proxy, or a network of proxies.
pub(super) fn network(raw: &str) -> Result<Network, String> {
    raw.trim().parse().map_err(|error: http_server::InvalidNetwork| error.to_string())
}

/// A boolean.
pub(super) fn switch(raw: &str) -> Result<bool, String> {
    match raw {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("must be true or false".into()),
    }
}

/// An e-mail address.
pub(super) fn email(raw: &str) -> Result<Email, String> {
    raw.parse().map_err(|rule: domain::text::Rule| rule.to_string())
}

/// When a token expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expiry {
    /// After a span, counted from now.
    After(TimeDelta),
    /// At a fixed time.
    At(DateTime<Utc>),
}

impl Expiry {
    /// The time of expiry; a span counts from `now`.
    pub(crate) fn moment(self, now: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::After(span) => now.checked_add_signed(span).unwrap_or(DateTime::<Utc>::MAX_UTC),
            Self::At(moment) => moment,
        }
    }
}

impl FromStr for Expiry {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        let wrong = || "must be a span such as 12h, 30d or 52w, or a date such as 2030-01-31".to_owned();
        if let Ok(date) = raw.parse::<NaiveDate>() {
            return Ok(Self::At(date.and_time(chrono::NaiveTime::MIN).and_utc()));
        }
        if let Ok(moment) = DateTime::parse_from_rfc3339(raw) {
            return Ok(Self::At(moment.to_utc()));
        }
        let digits = raw.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let count: u32 = digits.parse().ok().filter(|count| (1..=100_000).contains(count)).ok_or_else(wrong)?;
        let span = match &raw[digits.len()..] {
            "h" => TimeDelta::hours(count.into()),
            "d" => TimeDelta::days(count.into()),
            "w" => TimeDelta::weeks(count.into()),
            _ => return Err(wrong()),
        };
        Ok(Self::After(span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("127.0.0.1:8080", Some("127.0.0.1:8080"))]
    #[case("localhost:80", Some("127.0.0.1:80"))]
    #[case("[::]:0", Some("[::]:0"))]
    #[case("8080", None)]
    #[case(":8080", None)]
    #[case("127.0.0.1", None)]
    #[case("127.0.0.1:99999", None)]
    #[case("docs.example.org:80", None)]
    fn a_listen_address_has_an_ip_address_and_a_port(#[case] raw: &str, #[case] parsed: Option<&str>) {
        assert_eq!(listen(raw).ok().map(|address| address.to_string()).as_deref(), parsed);
    }

    #[rstest]
    #[case("https://docs.example.org", None)]
    #[case("http://localhost:8080/octavo", None)]
    #[case("docs.example.org", Some("must begin with http"))]
    #[case("https://docs.example.org:port", Some("is not a URL: invalid port number"))]
    #[case("ftp://docs.example.org", Some("must begin with http"))]
    #[case("https://ada:secret@docs.example.org", Some("user name"))]
    #[case("https://docs.example.org/?a=b", Some("before any ?"))]
    fn a_public_url_is_where_links_can_start(#[case] raw: &str, #[case] fault: Option<&str>) {
        match (public_url(raw), fault) {
            (Ok(_), None) => {}
            (Err(error), Some(fault)) => {
                assert!(error.contains(fault) && error.contains("https://docs.example.org"), "{error}");
            }
            (answer, _) => panic!("{raw}: {answer:?}"),
        }
    }

    #[rstest]
    #[case("1", Some(1))]
    #[case("1000", Some(1000))]
    #[case("0", None)]
    #[case("1001", None)]
    #[case("70000", None)]
    #[case("-1", None)]
    #[case("1.5", None)]
    #[case("many", None)]
    #[case("", None)]
    fn a_whole_number_is_in_its_range(#[case] raw: &str, #[case] parsed: Option<u16>) {
        let rule = "must be a whole number from 1 to 1000";
        assert_eq!(whole::<u16>(1..=1000)(raw), parsed.ok_or(rule.to_owned()));
    }

    #[rstest]
    #[case("info", true)]
    #[case("WARN", true)]
    #[case("info,http_server=debug", true)]
    #[case("api_actix=trace", true)]
    #[case("loud", false)]
    #[case("info,api_actix=loud", false)]
    #[case("", false)]
    fn a_log_filter_is_a_level_or_directives(#[case] raw: &str, #[case] fine: bool) {
        assert_eq!(log_filter(raw).is_ok(), fine);
    }

    #[rstest]
    #[case("true", Some(true))]
    #[case("1", Some(true))]
    #[case("false", Some(false))]
    #[case("0", Some(false))]
    #[case("yes", None)]
    #[case("TRUE ", None)]
    fn a_switch_is_true_or_false(#[case] raw: &str, #[case] parsed: Option<bool>) {
        assert_eq!(switch(raw).ok(), parsed);
    }

    #[rstest]
    #[case("12h", Some("1970-01-01T12:00:00+00:00"))]
    #[case("2d", Some("1970-01-03T00:00:00+00:00"))]
    #[case("1w", Some("1970-01-08T00:00:00+00:00"))]
    #[case("2030-01-31", Some("2030-01-31T00:00:00+00:00"))]
    #[case("2030-01-31T12:00:00+02:00", Some("2030-01-31T10:00:00+00:00"))]
    #[case("100000w", Some("3886-07-15T00:00:00+00:00"))]
    #[case("0d", None)]
    #[case("5", None)]
    #[case("d", None)]
    #[case("5y", None)]
    #[case("999999999999d", None)]
    #[case("soon", None)]
    #[case("5é", None)]
    fn a_token_ends_after_a_span_or_at_a_moment(#[case] raw: &str, #[case] moment: Option<&str>) {
        let parsed = raw.parse::<Expiry>().ok().map(|expiry| expiry.moment(DateTime::UNIX_EPOCH).to_rfc3339());
        assert_eq!(parsed.as_deref(), moment);
    }
}
