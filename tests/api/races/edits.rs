//! Edits at the same time, of one change request and of one space.
use super::{at_once, titles};
use acceptance::{Answer, Caller, Editor, Fields, Fixture, World};
use actix_web::http::Method;
use domain::usecases::Error;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The number of rounds of each race.
const ROUNDS: usize = 10;

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_batches_at_once_land_one_after_the_other(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    let request = editor.propose("Both").await;
    let path = format!("/spaces/{space}/change-requests/{request}");
    for round in 0..ROUNDS {
        let before = editor.get(&request).await.request.revision;
        let insert = |name: &'static str| {
            let (editor, request) = (editor.clone(), request.clone());
            async move { editor.insert(&request, &format!("{name} {round}"), None).await.unwrap() }
        };
        let (one, two) = at_once(insert("One"), insert("Two")).await;
        let head = editor.get(&request).await.request.revision;
        let first = if head == one { &two } else { &one };
        assert!(head == one || head == two, "round {round}");
        for (revision, parent) in [(&head, first), (first, &before)] {
            let revision = world.ada.get(&format!("/spaces/{space}/revisions/{revision}")).await.ok();
            assert_eq!(revision["parents"], json!([parent]), "round {round}");
        }
    }
    let titles = titles(&world, &path).await;
    let expected = (0..ROUNDS).flat_map(|round| [format!("One {round}"), format!("Two {round}")]);
    assert!(expected.clone().all(|title| titles.contains(&title)), "{titles:?}");
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_batches_at_one_revision_exactly_one_lands(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    let request = editor.propose("One").await;
    let before = titles(&world, &format!("/spaces/{space}")).await;
    let mut expected = before.clone();
    for round in 0..ROUNDS {
        let at = editor.get(&request).await.request.revision;
        let insert = |title: String| {
            let (editor, request, at) = (editor.clone(), request.clone(), Some(at.clone()));
            async move { editor.insert(&request, &title, at).await }
        };
        let (one, two) = (format!("One {round}"), format!("Two {round}"));
        let landed = match at_once(insert(one.clone()), insert(two.clone())).await {
            (Ok(revision), Err(Error::PreconditionFailed(_))) => (one, revision),
            (Err(Error::PreconditionFailed(_)), Ok(revision)) => (two, revision),
            other => panic!("round {round}: {other:?}"),
        };
        expected.insert(landed.0);
        assert_eq!(editor.get(&request).await.request.revision, landed.1);
    }
    assert_eq!(titles(&world, &format!("/spaces/{space}/change-requests/{request}")).await, expected);
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_sent_twice_at_once_under_one_key_is_done_once(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    for round in 0..ROUNDS {
        let twice = |what: &str| (editor.under(&format!("{what}-{round}")), editor.under(&format!("{what}-{round}")));
        let (one, two) = twice("create");
        let created = match at_once(async move { one.create("").await }, async move { two.create("").await }).await {
            (Ok(made), Err(Error::Conflict(_))) | (Err(Error::Conflict(_)), Ok(made)) => made.request,
            other => panic!("round {round}: {other:?}"),
        };
        assert_eq!(created.number as usize, round + 1);
        let request = domain::change_request::ChangeRequestRef::Id(created.id);
        let (one, two) = twice("insert");
        let insert = |editor: Editor| {
            let request = request.clone();
            async move { editor.insert(&request, &format!("Page {round}"), None).await }
        };
        let revision = match at_once(insert(one), insert(two)).await {
            (Ok(made), Err(Error::Conflict(_))) | (Err(Error::Conflict(_)), Ok(made)) => made,
            other => panic!("round {round}: {other:?}"),
        };
        let (one, two) = twice("merge");
        let merge = |editor: Editor| {
            let request = request.clone();
            async move { editor.merge(&request).await }
        };
        let merged = match at_once(merge(one), merge(two)).await {
            (Ok(made), Err(Error::Conflict(_))) | (Err(Error::Conflict(_)), Ok(made)) => made.revision,
            other => panic!("round {round}: {other:?}"),
        };
        let content = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
        assert_eq!((&content["id"], &content["parents"][1]), (&json!(merged), &json!(revision)));
    }
    let counted = world.ada.get(&format!("/spaces/{space}")).await.ok();
    assert_eq!((&counted["changeRequests"], &counted["changeRequestsDraft"]), (&json!(ROUNDS), &json!(0)));
    let tree = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    let pages = tree.list("pages");
    let inserted = pages.iter().filter(|page| page.text("title").starts_with("Page "));
    assert_eq!(inserted.count(), ROUNDS, "no page twice: {tree}");
}

async fn post_once(caller: &Caller, key: &str, path: &str, body: Value) -> Answer {
    caller.send(Method::POST, path, |request| request.insert_header(("Idempotency-Key", key)).set_json(body)).await
}

/// Sends a request four times at once under one key. All get the response of the one that is executed.
async fn four_at_once(caller: &Caller, key: &str, path: &str, body: Value) -> Vec<u8> {
    let send = || post_once(caller, key, path, body.clone());
    let answers: [Answer; 4] = tokio::join!(send(), send(), send(), send()).into();
    let executed = answers.iter().filter(|answer| answer.header("idempotent-replayed").is_none()).count();
    assert_eq!(executed, 1, "{answers:?}");
    for answer in &answers {
        assert!(answer.status.is_success() && answer.bytes == answers[0].bytes, "{answer:?}");
    }
    let [first, ..] = answers;
    first.bytes
}

#[acceptance::test]
async fn requests_under_one_key_at_once_are_executed_once_and_get_one_response(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{space}/change-requests");
    for round in 0..ROUNDS {
        let key = format!("key-{round}");
        let made = four_at_once(&world.ada, &key, &path, json!({ "subject": "Once" })).await;
        let again = post_once(&world.ada, &key, &path, json!({ "subject": "Once" })).await;
        assert_eq!(again.bytes, made);
        assert_eq!(world.ada.get(&format!("/spaces/{space}")).await.ok()["changeRequests"], round + 1);
        // The state refuses a second merge before it looks at the key.
        let made: Value = serde_json::from_slice(&made).unwrap();
        let merge = format!("{path}/{}/merge", made.id());
        let merged = four_at_once(&world.ada, &key, &merge, json!({})).await;
        let merged: Value = serde_json::from_slice(&merged).unwrap();
        assert_eq!(world.ada.get(&format!("{path}/{}", made.id())).await.ok()["revisionMerged"], merged["revision"]);
    }
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn change_requests_made_at_once_have_every_number_once(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..64 {
        let editor = editor.clone();
        clients.spawn(async move {
            // A refused request does not use up a number.
            if client % 4 == 0 {
                let unknown = editor.under("the-same").create("").await;
                assert!(matches!(unknown, Ok(_) | Err(Error::Conflict(_))), "{unknown:?}");
                return unknown.ok().map(|made| made.request.number);
            }
            Some(editor.create("").await.unwrap().request.number)
        });
    }
    let numbers: Vec<u32> = clients.join_all().await.into_iter().flatten().collect();
    assert_eq!(numbers.len(), 49, "48 with their own keys, and one for sixteen requests with one key");
    assert_eq!(numbers.iter().copied().collect::<BTreeSet<u32>>(), (1..=49).collect());
    let counted = world.ada.get(&format!("/spaces/{space}")).await.ok();
    assert_eq!((&counted["changeRequests"], &counted["changeRequestsDraft"]), (&json!(49), &json!(49)));
}
