//! Feedback on pages: an ordinary form, whose sender is sent back to the page, or gets JSON.
use crate::answer::{CachePolicy, redirect};
use crate::error::SiteError;
use crate::handler::moved;
use crate::request::{ResponseFormat, SiteRequest};
use crate::site::SiteServer;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, ORIGIN};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use domain::id::{PageId, SiteSpaceId};
use domain::site::feedback::{NewFeedback, SiteFeedback};
use domain::text::Invalid;
use domain::usecases::Error;
use domain::usecases::sites::reader::{VisitOutcome, Visiting};
use http_server::{ServerError, client_address, client_network, collect, refuse_announced, running_again};
use serde_json::json;
use std::str::FromStr;
use url::{Url, form_urlencoded};

/// The path of a site that receives feedback.
const PATH: &str = "~/feedback";
/// The largest body, in bytes: a comment of 2,000 characters has up to 12 bytes for each of them.
const LARGEST: usize = 32 * 1024;
/// The media type of an ordinary form.
const FORM: &str = "application/x-www-form-urlencoded";
/// The anchor of the thank-you note on the page. The note is hidden unless the address names it.
const THANKS: &str = "#feedback-thanks";
/// The relation of the sending page to this origin, as browsers report it.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether a path is that of feedback.
pub(crate) fn is_at(path: &str) -> bool {
    path.strip_suffix(PATH).is_some_and(|before| before.ends_with('/'))
}

/// Takes feedback.
pub(crate) async fn post(
    server: Data<SiteServer>,
    request: HttpRequest,
    payload: Payload,
    site_request: SiteRequest,
) -> Result<HttpResponse, SiteError> {
    let as_json = site_request.response_format == ResponseFormat::Json;
    match take(server, request, payload, site_request).await {
        Ok(FeedbackOutcome::Stored { feedback, .. }) if as_json => Ok(created(&feedback)),
        Ok(FeedbackOutcome::Stored { url, .. }) => Ok(redirect(303, &format!("{url}{THANKS}"), CachePolicy::Never)),
        Ok(FeedbackOutcome::Elsewhere { url, permanent }) => {
            let (status, cache_policy) = moved(permanent);
            Ok(redirect(status, &url, cache_policy))
        }
        Err(error) if as_json => Err(SiteError::Json(Box::new(error))),
        Err(error) => Err(error),
    }
}

/// The result of a request.
enum FeedbackOutcome {
    /// It is stored, and its page is there.
    Stored { feedback: Box<SiteFeedback>, url: String },
    /// The site has another address, which takes the same request.
    Elsewhere { url: String, permanent: bool },
}

/// What was stored, for scripts.
fn created(feedback: &SiteFeedback) -> HttpResponse {
    let body = json!({
        "object": "site-feedback",
        "page": feedback.page,
        "rating": feedback.rating,
        "createdAt": feedback.created_at,
    });
    HttpResponse::Created().insert_header((CACHE_CONTROL, CachePolicy::Never.header())).json(body)
}

async fn take(
    server: Data<SiteServer>,
    request: HttpRequest,
    payload: Payload,
    site_request: SiteRequest,
) -> Result<FeedbackOutcome, SiteError> {
    let client = client_address(&request, &server.settings.trusted_proxies);
    server.feedback.spend(&client_network(client)).map_err(ServerError::from)?;
    if !is_form(request.headers()) {
        return Err(SiteError::Refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "this address takes an ordinary form"));
    }
    refuse_announced(&request, LARGEST)?;
    let source = Source::of(request.headers());
    let body = collect(&request, payload.into_inner(), LARGEST).await?;
    let size = body.len();
    let job = {
        let server = server.clone();
        async move {
            let form = Form::read(&body);
            match store(&server, &site_request, &source, &form).await {
                Err(SiteError::UseCase(error)) if error.is_retryable_at_once() => {
                    running_again();
                    store(&server, &site_request, &source, &form).await
                }
                done => done,
            }
        }
    };
    server.work_pool.run(client, size, job).await?
}

