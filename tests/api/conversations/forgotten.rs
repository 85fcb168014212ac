//! No text of deleted or replaced conversations remains.
use super::{ingest, issues_of, list, with_model};
use acceptance::{Fields, Interleaved, World};
use chrono::TimeDelta;
use domain::actor::Actor;
use domain::conversation::IssueCluster;
use domain::ports::{ChatQuestion, EngineError};
use domain::usecases::Precondition;
use domain::usecases::conversations::ConversationRef;
use serde_json::{Value, json};

/// A word that only one conversation contains.
const WORD: &str = "quorvex";
/// The tables of conversations.
const TABLES: [&str; 3] = ["conversations", "conversation_issues", "issue_clusters"];

/// The tables of conversations that contain the word.
async fn tables_with_word(world: &World) -> Vec<&'static str> {
    let dump = world.dump().await;
    let has = |table: &&'static str| dump[*table].iter().any(|row| row.to_lowercase().contains(WORD));
    TABLES.into_iter().filter(has).collect()
}

/// The id of the first issue with this word in its title, and that of its cluster.
async fn issue_with(world: &World, word: &str) -> (String, String) {
    let issues = list(world, "/conversations-issues").await;
    let mut all = issues.list("items").iter().map(|item| &item["issue"]);
    let issue = all.find(|issue| issue.text("title").contains(word)).unwrap();
    (issue.id().to_owned(), issue.text("cluster").to_owned())
}

/// Stores three conversations on one problem, one of them with the word, and finds their issues.
async fn ingest_three(world: &World) {
    ingest(world, "a", "I cannot reset my password.").await;
    ingest(world, "b", "I cannot reset the password of quorvex.").await;
    ingest(world, "c", "How can I reset my password?").await;
    world.work().await;
    assert_eq!(tables_with_word(world).await, TABLES);
}

/// Answers with the issue of a conversation, and with the same label for each cluster.
fn one_name(question: &ChatQuestion) -> Result<Value, EngineError> {
    Ok(match question.schema_name {
        "issues" => issues_of(question, |_| "cannot reset the password"),
        _ => json!({"label": "Password trouble", "summary": "Users cannot reset it.", "icon": "key"}),
    })
}

#[acceptance::test]
#[case::that_was_deleted(None)]
#[case::that_was_replaced(Some("Thanks, all is well now!"))]
async fn clusters_show_nothing_of_a_conversation(world: World, #[case] replaced_by: Option<&'static str>) {
    ingest_three(&world).await;
    match replaced_by {
        Some(text) => ingest(&world, "b", text).await,
        None => drop(world.ada.delete(&world.org("/conversations/b")).await.expect(205)),
    }
    world.work().await;
    assert_eq!(tables_with_word(&world).await, Vec::<&str>::new());
    let clusters = list(&world, "/conversations-clusters").await;
    let [one] = clusters.list("items") else { panic!("{clusters}") };
    let label = one.text("label").to_lowercase();
    assert!(label.contains("password") && one["summary"].to_string().contains("How can I"), "{one}");
    world.pass(TimeDelta::days(2)).await;
    assert_eq!(tables_with_word(&world).await, Vec::<&str>::new());
}

#[acceptance::test]
async fn clusters_that_are_grouped_in_the_same_run_show_nothing_of_a_replaced_text(world: World) {
    ingest(&world, "a", "I cannot reset my password.").await;
    ingest(&world, "b", "I cannot reset the password of quorvex.").await;
    world.work().await;
    assert_eq!(tables_with_word(&world).await, TABLES);
    // The issue is the same, and a new one makes the job regroup all clusters.
    ingest(&world, "b", "I cannot reset the password of ours.").await;
    ingest(&world, "c", "How can I reset my password?").await;
    world.clock.advance(TimeDelta::hours(25));
    world.work().await;
    assert_eq!(tables_with_word(&world).await, Vec::<&str>::new());
}

