//! What a writing unit of work reads beside other data takes no statement later, unless it changes.
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::DateTime;
use domain::content::search::memory_index::{document, page_id};
use domain::content::search::{Indexer, Query};
use domain::id::{OrganizationId, SpaceId, UserId};
use domain::idempotency::IdempotencyKey;
use domain::notification::NotificationLevel;
use domain::organization::Organization;
use domain::ports::Store;
use domain::ports::store::Lockable;
use domain::ports::testing::token;
use domain::space::{NewSpace, Space};
use domain::user::User;
use domain::webhook::Webhook;
use rstest::rstest;
use std::collections::{BTreeSet, HashMap};
use tokio::time::timeout;

fn ids() -> (OrganizationId, SpaceId, UserId) {
    ("o".parse().unwrap(), "s".parse().unwrap(), "ada".parse().unwrap())
}

fn ada(name: &str) -> User {
    User {
        id: ids().2,
        display_name: name.parse().unwrap(),
        email: "ada@example.org".parse().unwrap(),
        email_verified: true,
        photo_url: None,
        created_at: DateTime::UNIX_EPOCH,
    }
}

/// A store with a user who has a token, and an organization with a space.
async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    let (organization, space, user) = ids();
    let mut tx = store.write().await.unwrap();
    let title = "Engines".parse().unwrap();
    tx.organizations().save(&Organization::new(organization.clone(), title, DateTime::UNIX_EPOCH)).await.unwrap();
    let space = Space::new(space, organization, "r".parse().unwrap(), NewSpace::default(), DateTime::UNIX_EPOCH);
    tx.spaces().save(&space).await.unwrap();
    tx.users().save(&ada("Ada")).await.unwrap();
    tx.tokens().save(&token(user)).await.unwrap();
    tx.commit().await.unwrap();
    Some((world, store))
}

#[rstest]
#[tokio::test]
async fn the_user_of_a_checked_token_is_shown_without_a_statement(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let (.., user) = ids();
    let mut tx = store.write().await.unwrap();
    assert_eq!(tx.tokens().find(&"t".parse().unwrap()).await.unwrap(), Some(token(user.clone())));
    tx.lock(&[(&user).into()]).await.unwrap();
    let before = world.database.statements();
    let named = [user.clone(), "nobody".parse().unwrap()];
    assert_eq!(tx.users().find_many(&named[..1]).await.unwrap(), [ada("Ada")]);
    assert_eq!(world.database.statements() - before, 0);
    assert_eq!(tx.users().find_many(&named).await.unwrap(), [ada("Ada")]);
    assert_eq!(world.database.statements() - before, 1, "only the other one is looked up");
    assert_eq!(tx.users().find(&user).await.unwrap(), Some(ada("Ada")));
    assert_eq!(world.database.statements() - before, 2, "a user who is to be changed is read after the lock");
    tx.users().save(&ada("Ada L.")).await.unwrap();
    assert_eq!(tx.users().find_many(&named).await.unwrap(), [ada("Ada L.")]);
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.tokens().find(&"t".parse().unwrap()).await.unwrap(), Some(token(user)));
    assert_eq!(tx.users().find_many(&named).await.unwrap(), [ada("Ada L.")]);
}

