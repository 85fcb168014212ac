//! A site for assistants.
use super::{change, location, text};
use crate::urls::{BASE, docs, signed};
use acceptance::{Answer, Fields, Fixture, World};
use actix_web::http::Method;
use actix_web::test::TestRequest;
use serde_json::{Value, json};

/// Sends a message with headers.
async fn send_with(world: &World, headers: &[(&'static str, &str)], message: Value) -> Answer {
    world
        .browse_with(&format!("{BASE}/~/mcp"), |request| {
            let request = request.method(Method::POST).set_json(message);
            headers.iter().fold(request, |request, (name, value)| request.insert_header((*name, *value)))
        })
        .await
}

async fn send(world: &World, message: Value) -> Answer {
    send_with(world, &[], message).await
}

/// The result of a request of a version with a handshake.
async fn result(world: &World, method: &str, params: Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let answer = send_with(world, &[("MCP-Protocol-Version", "2025-06-18")], message).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let mut answer = answer.ok();
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(1)), "{answer}");
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].take()
}

/// What a tool returns, and whether it failed.
async fn call(world: &World, tool: &str, arguments: Value) -> (String, bool) {
    let result = result(world, "tools/call", json!({"name": tool, "arguments": arguments})).await;
    assert_eq!(result["content"][0]["type"], "text");
    (result["content"][0].text("text").to_owned(), result["isError"].as_bool().unwrap())
}

/// What a tool returns that must not fail.
async fn called(world: &World, tool: &str, arguments: Value) -> String {
    let (text, failed) = call(world, tool, arguments).await;
    assert!(!failed, "{text}");
    text
}

