//! Feedback on pages, as visitors send it.
use super::{change, location, text};
use crate::faults::fail_in;
use crate::urls::{BASE, adaptive, docs, signed};
use crate::webhooks::{boot, webhook_for};
use acceptance::{Answer, Backend, Fields, World};
use actix_web::http::Method;
use actix_web::rt::time::timeout;
use actix_web::test::TestRequest;
use chrono::{DurationRound, TimeDelta};
use domain::id::{SiteId, SpaceId};
use domain::ports::store::Tx;
use domain::site::Site;
use http_server::Limits;
use serde_json::{Value, json};
use std::time::Duration;

/// A published site whose visitors can rate pages.
struct Rated {
    /// Its path in the API.
    site: String,
    space: SpaceId,
    /// The id of the space on the site.
    variant: String,
    /// The page at `install/linux`.
    page: String,
}

impl Rated {
    async fn new(world: &World, visibility: &str) -> Self {
        let (site, space) = docs(world, visibility).await;
        enable(world, &site, true).await;
        let structure = world.ada.get(&format!("{site}/structure")).await.ok();
        let page = world.page(&space, "install/linux").await;
        Self { variant: structure["structure"][0].id().to_owned(), site, space, page }
    }

    /// A form for the page.
    fn form<'f>(&'f self, rating: &'f str) -> Vec<(&'static str, &'f str)> {
        vec![("page", &self.page), ("variant", &self.variant), ("rating", rating)]
    }

    /// What is stored, newest first.
    async fn stored(&self, world: &World) -> Vec<Value> {
        world.ada.get(&format!("{}/feedback", self.site)).await.ok().list("items").to_vec()
    }
}

async fn enable(world: &World, site: &str, enabled: bool) {
    let body = json!({"feedback": {"enabled": enabled}});
    world.ada.put(&format!("{site}/customization"), body).await.ok();
}

async fn send(world: &World, form: &[(&str, &str)]) -> Answer {
    send_with(world, form, |request| request).await
}

async fn send_with(world: &World, form: &[(&str, &str)], with: impl FnOnce(TestRequest) -> TestRequest) -> Answer {
    world.browse_with(&format!("{BASE}/~/feedback"), |request| with(request.method(Method::POST).set_form(form))).await
}

fn json_wanted(request: TestRequest) -> TestRequest {
    request.insert_header(("Accept", "application/json"))
}

/// The value of a hidden field of a page.
fn hidden<'p>(page: &'p str, name: &str) -> &'p str {
    let start = format!("name=\"{name}\" value=\"");
    let rest = page.split_once(&start).unwrap_or_else(|| panic!("no field {name} in {page}")).1;
    rest.split_once('"').unwrap().0
}

#[acceptance::test]
async fn a_page_is_rated_with_its_own_form_and_without_scripts(world: World) {
    let rated = Rated::new(&world, "public").await;
    let page = text(world.browse(&format!("{BASE}/install/linux")).await, 200);
    let form = page.split_once("<form class=\"o-feedback\"").expect("a form").1.split_once("</form>").unwrap().0;
    assert!(form.contains("method=\"post\"") && form.contains("action=\"/s/docs/~/feedback\""), "{form}");
    let sent = [
        ("page", hidden(form, "page")),
        ("variant", hidden(form, "variant")),
        ("rating", "bad"),
        ("comment", "The step\r\nafter it?"),
    ];
    let browser = |request: TestRequest| {
        let request = request.insert_header(("Sec-Fetch-Site", "same-origin"));
        request.insert_header(("Origin", "https://docs.test")).insert_header(("User-Agent", "browser/1"))
    };
    let answer = send_with(&world, &sent, browser).await;
    assert_eq!(location(&answer), (303, format!("{BASE}/install/linux#feedback-thanks").as_str()));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("set-cookie"), None);
    let thanks = text(world.browse(location(&answer).1).await, 200);
    assert!(thanks.contains("id=\"feedback-thanks\""), "{thanks}");

    let [stored] = rated.stored(&world).await.try_into().unwrap_or_else(|all| panic!("{all:?}"));
    assert_eq!((stored.text("rating"), stored.text("comment")), ("bad", "The step\nafter it?"));
    assert_eq!(stored["page"], json!({"id": rated.page, "title": "On Linux", "path": "install/linux"}));
    assert_eq!((stored.text("siteSpace"), stored.text("space")), (rated.variant.as_str(), rated.space.as_str()));
    let events = world.ada.get(&world.org("/audit-events?action=page_feedback")).await.ok();
    let [event] = events.list("items") else { panic!("{events}") };
    assert_eq!((&event["actor"], &event["source"]), (&json!({"type": "server"}), &json!("server")));
    assert_eq!((event.get("client"), event.get("correlationId")), (None, None), "nobody says who the visitor is");
    let kept = world.dump().await;
    let kept = format!("{:?}", kept.get("site_feedback"));
    assert!(kept.contains("The step") && !kept.contains("127.0.0.1") && !kept.contains("browser/1"), "{kept}");
}

