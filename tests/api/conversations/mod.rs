//! Conversations with customers, their issues, and the clusters of these.
mod both_databases;
mod drafts;
mod features;
mod forgotten;
mod lists;
mod merged;
mod secrets;
mod sender_ids;
mod vectors;

use acceptance::{Fields, Fixture, World};
use actix_web::http::Method;
use chrono::TimeDelta;
use domain::access::Role;
use domain::actor::Actor;
use domain::id::SpaceId;
use domain::ports::{ChatQuestion, EngineError};
use serde_json::{Value, json};

/// A conversation with one message of a user.
fn talk(id: &str, text: &str) -> Value {
    json!({"id": id, "parts": [{"type": "message", "role": "user", "body": text}]})
}

/// Stores a conversation with one message of a user.
pub(crate) async fn ingest(world: &World, id: &str, text: &str) {
    world.ada.post(&world.org("/conversations"), talk(id, text)).await.expect(204);
}

/// Ids of a conversation, an issue in it, and its cluster.
pub(crate) struct Talks {
    pub(crate) conversation: String,
    pub(crate) issue: String,
    pub(crate) cluster: String,
}

impl Talks {
    /// Stores two conversations on one problem, and finds their issues.
    pub(crate) async fn ingest(world: &World) -> Self {
        ingest(world, "first", "I cannot reset my password.").await;
        ingest(world, "second", "How can I reset my password?").await;
        world.work().await;
        let issues = world.ada.get(&world.org("/conversations-issues")).await.ok();
        let issue = &issues["items"][0]["issue"];
        Self {
            conversation: issue.text("conversation").to_owned(),
            issue: issue.id().to_owned(),
            cluster: issue.text("cluster").to_owned(),
        }
    }
}

async fn list(world: &World, path: &str) -> Value {
    world.ada.get(&world.org(path)).await.ok()
}

fn ids(list: &Value) -> Vec<&str> {
    list.list("items").iter().map(Fields::id).collect()
}

#[acceptance::test]
async fn a_conversation_is_shown_as_it_was_sent(world: World) {
    let sent = json!({
        "id": "ticket-1",
        "subject": "Export of invoices",
        "source": "integration:helpdesk:1",
        "parts": [
            {"type": "message", "role": "user", "body": "The export of invoices fails with an error."},
            {"type": "message", "role": "assistant", "body": "Which format?"},
            {"type": "message", "role": "team-member", "body": "We look into it."},
        ],
        "metadata": {
            "url": "https://help.example.org/1",
            "attributes": {"plan": "team"},
            "createdAt": "2026-01-02T03:04:05Z",
        },
    });
    let answer = world.ada.post(&world.org("/conversations"), sent.clone()).await;
    assert_eq!((answer.status.as_u16(), answer.bytes.len()), (204, 0));
    let all = list(&world, "/conversations").await;
    let (one, id) = (&all["items"][0], all["items"][0].id());
    let location = format!("https://docs.test/v1{}", world.org(&format!("/conversations/{id}")));
    let expected = json!({
        "object": "conversation", "id": id, "subject": "Export of invoices", "createdAt": "2026-01-02T03:04:05Z",
        "source": "integration:helpdesk:1",
        "urls": {"location": location, "source": "https://help.example.org/1"},
    });
    assert_eq!(*one, expected, "its issues are not found yet");
    let detail = list(&world, &format!("/conversations/{id}")).await;
    assert_eq!(detail["conversation"], *one);
    assert_eq!(detail["parts"], sent["parts"]);
    assert_eq!(detail["metadata"], sent["metadata"]);
    assert_eq!(list(&world, "/conversations/ticket-1").await, detail, "it is found by the id of its sender");

    world.work().await;
    let one = &list(&world, "/conversations").await["items"][0];
    assert!(one["processedAt"].is_string() && one["impact"].is_string(), "{one}");
    let issues = list(&world, "/conversations-issues?conversation=ticket-1").await;
    assert_eq!(issues, list(&world, &format!("/conversations-issues?conversation={id}")).await);
    assert_eq!(list(&world, "/conversations-issues?conversation=ticket%232").await["count"], 0);
    let told = |item: &&Value| item["issue"].text("title").contains("export of invoices");
    let item = issues.list("items").iter().find(told).unwrap_or_else(|| panic!("{issues}"));
    let issue = &item["issue"];
    assert_eq!(item["conversation"], *one);
    assert_eq!((issue.text("object"), issue.text("conversation")), ("conversation-issue", id));
    assert_eq!(issue["details"]["object"], "document");
    let shown = list(&world, &format!("/conversations-issues/{}", issue.id())).await;
    assert_eq!(shown, *item);
    let cluster = list(&world, &format!("/conversations-clusters/{}", issue.text("cluster"))).await;
    assert_eq!((cluster.text("object"), &cluster["muted"]), ("issues-cluster", &json!(false)));
    assert_eq!(cluster["stats"]["conversations"], 1);
    assert_eq!(cluster["sources"], json!({"integration:helpdesk:1": 1}));
    assert_eq!(cluster["weeklyPulse"].as_array().map(Vec::len), Some(13));
}