#[acceptance::test]
async fn a_client_shakes_hands_lists_the_tools_searches_and_reads(world: World) {
    docs(&world, "public").await;
    for (wanted, given) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let params =
            json!({"protocolVersion": wanted, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
        let message = json!({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params});
        let answer = send(&world, message).await;
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert!(answer.header("mcp-session-id").is_none());
        let result = &answer.ok()["result"];
        assert_eq!(result["protocolVersion"], given);
        assert_eq!((&result["capabilities"], &result["serverInfo"]["title"]), (&json!({"tools": {}}), &json!("Docs")));
        assert!(result.text("instructions").contains("search_documentation"), "{result}");
    }
    let done = send(&world, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    assert_eq!((done.status.as_u16(), done.bytes.len()), (202, 0));
    assert_eq!(result(&world, "ping", json!({})).await, json!({}));
    let tools = result(&world, "tools/list", json!({})).await;
    let names: Vec<&str> = tools.list("tools").iter().map(|tool| tool.text("name")).collect();
    assert_eq!(names, ["search_documentation", "get_page", "list_pages"]);
    for tool in tools.list("tools") {
        assert_eq!(
            (&tool["inputSchema"]["type"], &tool["annotations"]["readOnlyHint"]),
            (&json!("object"), &json!(true))
        );
    }
    let found = called(&world, "search_documentation", json!({"query": "updating packages"})).await;
    let (title, address) = ("## On Linux\n", format!("({BASE}/install/linux#updating-packages)"));
    assert!(found.starts_with(title) && found.contains(&address), "{found}");
    let page = called(&world, "get_page", json!({"page": format!("{BASE}/install/linux")})).await;
    assert!(page.starts_with(&format!("# On Linux\n\nSource: {BASE}/install/linux\n")), "{page}");
    assert!(page.contains("Version 1.2 is the newest."), "{page}");
    let list = called(&world, "list_pages", json!({})).await;
    assert!(list.contains(&format!("- [Engine Guide]({BASE}/): How the engine is used.\n")), "{list}");
    assert_eq!(list.matches("- [").count(), 5, "{list}");
    let below = called(&world, "list_pages", json!({"under": "/install"})).await;
    assert_eq!(below.matches("- [").count(), 3, "{below}");
}

#[acceptance::test]
async fn a_page_is_found_by_any_of_its_addresses(world: World) {
    let (_, space) = docs(&world, "public").await;
    let linux = called(&world, "get_page", json!({"page": format!("{BASE}/install/linux")})).await;
    for address in [
        "install/linux",
        "/install/linux",
        "/s/docs/install/linux",
        "install/linux.md",
        "Install/Linux/",
        "http://docs.test/s/docs/install/linux?q=1#updating-packages",
    ] {
        assert_eq!(called(&world, "get_page", json!({"page": address})).await, linux, "{address}");
    }
    let page = world.page(&space, "install/linux").await;
    change(&world, &space, &page, json!({"slug": "penguin"})).await;
    let moved = called(&world, "get_page", json!({"page": "install/linux"})).await;
    assert!(moved.contains(&format!("Source: {BASE}/install/penguin\n")), "{moved}");
    let start = called(&world, "get_page", json!({"page": BASE})).await;
    assert!(start.starts_with("# Engine Guide\n"), "{start}");
    let (missing, failed) = call(&world, "get_page", json!({"page": "guides/macos"})).await;
    assert!(failed && missing.contains(&format!("{BASE}/install/macos")), "{missing}");
    for other in ["https://example.org/install/linux", "https://docs.test/v1/user", "../../v1/user", "~/mcp", "\u{0}"] {
        assert!(call(&world, "get_page", json!({"page": other})).await.1, "{other}");
    }
}

#[acceptance::test]
async fn hidden_pages_are_read_and_found_and_others_never(world: World) {
    let (_, space) = docs(&world, "public").await;
    let hidden = world.page(&space, "install/macos").await;
    change(&world, &space, &hidden, json!({"hidden": true})).await;
    let kept = world.page(&space, "reference/options").await;
    change(&world, &space, &kept, json!({"noIndex": true})).await;
    let secret = world.page(&space, "install/linux").await;
    change(&world, &space, &secret, json!({"condition": "visitor.claims.plan === 'pro'"})).await;
    let list = called(&world, "list_pages", json!({})).await;
    assert_eq!(list.matches("- [").count(), 2, "{list}");
    assert!(called(&world, "get_page", json!({"page": "install/macos"})).await.contains("Download the package."));
    assert!(called(&world, "search_documentation", json!({"query": "download"})).await.contains("On macOS"));
    for (page, words) in [("reference/options", "tells more"), ("install/linux", "updating packages")] {
        let (text, failed) = call(&world, "get_page", json!({"page": page})).await;
        assert!(failed && !text.contains("Options") && !text.contains("On Linux"), "{text}");
        let found = called(&world, "search_documentation", json!({"query": words})).await;
        assert!(!found.contains("Options") && !found.contains("On Linux"), "{found}");
    }
}

#[acceptance::test]
async fn a_long_list_continues_at_its_cursor(world: World) {
    let space = world.import(&Fixture::pages(230, "wheel")).await;
    let site = crate::sites::site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let first = called(&world, "list_pages", json!({})).await;
    assert_eq!(first.matches("- [").count(), 200, "{first}");
    assert!(first.contains("200 of 230 pages") && first.contains("cursor \"200\""), "{first}");
    let rest = called(&world, "list_pages", json!({"cursor": "200"})).await;
    assert_eq!((rest.matches("- [").count(), rest.contains("cursor")), (30, false), "{rest}");
    assert!(call(&world, "list_pages", json!({"cursor": "x"})).await.1);
}

#[acceptance::test]
async fn wrong_arguments_are_reported_to_the_model(world: World) {
    docs(&world, "public").await;
    for (tool, arguments, told) in [
        ("search_documentation", json!({}), "query: is required"),
        ("search_documentation", json!({"query": 1}), "query: must be a string"),
        ("search_documentation", json!({"query": "x".repeat(600)}), "query: must have at most 512 characters"),
        ("get_page", json!({"page": []}), "page: must be a string"),
        ("list_pages", json!({"under": {}}), "under: must be a string"),
    ] {
        assert_eq!(call(&world, tool, arguments).await, (told.to_owned(), true));
    }
    assert!(
        called(&world, "search_documentation", json!({"query": "nothingatall"})).await.starts_with("No page matches.")
    );
}

#[acceptance::test]
async fn errors_have_the_codes_of_the_protocol(world: World) {
    docs(&world, "public").await;
    let request = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    for (message, status, code) in [
        (json!([request("ping", json!({}))]), 400, -32600),
        (json!({"id": 1, "method": "ping"}), 400, -32600),
        (request("resources/list", json!({})), 200, -32601),
        (request("server/discover", json!({})), 200, -32601),
        (request("initialize", json!({})), 200, -32602),
        (request("tools/call", json!({"name": "delete_page"})), 200, -32602),
        (request("tools/call", json!({})), 200, -32602),
        (request("tools/call", json!({"name": "get_page", "arguments": []})), 200, -32602),
    ] {
        let answer = send(&world, message.clone()).await.expect(status);
        assert_eq!(answer["error"]["code"], code, "{message}: {answer}");
    }
    let raw = async |body: &'static str, kind: &'static str| {
        let with = move |request: TestRequest| {
            request.method(Method::POST).insert_header(("Content-Type", kind)).set_payload(body)
        };
        world.browse_with(&format!("{BASE}/~/mcp"), with).await
    };
    assert_eq!(raw("{", "application/json").await.expect(400)["error"]["code"], -32700);
    let ping = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    assert_eq!(raw(ping, "text/plain").await.status.as_u16(), 415);
    raw(ping, "application/json; charset=utf-8").await.ok();
    let unknown = send_with(&world, &[("MCP-Protocol-Version", "1999-01-01")], request("ping", json!({}))).await;
    let unknown = unknown.expect(400);
    assert_eq!(unknown["error"]["code"], -32022, "{unknown}");
    assert_eq!(unknown["error"]["data"]["requested"], "1999-01-01");
    let large = request("ping", json!({"x": "x".repeat(64 * 1024)}));
    assert_eq!(send(&world, large).await.status.as_u16(), 413);
    for method in [Method::GET, Method::DELETE, Method::PUT] {
        let answer = world.browse_with(&format!("{BASE}/~/mcp"), |request| request.method(method)).await;
        assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, Some("POST")));
    }
}