#[acceptance::test]
async fn the_start_page_is_rated_at_the_address_of_the_site(world: World) {
    let rated = Rated::new(&world, "public").await;
    let start = text(world.browse(&format!("{BASE}/")).await, 200);
    let page = hidden(&start, "page").to_owned();
    let answer = send(&world, &[("page", &page), ("variant", &rated.variant), ("rating", "ok")]).await;
    assert_eq!(location(&answer), (303, format!("{BASE}/#feedback-thanks").as_str()));
}

#[acceptance::test]
async fn the_oldest_feedback_is_looked_for_once_a_minute(world: World) {
    let rated = Rated::new(&world, "public").await;
    let tomorrow = world.services.clock.now() + TimeDelta::days(1);
    world.clock.set(tomorrow.duration_trunc(TimeDelta::days(1)).unwrap());
    let statements = async || {
        let (answer, statements) = world.counted(send(&world, &rated.form("good"))).await;
        assert_eq!(location(&answer).0, 303);
        statements
    };
    statements().await;
    let few = statements().await;
    world.clock.advance(TimeDelta::seconds(59));
    assert_eq!(statements().await, few);
    world.clock.advance(TimeDelta::seconds(1));
    assert_eq!(statements().await, few + 1);
    assert_eq!(statements().await, few);
    assert_eq!(rated.stored(&world).await.len(), 5);
}

#[acceptance::test]
async fn a_script_gets_json(world: World) {
    let rated = Rated::new(&world, "public").await;
    let answer = send_with(&world, &rated.form("good"), json_wanted).await;
    assert_eq!((answer.header("cache-control"), answer.header("set-cookie")), (Some("no-store"), None));
    let body = answer.expect(201);
    assert_eq!((body.text("object"), body.text("rating")), ("site-feedback", "good"));
    assert_eq!((body.text("page"), body.get("id")), (rated.page.as_str(), None));
    let message = send_with(&world, &rated.form("great"), json_wanted).await.error(400);
    assert_eq!(message, "rating: must be one of bad, ok, good");
    let message = send_with(&world, &[("page", "none"), ("variant", &rated.variant)], json_wanted).await.error(404);
    assert_eq!(message, "page: there is no such page, or it takes no feedback");
}

#[acceptance::test]
async fn an_error_names_the_field_and_stores_nothing(world: World) {
    let rated = Rated::new(&world, "public").await;
    let (page, variant) = (rated.page.as_str(), rated.variant.as_str());
    let long = "é".repeat(2001);
    let cases: [(&[(&str, &str)], &str); 7] = [
        (&[], "page: must be 1 to 64 characters"),
        (&[("page", "<b>"), ("variant", variant)], "page: must be 1 to 64 characters"),
        (&[("page", page), ("rating", "ok")], "variant: must be 1 to 64 characters"),
        (&[("page", page), ("variant", variant)], "rating: must be one of bad, ok, good"),
        (&[("page", page), ("variant", variant), ("rating", "<script>")], "rating: must be one of bad, ok, good"),
        (&[("page", page), ("variant", variant), ("rating", "ok"), ("comment", &long)], "comment: must have at most"),
        (&[("page", page), ("variant", variant), ("rating", "ok"), ("comment", "a\0")], "comment: must not contain"),
    ];
    for (form, error) in cases {
        let answer = send(&world, form).await;
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
        let body = text(answer, 400);
        assert!(body.contains(error) && !body.contains("<script>") && !body.contains("<b>"), "{body}");
    }
    let large = "x".repeat(40_000);
    text(send(&world, &[("page", page), ("comment", &large)]).await, 413);
    let other = |request: TestRequest| request.insert_header(("Content-Type", "multipart/form-data; boundary=x"));
    text(send_with(&world, &rated.form("ok"), other).await, 415);
    let json = |request: TestRequest| request.set_json(json!({"page": page, "variant": variant, "rating": "ok"}));
    text(send_with(&world, &[], json).await, 415);
    assert!(rated.stored(&world).await.is_empty());
}