#[rstest]
#[tokio::test]
async fn a_space_without_webhooks_and_levels_has_none_without_a_statement(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let (organization, space, user) = ids();
    let everyone = BTreeSet::from([user.clone()]);
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&organization).into(), (&user).into(), (&space).into()]).await.unwrap();
    tx.spaces().find(&space, None).await.unwrap().unwrap();
    let before = world.database.statements();
    assert!(tx.webhooks().enabled(&organization).await.unwrap().is_empty());
    assert!(tx.notifications().levels(&space, &everyone).await.unwrap().is_empty());
    assert_eq!(world.database.statements() - before, 0);
    assert!(tx.webhooks().enabled(&"other".parse().unwrap()).await.unwrap().is_empty());
    assert!(tx.notifications().levels(&"other".parse().unwrap(), &everyone).await.unwrap().is_empty());
    assert_eq!(world.database.statements() - before, 2, "nothing is known of others");
    // What this unit of work adds is found, and so it is by the next one.
    tx.webhooks().save(&Webhook::sample("w", 1)).await.unwrap();
    tx.notifications().set_level(&space, &user, Some(NotificationLevel::All)).await.unwrap();
    for again in [false, true] {
        if again {
            tx.commit().await.unwrap();
            tx = store.write().await.unwrap();
            tx.spaces().find(&space, None).await.unwrap().unwrap();
        }
        assert_eq!(tx.webhooks().enabled(&organization).await.unwrap().len(), 1, "{again}");
        for users in [&everyone, &BTreeSet::new()] {
            let levels = tx.notifications().levels(&space, users).await.unwrap();
            assert_eq!(levels, HashMap::from([(user.clone(), NotificationLevel::All)]), "{again}");
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_lock_makes_a_unit_of_work_look_again_for_webhooks_and_levels(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let (organization, space, user) = ids();
    let [of_organization, of_space] = [Lockable::from(&organization), Lockable::from(&space)];
    let cases = [
        (None, of_organization, 2),
        (None, of_space.clone(), 2),
        (Some(of_space.clone()), of_space.clone(), 0),
        (Some(of_space), Lockable::Job("a job".to_owned()), 0),
    ];
    for (held, wanted, expected) in cases {
        let mut tx = store.write().await.unwrap();
        tx.lock(held.as_slice()).await.unwrap();
        tx.spaces().find(&space, None).await.unwrap().unwrap();
        tx.lock(std::slice::from_ref(&wanted)).await.unwrap();
        let before = world.database.statements();
        assert!(tx.webhooks().enabled(&organization).await.unwrap().is_empty());
        assert!(tx.notifications().levels(&space, &BTreeSet::from([user.clone()])).await.unwrap().is_empty());
        assert_eq!(world.database.statements() - before, expected, "{held:?}, then {wanted:?}");
    }
}

#[rstest]
#[tokio::test]
async fn a_new_space_is_indexed_without_looking_for_what_is_in_its_index(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let new: SpaceId = "new".parse().unwrap();
    let page = |id: &str| Indexer::new(None).page(&page_id(id), "Title", None, &document("alpha"));
    let alpha = Query::parse("alpha ", &[None]).every_word().unwrap();
    let mut tx = store.write().await.unwrap();
    let space = Space::new(new.clone(), ids().0, "r".parse().unwrap(), NewSpace::default(), DateTime::UNIX_EPOCH);
    tx.spaces().save(&space).await.unwrap();
    let before = world.database.statements();
    tx.search().remove(&new, &[page_id("one")]).await.unwrap();
    assert_eq!(world.database.statements() - before, 0);
    tx.search().insert(&new, &[page("one")]).await.unwrap();
    assert_eq!(world.database.statements() - before, 5, "the ids, the part, the space, the section, and its terms");
    // From then on, there is something.
    tx.search().insert(&new, &[page("two")]).await.unwrap();
    tx.search().remove(&new, &[page_id("one")]).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&new).into()]).await.unwrap();
    let alpha = [alpha];
    let found = tx.search().candidates(std::slice::from_ref(&new), &alpha, 9).await.unwrap();
    assert_eq!(found.iter().map(|one| one.page.as_str()).collect::<Vec<_>>(), ["two"]);
    tx.search().remove(&new, &[page_id("two")]).await.unwrap();
    assert!(tx.search().candidates(std::slice::from_ref(&new), &alpha, 9).await.unwrap().is_empty());
}

/// On SQLite, there is one writer.
#[tokio::test]
async fn a_change_of_an_account_does_not_wait_for_a_request_of_it_with_an_idempotency_key() {
    let Some((_world, store)) = store(Backend::Postgres).await else { return };
    let (.., user) = ids();
    let mut changing = store.write().await.unwrap();
    changing.lock(&[(&user).into()]).await.unwrap();
    let mut keyed = store.write().await.unwrap();
    let key = IdempotencyKey::new("k", [0; 32]).unwrap();
    keyed.idempotency().begin(&user, &key, DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH).await.unwrap();
    let saved = timeout(HANG, changing.users().save(&ada("Ada L."))).await.expect("the key keeps only the account");
    saved.unwrap();
    changing.commit().await.unwrap();
    keyed.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.users().find(&user).await.unwrap(), Some(ada("Ada L.")));
}