/// Checks the access of the visitor, and stores the feedback on a page that they can see.
async fn store(
    server: &SiteServer,
    site_request: &SiteRequest,
    source: &Source,
    form: &Form,
) -> Result<FeedbackOutcome, SiteError> {
    let nothing = || SiteError::Refused(StatusCode::NOT_FOUND, "there is no page at this address");
    let visiting = match server.services.site_reader.enter(&site_request.visitor()).await? {
        VisitOutcome::Site(visiting) if visiting.path() == PATH => visiting,
        VisitOutcome::Site(_) | VisitOutcome::Nothing => return Err(nothing()),
        VisitOutcome::Redirect { url, permanent } => return Ok(FeedbackOutcome::Elsewhere { url, permanent }),
        VisitOutcome::SignIn { .. } => {
            return Err(SiteError::Refused(StatusCode::UNAUTHORIZED, "you have to sign in first"));
        }
        VisitOutcome::UnknownHost => {
            return Err(SiteError::Refused(StatusCode::MISDIRECTED_REQUEST, "no site has this address"));
        }
    };
    if !source.is_of(&visiting) {
        return Err(SiteError::OtherOrigin);
    }
    let (page, variant) = (id::<PageId>("page", &form.page)?, id::<SiteSpaceId>("variant", &form.variant)?);
    let absent = SiteError::Refused(StatusCode::NOT_FOUND, "page: there is no such page, or it takes no feedback");
    let Some(page) = visiting.into_ratable(&variant, &page).await? else { return Err(absent) };
    let new = NewFeedback::read(form.rating.as_deref(), form.comment.as_deref()).map_err(input)?;
    match server.services.site_feedback.send(&page, new).await {
        Ok(feedback) => Ok(FeedbackOutcome::Stored { feedback: Box::new(feedback), url: page.url().to_owned() }),
        // The page existed a moment ago.
        Err(Error::NotFound(_)) => Err(absent),
        Err(error) => Err(error.into()),
    }
}

fn input(invalid: Invalid) -> SiteError {
    SiteError::Input(invalid.to_string())
}

/// An id in a field of the form.
fn id<T: FromStr<Err: ToString>>(field: &str, raw: &Option<String>) -> Result<T, SiteError> {
    let raw = raw.as_deref().unwrap_or_default();
    raw.parse().map_err(|rule: T::Err| input(Invalid::new(field, rule.to_string())))
}

/// Whether the body is an ordinary form.
fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(FORM)
}

/// The fields of the form. The first one of a name counts; others are ignored.
#[derive(Debug, Default, PartialEq, Eq)]
struct Form {
    page: Option<String>,
    variant: Option<String>,
    rating: Option<String>,
    comment: Option<String>,
}

impl Form {
    fn read(body: &Bytes) -> Self {
        let mut form = Self::default();
        for (name, value) in form_urlencoded::parse(body) {
            let field = match &*name {
                "page" => &mut form.page,
                "variant" => &mut form.variant,
                "rating" => &mut form.rating,
                "comment" => &mut form.comment,
                _ => continue,
            };
            field.get_or_insert_with(|| value.into_owned());
        }
        form
    }
}

/// The page that a request was sent from, as reported by the client.
#[derive(Debug, PartialEq, Eq)]
struct Source {
    /// How the site of that page relates to this one.
    site: Option<String>,
    /// The origin of that page.
    origin: Option<String>,
}

impl Source {
    fn of(headers: &HeaderMap) -> Self {
        let text = |name: HeaderName| Some(String::from_utf8_lossy(headers.get(name)?.as_bytes()).into_owned());
        Self { site: text(FETCH_SITE), origin: text(ORIGIN) }
    }

    /// Whether that page can be one of the site. Programs do not report it. Pages of private sites use `no-referrer`,
    /// so browsers do not send their origin.
    fn is_of(&self, visiting: &Visiting<'_>) -> bool {
        let public = visiting.site().visibility.is_open();
        self.fits(visiting.address(), !public)
    }