#[acceptance::test]
async fn a_comment_is_kept_as_text_whatever_it_is(world: World) {
    let rated = Rated::new(&world, "public").await;
    for comment in [
        "<script>alert(1)</script>\"><img src=x onerror=alert(1)>",
        "'; DROP TABLE site_feedback; --",
        "{{7*7}} ${jndi:ldap://x} %00 \\u0000",
        "\u{202e}\u{200d}\u{1f468}\u{200d}\u{1f469}\u{feff}",
        "a\tb\u{1}\u{7f}",
        &"\u{1f600}".repeat(2000),
    ] {
        let form = [rated.form("ok"), vec![("comment", comment)]].concat();
        assert_eq!(send(&world, &form).await.status.as_u16(), 303, "{comment}");
        assert_eq!(rated.stored(&world).await[0]["comment"], comment);
    }
    let blank = [rated.form("ok"), vec![("comment", " \r\n ")]].concat();
    send(&world, &blank).await;
    assert_eq!(rated.stored(&world).await[0].get("comment"), None);
    let page = text(world.browse(&format!("{BASE}/install/linux")).await, 200);
    assert!(!page.contains("alert(1)") && !page.contains("DROP TABLE"), "no visitor sees what others wrote");
}

#[acceptance::test]
async fn only_pages_that_the_visitor_sees_are_rated(world: World) {
    let rated = Rated::new(&world, "public").await;
    let (site, variant) = (rated.site.as_str(), rated.variant.as_str());
    adaptive(&world, site).await;
    let macos = world.page(&rated.space, "install/macos").await;
    change(&world, &rated.space, &macos, json!({"condition": "visitor.claims.plan === 'pro'"})).await;
    let other = world.import(&acceptance::Fixture::new("more", [("README.md", "# More\n\nText.\n")])).await;
    let more = world.page(&other, "more").await;
    let draft = json!({"spaceId": other.as_str(), "title": "More", "draft": true});
    let draft = world.ada.post(&format!("{site}/site-spaces"), draft).await.expect(201).id().to_owned();
    let pages = world.ada.get(&format!("/spaces/{}/content/pages", rated.space)).await.ok();
    let group = pages.list("pages").iter().find(|page| page["type"] == "group").expect("a group").id();
    let try_it = async |page: &str, variant: &str, with: &str| {
        let cookie = |request: TestRequest| request.insert_header(("Cookie", with));
        send_with(&world, &[("page", page), ("variant", variant), ("rating", "good")], cookie).await
    };
    let absent = text(try_it("nothing", variant, "").await, 404);
    for (what, page, variant) in [
        ("a hidden page", macos.as_str(), variant),
        ("a group", group, variant),
        ("a page of another space", more.as_str(), variant),
        ("a draft", more.as_str(), draft.as_str()),
        ("an unknown variant", macos.as_str(), "nothing"),
    ] {
        assert_eq!(text(try_it(page, variant, "").await, 404), absent, "{what}");
    }
    let token = signed(&world, site, 600, json!({"plan": "pro"})).await;
    let answer = try_it(&macos, variant, &format!("octavo-visitor={token}")).await;
    assert_eq!(location(&answer), (303, format!("{BASE}/install/macos#feedback-thanks").as_str()));
    assert_eq!(answer.header("set-cookie"), None);
    world.ada.patch(&format!("{site}/site-spaces/{draft}"), json!({"draft": false})).await.ok();
    assert_eq!(try_it(&more, &draft, "").await.status.as_u16(), 303);
    assert_eq!(rated.stored(&world).await.len(), 2);
}

