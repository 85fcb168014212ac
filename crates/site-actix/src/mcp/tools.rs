//! The tools: search, read and list pages. They are read-only, and show what the visitor may see.
use super::call::Failure;
use super::message::{CALL, Refusal, Request};
use crate::full_text::written;
use crate::machine::addresses;
use domain::site::structure::SiteScope;
use domain::text::{SearchQuery, one_line};
use domain::usecases::Error;
use domain::usecases::sites::reader::{ListedPage, SiteHit, Visiting};
use serde_json::{Map, Value, json};
use site_html::machine::{Addresses, listed};
use std::fmt::Write;

/// The name of the tool that searches.
pub(super) const SEARCH: &str = "search_documentation";
/// The name of the tool that reads a page.
pub(super) const PAGE: &str = "get_page";
/// The name of the tool that lists pages.
pub(super) const LIST: &str = "list_pages";

/// The most pages in a list.
const LISTED: usize = 200;
/// The longest text of a page, in bytes.
const LONGEST: usize = 256 * 1024;

/// The tools.
pub(super) fn list() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let tool = |name: &str, title: &str, description: &str, properties: Value, required: &[&str]| {
        json!({
            "name": name,
            "title": title,
            "description": description,
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            },
            "annotations": {
                "title": title,
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        })
    };
    json!({"tools": [
        tool(
            SEARCH,
            "Search the documentation",
            "Find pages by words. Returns the best pages with their addresses and the sections that match. Read a page \
             with get_page before you rely on it.",
            json!({"query": text("The words to search for, at most 512 characters.")}),
            &["query"],
        ),
        tool(
            PAGE,
            "Read a page",
            "Read the whole text of a page as Markdown.",
            json!({"page": text("The address of the page, or its path on the site.")}),
            &["page"],
        ),
        tool(
            LIST,
            "List pages",
            "List the pages in order, with their addresses.",
            json!({
                "under": text("List only pages at or below this address or path."),
                "cursor": text("The cursor for the next part, from the previous list."),
            }),
            &[],
        ),
    ]})
}

/// Whether a request searches the site.
pub(super) fn is_search(request: &Request) -> bool {
    request.method == CALL && request.params.get("name").and_then(Value::as_str) == Some(SEARCH)
}

/// What a tool returns.
struct ToolResult {
    text: String,
    failed: bool,
}

impl ToolResult {
    fn failed(text: impl Into<String>) -> Self {
        Self { text: text.into(), failed: true }
    }
}

impl From<String> for ToolResult {
    fn from(text: String) -> Self {
        Self { text, failed: false }
    }
}

/// Calls a tool. A wrong argument is for the model, so it is a result that failed, and not an error of the protocol.
pub(super) async fn call(visiting: &mut Visiting<'_>, request: &Request) -> Result<Value, Failure> {
    let nothing = Map::new();
    let arguments = match request.params.get("arguments") {
        Some(Value::Object(arguments)) => arguments,
        None | Some(Value::Null) => &nothing,
        Some(_) => return Err(Refusal::params("arguments: must be an object").into()),
    };
    let returned = match request.params.get("name").and_then(Value::as_str) {
        Some(SEARCH) => search(visiting, arguments).await?,
        Some(PAGE) => page(visiting, arguments).await?,
        Some(LIST) => pages(visiting, arguments).await?,
        Some(other) => return Err(Refusal::params(format!("Unknown tool: {other}")).into()),
        None => return Err(Refusal::params("name: is required").into()),
    };
    Ok(json!({"content": [{"type": "text", "text": returned.text}], "isError": returned.failed}))
}

/// The text of an argument.
fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, ToolResult> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
        Some(_) => Err(ToolResult::failed(format!("{name}: must be a string"))),
    }
}

