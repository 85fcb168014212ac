//! Conversations, issues and clusters.
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::{DateTime, TimeDelta, Utc};
use domain::content::document::Document;
use domain::conversation::{
    ClusterCounts, ClusterOrder, Conversation, ConversationContent, ConversationIssue, ConversationPart, Impact,
    IssueCluster, NewConversation, PartRole,
};
use domain::id::{IssueClusterId, OrganizationId};
use domain::paging::{Order, PageRequest};
use domain::ports::Store;
use domain::ports::store::conversations::{IssueFilter, StoredFeatures};
use rstest::rstest;

const ORGANIZATION: &str = "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, \
     created_at) VALUES ('o', 'O', '[]', false, false, false, '[]', '2026-01-01 00:00:00')";

async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let mut conn = world.database.write().await.unwrap();
    conn.run(diesel::sql_query(ORGANIZATION)).await.unwrap();
    conn.commit().await.unwrap();
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    Some((world, store))
}

fn organization() -> OrganizationId {
    "o".parse().unwrap()
}

fn at(minutes: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
}

fn new(external: &str, text: &str) -> NewConversation {
    NewConversation {
        source: "email".parse().unwrap(),
        external_id: external.parse().unwrap(),
        subject: None,
        url: None,
        content: ConversationContent {
            parts: vec![ConversationPart { role: PartRole::User, body: text.to_owned() }],
            attributes: [("plan".to_owned(), "team".to_owned())].into(),
        },
        created_at: None,
    }
}

fn cluster(id: &str, issues: u32, conversations: u32, updated: i64) -> IssueCluster {
    IssueCluster {
        id: id.parse().unwrap(),
        organization: organization(),
        language: None,
        label: "Login".parse().unwrap(),
        summary: Document::default(),
        icon: "key".to_owned(),
        impact: Impact::Low,
        muted: false,
        merged_into: None,
        issues,
        conversations,
        counts: None,
        described_issues: Some(issues),
        created_at: at(0),
        updated_at: at(updated),
    }
}

fn issue(id: &str, of: &Conversation, cluster: &str) -> ConversationIssue {
    ConversationIssue {
        id: id.parse().unwrap(),
        organization: organization(),
        conversation: of.id.clone(),
        cluster: cluster.parse().unwrap(),
        title: "I cannot log in.".parse().unwrap(),
        details: "Help. I cannot log in.".to_owned(),
        gist: Some("cannot log in".to_owned()),
        impact: Impact::High,
        language: "en".parse().ok(),
        created_at: of.created_at,
        ingested_at: at(9),
    }
}

#[rstest]
#[tokio::test]
async fn new_conversations_wait_before_those_for_which_a_model_is_asked_again(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&organization()).into()]).await.unwrap();
    let all = [
        ("c1", Some(2), Some(6)),
        ("c2", None, None),
        ("c3", Some(2), Some(5)),
        ("c4", Some(2), None),
        ("c5", Some(2), Some(7)),
        ("c6", None, None),
        ("c7", Some(2), Some(5)),
    ];
    for (id, processed, again) in all {
        let sent = new(id, "I cannot log in.");
        let one = Conversation::new(id.parse().unwrap(), organization(), &sent, sent.hash(), at(1));
        let one = Conversation { processed_at: processed.map(at), ask_again_at: again.map(at), ..one };
        tx.conversations().add(&one, &sent.content).await.unwrap();
    }
    let cases = [(1, "c2"), (2, "c2 c6"), (3, "c2 c6 c3"), (9, "c2 c6 c3 c7 c1")];
    for (limit, expected) in cases {
        let found = tx.conversations().waiting(&organization(), at(6), limit).await.unwrap();
        let ids: Vec<&str> = found.iter().map(|(one, _)| one.id.as_str()).collect();
        assert_eq!(ids.join(" "), expected, "{limit}");
    }
}