#[acceptance::test]
async fn the_owner_decides_whether_pages_are_rated(world: World) {
    let rated = Rated::new(&world, "public").await;
    enable(&world, &rated.site, false).await;
    text(send(&world, &rated.form("ok")).await, 404);
    assert!(!text(world.browse(&format!("{BASE}/install/linux")).await, 200).contains("o-feedback\""));
    let one = format!("{}/site-spaces/{}/customization", rated.site, rated.variant);
    world.ada.patch(&one, json!({"feedback": {"enabled": true}})).await.ok();
    assert_eq!(send(&world, &rated.form("ok")).await.status.as_u16(), 303, "in this space alone");
    let get = world.browse(&format!("{BASE}/~/feedback")).await;
    assert_eq!(get.status.as_u16(), 404);
    let url = world.ada.get(&format!("{}/publishing/preview?target=/install", rated.site)).await.ok();
    let preview = world.browse(url.text("url")).await;
    let cookie = preview.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let id = rated.site.rsplit('/').next().unwrap();
    let in_preview = world
        .browse_with(&format!("https://docs.test/~preview/{id}/~/feedback"), |request| {
            request.method(Method::POST).insert_header(("Cookie", cookie)).set_form(rated.form("ok"))
        })
        .await;
    text(in_preview, 404);
    world.ada.post(&format!("{}/unpublish", rated.site), json!({})).await.ok();
    let offline = text(send(&world, &rated.form("ok")).await, 404);
    let unknown = |request: TestRequest| request.method(Method::POST).set_form(rated.form("ok"));
    assert_eq!(text(world.browse_with("https://docs.test/s/nothing/~/feedback", unknown).await, 404), offline);
    assert_eq!(rated.stored(&world).await.len(), 1);
}

#[acceptance::test]
async fn a_private_site_takes_feedback_from_its_visitors(world: World) {
    let rated = Rated::new(&world, "share-link").await;
    let link = world.ada.post(&format!("{}/share-links", rated.site), json!({"name": "Press"})).await.expect(201);
    let key = link["urls"].text("published").trim_end_matches('/').rsplit('/').next().unwrap().to_owned();
    text(send(&world, &rated.form("ok")).await, 404);
    // A page with `no-referrer` hides its origin.
    let shared = |request: TestRequest| {
        request.insert_header(("Cookie", format!("__Secure-octavo-share={key}"))).insert_header(("Origin", "null"))
    };
    let answer = send_with(&world, &rated.form("ok"), shared).await;
    assert_eq!(location(&answer), (303, format!("{BASE}/install/linux#feedback-thanks").as_str()));
    assert_eq!(answer.header("set-cookie"), None);
    world.ada.patch(&format!("{}/share-links/{}", rated.site, link.id()), json!({"active": false})).await.ok();
    text(send_with(&world, &rated.form("ok"), shared).await, 404);

    world.ada.patch(&rated.site, json!({"visibility": "visitor-auth"})).await.ok();
    let auth = json!({"backend": "custom", "fallbackURL": "https://id.example.org/in"});
    world.ada.patch(&format!("{}/publishing/auth", rated.site), auth).await.ok();
    let refused = send(&world, &rated.form("ok")).await;
    assert_eq!(
        (refused.header("location"), refused.header("set-cookie")),
        (None, None),
        "a form is not sent elsewhere"
    );
    text(refused, 401);
    let token = signed(&world, &rated.site, 600, json!({})).await;
    let bearer = |request: TestRequest| request.insert_header(("Authorization", format!("Bearer {token}")));
    assert_eq!(send_with(&world, &rated.form("ok"), bearer).await.status.as_u16(), 303);
    assert_eq!(rated.stored(&world).await.len(), 2);
}

