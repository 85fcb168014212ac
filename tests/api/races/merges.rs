//! Merges at the same time as other merges, edits and reviews: every proposed change is in the result, in order.
use super::{at_once, titles};
use acceptance::{Editor, Fields, Fixture, World};
use domain::access::Role;
use domain::change_request::{ChangeRequestPatch, ChangeRequestRef, ProposedStatus};
use domain::id::{RevisionId, SpaceId};
use domain::merge_rules::{MergeRule, MergeRules};
use domain::review::Verdict;
use domain::space::SpacePatch;
use domain::usecases::{Error, Precondition};
use serde_json::json;
use std::collections::BTreeSet;

const CLIENTS: usize = 16;
const REQUESTS: usize = 100;
/// The number of rounds of each race.
const ROUNDS: usize = 12;

/// A space with a merge rule, and editors for its administrator and a reviewer.
async fn reviewed(world: &World) -> (Editor, Editor) {
    let space = world.import(&Fixture::guide()).await;
    let bob = world.member("bob", Some(Role::Review)).await;
    let (ada, bob) = (Editor::of(world, &world.ada, &space).await, Editor::of(world, &bob, &space).await);
    let rules = MergeRules::Rules { rules: vec![MergeRule::RequireAtLeastOneApprovedReview] };
    let patch = SpacePatch { merge_rules: Some(rules), ..SpacePatch::default() };
    ada.services.spaces.update(&ada.actor, &space, Precondition::none(), patch.into()).await.unwrap();
    (ada, bob)
}

/// The text of a page, of the primary content or of a change request.
async fn text(world: &World, space: &SpaceId, which: Option<&ChangeRequestRef>, page: &str) -> String {
    let base = which.map_or_else(String::new, |which| format!("/change-requests/{which}"));
    let page = world.ada.get(&format!("/spaces/{space}{base}/content/page/{page}?format=markdown")).await.ok();
    page.text("markdown").to_owned()
}

/// Creates a change request that replaces the text of a page.
async fn proposed(editor: &Editor, page: &str, markdown: &str) -> ChangeRequestRef {
    let request = editor.propose("").await;
    editor.rewrite(&request, page, markdown).await;
    request
}

