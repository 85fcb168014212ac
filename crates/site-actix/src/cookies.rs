//! Cookies. They store only the credentials of visitors; visitors of public sites get none.
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header::{COOKIE, HeaderMap};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// The key of a share link.
pub(crate) const SHARE: &str = "octavo-share";
/// The token of a visitor.
pub(crate) const VISITOR: &str = "octavo-visitor";
/// The token of a preview.
pub(crate) const PREVIEW: &str = "octavo-preview";
/// Unsigned claims of a visitor, as JSON.
pub(crate) const CLAIMS: &str = "octavo-claims";
/// Another name of the token of a visitor, which existing sign-in services set.
pub(crate) const FOREIGN_VISITOR: &str = "gitbook-visitor-token";
/// The same for unsigned claims.
pub(crate) const FOREIGN_CLAIMS: &str = "gitbook-visitor-public";
/// The redirects of a visitor to the sign-in service: their number, and the time of the first one.
pub(crate) const SIGN_IN_ATTEMPTS: &str = "octavo-rounds";

/// The largest value of a cookie, in bytes. Browsers ignore larger ones.
pub(crate) const LARGEST: usize = 3_800;

/// The prefixes that browsers let only secure origins set.
const PREFIXES: [&str; 2] = ["__Host-", "__Secure-"];

/// The values of the cookies with these different names, without their prefix. Of several with the same name, the first
/// one is for the longest path.
pub(crate) fn values<'r, const N: usize>(headers: &'r HeaderMap, names: [&str; N]) -> [Option<&'r str>; N] {
    let mut found = [None; N];
    let headers = headers.get_all(COOKIE).filter_map(|value| value.to_str().ok());
    for pair in headers.flat_map(|header| header.split(';')) {
        let Some((name, value)) = pair.trim().split_once('=').filter(|(_, value)| value.len() <= LARGEST) else {
            continue;
        };
        let bare = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
        if let Some(at) = names.iter().position(|wanted| *wanted == bare) {
            found[at].get_or_insert(value);
        }
    }
    found
}

/// Where a cookie is valid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    /// The path of the site, with a slash at both ends.
    pub(crate) path: &'a str,
    /// Whether the address is https.
    pub(crate) secure: bool,
}

/// A cookie of a site.
pub(crate) fn set(
    name: &str,
    value: &str,
    scope: Scope<'_>,
    until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> String {
    let mut cookie = of(name, value, scope);
    if let Some(until) = until {
        cookie.set_max_age(Duration::seconds((until - now).num_seconds().max(0)));
    }
    cookie.to_string()
}

/// A cookie that removes another.
pub(crate) fn remove(name: &str, scope: Scope<'_>) -> String {
    let mut cookie = of(name, "", scope);
    cookie.set_max_age(Duration::ZERO);
    cookie.to_string()
}

/// Cookies that remove one that a sign-in service has set: it chose the prefix and the path.
pub(crate) fn remove_foreign(name: &str, scope: Scope<'_>) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for path in [scope.path, "/"] {
        all.insert(remove(name, Scope { path, ..scope }));
        let plain = Cookie::build(name.to_owned(), "").path(path.to_owned()).max_age(Duration::ZERO).finish();
        all.insert(plain.to_string());
    }
    all
}

fn of<'c>(name: &str, value: &'c str, Scope { path, secure }: Scope<'_>) -> Cookie<'c> {
    let prefix = match (secure, path) {
        (false, _) => "",
        (true, "/") => PREFIXES[0],
        (true, _) => PREFIXES[1],
    };
    Cookie::build(format!("{prefix}{name}"), value)
        .path(path.to_owned())
        .secure(secure)
        .http_only(true)
        .same_site(SameSite::Lax)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use rstest::rstest;

    #[rstest]
    #[case("octavo-share=a", Some("a"))]
    #[case("x=y; __Secure-octavo-share=a=b", Some("a=b"))]
    #[case("octavo-share=a; octavo-share=b", Some("a"))]
    #[case("octavo-shared=a", None)]
    #[case("octavo-share", None)]
    fn a_cookie_is_found_with_and_without_its_prefix(#[case] header: &'static str, #[case] value: Option<&str>) {
        let request = TestRequest::get().insert_header((COOKIE, header)).to_http_request();
        assert_eq!(values(request.headers(), [SHARE]), [value]);
    }

    #[test]
    fn several_cookies_are_read_at_once() {
        let request = TestRequest::get()
            .append_header((COOKIE, "octavo-preview=p; x=y; __Host-octavo-share=a"))
            .append_header((COOKIE, "octavo-share=b; octavo-claims="))
            .to_http_request();
        assert_eq!(
            values(request.headers(), [SHARE, VISITOR, PREVIEW, CLAIMS]),
            [Some("a"), None, Some("p"), Some("")],
            "the first of both, nothing, one of the first header, one without a value"
        );
    }

    #[test]
    fn a_cookie_that_browsers_do_not_keep_is_ignored() {
        let header = format!("octavo-share={}; octavo-share=b", "a".repeat(LARGEST + 1));
        let request = TestRequest::get().insert_header((COOKIE, header)).to_http_request();
        assert_eq!(values(request.headers(), [SHARE]), [Some("b")]);
    }

    #[test]
    fn a_cookie_of_a_sign_in_service_is_removed_whatever_its_prefix_and_path() {
        let removed = remove_foreign(FOREIGN_VISITOR, Scope { path: "/s/guide/", secure: true });
        for start in [
            "__Secure-gitbook-visitor-token=; HttpOnly; SameSite=Lax; Secure; Path=/s/guide/; Max-Age=0",
            "__Host-gitbook-visitor-token=; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=0",
            "gitbook-visitor-token=; Path=/; Max-Age=0",
            "gitbook-visitor-token=; Path=/s/guide/; Max-Age=0",
        ] {
            assert!(removed.contains(start), "{start} is not in {removed:?}");
        }
    }

    #[rstest]
    #[case("/s/guide/", true, "__Secure-octavo-share=k; HttpOnly; SameSite=Lax; Secure; Path=/s/guide/")]
    #[case("/", true, "__Host-octavo-share=k; HttpOnly; SameSite=Lax; Secure; Path=/")]
    #[case("/s/guide/", false, "octavo-share=k; HttpOnly; SameSite=Lax; Path=/s/guide/")]
    fn a_cookie_is_only_for_its_site(#[case] path: &str, #[case] secure: bool, #[case] written: &str) {
        assert_eq!(set(SHARE, "k", Scope { path, secure }, None, DateTime::UNIX_EPOCH), written);
    }
}