#[acceptance::test]
async fn conversations_are_filtered_by_source_and_listed_newest_first(world: World) {
    for (id, source, month) in [("a", "email", 1), ("b", "integration:chat:7", 3), ("c", "email", 2)] {
        let mut new = talk(id, "The page is empty.");
        new["source"] = json!(source);
        new["metadata"] = json!({"createdAt": format!("2026-0{month}-01T00:00:00Z")});
        world.ada.post(&world.org("/conversations"), new).await.expect(204);
    }
    let order =
        |all: &Value| all.list("items").iter().map(|one| one.text("createdAt")[5..7].to_owned()).collect::<Vec<_>>();
    assert_eq!(order(&list(&world, "/conversations").await), ["03", "02", "01"]);
    assert_eq!(order(&list(&world, "/conversations?source=email").await), ["02", "01"]);
    let first = list(&world, "/conversations?limit=2").await;
    assert_eq!((order(&first), &first["count"]), (vec!["03".to_owned(), "02".to_owned()], &json!(3)));
    let next = first["next"].text("page").to_owned();
    assert_eq!(order(&list(&world, &format!("/conversations?limit=2&page={next}")).await), ["01"]);
}

#[acceptance::test]
async fn the_same_conversation_again_changes_nothing_and_another_content_replaces_it(world: World) {
    let text = "I cannot find the settings of my account.";
    ingest(&world, "a", text).await;
    world.work().await;
    let before = (list(&world, "/conversations").await, list(&world, "/conversations-issues").await);
    ingest(&world, "a", text).await;
    world.work().await;
    assert_eq!((list(&world, "/conversations").await, list(&world, "/conversations-issues").await), before);

    let more = format!("{text}\n\nAlso, the invoice of May was charged twice.");
    ingest(&world, "a", &more).await;
    let waiting = list(&world, "/conversations").await;
    assert_eq!((ids(&waiting), waiting["items"][0].get("processedAt")), (ids(&before.0), None));
    world.work().await;
    let after = list(&world, "/conversations-issues").await;
    let kept = before.1["items"][0]["issue"].id();
    let found: Vec<&str> = after.list("items").iter().map(|one| one["issue"].id()).collect();
    assert!(found.len() == 2 && found.contains(&kept), "an issue that is alike keeps its id: {after}");

    ingest(&world, "a", "Thanks, all is well now!").await;
    world.work().await;
    assert_eq!(list(&world, "/conversations-issues").await["count"], 0);
    let gone = world.ada.get(&world.org(&format!("/conversations-issues/{kept}"))).await;
    assert_eq!(gone.status.as_u16(), 404);
}

#[acceptance::test]
async fn the_same_conversation_from_16_callers_at_once_is_one(world: World) {
    let path = world.org("/conversations");
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (ada, path) = (world.ada.clone(), path.clone());
        clients.spawn_local(async move { ada.post(&path, talk("a", "It does not start.")).await.status.as_u16() });
    }
    assert!(clients.join_all().await.into_iter().all(|status| status == 204));
    assert_eq!(list(&world, "/conversations").await["count"], 1);
}