#[acceptance::test]
async fn a_form_of_another_origin_is_refused(world: World) {
    let rated = Rated::new(&world, "public").await;
    for (name, value) in [
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
        ("Origin", "https://evil.test"),
        ("Origin", "http://docs.test"),
        ("Origin", "null"),
    ] {
        let from = |request: TestRequest| request.insert_header((name, value));
        let body = text(send_with(&world, &rated.form("ok"), from).await, 403);
        assert!(!body.contains("evil.test"), "{body}");
    }
    assert!(rated.stored(&world).await.is_empty());
    world.ada.patch(&rated.site, json!({"hostname": "docs.acme.org"})).await.ok();
    let moved = send(&world, &rated.form("ok")).await;
    assert_eq!(location(&moved), (308, "https://docs.acme.org/~/feedback"), "the same request goes there");
    let there = |request: TestRequest| {
        request.method(Method::POST).insert_header(("Origin", "https://docs.acme.org")).set_form(rated.form("ok"))
    };
    let answer = world.browse_with("https://docs.acme.org/~/feedback", there).await;
    assert_eq!(location(&answer), (303, "https://docs.acme.org/install/linux#feedback-thanks"));
    let unknown = |request: TestRequest| request.method(Method::POST).set_form(rated.form("ok"));
    assert_eq!(world.browse_with("https://other.acme.org/~/feedback", unknown).await.status.as_u16(), 421);
}

#[acceptance::test]
async fn an_address_searches_only_so_often_a_minute(backend: Backend) {
    let limits = Limits { requests_per_minute: 6000, burst: 1000, failures_per_minute: 0 };
    let Some(world) = World::with_limits(backend, limits).await else { return };
    Rated::new(&world, "public").await;
    let mut accepted = 0;
    let refused = loop {
        // Another text each time: the result of a repeated search comes from the cache.
        let answer = world.browse(&format!("{BASE}/~/search?q=linux{accepted}")).await;
        if answer.status.as_u16() != 200 {
            break answer;
        }
        accepted += 1;
    };
    // The budget also refills while the test runs, by one in five seconds.
    assert!((12..60).contains(&accepted), "{accepted}");
    assert!((1..=60).contains(&refused.header("retry-after").unwrap().parse::<u32>().unwrap()));
    text(refused, 429);
    text(world.browse(&format!("{BASE}/install/linux")).await, 200);
    // Searches of assistants are of the same budget.
    let call = async |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let send = |request: TestRequest| {
            request.method(Method::POST).insert_header(("MCP-Protocol-Version", "2025-06-18")).set_json(message)
        };
        world.browse_with(&format!("{BASE}/~/mcp"), send).await
    };
    let refused = loop {
        let answer = call("search_documentation", json!({"query": "linux"})).await;
        if answer.status.as_u16() != 200 {
            break answer;
        }
    };
    assert_eq!(refused.header("content-type"), Some("application/json"));
    assert!(refused.header("retry-after").is_some());
    text(refused, 429);
    call("get_page", json!({"page": "install/linux"})).await.ok();
}

#[acceptance::test]
async fn an_address_sends_ten_ratings_a_minute(backend: Backend) {
    let limits = Limits { requests_per_minute: 6000, burst: 1000, failures_per_minute: 0 };
    let Some(world) = World::with_limits(backend, limits).await else { return };
    let rated = Rated::new(&world, "public").await;
    let mut accepted = 0;
    let refused = loop {
        // What an untrusted client says about its address does not count.
        let forwarded = |request: TestRequest| request.insert_header(("X-Forwarded-For", format!("10.0.0.{accepted}")));
        let answer = send_with(&world, &rated.form("ok"), forwarded).await;
        if answer.status.as_u16() != 303 {
            break answer;
        }
        accepted += 1;
    };
    // The budget also refills while the test runs, by one in six seconds.
    assert!((10..30).contains(&accepted), "{accepted}");
    assert!((1..=60).contains(&refused.header("retry-after").unwrap().parse::<u32>().unwrap()));
    text(refused, 429);
    assert_eq!(rated.stored(&world).await.len(), accepted);
    text(world.browse(&format!("{BASE}/install/linux")).await, 200);
    let message = send_with(&world, &rated.form("ok"), json_wanted).await.error(429);
    assert!(message.starts_with("too many requests"), "{message}");
}

