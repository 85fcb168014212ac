//! Two callers act on the same change request at the same time.
use super::merging::at_once;
use acceptance::{Answer, Caller, Fields, Fixture, Hand, World};
use actix_web::http::Method;
use domain::access::Role;
use domain::change_request::{ChangeRequestPatch, ProposedStatus};
use domain::merge_rules::{MergeRule, MergeRules};
use domain::review::Verdict;
use domain::space::SpacePatch;
use domain::usecases::{Error, Precondition};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The number of rounds of each race.
const ROUNDS: usize = 10;

/// A space with a merge rule, with the hands of its administrator and a reviewer.
async fn reviewed(world: &World) -> (Hand, Hand) {
    let space = world.import(&Fixture::guide()).await;
    let bob = world.member("bob", Some(Role::Review)).await;
    let (ada, bob) = (Hand::of(world, &world.ada, &space).await, Hand::of(world, &bob, &space).await);
    let rules = MergeRules::Rules { rules: vec![MergeRule::RequireAtLeastOneApprovedReview] };
    let patch = SpacePatch { merge_rules: Some(rules), ..SpacePatch::default() };
    ada.services.spaces.update(&ada.actor, &space, Precondition::none(), patch.into()).await.unwrap();
    (ada, bob)
}

async fn titles(world: &World, base: &str) -> BTreeSet<String> {
    let tree = world.ada.get(&format!("{base}/content/pages")).await.ok();
    tree.list("pages").iter().map(|page| page.text("title").to_owned()).collect()
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_batches_at_once_land_one_after_the_other(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let hand = Hand::of(&world, &world.ada, &space).await;
    let request = hand.propose("Both").await;
    let path = format!("/spaces/{space}/change-requests/{request}");
    for round in 0..ROUNDS {
        let before = hand.get(&request).await.request.revision;
        let insert = |name: &'static str| {
            let (hand, request) = (hand.clone(), request.clone());
            async move { hand.insert(&request, &format!("{name} {round}"), None).await.unwrap() }
        };
        let (one, two) = at_once(insert("One"), insert("Two")).await;
        let head = hand.get(&request).await.request.revision;
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
    let hand = Hand::of(&world, &world.ada, &space).await;
    let request = hand.propose("One").await;
    let before = titles(&world, &format!("/spaces/{space}")).await;
    let mut expected = before.clone();
    for round in 0..ROUNDS {
        let at = hand.get(&request).await.request.revision;
        let insert = |title: String| {
            let (hand, request, at) = (hand.clone(), request.clone(), Some(at.clone()));
            async move { hand.insert(&request, &title, at).await }
        };
        let (one, two) = (format!("One {round}"), format!("Two {round}"));
        let landed = match at_once(insert(one.clone()), insert(two.clone())).await {
            (Ok(revision), Err(Error::PreconditionFailed(_))) => (one, revision),
            (Err(Error::PreconditionFailed(_)), Ok(revision)) => (two, revision),
            other => panic!("round {round}: {other:?}"),
        };
        expected.insert(landed.0);
        assert_eq!(hand.get(&request).await.request.revision, landed.1);
    }
    assert_eq!(titles(&world, &format!("/spaces/{space}/change-requests/{request}")).await, expected);
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_sent_twice_at_once_under_one_key_is_done_once(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let hand = Hand::of(&world, &world.ada, &space).await;
    for round in 0..ROUNDS {
        let twice = |what: &str| (hand.under(&format!("{what}-{round}")), hand.under(&format!("{what}-{round}")));
        let (one, two) = twice("create");
        let created = match at_once(async move { one.create("").await }, async move { two.create("").await }).await {
            (Ok(made), Err(Error::Conflict(_))) | (Err(Error::Conflict(_)), Ok(made)) => made.request,
            other => panic!("round {round}: {other:?}"),
        };
        assert_eq!(created.number as usize, round + 1);
        let request = domain::change_request::ChangeRequestRef::Id(created.id);
        let (one, two) = twice("insert");
        let insert = |hand: Hand| {
            let request = request.clone();
            async move { hand.insert(&request, &format!("Page {round}"), None).await }
        };
        let revision = match at_once(insert(one), insert(two)).await {
            (Ok(made), Err(Error::Conflict(_))) | (Err(Error::Conflict(_)), Ok(made)) => made,
            other => panic!("round {round}: {other:?}"),
        };
        let (one, two) = twice("merge");
        let merge = |hand: Hand| {
            let request = request.clone();
            async move { hand.merge(&request).await }
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

#[acceptance::test]
async fn a_repeated_request_is_answered_with_the_first_answer_or_as_under_way(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{space}/change-requests");
    for round in 0..ROUNDS {
        let key = format!("key-{round}");
        let send = || post_once(&world.ada, &key, &path, json!({ "subject": "Once" }));
        let answers: [Answer; 4] = tokio::join!(send(), send(), send(), send()).into();
        let (done, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 201);
        assert_eq!(done.iter().filter(|answer| answer.header("idempotent-replayed").is_none()).count(), 1);
        assert!(done.iter().all(|answer| answer.bytes == done[0].bytes), "all get the same response");
        for answer in refused {
            assert!(answer.error(409).contains("Idempotency-Key"));
        }
        assert_eq!(send().await.bytes, done[0].bytes);
        assert_eq!(world.ada.get(&format!("/spaces/{space}")).await.ok()["changeRequests"], round + 1);
    }
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn change_requests_made_at_once_have_every_number_once(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let hand = Hand::of(&world, &world.ada, &space).await;
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..64 {
        let hand = hand.clone();
        clients.spawn(async move {
            // A refused request does not use up a number.
            if client % 4 == 0 {
                let unknown = hand.under("the-same").create("").await;
                assert!(matches!(unknown, Ok(_) | Err(Error::Conflict(_))), "{unknown:?}");
                return unknown.ok().map(|made| made.request.number);
            }
            Some(hand.create("").await.unwrap().request.number)
        });
    }
    let numbers: Vec<u32> = clients.join_all().await.into_iter().flatten().collect();
    assert_eq!(numbers.len(), 49, "48 with their own keys, and one for sixteen requests with one key");
    assert_eq!(numbers.iter().copied().collect::<BTreeSet<u32>>(), (1..=49).collect());
    let counted = world.ada.get(&format!("/spaces/{space}")).await.ok();
    assert_eq!((&counted["changeRequests"], &counted["changeRequestsDraft"]), (&json!(49), &json!(49)));
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_merge_and_the_review_that_stands_in_its_way_never_both_happen(world: World) {
    let (ada, bob) = reviewed(&world).await;
    for round in 0..ROUNDS {
        let request = ada.propose("").await;
        bob.review(&request, Verdict::Approved).await.unwrap();
        let (merging, reviewing) = ((ada.clone(), request.clone()), (bob.clone(), request.clone()));
        let merge = async move { merging.0.merge(&merging.1).await };
        let review = async move { reviewing.0.review(&reviewing.1, Verdict::ChangesRequested).await };
        match at_once(merge, review).await {
            (Ok(_), Err(Error::Conflict(_))) | (Err(Error::Forbidden(_)), Ok(())) => {}
            other => panic!("round {round}: {other:?}"),
        }
    }
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_merge_lands_only_with_the_review_that_it_needs(world: World) {
    let (ada, bob) = reviewed(&world).await;
    for round in 0..ROUNDS {
        let request = ada.propose("").await;
        let (merging, reviewing) = ((ada.clone(), request.clone()), (bob.clone(), request.clone()));
        let merge = async move {
            let merged = merging.0.merge(&merging.1).await;
            let reviews = (&merging.0.space, &merging.1);
            let query = (None, Default::default());
            let requests = &merging.0.services.change_requests;
            let seen = requests.reviews(&merging.0.actor, reviews.0, reviews.1, query.into()).await.unwrap();
            (merged, seen.items.len())
        };
        let review = async move { reviewing.0.review(&reviewing.1, Verdict::Approved).await };
        let ((merged, reviews), reviewed) = at_once(merge, review).await;
        reviewed.unwrap();
        match merged {
            Ok(_) => assert_eq!(reviews, 1, "round {round}: the review was there"),
            Err(Error::Forbidden(_)) => {}
            Err(other) => panic!("round {round}: {other:?}"),
        }
    }
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_edit_during_a_merge_is_part_of_it_or_refused(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let hand = Hand::of(&world, &world.ada, &space).await;
    for round in 0..ROUNDS {
        let request = hand.propose("").await;
        let (merging, editing) = ((hand.clone(), request.clone()), (hand.clone(), request.clone()));
        let merge = async move { merging.0.merge(&merging.1).await.unwrap() };
        let edit = async move { editing.0.insert(&editing.1, &format!("Page {round}"), None).await };
        let (merged, edited) = at_once(merge, edit).await;
        assert!(!merged.conflicts, "round {round}");
        let there = titles(&world, &format!("/spaces/{space}")).await.contains(&format!("Page {round}"));
        match edited {
            Ok(_) => assert!(there, "round {round}: an edit that was acknowledged is lost"),
            Err(Error::Conflict(_)) => assert!(!there, "round {round}: an edit that was refused is there"),
            Err(other) => panic!("round {round}: {other:?}"),
        }
    }
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_archived_and_merged_at_once_is_one_of_both(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let hand = Hand::of(&world, &world.ada, &space).await;
    for round in 0..ROUNDS {
        let request = hand.propose("").await;
        let (merging, putting) = ((hand.clone(), request.clone()), (hand.clone(), request.clone()));
        let merge = async move { merging.0.merge(&merging.1).await };
        let archive = async move {
            let patch = ChangeRequestPatch { status: Some(ProposedStatus::Archived), ..ChangeRequestPatch::default() };
            let (requests, space) = (&putting.0.services.change_requests, &putting.0.space);
            requests.update(&putting.0.actor, space, &putting.1, Precondition::none(), patch.into()).await
        };
        match at_once(merge, archive).await {
            (Ok(_), Err(Error::Conflict(_))) | (Err(Error::Conflict(_)), Ok(_)) => {}
            other => panic!("round {round}: {other:?}"),
        }
        let counted = world.ada.get(&format!("/spaces/{space}")).await.ok();
        let counts = ["changeRequests", "changeRequestsOpen", "changeRequestsDraft"].map(|name| counted[name].clone());
        assert_eq!(counts, [json!(round + 1), json!(0), json!(0)], "round {round}");
    }
}
