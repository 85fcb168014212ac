//! Change requests about clusters whose issues go at the same time.
use super::at_once;
use crate::conversations::ingest;
use acceptance::{Editor, Fields, Interleaved, World};
use domain::actor::Actor;
use domain::id::IssueClusterId;
use domain::usecases::change_requests::NewChangeRequest;
use domain::usecases::conversations::{ClusterPatch, ConversationRef};
use domain::usecases::{Error, Precondition};
use serde_json::json;

/// The number of rounds.
const ROUNDS: usize = 10;

/// The cluster of the issue of a conversation.
async fn cluster_of(world: &World, id: &str) -> IssueClusterId {
    let issues = world.ada.get(&world.org(&format!("/conversations-issues?conversation={id}"))).await.ok();
    issues["items"][0]["issue"].text("cluster").parse().unwrap()
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_cluster_is_kept_for_a_change_request_or_removed_with_its_last_conversation(world: World) {
    let space = world.space(json!({})).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    for round in 0..ROUNDS {
        let talk = format!("talk-{round}");
        ingest(&world, &talk, "I cannot reset my password.").await;
        world.work().await;
        let id = cluster_of(&world, &talk).await;

        let (maker, cluster) = (editor.clone(), id.clone());
        let make = async move {
            let about = NewChangeRequest { cluster: Some(cluster), ..NewChangeRequest::default() };
            maker.services.change_requests.create(&maker.actor, &maker.space, about.into()).await
        };
        let (forgetter, organization) = (editor.clone(), world.organization.clone());
        let forget = async move {
            let (conversations, which) = (&forgetter.services.conversations, ConversationRef(talk));
            conversations.remove(&forgetter.actor, &organization, &which, Precondition::none()).await
        };
        let (made, forgotten) = at_once(make, forget).await;
        assert!(matches!(forgotten, Ok(true)), "round {round}: {forgotten:?}");
        let path = world.org(&format!("/conversations-clusters/{id}"));
        match made {
            Ok(made) => {
                world.ada.get(&path).await.ok();
                let request = format!("/spaces/{space}/change-requests/{}", made.request.id);
                assert_eq!(world.ada.get(&request).await.ok().text("conversationsIssuesCluster"), id.as_str());
            }
            Err(Error::Invalid(_)) => drop(world.ada.get(&path).await.error(404)),
            Err(error) => panic!("round {round}: {error:?}"),
        }
    }
}

#[acceptance::test]
#[case::muted(true)]
#[case::gone(false)]
async fn no_change_request_is_proposed_for_a_cluster_that_is_concurrently_muted_or_removed(
    world: World,
    #[case] muted: bool,
) {
    let space = world.space(json!({})).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    let talks: Vec<String> = (0..6).map(|at| format!("talk-{at}")).collect();
    for talk in &talks {
        ingest(&world, talk, "The password reset fails with an error.").await;
    }
    world.work().await;
    let cluster = cluster_of(&world, &talks[0]).await;
    let (other, organization) = (editor.clone(), world.organization.clone());
    let change = async move {
        let conversations = &other.services.conversations;
        if muted {
            let (any, patch) = (Precondition::none(), ClusterPatch { muted });
            conversations.update_cluster(&other.actor, &organization, &cluster, any, patch.into()).await.unwrap();
            return;
        }
        for talk in talks {
            let which = ConversationRef(talk);
            conversations.remove(&other.actor, &organization, &which, Precondition::none()).await.unwrap();
        }
    };
    let interleaved = Interleaved::new(editor.services.store.clone(), change);
    let requests = editor.with_store(interleaved.clone()).services.change_requests;
    let author = world.ada.user.clone().unwrap();
    let made = requests.propose(&Actor::Operator, &space, &author, false, 9).await.unwrap();
    assert!(made.is_empty() && !interleaved.is_pending(), "{made:?}");
}
