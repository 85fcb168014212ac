//! Ids that senders give to conversations.
use super::{ingest, list};
use acceptance::World;

#[acceptance::test]
async fn an_id_with_personal_data_is_stored_as_a_digest_and_names_its_conversation(world: World) {
    let (one, other) = ("heidi@example.org", "ivan@example.org");
    let first = [(one, "It does not start."), (other, "I cannot reset my password.")];
    for (id, text) in first.into_iter().chain([(one, "It does not start at all.")]) {
        ingest(&world, id, text).await;
    }
    world.work().await;
    assert_eq!(list(&world, "/conversations").await["count"], 2, "each id is another conversation");
    let shown = list(&world, &format!("/conversations/{one}")).await;
    assert_eq!(shown["parts"][0]["body"], "It does not start at all.");
    assert_eq!(list(&world, &format!("/conversations-issues?conversation={other}")).await["count"], 1);
    let stored = format!("{:?}", world.dump().await);
    assert!(!stored.contains(one) && !stored.contains(other) && stored.contains("digest:"), "{stored}");
    world.ada.delete(&world.org(&format!("/conversations/{one}"))).await.expect(205);
    assert_eq!(list(&world, "/conversations").await["count"], 1);
}