#[rstest]
#[tokio::test]
async fn a_conversation_waits_until_it_is_processed_and_goes_with_its_issues(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let sent = new("x", "I cannot log in.");
    let mut one = Conversation::new("c1".parse().unwrap(), organization(), &sent, sent.hash(), at(1));
    let features = StoredFeatures { version: 1, bytes: vec![0, 7, 255] };
    let mut tx = store.write().await.unwrap();
    assert!(tx.conversations().add(&one, &sent.content).await.is_err(), "the organization is not locked");
    drop(tx);
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&organization()).into()]).await.unwrap();
    tx.conversations().add(&one, &sent.content).await.unwrap();
    assert_eq!(
        tx.conversations().waiting(&organization(), at(1), 9).await.unwrap(),
        [(one.clone(), sent.content.clone())]
    );
    one.processed_at = Some(at(2));
    one.impact = Some(Impact::High);
    tx.conversations().save(&one, None).await.unwrap();
    assert_eq!(tx.conversations().waiting(&organization(), at(9), 9).await.unwrap(), []);
    assert_eq!(tx.conversations().ask_again_at(&organization()).await.unwrap(), None);
    one.ask_again_at = Some(at(5));
    tx.conversations().save(&one, None).await.unwrap();
    assert_eq!(tx.conversations().ask_again_at(&organization()).await.unwrap(), Some(at(5)));
    assert_eq!(tx.conversations().waiting(&organization(), at(4), 9).await.unwrap(), []);
    assert_eq!(tx.conversations().waiting(&organization(), at(5), 9).await.unwrap().len(), 1);
    assert_eq!(tx.conversations().find(&organization(), &one.id).await.unwrap(), Some(one.clone()));
    assert_eq!(tx.conversations().content(&one.id).await.unwrap(), sent.content);
    assert_eq!(tx.conversations().find_sent(&organization(), &"x".parse().unwrap()).await.unwrap(), [one.clone()]);
    tx.conversations().save_cluster(&cluster("k", 1, 1, 3)).await.unwrap();
    let found = issue("i", &one, "k");
    tx.conversations().save_issue(&found, &features).await.unwrap();
    assert_eq!(
        tx.conversations().issues_of(std::slice::from_ref(&one.id)).await.unwrap(),
        std::slice::from_ref(&found)
    );
    let grouped = tx.conversations().grouped(&organization(), 9).await.unwrap();
    assert!(grouped.len() == 1 && grouped[0].features == features && grouped[0].cluster.as_str() == "k", "{grouped:?}");
    let members = tx.conversations().members(&["k".parse().unwrap()]).await.unwrap();
    assert_eq!((members.len(), members[0].created_at, members[0].impact), (1, at(1), Impact::High));
    assert_eq!(tx.conversations().older(&organization(), at(1), 9).await.unwrap(), []);
    assert_eq!(tx.conversations().older(&organization(), at(2), 9).await.unwrap(), [one.id.clone()]);
    tx.conversations().remove(&organization(), std::slice::from_ref(&one.id)).await.unwrap();
    assert_eq!(tx.conversations().issue(&organization(), &found.id).await.unwrap(), None);
    tx.conversations().remove_empty(&organization(), &["k".parse().unwrap()]).await.unwrap();
    assert_eq!(tx.conversations().cluster(&organization(), &"k".parse().unwrap()).await.unwrap(), None);
    tx.commit().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn clusters_are_listed_in_three_orders_a_page_at_a_time(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&organization()).into()]).await.unwrap();
    let heir: IssueClusterId = "b".parse().unwrap();
    let merged = IssueCluster { merged_into: Some(heir.clone()), ..cluster("m", 9, 9, 9) };
    let counts = ClusterCounts { sources: [("email".to_owned(), 2)].into(), weeks: [(at(0).date_naive(), 2)].into() };
    let a = IssueCluster { counts: Some(counts), ..cluster("a", 2, 2, 3) };
    for one in [a.clone(), cluster("b", 5, 1, 1), cluster("c", 5, 3, 2), cluster("d", 1, 1, 8), merged] {
        tx.conversations().save_cluster(&one).await.unwrap();
    }
    for (by, order, expected) in [
        (ClusterOrder::UpdatedAt, Order::Desc, ["a", "c", "b"]),
        (ClusterOrder::UpdatedAt, Order::Asc, ["b", "c", "a"]),
        (ClusterOrder::Issues, Order::Desc, ["c", "b", "a"]),
        (ClusterOrder::Issues, Order::Asc, ["a", "b", "c"]),
        (ClusterOrder::Conversations, Order::Desc, ["c", "a", "b"]),
    ] {
        let (mut page, mut seen) = (PageRequest { limit: 2, order, ..PageRequest::default() }, Vec::new());
        loop {
            let found = tx.conversations().clusters(&organization(), 2, by, &page).await.unwrap();
            assert_eq!(found.total, 3);
            seen.extend(found.items.into_iter().map(|one| one.id.to_string()));
            let Some(next) = found.next else { break };
            page.after = Some(next);
        }
        assert_eq!(seen, expected, "{by} {order:?}");
    }
    assert_eq!(tx.conversations().merged_into(&heir).await.unwrap(), ["m".parse().unwrap()]);
    assert_eq!(tx.conversations().cluster(&organization(), &a.id).await.unwrap(), Some(a));
    tx.commit().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn what_a_cluster_has_passes_to_its_heir(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&organization()).into()]).await.unwrap();
    let sent = new("x", "I cannot log in.");
    let one = Conversation::new("c1".parse().unwrap(), organization(), &sent, sent.hash(), at(1));
    tx.conversations().add(&one, &sent.content).await.unwrap();
    let (old, heir): (IssueClusterId, IssueClusterId) = ("old".parse().unwrap(), "heir".parse().unwrap());
    tx.conversations().save_cluster(&cluster("heir", 1, 1, 1)).await.unwrap();
    tx.conversations().save_cluster(&cluster("old", 1, 1, 1)).await.unwrap();
    let older = IssueCluster { merged_into: Some(old.clone()), ..cluster("older", 0, 0, 1) };
    tx.conversations().save_cluster(&older).await.unwrap();
    let features = StoredFeatures { version: 1, bytes: Vec::new() };
    tx.conversations().save_issue(&issue("i", &one, "old"), &features).await.unwrap();
    tx.conversations().pass_on(&organization(), &old, &heir).await.unwrap();
    assert_eq!(tx.conversations().merged_into(&heir).await.unwrap(), ["older".parse().unwrap()]);
    let filter = IssueFilter { cluster: Some(heir.clone()), conversation: None };
    let found = tx.conversations().issues(&organization(), &filter, &PageRequest::default()).await.unwrap();
    assert_eq!(found.items, [issue("i", &one, "heir")]);
    tx.conversations().move_issues(&organization(), &["i".parse().unwrap()], &old).await.unwrap();
    tx.conversations().remove_empty(&organization(), &[heir.clone(), old.clone()]).await.unwrap();
    assert_eq!(tx.conversations().cluster(&organization(), &heir).await.unwrap(), None);
    assert!(tx.conversations().cluster(&organization(), &old).await.unwrap().is_some(), "it has an issue");
    tx.commit().await.unwrap();
}