    fn fits(&self, site: &str, private: bool) -> bool {
        match (self.site.as_deref(), self.origin.as_deref()) {
            (Some(site), _) => ["same-origin", "none"].contains(&site),
            (None, None) => true,
            (None, Some("null")) => private,
            (None, Some(origin)) => Url::parse(site).is_ok_and(|site| site.origin().ascii_serialization() == origin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use rstest::rstest;

    #[rstest]
    #[case("/s/docs/~/feedback", true)]
    #[case("/~/feedback", true)]
    #[case("/s/docs/~/feedback/", false)]
    #[case("/s/docs/a~/feedback", false)]
    #[case("/s/docs/feedback", false)]
    fn feedback_has_one_path(#[case] path: &str, #[case] found: bool) {
        assert_eq!(is_at(path), found);
    }

    #[rstest]
    #[case::a_program(None, None, true)]
    #[case::a_browser(Some("same-origin"), Some("https://docs.test"), true)]
    #[case::a_browser_on_a_private_site(Some("same-origin"), Some("null"), true)]
    #[case::an_old_browser(None, Some("https://docs.test"), true)]
    #[case::another_site(Some("cross-site"), Some("https://evil.test"), false)]
    #[case::a_forged_origin(Some("cross-site"), Some("https://docs.test"), false)]
    #[case::another_host_of_the_site(Some("same-site"), None, false)]
    #[case::another_origin(None, Some("https://evil.test"), false)]
    #[case::another_scheme(None, Some("http://docs.test"), false)]
    #[case::another_port(None, Some("https://docs.test:8443"), false)]
    #[case::a_longer_host(None, Some("https://docs.test.evil.test"), false)]
    #[case::a_hidden_origin(None, Some("null"), false)]
    #[case::junk(Some(""), None, false)]
    fn a_form_comes_from_its_own_site(#[case] site: Option<&str>, #[case] origin: Option<&str>, #[case] taken: bool) {
        let mut request = TestRequest::post();
        for (name, value) in [(FETCH_SITE, site), (ORIGIN, origin)] {
            if let Some(value) = value {
                request = request.insert_header((name, value));
            }
        }
        let source = Source::of(request.to_http_request().headers());
        assert_eq!(source.fits("https://docs.test/s/docs/", false), taken);
    }

    #[test]
    fn a_private_site_hides_its_origin_from_old_browsers() {
        let source = Source { site: None, origin: Some("null".to_owned()) };
        assert!(source.fits("https://docs.test/s/docs/", true));
    }

    #[rstest]
    #[case("application/x-www-form-urlencoded", true)]
    #[case("application/X-WWW-form-urlencoded; charset=utf-8", true)]
    #[case("multipart/form-data; boundary=x", false)]
    #[case("application/json", false)]
    #[case("", false)]
    fn only_an_ordinary_form_is_read(#[case] kind: &'static str, #[case] taken: bool) {
        let request = TestRequest::post().insert_header((CONTENT_TYPE, kind)).to_http_request();
        assert_eq!(is_form(request.headers()), taken);
    }

    #[test]
    fn the_first_field_of_a_name_counts() {
        let form =
            Form::read(&Bytes::from_static(b"rating=bad&page=p&rating=good&more=x&comment=a%0D%0A%F0%9F%98%80+%FF"));
        let text = |text: &str| Some(text.to_owned());
        let expected =
            Form { page: text("p"), variant: None, rating: text("bad"), comment: text("a\r\n\u{1f600} \u{fffd}") };
        assert_eq!(form, expected);
    }

    #[test]
    fn the_longest_comment_fits_into_a_body() {
        let comment = "\u{1f600}".repeat(2000);
        let form: String = form_urlencoded::Serializer::new(String::new()).append_pair("comment", &comment).finish();
        assert!(form.len() < LARGEST - 4096, "{}", form.len());
    }
}
