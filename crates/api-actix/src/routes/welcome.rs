//! The page at `/`: a description of the server for people.
use crate::Api;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use actix_web::web::{self, Data};

/// The page loads nothing; its style is inline.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const PAGE: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"robots\" content=\"noindex\">
<title>Octavo</title>
<style>
  :root { color-scheme: light dark; font: 1.05rem/1.6 system-ui, sans-serif; }
  body { max-width: 38rem; margin: 15vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; }
  a { color: LinkText; }
  small { opacity: .7; }
</style>
<h1>Octavo</h1>
<p>This server stores and serves documentation. Programs use it through its API.</p>
<ul>
  <li><a href=\"docs\">API reference</a>: all operations, to read and to try</li>
  <li><a href=\"openapi.json\">OpenAPI document</a>: for clients and code generators</li>
</ul>
<p>Every operation is below <code>/v1</code> and needs a token; an administrator of this server creates tokens.</p>
<p><small>Version {version}</small></p>
</html>
";

pub(crate) fn configure(config: &mut web::ServiceConfig) {
    config.service(web::resource("/").route(web::get().to(welcome)).route(web::head().to(welcome)));
}

async fn welcome(api: Data<Api>) -> HttpResponse {
    if let Some(home) = &api.settings.home {
        return HttpResponse::Found()
            .insert_header((LOCATION, home.as_str()))
            .insert_header((CACHE_CONTROL, "no-cache"))
            .finish();
    }
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .body(PAGE.replace("{version}", &api.settings.version))
}