#[acceptance::test]
async fn a_modern_client_needs_no_handshake(world: World) {
    docs(&world, "public").await;
    let modern = async |method: &str, mut params: Value, tool: &str| {
        params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method), ("Mcp-Name", tool)];
        send_with(&world, &headers[..if tool.is_empty() { 2 } else { 3 }], message).await
    };
    let found = &modern("server/discover", json!({}), "").await.ok()["result"];
    assert_eq!((&found["resultType"], &found["cacheScope"]), (&json!("complete"), &json!("private")), "{found}");
    assert!(found.list("supportedVersions").contains(&json!("2026-07-28")), "{found}");
    assert!(found.list("supportedVersions").contains(&json!("2025-06-18")), "{found}");
    let tools = &modern("tools/list", json!({}), "").await.ok()["result"];
    assert!(tools["ttlMs"].is_number() && tools.list("tools").len() == 3, "{tools}");
    let arguments = json!({"name": "get_page", "arguments": {"page": "install/linux"}});
    let page = &modern("tools/call", arguments.clone(), "get_page").await.ok()["result"];
    assert_eq!(page["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "octavo", "{page}");
    assert!(page["content"][0].text("text").starts_with("# On Linux\n"), "{page}");
    let other = modern("tools/call", arguments, "list_pages").await.expect(400);
    assert_eq!(other["error"]["code"], -32020, "{other}");
    assert_eq!(modern("resources/list", json!({}), "").await.expect(404)["error"]["code"], -32601);
    assert_eq!(modern("initialize", json!({}), "").await.expect(404)["error"]["code"], -32601);
}

#[acceptance::test]
async fn an_agent_proves_that_it_may_see_a_private_site(world: World) {
    let (site, _) = docs(&world, "visitor-auth").await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    for headers in [&[][..], &[("Authorization", "Bearer wrong")]] {
        let refused = send_with(&world, headers, list.clone()).await;
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
        let body = text(refused, 401);
        assert!(!body.contains("Docs") && !body.contains("docs"), "nothing about the site: {body}");
    }
    let token = format!("Bearer {}", signed(&world, &site, 600, json!({})).await);
    let tools = send_with(&world, &[("Authorization", &token)], list.clone()).await.ok();
    assert_eq!(tools["result"].list("tools").len(), 3);
    world.ada.patch(&site, json!({"visibility": "share-link"})).await.ok();
    let unknown = text(world.browse("https://docs.test/s/nothing").await, 404);
    assert_eq!(text(send(&world, list.clone()).await, 404), unknown);
    let link = world.ada.post(&format!("{site}/share-links"), json!({"name": "Agents"})).await.expect(201);
    let entry = link["urls"].text("published").trim_end_matches('/').to_owned();
    let key = format!("Bearer {}", entry.rsplit('/').next().unwrap());
    send_with(&world, &[("Authorization", &key)], list.clone()).await.ok();
    world.ada.patch(&format!("{site}/share-links/{}", link.id()), json!({"active": false})).await.ok();
    text(send_with(&world, &[("Authorization", &key)], list).await, 404);
}

#[acceptance::test]
async fn a_message_is_for_one_site_that_wants_agents(world: World) {
    let (site, _) = docs(&world, "public").await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let post = async |address: &str| {
        world.browse_with(address, |request| request.method(Method::POST).set_json(ping.clone())).await
    };
    post(&format!("{BASE}/~gitbook/mcp")).await.ok();
    text(post("https://docs.test/s/nothing/~/mcp").await, 404);
    text(post(&format!("{BASE}/install/~/mcp")).await, 404);
    text(post("https://evil.test/~/mcp").await, 421);
    for (origin, status) in [
        ("https://docs.test", 200),
        ("https://evil.test", 403),
        ("http://docs.test", 403),
        ("https://docs.test.evil.test", 403),
        ("null", 403),
    ] {
        let answer = send_with(&world, &[("Origin", origin)], ping.clone()).await;
        assert_eq!(answer.status.as_u16(), status, "{origin}");
    }
    world.ada.patch(&site, json!({"agentsContext": "excluded"})).await.ok();
    text(post(&format!("{BASE}/~/mcp")).await, 404);
    world.ada.patch(&site, json!({"agentsContext": "included", "hostname": "docs.acme.org"})).await.ok();
    let moved = post(&format!("{BASE}/~/mcp")).await;
    assert_eq!(location(&moved), (308, "https://docs.acme.org/~/mcp"));
    post("https://docs.acme.org/~/mcp").await.ok();
}