#[acceptance::test]
async fn conversations_on_one_problem_share_a_cluster(world: World) {
    let talks = json!([
        talk("a", "I forgot my password and cannot log in."),
        talk("b", "How can I reset the password? I cannot log in any more."),
        talk("c", "Password reset does not work, login is impossible."),
        talk("d", "The invoice shows a wrong tax rate."),
    ]);
    world.ada.post(&world.org("/conversations"), talks).await.expect(204);
    world.work().await;
    let issues = list(&world, "/conversations-issues").await;
    let clusters: std::collections::BTreeMap<String, Vec<&str>> =
        issues.list("items").iter().fold(Default::default(), |mut clusters, one| {
            let cluster = one["issue"].text("cluster").to_owned();
            let list: &mut Vec<&str> = clusters.entry(cluster).or_default();
            list.push(one["issue"].text("title"));
            clusters
        });
    let large = clusters.iter().find(|(_, titles)| titles.len() >= 3);
    let (id, titles) = large.unwrap_or_else(|| panic!("{clusters:?}"));
    assert!(titles.iter().all(|title| !title.contains("invoice")), "{clusters:?}");
    let listed = list(&world, "/conversations-clusters?orderBy=issues").await;
    assert_eq!(listed["items"][0].id(), id, "a cluster of one issue is not listed: {listed}");
    let cluster = &listed["items"][0];
    let count = cluster["stats"]["issues"].as_u64().unwrap();
    let pulse: u64 = cluster["weeklyPulse"].as_array().unwrap().iter().map(|week| week.as_u64().unwrap()).sum();
    assert_eq!(pulse, count, "the conversations began now");
    let label = cluster.text("label").to_lowercase();
    assert!(label.contains("password") || label.contains("log"), "{cluster}");
    let filtered = list(&world, &format!("/conversations-issues?cluster={id}")).await;
    assert_eq!(filtered["count"].as_u64(), Some(count));
}