#[acceptance::test]
async fn webhooks_get_ratings_without_comments(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let rated = Rated::new(&world, "public").await;
    webhook_for(&world, &receiver, &["page_feedback", "page_feedback_deleted"]).await;
    let form = [rated.form("good"), vec![("comment", "My number is 1234567.")]].concat();
    send(&world, &form).await;
    let id = rated.stored(&world).await[0].id().to_owned();
    world.work().await;
    let [body] = receiver.bodies().try_into().unwrap_or_else(|all| panic!("{all:?}"));
    assert_eq!((body.text("type"), &body["actor"]), ("page_feedback", &json!({"type": "server"})));
    assert_eq!(body["target"], json!({"type": "site-feedback", "id": id}));
    let payload = json!({
        "site": rated.site.rsplit('/').next(), "siteSpace": rated.variant, "space": rated.space, "page": rated.page,
        "feedback": id, "rating": "good",
    });
    assert_eq!(body["payload"], payload);
    assert!(!body.to_string().contains("1234567"), "{body}");
    world.ada.delete(&format!("{}/feedback/{id}", rated.site)).await;
    world.work().await;
    assert_eq!(receiver.bodies()[0]["type"], "page_feedback_deleted");
}

/// The site in a unit of work that has locked it.
async fn locked(world: &World, rated: &Rated) -> (Box<dyn Tx>, Site) {
    let id: SiteId = rated.site.rsplit('/').next().unwrap().parse().unwrap();
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[(&id).into()]).await.unwrap();
    let site = tx.sites().find(&id, None).await.unwrap().unwrap().entity;
    (tx, site)
}

/// On SQLite, there is one writer.
#[actix_web::test]
async fn a_rating_does_not_wait_for_a_change_of_its_site() {
    let Some(world) = World::boot(Backend::Postgres).await else { return };
    let rated = Rated::new(&world, "public").await;
    let (mut changing, site) = locked(&world, &rated).await;
    let changed = Site { title: "After".parse().unwrap(), published_at: None, ..site };
    changing.sites().save(&changed).await.unwrap();
    let sent = timeout(Duration::from_secs(60), send(&world, &rated.form("good"))).await.expect("it waits for nothing");
    assert_eq!(location(&sent).0, 303);
    changing.commit().await.unwrap();
    assert_eq!(world.ada.get(&rated.site).await.ok()["title"], "After");
    assert_eq!(rated.stored(&world).await.len(), 1);
    text(send(&world, &rated.form("good")).await, 404);
}

/// On SQLite, there is one writer.
#[actix_web::test]
async fn a_rating_of_a_site_that_is_deleted_at_the_same_time_is_refused_and_leaves_nothing() {
    let Some(world) = World::boot(Backend::Postgres).await else { return };
    let rated = Rated::new(&world, "public").await;
    let (mut deleting, site) = locked(&world, &rated).await;
    deleting.sites().remove(&site.id).await.unwrap();
    assert!(deleting.sites().find(&site.id, None).await.unwrap().is_none());
    let end = async {
        world.database().wait_for_blocked_statement().await;
        deleting.commit().await.unwrap();
    };
    let form = rated.form("good");
    let (answer, ()) = tokio::join!(send_with(&world, &form, json_wanted), end);
    assert_eq!(answer.error(404), "page: there is no such page, or it takes no feedback");
    assert_eq!(world.dump().await["site_feedback"], Vec::<String>::new());
    let events = world.ada.get(&world.org("/audit-events?action=page_feedback")).await.ok();
    assert!(events.list("items").is_empty(), "{events}");
}

/// Sends feedback to a server whose database fails so many times with this code.
async fn failing(code: &str, times: u32) -> Option<(World, Rated, Answer)> {
    let world = World::boot(Backend::Postgres).await?;
    let rated = Rated::new(&world, "public").await;
    fail_in(&world, "site_feedback", code, times, false).await;
    let answer = send(&world, &rated.form("good")).await;
    Some((world, rated, answer))
}

#[rstest::rstest]
#[case::disk_full("53100", 507)]
#[case::starting("57P03", 503)]
#[case::deadlocks("40P01", 503)]
#[actix_web::test]
async fn feedback_that_cannot_be_stored_now_may_be_sent_again(#[case] code: &str, #[case] status: u16) {
    let Some((_world, _rated, answer)) = failing(code, u32::MAX).await else { return };
    assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (status, Some("2")));
}

#[actix_web::test]
async fn feedback_that_met_another_change_is_stored_once() {
    let Some((world, rated, answer)) = failing("40P01", 1).await else { return };
    assert_eq!(answer.status.as_u16(), 303);
    assert_eq!(rated.stored(&world).await.len(), 1);
}
