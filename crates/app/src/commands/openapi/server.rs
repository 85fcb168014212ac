//! An OpenAPI spec on a running server, through its API.
use super::target::{Sent, State};
use crate::failure::Failure;
use adapters_fetch::ApiClient;
use anyhow::Result;
use domain::id::OrganizationId;
use domain::openapi_spec::SpecSlug;
use serde_json::{Value, json};
use url::Url;

/// The environment variable with the token.
const TOKEN: &str = "OCTAVO_TOKEN";
/// The most bytes of a response in a message.
const MAX_SHOWN: usize = 500;

/// A spec on a server.
pub(super) struct Server {
    client: ApiClient,
    /// The address of the API, without a slash at the end.
    api: String,
    token: String,
    organization: OrganizationId,
    slug: SpecSlug,
}

/// A response.
struct Answer {
    status: u16,
    body: Vec<u8>,
}

impl Server {
    /// Finds the organization on the server.
    pub(super) async fn open(server: &Url, organization: Option<&OrganizationId>, slug: SpecSlug) -> Result<Self> {
        let token = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
        let token = token.ok_or_else(|| {
            Failure::usage("--server needs a token in the environment variable OCTAVO_TOKEN")
                .advise("create one on the server with `octavo token create --label publish`")
        })?;
        if !server.username().is_empty()
            || server.password().is_some()
            || server.query().is_some()
            || server.fragment().is_some()
        {
            return Err(Failure::usage("--server: must be an address without a user, a query and a fragment").into());
        }
        let api = format!("{}/v1", server.as_str().trim_end_matches('/'));
        let client = ApiClient::new().await?;
        let nowhere: OrganizationId = "none".parse()?;
        let mut found = Self { client, api, token, organization: nowhere, slug };
        found.organization = match organization {
            Some(organization) => organization.clone(),
            None => found.only_organization().await?,
        };
        Ok(found)
    }

    async fn only_organization(&self) -> Result<OrganizationId> {
        let found = self.json("GET", "/orgs", None).await?.ok_or_else(|| self.is_no_api())?;
        let ids: Vec<&str> =
            found["items"].as_array().into_iter().flatten().filter_map(|one| one["id"].as_str()).collect();
        match ids.as_slice() {
            [id] => Ok(id.parse()?),
            [] => Err(Failure::new("the token gives access to no organization").into()),
            several => Err(Failure::new("there are several organizations")
                .advise(format!("add --organization with one of: {}", several.join(", ")))
                .into()),
        }
    }

    fn is_no_api(&self) -> Failure {
        Failure::new(format!("{} is not the API of an Octavo server", self.api))
            .advise("set --server to the public URL of the server, without /v1 and without the path of a page")
    }

    fn spec(&self) -> String {
        format!("/orgs/{}/openapi/{}", self.organization, self.slug)
    }

    async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Answer> {
        let url = format!("{}{path}", self.api);
        let sent = self.client.send(method, &url, &self.token, body.map(ToString::to_string)).await;
        let (status, body) = sent.map_err(|error| {
            let failure = Failure::new(format!("cannot reach {}: {error}", self.api)).because(error);
            failure.advise("check the URL of --server, and that the server is running")
        })?;
        Ok(Answer { status, body: body.into() })
    }

    /// The body of a successful response; `None` for 404.
    async fn json(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Option<Value>> {
        let Answer { status, body } = self.send(method, path, body).await?;
        match status {
            200..=299 => Ok(Some(serde_json::from_slice(&body).map_err(|error| self.is_no_api().because(error))?)),
            401 => Err(Failure::new(format!("the server responded with 401: {}", message(&body)))
                .advise("set OCTAVO_TOKEN to a token from `octavo token create --label publish` on the server")
                .into()),
            404 if method == "GET" => Ok(None),
            413 => Err(Failure::new(format!("the server responded with 413: {}", message(&body)))
                .advise("publish the address of the document instead: the server fetches up to 64 MiB with all files")
                .into()),
            status => Err(Failure::new(format!("the server responded with {status}: {}", message(&body))).into()),
        }
    }

    pub(super) async fn is_text(&self) -> Result<bool> {
        let spec = self.json("GET", &self.spec(), None).await?;
        Ok(spec.is_some_and(|spec| spec["sourceURL"].is_null() && spec["lastProcessErrorCode"].is_null()))
    }

    pub(super) async fn text(&self) -> Result<Option<String>> {
        let found = self.json("GET", &format!("{}/versions/latest/content/raw", self.spec()), None).await?;
        Ok(found.and_then(|found| found["text"].as_str().map(str::to_owned)))
    }

    pub(super) async fn document(&self) -> Result<Option<String>> {
        let path = format!("{}/versions/latest/content?filesystem=list", self.spec());
        let found = self.json("GET", &path, None).await?;
        Ok(found.map(|found| found["filesystem"][0]["specification"].to_string()))
    }

    pub(super) async fn put(&self, source: Sent) -> Result<()> {
        let source = match source {
            Sent::Text(text) => json!({ "text": text }),
            Sent::Url(url) => json!({ "url": url.to_string() }),
        };
        self.json("PUT", &self.spec(), Some(&json!({ "source": source }))).await.map(drop)
    }

    pub(super) async fn state(&self) -> Result<State> {
        let spec = self.json("GET", &self.spec(), None).await?;
        let spec =
            spec.ok_or_else(|| Failure::new(format!("the spec {} was deleted during the command", self.slug)))?;
        let text = |name: &str| spec[name].as_str().map(str::to_owned);
        let findings = spec["lastProcessedErrors"].as_array().into_iter().flatten();
        Ok(State {
            is_complete: spec["processingState"] == "complete",
            version: text("lastVersion"),
            error: text("lastProcessErrorCode"),
            findings: findings.filter_map(|finding| finding["message"].as_str().map(str::to_owned)).collect(),
        })
    }
}

/// The message of an error response, or its beginning.
fn message(body: &[u8]) -> String {
    let parsed: Option<Value> = serde_json::from_slice(body).ok();
    let message = parsed.as_ref().and_then(|body| body["error"]["message"].as_str());
    let text = message.map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned);
    text.chars().take(MAX_SHOWN).collect()
}
