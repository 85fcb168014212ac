//! Lists that are read page by page while their items are moved.
use acceptance::dump::run_on_file;
use acceptance::{Fields, World};
use serde_json::{Value, json};

/// A list that is read page by page.
struct Walk<'w> {
    world: &'w World,
    path: String,
    next: Option<String>,
    seen: Vec<String>,
}

impl<'w> Walk<'w> {
    async fn begin(world: &'w World, path: String) -> Self {
        let mut walk = Self { world, next: Some(path.clone()), path, seen: Vec::new() };
        walk.go_on().await;
        walk
    }

    async fn go_on(&mut self) {
        let Some(path) = self.next.take() else { return };
        let part = self.world.ada.get(&path).await.ok();
        self.seen.extend(part.list("items").iter().map(|item| item.text("title").to_owned()));
        self.next = part["next"]["page"].as_str().map(|token| format!("{}&page={token}", self.path));
    }

    async fn finish(mut self) -> Vec<String> {
        while self.next.is_some() {
            self.go_on().await;
        }
        self.seen
    }
}

/// Spaces `a` to `h` and collections `one` to `four`, in turn. Returns the ids of the spaces and of the collections.
async fn content(world: &World) -> (Vec<String>, Vec<String>) {
    let (mut spaces, mut collections) = (Vec::new(), Vec::new());
    for (number, title) in ["a", "b", "c", "d", "e", "f", "g", "h"].into_iter().enumerate() {
        spaces.push(world.space(json!({"title": title})).await.to_string());
        if let Some(title) = ["one", "two", "three", "four"].get(number) {
            collections.push(world.collection(json!({"title": title})).await);
        }
    }
    (spaces, collections)
}

fn after(kind: &str, id: &str) -> Value {
    json!({"position": {"after": {"type": kind, kind: id}}})
}

#[acceptance::test]
async fn hundreds_of_moves_to_one_place_neither_repeat_nor_hide_an_item(world: World) {
    let (spaces, collections) = content(&world).await;
    let (paths, mut walks) = ([world.org("/spaces?limit=2"), world.org("/collections?limit=1")], Vec::new());
    for path in &paths {
        walks.push(Walk::begin(&world, path.clone()).await);
    }
    // Two items that are still to come, again and again to the beginning: all siblings get new order keys on the way.
    for turn in 0..420 {
        let (kind, id) = [("spaces", &spaces[7]), ("collections", &collections[3])][turn % 2];
        world.ada.post(&format!("/{kind}/{id}/move"), after("space", &spaces[0])).await.ok();
        if turn == 200 {
            for walk in &mut walks {
                walk.go_on().await;
            }
        }
    }
    // An item that was listed, to the end.
    world.ada.post(&format!("/spaces/{}/move", spaces[1]), json!({"position": {}})).await.ok();
    let [of_spaces, of_collections] = <[Walk<'_>; 2]>::try_from(walks).ok().unwrap();
    assert_eq!(of_spaces.finish().await, ["a", "b", "c", "d", "e", "f", "g", "h"]);
    assert_eq!(of_collections.finish().await, ["one", "two", "three", "four"]);
    let now = Walk::begin(&world, world.org("/spaces?limit=3")).await.finish().await;
    assert_eq!(now, ["a", "h", "c", "d", "e", "f", "g", "b"], "a new walk has the new order");
}

#[acceptance::test]
async fn items_that_leave_a_list_and_return_are_listed_once(world: World) {
    let (spaces, collections) = content(&world).await;
    let other = world.ada.post("/orgs", json!({"title": "Another"})).await.id();
    let mut walk = Walk::begin(&world, world.org("/spaces?limit=3")).await;
    // `a` was listed, `h` was not.
    for id in [&spaces[0], &spaces[7]] {
        for to in [&other, world.organization.as_str()] {
            world.ada.post(&format!("/spaces/{id}/transfer"), json!({"organization": to})).await.ok();
        }
    }
    walk.go_on().await;
    for id in [&spaces[1], &spaces[6]] {
        world.ada.post(&format!("/spaces/{id}/move"), json!({"parent": collections[0]})).await.ok();
    }
    let inside = Walk::begin(&world, format!("/collections/{}/spaces?limit=1", collections[0])).await;
    let (from, to) = (json!({"organization": other}), json!({"organization": world.organization.as_str()}));
    for organization in [&from, &to] {
        world.ada.post(&format!("/collections/{}/transfer", collections[0]), organization.clone()).await.ok();
    }
    world.ada.post(&format!("/spaces/{}/move", spaces[6]), json!({"parent": null})).await.ok();
    assert_eq!(walk.finish().await, ["a", "b", "c", "d", "e", "f", "g", "h"]);
    assert_eq!(inside.finish().await, ["b"], "g has left");
}

#[acceptance::test]
async fn a_page_is_refused_when_its_order_is_no_longer_known(world: World) {
    let (spaces, _) = content(&world).await;
    let walk = Walk::begin(&world, world.org("/spaces?limit=2")).await;
    for turn in 0..3 {
        world.ada.post(&format!("/spaces/{}/move", spaces[6 + turn % 2]), after("space", &spaces[0])).await.ok();
    }
    let sql = "DELETE FROM moves WHERE number <= 2";
    let database = world.database();
    match database.url().starts_with("postgres") {
        true => database.run(sql).await,
        false => run_on_file(database.url(), sql),
    }
    let message = world.ada.get(walk.next.as_ref().unwrap()).await.error(400);
    assert!(message.starts_with("page:") && message.contains("first page"), "{message}");
}