#[acceptance::test]
async fn a_cluster_shows_nothing_of_a_deleted_conversation_whose_issue_was_moved_to_another(world: World) {
    with_model(&world).await;
    world.chat.rule(|question| {
        Ok(match question.schema_name {
            "issues" => issues_of(question, |text| {
                if text.contains("invoice") { "the invoice is wrong" } else { "cannot reset the password" }
            }),
            _ => json!({"label": "The password or the invoice", "summary": "Something is wrong.", "icon": "key"}),
        })
    });
    ingest(&world, "a", "I cannot reset my password.").await;
    ingest(&world, "b", "I cannot reset the password of quorvex.").await;
    for number in 1..=5 {
        ingest(&world, &format!("c{number}"), &format!("The invoice {number} shows a wrong tax rate.")).await;
    }
    world.work().await;
    let (issue, own) = issue_with(&world, WORD).await;
    let (_, other) = issue_with(&world, "invoice").await;
    // The issue is in the cluster that it is not nearest to, which quotes it.
    let organization = &world.organization;
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[organization.into()]).await.unwrap();
    let own = tx.conversations().cluster(organization, &own.parse().unwrap()).await.unwrap().unwrap();
    let other = tx.conversations().cluster(organization, &other.parse().unwrap()).await.unwrap().unwrap();
    assert!(own.id != other.id && other.described_issues.is_some());
    tx.conversations().move_issues(organization, &[issue.parse().unwrap()], &other.id).await.unwrap();
    tx.conversations().save_cluster(&IssueCluster { summary: own.summary, ..other }).await.unwrap();
    tx.commit().await.unwrap();
    // A new issue makes the job regroup all clusters.
    ingest(&world, "e", "I cannot reset the password of the portal.").await;
    world.clock.advance(TimeDelta::hours(25));
    world.work().await;
    assert_eq!(issue_with(&world, WORD).await, (issue, own.id.to_string()));
    world.ada.delete(&world.org("/conversations/b")).await.expect(205);
    assert_eq!(tables_with_word(&world).await, Vec::<&str>::new());
}

#[acceptance::test]
async fn an_empty_cluster_that_a_change_request_names_shows_nothing_of_deleted_conversations(world: World) {
    ingest(&world, "a", "The quorvex export fails with an error.").await;
    world.work().await;
    let issues = list(&world, "/conversations-issues").await;
    let cluster = issues["items"][0]["issue"].text("cluster").to_owned();
    let space = world.space(json!({})).await;
    let about = json!({"conversationsIssuesCluster": cluster});
    world.ada.post(&format!("/spaces/{space}/change-requests"), about).await.expect(201);
    assert_eq!(tables_with_word(&world).await, TABLES);
    world.ada.delete(&world.org("/conversations/a")).await.expect(205);
    assert_eq!(tables_with_word(&world).await, Vec::<&str>::new());
    let shown = list(&world, &format!("/conversations-clusters/{cluster}")).await;
    assert_eq!(shown["stats"], json!({"issues": 0, "conversations": 0}), "{shown}");
}

#[acceptance::test]
async fn a_language_model_describes_a_cluster_again_that_quoted_a_deleted_conversation(world: World) {
    with_model(&world).await;
    world.chat.rule(one_name);
    ingest_three(&world).await;
    let label = async || list(&world, "/conversations-clusters").await["items"][0].text("label").to_owned();
    assert_eq!(label().await, "Password trouble");
    world.chat.asked();
    world.ada.delete(&world.org("/conversations/b")).await.expect(205);
    assert_eq!(tables_with_word(&world).await, Vec::<&str>::new());
    assert_ne!(label().await, "Password trouble", "rules describe it until then");
    world.pass(TimeDelta::hours(25)).await;
    let asked = world.chat.asked();
    assert_eq!(asked.iter().filter(|question| question.schema_name == "cluster").count(), 1, "{asked:?}");
    assert_eq!(label().await, "Password trouble");
}

#[acceptance::test]
#[case::with_all_others(&["a", "b", "c"])]
#[case::alone(&["b"])]
async fn nothing_is_left_of_a_conversation_that_is_deleted_while_it_is_analysed(
    world: World,
    #[case] deleted: &'static [&'static str],
) {
    with_model(&world).await;
    world.chat.rule(one_name);
    for units in 0..100 {
        ingest(&world, "a", "I cannot reset my password.").await;
        ingest(&world, "b", "I cannot reset the password of quorvex.").await;
        ingest(&world, "c", "How can I reset my password?").await;
        let (conversations, organization) = (world.services.conversations.clone(), world.organization.clone());
        let forget = async move {
            for id in deleted {
                let which = ConversationRef((*id).to_owned());
                let removed = conversations.remove(&Actor::Operator, &organization, &which, Precondition::none()).await;
                assert!(matches!(removed, Ok(true)), "{removed:?}");
            }
        };
        let interleaved = Interleaved::after(units, world.services.store.clone(), forget);
        let jobs = world.jobs_on(interleaved.clone());
        while let Some((claim, task)) = world.jobs.claim().await.unwrap() {
            jobs.perform(&claim, &task).await.unwrap();
        }
        if interleaved.is_pending() {
            assert!(units > 5, "the job has several units of work");
            return;
        }
        assert_eq!(tables_with_word(&world).await, Vec::<&str>::new(), "after {units} units of work");
        for id in ["a", "c"].into_iter().filter(|id| !deleted.contains(id)) {
            world.ada.delete(&world.org(&format!("/conversations/{id}"))).await.expect(205);
        }
        world.pass(TimeDelta::minutes(2)).await;
        let dump = world.dump().await;
        for table in TABLES {
            assert!(dump[table].is_empty(), "{table} after {units} units of work: {:?}", dump[table]);
        }
    }
    panic!("the job has many units of work");
}