#[acceptance::test]
async fn personal_data_and_secrets_are_not_stored(world: World) {
    let secrets = ["grace@example.org", "4111 1111 1111 1111", "DE89370400440532013000", "hunter2hunter2"];
    let text = "Write to grace@example.org, card 4111 1111 1111 1111, IBAN DE89370400440532013000. \
        My password is hunter2hunter2 and I cannot log in with version 1.2.3.";
    let mut new = talk("a", text);
    new["subject"] = json!("Login of grace@example.org fails");
    let url = "https://help.example.org/tickets/1?from=grace@example.org";
    new["metadata"] = json!({"url": url, "attributes": {"contact": "grace@example.org"}});
    world.ada.post(&world.org("/conversations"), new).await.expect(204);
    world.work().await;
    let mut shown = list(&world, "/conversations/a").await.to_string();
    shown += &list(&world, "/conversations-issues").await.to_string();
    for secret in secrets {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
    assert!(shown.contains("[email]") && shown.contains("1.2.3"), "{shown}");
}

#[acceptance::test]
async fn deleting_a_conversation_deletes_its_issues_and_updates_counts(world: World) {
    let Talks { conversation, issue, cluster } = Talks::ingest(&world).await;
    let path = world.org(&format!("/conversations/{conversation}"));
    assert_eq!(world.ada.delete(&path).await.status.as_u16(), 205);
    assert_eq!(world.ada.delete(&path).await.status.as_u16(), 204);
    assert_eq!(world.ada.get(&path).await.status.as_u16(), 404);
    let gone = world.ada.get(&world.org(&format!("/conversations-issues/{issue}"))).await;
    assert_eq!(gone.status.as_u16(), 404);
    let left = list(&world, &format!("/conversations-clusters/{cluster}")).await;
    assert_eq!(left["stats"]["conversations"], 1);
    assert_eq!(world.ada.delete(&world.org("/conversations/first")).await.status.as_u16(), 205);
    let gone = world.ada.get(&world.org(&format!("/conversations-clusters/{cluster}"))).await;
    assert_eq!(gone.status.as_u16(), 404, "no issue is left, and no change request names it");
}

#[acceptance::test]
async fn old_conversations_are_removed_every_day(mut world: World) {
    world.jobs.analyst.as_mut().unwrap().keep = Some(TimeDelta::days(3));
    Talks::ingest(&world).await;
    world.pass(TimeDelta::days(2)).await;
    assert_eq!(list(&world, "/conversations").await["count"], 2);
    world.pass(TimeDelta::days(2)).await;
    assert_eq!(list(&world, "/conversations").await["count"], 0);
    assert_eq!(list(&world, "/conversations-issues").await["count"], 0);
}

#[acceptance::test]
async fn a_change_request_is_about_a_cluster(world: World) {
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    let space = world.space(json!({})).await;
    let path = format!("/spaces/{space}/change-requests");
    let other = world.ada.post(&path, json!({})).await.id();
    let new = world.ada.post(&path, json!({"conversationsIssuesCluster": cluster})).await.expect(201);
    assert_eq!(new.text("conversationsIssuesCluster"), cluster);
    assert!(!new.text("subject").is_empty() && new["description"].to_string().contains("password"), "{new}");
    let own = json!({"conversationsIssuesCluster": cluster, "subject": "Mine"});
    assert_eq!(world.ada.post(&path, own).await.expect(201).text("subject"), "Mine");
    for lists in [path.clone(), world.org("/change-requests")] {
        let filtered = format!("{lists}?status=draft&conversationsIssuesCluster={cluster}");
        let found = world.ada.get(&filtered).await.ok();
        assert!(found["count"] == 2 && !ids(&found).contains(&other.as_str()), "{found}");
    }
    let unknown = world.ada.post(&path, json!({"conversationsIssuesCluster": "gone"})).await;
    assert_eq!(unknown.error(400), "conversationsIssuesCluster: there is no such cluster");
    let muted = world.org(&format!("/conversations-clusters/{cluster}"));
    assert_eq!(world.ada.patch(&muted, json!({"muted": true})).await.ok()["muted"], true);
    let refused = world.ada.post(&path, json!({"conversationsIssuesCluster": cluster})).await;
    assert_eq!(refused.status.as_u16(), 409);
    world.ada.patch(&muted, json!({"muted": false})).await.ok();
    world.ada.post(&path, json!({"conversationsIssuesCluster": cluster})).await.expect(201);
}

#[acceptance::test]
async fn a_change_request_about_a_cluster_links_the_most_similar_pages(world: World) {
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    let files = [("reset.md", "# Reset a password\n\nTo reset your password, open the settings.\n")];
    let space = world.import(&Fixture::new("help", files)).await;
    world.work().await;
    let page = world.page(&space, "reset").await;
    let new = json!({"conversationsIssuesCluster": cluster});
    let new = world.ada.post(&format!("/spaces/{space}/change-requests"), new).await.expect(201);
    let description = new["description"].to_string();
    assert!(description.contains("Reset a password") && description.contains(&page), "{description}");
}

#[acceptance::test]
async fn a_cluster_of_another_organization_is_not_found(world: World) {
    let Talks { cluster, conversation, issue } = Talks::ingest(&world).await;
    let eve = world.stranger("eve").await;
    let other = eve.post("/orgs", json!({"title": "Other"})).await.id();
    for path in [
        format!("conversations/{conversation}"),
        "conversations/first".to_owned(),
        format!("conversations-issues/{issue}"),
        format!("conversations-clusters/{cluster}"),
    ] {
        assert_eq!(eve.get(&format!("/orgs/{other}/{path}")).await.status.as_u16(), 404, "{path}");
    }
    let space = eve.post(&format!("/orgs/{other}/spaces"), json!({})).await.id();
    let taken =
        eve.post(&format!("/spaces/{space}/change-requests"), json!({"conversationsIssuesCluster": cluster})).await;
    assert_eq!(taken.status.as_u16(), 400);
}

#[acceptance::test]
async fn a_list_is_stored_whole_or_not_at_all(world: World) {
    let path = world.org("/conversations");
    let bad = json!([talk("a", "It fails."), {"id": "b", "parts": []}]);
    assert_eq!(world.ada.post(&path, bad).await.error(400), "[1].parts: must have 1 to 500 items, not 0");
    assert_eq!(list(&world, "/conversations").await["count"], 0);
    let mut late = talk("a", "It fails.");
    late["metadata"] = json!({"createdAt": "2999-01-01T00:00:00Z"});
    let rule = "metadata.createdAt: must be at most one day in the future";
    assert_eq!(world.ada.post(&path, json!([late])).await.error(400), format!("[0].{rule}"));
    assert_eq!(world.ada.post(&path, late).await.error(400), rule);
    let reader = world.member("rita", Some(Role::Read)).await;
    let refused = reader.send(Method::POST, &path, |request| request.set_json(json!({"id": 3}))).await;
    assert_eq!(refused.status.as_u16(), 403, "access is checked before the body");
}

/// Allows language models in the organization of the world.
async fn with_model(world: &World) {
    world.ada.patch(&world.org(""), json!({"ai": true})).await.ok();
}

/// Answers with one issue for each message of a user: its title is the message, its gist is the same in English.
fn issues_of(question: &ChatQuestion, gist: impl Fn(&str) -> &'static str) -> Value {
    let data: Value = serde_json::from_str(&question.user).unwrap();
    let issue = |message: &Value| {
        let text = message.text("text");
        json!({"title": text, "details": "", "impact": "high", "gist": gist(text)})
    };
    json!({"issues": data.list("messages").iter().map(issue).collect::<Vec<_>>()})
}

#[acceptance::test]
async fn issues_in_two_languages_share_a_cluster_that_a_language_model_describes(world: World) {
    with_model(&world).await;
    world.chat.rule(|question| {
        Ok(match question.schema_name {
            "issues" => issues_of(question, |text| {
                if text.contains("invoice") { "the invoice is wrong" } else { "cannot reset the password" }
            }),
            _ => json!({"label": "Reset of the password", "summary": "Users cannot reset their password.", "icon": "key"}),
        })
    });
    ingest(&world, "a", "Ich kann mein Passwort nicht zurücksetzen.").await;
    ingest(&world, "b", "I am unable to set a new password, mail me at grace@example.org").await;
    ingest(&world, "c", "The invoice shows a wrong tax rate.").await;
    world.work().await;
    let clusters = list(&world, "/conversations-clusters").await;
    let [one] = clusters.list("items") else { panic!("{clusters}") };
    assert_eq!((one.text("label"), one.text("icon")), ("Reset of the password", "key"));
    assert_eq!((&one["stats"]["issues"], one.text("impact")), (&json!(2), "high"));
    assert!(one["summary"].to_string().contains("Users cannot reset their password."), "{one}");
    let issues = list(&world, &format!("/conversations-issues?cluster={}", one.id())).await;
    let titles: Vec<&str> = issues.list("items").iter().map(|one| one["issue"].text("title")).collect();
    assert!(titles.contains(&"Ich kann mein Passwort nicht zurücksetzen"), "{titles:?}");
    let asked = world.chat.asked();
    assert!(!asked.iter().any(|question| question.user.contains("grace@")), "only redacted text is sent");
    let descriptions = asked.iter().filter(|question| question.schema_name == "cluster").count();
    assert_eq!(descriptions, 1, "one cluster has two issues");
    // One more issue is not half as many again.
    ingest(&world, "d", "Impossible to reset my password").await;
    world.work().await;
    assert_eq!(world.chat.asked().iter().filter(|question| question.schema_name == "cluster").count(), 1, "3 of 2");
    ingest(&world, "e", "My password cannot be reset").await;
    world.work().await;
    assert_eq!(world.chat.asked().iter().filter(|question| question.schema_name == "cluster").count(), 0, "4 of 3");
}

#[acceptance::test]
#[case::cannot_be_reached(Err(EngineError::Down("away".to_owned())), TimeDelta::minutes(10))]
#[case::refuses_the_key(Err(EngineError::Denied(401)), TimeDelta::hours(1))]
#[case::answers_with_something_else(Ok(json!({"joke": 1})), TimeDelta::days(1))]
async fn rules_find_the_issues_if_a_language_model_fails_and_it_is_asked_again(
    world: World,
    #[case] answer: Result<Value, EngineError>,
    #[case] rests: TimeDelta,
) {
    with_model(&world).await;
    world.chat.rule(move |_| answer.clone());
    ingest(&world, "a", "I cannot reset my password.").await;
    world.work().await;
    let issues = list(&world, "/conversations-issues").await;
    let [by_rules] = issues.list("items") else { panic!("{issues}") };
    assert_eq!(by_rules["issue"].text("title"), "I cannot reset my password");
    assert!(world.chat.asked().len() <= 2, "what failed is asked once more, at most");
    world.pass(rests - TimeDelta::seconds(30)).await;
    assert_eq!(world.chat.asked(), [], "it is not asked during the pause");
    world.chat.rule(|question| Ok(issues_of(question, |_| "cannot reset the password")));
    world.pass(TimeDelta::minutes(1)).await;
    assert_eq!(world.chat.asked().len(), 1);
    let issues = list(&world, "/conversations-issues").await;
    let [told] = issues.list("items") else { panic!("{issues}") };
    assert_eq!((told["issue"].id(), told["issue"].text("impact")), (by_rules["issue"].id(), "high"));
    assert_eq!(list(&world, "/conversations/a").await["conversation"]["impact"], "high");
    world.pass(TimeDelta::days(2)).await;
    assert_eq!(world.chat.asked(), [], "it has answered");
}

#[acceptance::test]
async fn a_language_model_sees_nothing_of_an_organization_that_does_not_allow_it(world: World) {
    world.chat.rule(|question| Ok(issues_of(question, |_| "cannot reset the password")));
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    assert_eq!(world.chat.asked(), []);
    let space = world.space(json!({})).await;
    let new = json!({"conversationsIssuesCluster": cluster, "draft": true});
    let refused = world.ada.post(&format!("/spaces/{space}/change-requests"), new).await;
    assert_eq!(refused.error(400), "draft: the organization does not allow language models: its setting ai");
}

/// Creates a change request with a draft about the cluster of two talks, in the space of the guide. Returns its path.
async fn drafted(world: &World) -> (SpaceId, String) {
    with_model(world).await;
    let Talks { cluster, .. } = Talks::ingest(world).await;
    let space = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{space}/change-requests");
    let alone = world.ada.post(&path, json!({"draft": true})).await;
    assert_eq!(alone.error(400), "draft: needs conversationsIssuesCluster");
    let new = json!({"conversationsIssuesCluster": cluster, "draft": true});
    let id = world.ada.post(&path, new).await.expect(201).id().to_owned();
    world.work().await;
    (space, format!("{path}/{id}"))
}

#[acceptance::test]
async fn a_language_model_drafts_a_change_request_that_only_people_merge(world: World) {
    world.chat.rule(|question| match question.schema_name {
        "draft" => {
            Ok(json!({"edits": [], "new_page": {"title": "Reset a password", "markdown": "Open **Settings**."}}))
        }
        _ => Err(EngineError::Down("away".to_owned())),
    });
    let (space, request) = drafted(&world).await;
    let shown = world.ada.get(&request).await.ok();
    assert_eq!(shown["status"], "draft");
    let page = world.ada.get(&format!("{request}/content/path/reset-a-password?format=markdown")).await.ok();
    assert!(page.text("markdown").contains("Open **Settings**."), "{page}");
    let primary = world.ada.get(&format!("/spaces/{space}/content/path/reset-a-password")).await;
    assert_eq!(primary.status.as_u16(), 404);
}

#[acceptance::test]
#[case::nothing_usable(json!({"edits": [{"page": 99, "find": "a", "replace": "b"}], "new_page": null}), "proposed no change")]
#[case::another_form(json!({"edits": 3}), "gave no usable answer")]
#[case::a_title_that_is_too_long(json!({"edits": [], "new_page": {"title": "x".repeat(501), "markdown": "x"}}), "breaks a rule")]
async fn a_draft_that_cannot_be_made_keeps_the_evidence_and_has_the_reason(
    world: World,
    #[case] answer: Value,
    #[case] reason: &str,
) {
    world.chat.rule(move |question| match question.schema_name {
        "draft" => Ok(answer.clone()),
        _ => Err(EngineError::Down("away".to_owned())),
    });
    let (_, request) = drafted(&world).await;
    let shown = world.ada.get(&request).await.ok();
    let description = shown["description"].to_string();
    assert!(description.contains("password") && description.contains(reason), "{description}");
    let changes = world.ada.get(&format!("{request}/changes")).await.ok();
    assert_eq!(changes["changes"], json!([]), "{changes}");
}

#[acceptance::test]
async fn change_requests_are_proposed_for_clusters_with_many_new_issues(world: World) {
    for at in 0..6 {
        ingest(&world, &format!("p{at}"), "The password reset fails with an error.").await;
    }
    for at in 0..3 {
        ingest(&world, &format!("i{at}"), "The invoice shows a wrong tax rate, that is an error.").await;
    }
    world.work().await;
    let space = world.space(json!({})).await;
    let (operator, ada) = (Actor::Operator, world.ada.user.clone().unwrap());
    let propose = async || world.services.change_requests.propose(&operator, &space, &ada, false, 9).await.unwrap();
    let made = propose().await;
    let [one] = made.as_slice() else { panic!("{made:?}") };
    assert!(one.request.request.subject.to_string().to_lowercase().contains("password"), "{one:?}");
    assert!(propose().await.is_empty(), "each cluster has at most one");
}
