use super::{open, path, post, text};
use crate::change_requests::propose;
use acceptance::{Backend, Fields, Fixture, World};
use actix_web::rt::spawn;
use actix_web::rt::time::timeout;
use chrono::TimeDelta;
use domain::access::Role;
use serde_json::json;
use std::time::Duration;

/// The number of open comments by counting them.
async fn counted(world: &World, place: &str) -> serde_json::Value {
    world.ada.get(&format!("{place}/comments?status=open&limit=1")).await.ok()["count"].clone()
}

#[acceptance::test]
async fn open_comments_are_counted_whatever_happens_to_them(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "Fix").await;
    for place in [format!("/spaces/{space}"), request] {
        let mut all = Vec::new();
        for _ in 0..3 {
            all.push(path(&post(&world.ada, &place, "Why?", json!({})).await));
        }
        assert_eq!(open(&world.ada, &place).await, 3);
        for (change, expected) in [(true, 2), (true, 2), (false, 3), (false, 3), (true, 2)] {
            world.ada.put(&all[0], json!({ "resolved": change })).await.ok();
            assert_eq!(open(&world.ada, &place).await, expected);
        }
        world.ada.post(&format!("{}/replies", all[1]), text("A reply is no comment.")).await.ok();
        world.ada.delete(&all[0]).await.expect(205);
        assert_eq!(open(&world.ada, &place).await, 2, "it was resolved");
        world.ada.delete(&all[1]).await.expect(205);
        assert_eq!((open(&world.ada, &place).await, counted(&world, &place).await), (json!(1), json!(1)));
    }
}

#[acceptance::test]
async fn a_duplicate_has_no_comments_and_a_purge_removes_them(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let comment = post(&world.ada, &place, "Why?", json!({})).await;
    world.ada.post(&format!("{}/replies", path(&comment)), text("Hm.")).await.ok();
    world.ada.put(&path(&comment), json!({ "addedReactions": ["1f44d"] })).await.ok();
    let copy = world.ada.post(&format!("{place}/duplicate"), json!({})).await.expect(201);
    assert_eq!(copy["comments"], 0);
    let copy = format!("/spaces/{}", copy.id());
    assert_eq!(world.ada.get(&format!("{copy}/comments")).await.ok()["items"], json!([]));
    assert_eq!(open(&world.ada, &place).await, 1);
    world.ada.delete(&place).await.expect(205);
    world.pass(TimeDelta::days(8)).await;
    world.pass(TimeDelta::days(1)).await;
    let dump = world.dump().await;
    for table in ["comments", "comment_replies", "comment_reactions", "comment_counts"] {
        assert_eq!(dump[table], Vec::<String>::new(), "{table}");
    }
}

#[acceptance::test]
async fn counters_are_true_while_many_callers_write_at_once(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let callers = [world.ada.clone(), world.member("carl", Some(Role::Create)).await];
    let mut shared = Vec::new();
    for _ in 0..4 {
        shared.push(path(&post(&world.ada, &place, "Shared", json!({})).await));
    }
    let mut clients = Vec::new();
    for number in 0..16 {
        let (caller, shared, place) = (callers[number % 2].clone(), shared.clone(), place.clone());
        clients.push(spawn(async move {
            for step in 0..6 {
                match (number + step) % 4 {
                    0 => drop(post(&caller, &place, "One", json!({})).await),
                    1 => drop(caller.put(&shared[step % 3], json!({ "resolved": number % 3 == 0 })).await.ok()),
                    2 => {
                        let own = path(&post(&caller, &place, "Mine", json!({})).await);
                        caller.delete(&own).await.expect(205);
                    }
                    _ => drop(caller.put(&shared[3], json!({ "addedReactions": [format!("e{number}")] })).await.ok()),
                }
            }
        }));
    }
    for client in clients {
        client.await.unwrap();
    }
    assert_eq!(open(&world.ada, &place).await, counted(&world, &place).await);
    let reacted = world.ada.get(&shared[3]).await.ok();
    assert_eq!(reacted.list("reactions").len(), 16);
}

/// On SQLite, there is one writer.
#[actix_web::test]
async fn a_comment_on_a_space_does_not_wait_for_a_change_of_the_space() {
    let Some(world) = World::boot(Backend::Postgres).await else { return };
    let id = world.import(&Fixture::guide()).await;
    let space = format!("/spaces/{id}");
    let mut changing = world.services.store.write().await.unwrap();
    changing.lock(&[(&id).into()]).await.unwrap();
    let posted = timeout(Duration::from_secs(60), post(&world.ada, &space, "Meanwhile", json!({}))).await;
    let posted = posted.expect("it waits for nothing");
    let mut changed = changing.spaces().find(&id, None).await.unwrap().unwrap().entity;
    changed.title = "After".parse().unwrap();
    changing.spaces().save(&changed).await.unwrap();
    changing.commit().await.unwrap();
    let after = world.ada.get(&space).await.ok();
    assert_eq!((after.text("title"), &after["comments"]), ("After", &json!(1)));
    assert_eq!(world.ada.get(&path(&posted)).await.ok().id(), posted.id());
}