/// Creates a change request with one new page, and merges it.
async fn propose_and_merge(editor: Editor, number: usize) -> RevisionId {
    let request = editor.propose(&format!("Request {number}")).await;
    editor.insert(&request, &format!("Page {number}"), None).await.unwrap();
    let outcome = editor.merge(&request).await.unwrap();
    assert!(!outcome.conflicts, "request {number}");
    outcome.revision
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_change_requests_merged_by_sixteen_clients_are_all_there(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..CLIENTS {
        let editor = editor.clone();
        clients.spawn(async move {
            let mut merged = Vec::new();
            for number in (client..REQUESTS).step_by(CLIENTS) {
                merged.push(propose_and_merge(editor.clone(), number).await);
            }
            merged
        });
    }
    let merged: BTreeSet<RevisionId> = clients.join_all().await.into_iter().flatten().collect();
    assert_eq!(merged.len(), REQUESTS);
    let titles = titles(&world, &format!("/spaces/{space}")).await;
    assert!((0..REQUESTS).all(|number| titles.contains(&format!("Page {number}"))), "{titles:?}");
    let counted = world.ada.get(&format!("/spaces/{space}")).await.ok();
    assert_eq!((&counted["changeRequests"], &counted["changeRequestsDraft"]), (&json!(REQUESTS), &json!(0)));
    let list = world.ada.get(&format!("/spaces/{space}/change-requests?status=merged&limit=1000")).await.ok();
    let numbers: BTreeSet<u64> = list.list("items").iter().map(|one| one["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=REQUESTS as u64).collect());
    // The first parents lead from the newest revision through every merge back to the first revision.
    let mut at = counted.text("revision").to_owned();
    let mut passed = BTreeSet::new();
    loop {
        let revision = world.ada.get(&format!("/spaces/{space}/revisions/{at}")).await.ok();
        let parents = revision.list("parents");
        if parents.is_empty() {
            break;
        }
        assert_eq!((parents.len(), &revision["type"]), (2, &json!("merge")));
        passed.insert(at.parse().unwrap());
        at = parents[0].as_str().unwrap().to_owned();
    }
    assert_eq!(passed, merged, "history is one line of merges");
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_merges_at_once_that_do_not_collide_both_land(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    let page = world.page(&space, "install/macos").await;
    let start = proposed(&editor, &page, "Above 0.\n\nThe middle stays.\n\nBelow 0.").await;
    assert!(!editor.merge(&start).await.unwrap().conflicts);
    for round in 1..=ROUNDS {
        let before = round - 1;
        let above = format!("Above {round}.\n\nThe middle stays.\n\nBelow {before}.");
        let below = format!("Above {before}.\n\nThe middle stays.\n\nBelow {round}.");
        let (one, two) = (proposed(&editor, &page, &above).await, proposed(&editor, &page, &below).await);
        let (first, second) = (editor.clone(), editor.clone());
        let outcomes = at_once(async move { first.merge(&one).await }, async move { second.merge(&two).await }).await;
        let (one, two) = (outcomes.0.unwrap(), outcomes.1.unwrap());
        assert!(!one.conflicts && !two.conflicts, "round {round}");
        let now = text(&world, &space, None, &page).await;
        let expected = format!("Above {round}.\n\nThe middle stays.\n\nBelow {round}.");
        assert!(now.contains(&expected), "round {round}: {now}");
        // The second merge is based on the first.
        let primary = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
        let (last, other) = if primary["id"] == one.revision.as_str() { (one, two) } else { (two, one) };
        assert_eq!((&primary["id"], &primary["parents"][0]), (&json!(last.revision), &json!(other.revision)));
    }
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_merges_at_once_that_collide_one_lands_and_the_other_keeps_its_text(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    let page = world.page(&space, "install/macos").await;
    for round in 0..ROUNDS {
        let texts = [format!("Says Ada in round {round}."), format!("Says Grace at time {round}.")];
        let requests = [proposed(&editor, &page, &texts[0]).await, proposed(&editor, &page, &texts[1]).await];
        let base = text(&world, &space, None, &page).await;
        let [one, two] = requests.clone().map(|request| (editor.clone(), request));
        let outcomes =
            at_once(async move { one.0.merge(&one.1).await }, async move { two.0.merge(&two.1).await }).await;
        let outcomes = [outcomes.0.unwrap(), outcomes.1.unwrap()];
        assert_ne!(outcomes[0].conflicts, outcomes[1].conflicts, "round {round}: exactly one is merged");
        let (won, lost) = if outcomes[0].conflicts { (1, 0) } else { (0, 1) };
        let primary = world.ada.get(&format!("/spaces/{space}")).await.ok()["revision"].clone();
        assert_eq!(primary, outcomes[won].revision.as_str());
        assert!(text(&world, &space, None, &page).await.contains(&texts[won]));
        assert!(text(&world, &space, Some(&requests[lost]), &page).await.contains(&texts[lost]), "its own text stays");
        let path = format!("/spaces/{space}/change-requests/{}/conflicts", requests[lost]);
        let conflicts = world.ada.get(&path).await.ok()["items"].clone();
        assert_eq!(conflicts.as_array().unwrap().len(), 1, "round {round}: {conflicts}");
        let side = |name: &str| conflicts[0][name].text("markdown").trim().to_owned();
        assert!(side("primary").contains(&texts[won]) && side("change").contains(&texts[lost]), "{conflicts}");
        assert!(base.contains(&side("base")), "{base}: {conflicts}");
        let decide = format!("{path}/{}", conflicts[0].id());
        world.ada.post(&decide, json!({ "keep": "change" })).await.ok();
        assert!(!editor.merge(&requests[lost]).await.unwrap().conflicts, "once the conflict is resolved");
        assert!(text(&world, &space, None, &page).await.contains(&texts[lost]));
    }
    let counted = world.ada.get(&format!("/spaces/{space}")).await.ok();
    assert_eq!((&counted["changeRequests"], &counted["changeRequestsDraft"]), (&json!(2 * ROUNDS), &json!(0)));
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_merge_and_the_review_that_blocks_it_never_both_succeed(world: World) {
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
    let editor = Editor::of(&world, &world.ada, &space).await;
    for round in 0..ROUNDS {
        let request = editor.propose("").await;
        let (merging, editing) = ((editor.clone(), request.clone()), (editor.clone(), request.clone()));
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
    let editor = Editor::of(&world, &world.ada, &space).await;
    for round in 0..ROUNDS {
        let request = editor.propose("").await;
        let (merging, putting) = ((editor.clone(), request.clone()), (editor.clone(), request.clone()));
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
