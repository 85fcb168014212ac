//! The methods of the protocol.
use super::message::{CALL, Era, META, Refusal, Request, WITH_HANDSHAKE, versions};
use super::tools;
use domain::usecases::Error;
use domain::usecases::sites::reader::Visiting;
use serde_json::{Value, json};

/// How long a client may cache the list of tools, in milliseconds. It changes only with the program.
const TOOLS_FOR: u32 = 3_600_000;
/// How long a client may cache the information about the server, in milliseconds.
const SERVER_FOR: u32 = 300_000;

/// Why a request has no result.
pub(super) enum Failure {
    Refusal(Refusal),
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refusal(refusal)
    }
}

/// The result of a request.
pub(super) async fn answer(visiting: &mut Visiting<'_>, request: &Request, era: Era) -> Result<Value, Failure> {
    let mut result = match (request.method.as_str(), era) {
        ("initialize", Era::Handshake) => initialize(visiting, request).await?,
        ("ping", Era::Handshake) => json!({}),
        ("server/discover", Era::Modern) => discover(visiting).await?,
        ("tools/list", _) => tools::list(),
        (CALL, _) => tools::call(visiting, request).await?,
        (method, era) => return Err(Refusal::method(method, era).into()),
    };
    if era == Era::Modern {
        result["resultType"] = json!("complete");
        result[META] = json!({"io.modelcontextprotocol/serverInfo": server_info(None)});
        let kept = match request.method.as_str() {
            "tools/list" => Some((TOOLS_FOR, "public")),
            "server/discover" => Some((SERVER_FOR, "private")),
            _ => None,
        };
        if let Some((time, scope)) = kept {
            result["ttlMs"] = json!(time);
            result["cacheScope"] = json!(scope);
        }
    }
    Ok(result)
}

/// The information about the server.
fn server_info(title: Option<&str>) -> Value {
    let mut info = json!({"name": "octavo", "version": env!("CARGO_PKG_VERSION")});
    if let Some(title) = title {
        info["title"] = json!(title);
    }
    info
}

/// The title of the site for visitors.
async fn title(visiting: &mut Visiting<'_>) -> Result<String, Error> {
    let around = visiting.around().await?;
    Ok(around.map_or_else(|| visiting.site().title.to_string(), |frame| frame.title))
}

/// How the tools are used together.
fn instructions(title: &str) -> String {
    format!(
        "The documentation \"{title}\". Find pages with {}, read one with {}, and list all of them with {}.",
        tools::SEARCH,
        tools::PAGE,
        tools::LIST
    )
}

async fn initialize(visiting: &mut Visiting<'_>, request: &Request) -> Result<Value, Failure> {
    let Some(wanted) = request.params.get("protocolVersion").and_then(Value::as_str) else {
        return Err(Refusal::params("protocolVersion: is required").into());
    };
    let version = WITH_HANDSHAKE.iter().find(|known| **known == wanted).unwrap_or(&WITH_HANDSHAKE[0]);
    let title = title(visiting).await?;
    Ok(json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": server_info(Some(&title)),
        "instructions": instructions(&title),
    }))
}

async fn discover(visiting: &mut Visiting<'_>) -> Result<Value, Failure> {
    let title = title(visiting).await?;
    Ok(json!({
        "supportedVersions": versions(),
        "capabilities": {"tools": {}},
        "instructions": instructions(&title),
    }))
}
