//! A saved row keeps its keys, so rows that refer to it can be added at the same time. And what is added is new.
use super::migrations::{CHANGE_REQUEST, before, migrated_with};
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::DateTime;
use domain::change_request::ChangeRequestRef;
use domain::conversation::{Conversation, ConversationContent, ConversationPart, NewConversation, PartRole};
use domain::id::{OrganizationId, SpaceId};
use domain::openapi_spec::{OpenapiSpec, SpecSource};
use domain::ports::{Store, StoreError};
use domain::review::ContributorAction;
use domain::web_address::WebAddress;
use rstest::rstest;
use tokio::time::timeout;

async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let mut conn = world.database.write().await.unwrap();
    conn.run(diesel::sql_query(super::migrations::ORGANIZATION)).await.unwrap();
    conn.commit().await.unwrap();
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    Some((world, store))
}

fn organization() -> OrganizationId {
    "o".parse().unwrap()
}

fn sent(text: &str) -> NewConversation {
    NewConversation {
        source: "email".parse().unwrap(),
        external_id: "x".parse().unwrap(),
        subject: None,
        url: None,
        content: ConversationContent {
            parts: vec![ConversationPart { role: PartRole::User, body: text.to_owned() }],
            attributes: [].into(),
        },
        created_at: None,
    }
}

fn conversation(id: &str, sent: &NewConversation) -> Conversation {
    Conversation::new(id.parse().unwrap(), organization(), sent, sent.hash(), DateTime::UNIX_EPOCH)
}

fn spec(id: &str, slug: &str) -> OpenapiSpec {
    let source = SpecSource::Url(WebAddress::stored("https://example.org/api.json".to_owned()));
    OpenapiSpec::new(id.parse().unwrap(), organization(), slug.parse().unwrap(), source, DateTime::UNIX_EPOCH)
}

/// Whether a row can be kept from removal now, as a foreign key does. Only PostgreSQL knows it; on SQLite, there is one
/// writer.
async fn can_be_referred_to(world: &World, table: &str, id: &str) -> bool {
    let keep = format!("SELECT 1 FROM {table} WHERE id = '{id}' FOR KEY SHARE NOWAIT");
    let mut conn = world.database.write().await.unwrap();
    matches!(conn.run(diesel::sql_query(keep)).await, Ok(1))
}

#[tokio::test]
async fn a_saved_conversation_can_be_referred_to_at_the_same_time() {
    let Some((world, store)) = store(Backend::Postgres).await else { return };
    let (first, second) = (sent("I cannot log in."), sent("I can log in."));
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&organization()).into()]).await.unwrap();
    tx.conversations().add(&conversation("c", &first), &first.content).await.unwrap();
    tx.commit().await.unwrap();
    for text in [None, Some(&second.content)] {
        let mut tx = store.write().await.unwrap();
        tx.lock(&[(&organization()).into()]).await.unwrap();
        tx.conversations().save(&conversation("c", &second), text).await.unwrap();
        let stored = tx.conversations().content(&"c".parse().unwrap()).await.unwrap();
        assert_eq!(&stored, text.unwrap_or(&first.content));
        assert!(can_be_referred_to(&world, "conversations", "c").await, "{text:?}");
    }
}

#[tokio::test]
async fn a_saved_spec_can_be_referred_to_at_the_same_time() {
    let Some((world, store)) = store(Backend::Postgres).await else { return };
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&organization()).into()]).await.unwrap();
    tx.openapi_specs().add(&spec("a", "pets")).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&organization()).into()]).await.unwrap();
    let changed = OpenapiSpec { updated_at: DateTime::from_timestamp(60, 0).unwrap(), ..spec("a", "pets") };
    tx.openapi_specs().save(&changed).await.unwrap();
    assert_eq!(tx.openapi_specs().get(&changed.id).await.unwrap(), Some(changed));
    assert!(can_be_referred_to(&world, "openapi_specs", "a").await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_contribution_does_not_wait_for_a_change_of_its_change_request() {
    let Some(place) = before(Backend::Postgres, "2026-11-29-000700").await else { return };
    let store = migrated_with(&place, CHANGE_REQUEST).await;
    let (space, which): (SpaceId, _) = ("s".parse().unwrap(), ChangeRequestRef::Number(1));
    let mut changing = store.write().await.unwrap();
    changing.lock(&[(&space).into()]).await.unwrap();
    let request = changing.change_requests().find(&space, &which).await.unwrap().unwrap();
    changing.change_requests().save(&request).await.unwrap();
    assert_eq!(changing.change_requests().find(&space, &which).await.unwrap().as_ref(), Some(&request));
    let mut other = store.write().await.unwrap();
    let (user, at) = ("u".parse().unwrap(), DateTime::UNIX_EPOCH);
    let contribute = async {
        other.change_requests().contribute(&request.id, &user, ContributorAction::Edit, at).await?;
        other.commit().await
    };
    timeout(HANG, contribute).await.expect("the change request is changed, but stays").unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_request_is_added_once_and_with_a_number_of_its_own(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-29-000700").await else { return };
    let store = migrated_with(&place, CHANGE_REQUEST).await;
    let (space, which): (SpaceId, _) = ("s".parse().unwrap(), ChangeRequestRef::Number(1));
    let mut tx = store.read().await.unwrap();
    let known = tx.change_requests().find(&space, &which).await.unwrap().unwrap();
    drop(tx);
    let mut new = known.clone();
    (new.id, new.number) = ("d".parse().unwrap(), 2);
    let mut same_number = known.clone();
    same_number.id = "e".parse().unwrap();
    let mut tx = store.write().await.unwrap();
    assert!(tx.change_requests().add(&new).await.is_err(), "the space is not locked");
    drop(tx);
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&space).into()]).await.unwrap();
    tx.change_requests().add(&new).await.unwrap();
    assert_eq!(tx.change_requests().find(&space, &ChangeRequestRef::Number(2)).await.unwrap(), Some(new));
    let refused = tx.change_requests().add(&same_number).await;
    assert!(matches!(&refused, Err(StoreError::Conflict(name)) if name == "number"), "{refused:?}");
    drop(tx);
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&space).into()]).await.unwrap();
    let mut again = known;
    again.number = 3;
    let refused = tx.change_requests().add(&again).await;
    assert!(matches!(refused, Err(StoreError::Internal(_))), "{refused:?}");
}