async fn search(visiting: &mut Visiting<'_>, arguments: &Map<String, Value>) -> Result<ToolResult, Error> {
    let query = match text(arguments, "query") {
        Ok(Some(query)) => query,
        Ok(None) => return Ok(ToolResult::failed("query: is required")),
        Err(failed) => return Ok(failed),
    };
    let Ok(query) = SearchQuery::try_from(query.to_owned()) else {
        return Ok(ToolResult::failed("query: must have at most 512 characters"));
    };
    let hits = visiting.search(&query, &SiteScope::All).await?;
    if hits.is_empty() {
        return Ok("No page matches. Try other or fewer words.".to_owned().into());
    }
    let base = visiting.base_path();
    let addresses = addresses(&base, visiting);
    Ok(hits.iter().map(|hit| found(hit, &addresses)).collect::<Vec<_>>().join("\n").into())
}

/// A page that was found, with its sections.
fn found(hit: &SiteHit, addresses: &Addresses<'_>) -> String {
    let mut out = format!("## {}\n\nAddress: {}\n", hit.title, addresses.absolute(&hit.href));
    if !hit.above.is_empty() {
        let _ = writeln!(out, "Below: {}", hit.above.join(" > "));
    }
    for section in &hit.sections {
        out.push_str("\n- ");
        if !section.title.is_empty() {
            let _ = write!(out, "{} ({})", section.title, addresses.absolute(&section.href));
        }
        let text = one_line(&section.body.text);
        if !text.is_empty() {
            let _ = write!(out, "{}{text}", if section.title.is_empty() { "" } else { ": " });
        }
    }
    out.push('\n');
    out
}

async fn page(visiting: &mut Visiting<'_>, arguments: &Map<String, Value>) -> Result<ToolResult, Error> {
    let address = match text(arguments, "page") {
        Ok(address) => address.unwrap_or("/"),
        Err(failed) => return Ok(failed),
    };
    let Some(found) = visiting.text_at(address).await? else {
        let path = visiting.path_at(address).unwrap_or_default();
        let near = visiting.suggestions(&path).await?;
        let base = visiting.base_path();
        let addresses = addresses(&base, visiting);
        let near = near.iter().map(|hit| format!("\n- {}: {}", hit.title, addresses.absolute(&hit.href)));
        let near: String = near.collect();
        let near = if near.is_empty() { String::new() } else { format!(" These are near:{near}") };
        return Ok(ToolResult::failed(format!("There is no such page.{near}")));
    };
    let base = visiting.base_path();
    let mut text = written(&found, &addresses(&base, visiting));
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push_str("\n\n(The page is longer than this.)\n");
    }
    Ok(text.into())
}

async fn pages(visiting: &mut Visiting<'_>, arguments: &Map<String, Value>) -> Result<ToolResult, Error> {
    let (under, cursor) = match (text(arguments, "under"), text(arguments, "cursor")) {
        (Ok(under), Ok(cursor)) => (under, cursor),
        (Err(failed), _) | (_, Err(failed)) => return Ok(failed),
    };
    let Ok(start) = cursor.map_or(Ok(0), str::parse::<usize>) else {
        return Ok(ToolResult::failed("cursor: must be from an earlier list"));
    };
    let under = under.map(|under| below(under, visiting));
    let mut pages = visiting.all_pages().await?;
    pages.retain(|page| {
        let inside = under.as_ref().is_none_or(|under| {
            page.url.strip_prefix(under.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#']))
        });
        inside && !page.hidden && !page.no_index
    });
    let shown: &[ListedPage] = pages.get(start..).unwrap_or_default();
    if shown.is_empty() {
        return Ok("There are no pages here.".to_owned().into());
    }
    let part = &shown[..shown.len().min(LISTED)];
    let mut text = listed(part, |page| page.url.clone());
    if part.len() < shown.len() {
        let (next, total) = (start + part.len(), pages.len());
        let _ = write!(text, "\n{next} of {total} pages. For more, call {LIST} with the cursor \"{next}\".\n");
    }
    Ok(text.into())
}

/// The absolute address that pages below an address or a path begin with, without a slash at its end.
fn below(under: &str, visiting: &Visiting<'_>) -> String {
    let site = visiting.canonical();
    let base = visiting.base_path();
    let path = under.strip_prefix(&site).or_else(|| under.strip_prefix(visiting.address()));
    let path = path.or_else(|| under.strip_prefix(&base)).unwrap_or(under).trim_matches('/');
    format!("{site}{path}").trim_end_matches('/').to_owned()
}
