//! HTTP responses of engines, and the meaning of their status.
use crate::client::down;
use bytes::Bytes;
use domain::ports::EngineError;
use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use serde::de::DeserializeOwned;
use std::time::Duration;

/// A response.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Reply {
    /// Whether the engine refused the request as invalid.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self.status.as_u16(), 400 | 413 | 422)
    }

    /// The body as text, for searching it.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body of a successful response.
    pub(crate) fn accepted(self) -> Result<Bytes, EngineError> {
        let status = self.status.as_u16();
        Err(match status {
            200..=299 => return Ok(self.body),
            // OpenAI's API has the same status for an exceeded rate and an exhausted quota.
            429 if self.text().contains("insufficient_quota") => EngineError::QuotaExceeded,
            429 | 503 | 529 => EngineError::Busy(wait(&self.headers)),
            401 | 403 => EngineError::Denied(status),
            402 | 456 => EngineError::QuotaExceeded,
            400 | 413 | 422 => EngineError::Refused(status),
            300..=399 => down(&format!("it redirects: status {status}")),
            _ => down(&format!("status {status}")),
        })
    }

    /// The JSON of a successful response.
    pub(crate) fn json<T: DeserializeOwned>(self) -> Result<T, EngineError> {
        let body = self.accepted()?;
        serde_json::from_slice(&body).map_err(|_error| EngineError::InvalidAnswer("it has another form than expected"))
    }
}

/// The wait that `Retry-After` requests, in seconds or until a date. A date is compared with the `Date` of the
/// response, so the clocks may differ.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    let header = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let asked = header(RETRY_AFTER)?;
    if let Ok(seconds) = asked.parse::<u32>() {
        return Some(Duration::from_secs(u64::from(seconds)));
    }
    let until = httpdate::parse_http_date(asked).ok()?;
    let now = httpdate::parse_http_date(header(DATE)?).ok()?;
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(&[("retry-after", "7")], Some(7))]
    #[case(&[("retry-after", " 0 ")], Some(0))]
    #[case(&[("retry-after", "Tue, 15 Nov 1994 08:12:41 GMT"), ("date", "Tue, 15 Nov 1994 08:12:31 GMT")], Some(10))]
    #[case(&[("retry-after", "Tue, 15 Nov 1994 08:12:21 GMT"), ("date", "Tue, 15 Nov 1994 08:12:31 GMT")], Some(0))]
    #[case(&[("retry-after", "Tue, 15 Nov 1994 08:12:41 GMT")], None)]
    #[case(&[("retry-after", "soon")], None)]
    #[case(&[("retry-after", "-5")], None)]
    #[case(&[], None)]
    fn retry_after_is_parsed(#[case] headers: &[(&'static str, &'static str)], #[case] seconds: Option<u64>) {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
            .collect::<HeaderMap>();
        assert_eq!(wait(&headers), seconds.map(Duration::from_secs));
    }
}
