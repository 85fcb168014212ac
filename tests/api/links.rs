use acceptance::{Caller, Fields, Fixture, World};
use domain::access::Role;
use serde_json::{Value, json};

fn statuses(list: &Value) -> Vec<&str> {
    list.list("items").iter().map(|item| item.text("status")).collect()
}

#[acceptance::test]
async fn the_links_of_a_space_say_what_they_lead_to(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let all = world.ada.get(&format!("/spaces/{space}/links")).await.ok();
    assert_eq!(all["stats"]["broken"]["total"], 1, "{all}");
    assert_eq!(all["stats"]["total"], all.list("items").len());
    let broken = world.ada.get(&format!("/spaces/{space}/links?status=broken")).await.ok();
    assert_eq!(statuses(&broken), ["broken"]);
    assert_eq!(broken["stats"], all["stats"], "the counts are for the whole list");
    let item = &broken["items"][0];
    assert!(item.get("targetReference").is_none());
    assert_eq!(item["relation"], "reference");
    let place = &item["locationReferences"][0];
    assert_eq!(place["kind"], "page");
    assert_eq!(place["page"]["title"], "Install");
    assert_eq!(place["organization"]["id"], world.organization.as_str());
    assert_eq!(place["space"]["id"], space.as_str());
    assert!(place["internalLocation"]["node"].is_string(), "{place}");
    let page = all.list("items").iter().find(|item| item["targetReference"]["page"]["title"] == "On Linux");
    assert_eq!(page.unwrap()["status"], "ok");
    let message = world.ada.get(&format!("/spaces/{space}/links?status=dubious")).await.error(400);
    assert!(message.contains("status"), "{message}");
}

#[acceptance::test]
async fn the_links_of_one_page_are_its_own(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.ada.get(&format!("/spaces/{space}/content/path/install")).await.ok();
    let links = world.ada.get(&format!("/spaces/{space}/content/page/{}/links?limit=2", page.id())).await.ok();
    assert_eq!(links["stats"]["total"], 3, "{links}");
    assert_eq!(links.list("items").len(), 2);
    assert!(links["next"]["page"].is_string());
}

#[acceptance::test]
async fn a_file_knows_the_pages_that_show_it(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let files = world.ada.get(&format!("/spaces/{space}/content/files")).await.ok();
    let file = files["items"][0].id();
    let backlinks = world.ada.get(&format!("/spaces/{space}/content/files/{file}/backlinks")).await.ok();
    assert_eq!(backlinks.list("items").len(), 1);
    assert_eq!(backlinks["items"][0]["page"]["title"], "Engine Guide");
    world.ada.get(&format!("/spaces/{space}/content/files/nothing/backlinks")).await.error(404);
}

#[acceptance::test]
async fn a_page_without_meta_links_has_none(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.ada.get(&format!("/spaces/{space}/content/path/install")).await.ok();
    let path = format!("/spaces/{space}/content/page/{}/meta-links", page.id());
    let links = world.ada.get(&path).await.ok();
    assert!(links.get("canonical").is_none(), "{links}");
}

#[acceptance::test]
async fn a_link_leads_to_collections_and_members_that_the_caller_may_know_of(world: World) {
    let guides = world.ada.post(&world.org("/collections"), json!({"title": "Guides"})).await.expect(201);
    let (guides, member) = (guides.id(), world.member("rita", Some(Role::Read)).await);
    let (stranger, guest) = (world.stranger("eve").await, world.member("gus", None).await);
    let address = |kind: &str, id: &str| format!("[x](/{kind}/{id}) ");
    let text = [
        address("collections", guides),
        address("collections", "nothing"),
        address("users", member.id()),
        address("users", stranger.id()),
    ];
    let space = world.space(json!({"empty": true})).await;
    let path = format!("/spaces/{space}");
    let request = world.ada.post(&format!("{path}/change-requests"), json!({})).await.id();
    let request = format!("{path}/change-requests/{request}");
    let page = json!({"operation": "insert_page", "title": "Links", "document": {"markdown": text.concat()}});
    world.ada.post(&format!("{request}/content"), json!({"changes": [page]})).await.ok();
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    world.ada.post(&format!("{path}/permissions"), json!({"role": "read", "users": [guest.id()]})).await.expect(204);

    let links = world.ada.get(&format!("{path}/links")).await.ok();
    assert_eq!(links["stats"], json!({"total": 4, "broken": {"total": 2}}), "{links}");
    let targets: Vec<&Value> = links.list("items").iter().filter_map(|item| item.get("targetReference")).collect();
    let of_kind = |kind: &str| *targets.iter().find(|target| target["kind"] == kind).unwrap();
    assert_eq!(of_kind("user")["user"]["id"], member.id());
    assert_eq!(of_kind("collection")["collection"]["title"], "Guides");
    assert_eq!(of_kind("collection")["organization"]["id"], world.organization.as_str());

    let seen = guest.get(&format!("{path}/links")).await.ok();
    assert_eq!(seen["stats"]["broken"]["total"], 4, "a guest sees neither the collection nor the members: {seen}");
}

#[acceptance::test]
async fn the_links_of_a_change_request_say_which_of_them_it_broke(world: World) {
    let space = world.space(json!({"empty": true})).await;
    let insert = |name: &str, text: &str| {
        let document = json!({"markdown": text});
        json!({"operation": "insert_page", "ref": name, "title": name, "document": document})
    };
    let first = world.change_request(&space, json!({})).await;
    let text = "[b](./b.md) [part](./b.md#none) [c](./c.md)";
    let pages = [insert("a", text), insert("b", "B"), insert("c", "[b](./b.md)")];
    world.ada.post(&format!("{first}/content"), json!({"changes": pages})).await.ok();
    world.ada.post(&format!("{first}/merge"), json!({})).await.ok();
    let (a, b) = (world.page(&space, "a").await, world.page(&space, "b").await);

    let text = json!({"object": "text", "leaves": [{"object": "leaf", "text": "Nobody reads c.", "marks": []}]});
    let paragraph = json!({"object": "block", "type": "paragraph", "data": {}, "nodes": [text]});
    let why = json!({"object": "document", "data": {}, "nodes": [paragraph]});
    let request = world.change_request(&space, json!({"subject": "Without c", "description": why})).await;
    let (all, of_page) = (format!("{request}/links"), format!("{request}/content/page/{a}/links"));
    for path in [&all, &of_page] {
        let stats = &world.ada.get(path).await.ok()["stats"];
        assert_eq!(stats, &json!({"total": 3, "broken": {"total": 1, "changeRequest": 0}}), "{path}");
    }
    let c = world.page(&space, "c").await;
    let delete = json!({"operation": "delete_page", "page": c});
    let changes = [delete.clone(), insert("d", "[b](/pages/b#lost)")];
    world.ada.post(&format!("{request}/content"), json!({"changes": changes})).await.ok();
    let links = world.ada.get(&all).await.ok();
    assert_eq!(links["stats"], json!({"total": 4, "broken": {"total": 3, "changeRequest": 2}}), "{links}");
    let links = world.ada.get(&of_page).await.ok();
    assert_eq!(links["stats"], json!({"total": 3, "broken": {"total": 2, "changeRequest": 1}}), "{links}");
    let new = world.ada.get(&format!("{request}/content/path/d")).await.ok();
    let of_new = world.ada.get(&format!("{request}/content/page/{}/links", new.id())).await.ok();
    assert_eq!(of_new["stats"], json!({"total": 1, "broken": {"total": 1, "changeRequest": 1}}), "{of_new}");

    // Once the primary content lacks the page too, the change request did not break its links.
    let other = world.change_request(&space, json!({})).await;
    world.ada.post(&format!("{other}/content"), json!({"changes": [delete]})).await.ok();
    world.ada.post(&format!("{other}/merge"), json!({})).await.ok();
    world.ada.post(&format!("{request}/update"), json!({})).await.ok();
    assert_eq!(world.ada.get(&all).await.ok()["stats"]["broken"], json!({"total": 3, "changeRequest": 1}));
    let primary = world.ada.get(&format!("/spaces/{space}/links")).await.ok();
    assert_eq!(primary["stats"], json!({"total": 3, "broken": {"total": 2}}), "only a change request breaks links");
    assert!(!primary.to_string().contains("versionContext"), "{primary}");

    let to_b = |item: &&Value| item["targetReference"]["page"]["id"] == b.as_str();
    let link = links.list("items").iter().find(to_b).unwrap();
    for place in [&link["targetReference"], &link["locationReferences"][0]] {
        assert_eq!(place["versionContext"]["type"], "changeRequest", "{place}");
        let named = &place["versionContext"]["changeRequest"];
        assert_eq!(named["subject"], "Without c", "{place}");
        assert_eq!(named.get("description"), None, "every place would repeat it: {place}");
    }
}

#[acceptance::test]
async fn the_backlinks_of_a_file_in_a_change_request_name_the_change_request(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = world.change_request(&space, json!({"subject": "Pictures"})).await;
    let file = world.ada.get(&format!("{request}/content/files")).await.ok()["items"][0].id().to_owned();
    let places = world.ada.get(&format!("{request}/content/files/{file}/backlinks")).await.ok();
    assert_eq!(places["items"][0]["versionContext"]["changeRequest"]["subject"], "Pictures", "{places}");
    let places = world.ada.get(&format!("/spaces/{space}/content/files/{file}/backlinks")).await.ok();
    assert!(places["items"][0].get("versionContext").is_none(), "{places}");
}

#[acceptance::test]
async fn links_and_backlinks_are_listed_once_while_others_come_and_go(world: World) {
    let space = world.space(json!({"empty": true})).await;
    let text = |names: &str| {
        let link = |name: char| format!("[{name}](https://{name}.example.org/) ![x](/files/FILE)\n\n");
        names.chars().map(link).collect::<String>()
    };
    let first = world.change_request(&space, json!({})).await;
    let image = json!({"name": "x.png", "base64": "QUJD", "contentType": "image/png"});
    let image = json!({"operation": "insert_files", "files": [image]});
    let page = json!({"operation": "insert_page", "title": "Page", "document": {}});
    world.ada.post(&format!("{first}/content"), json!({"changes": [image, page]})).await.ok();
    let file = world.ada.get(&format!("{first}/content/files")).await.ok()["items"][0].id().to_owned();
    world.ada.post(&format!("{first}/merge"), json!({})).await.ok();
    let page = world.page(&space, "page").await;
    let write = async |names: &str| {
        let request = world.change_request(&space, json!({})).await;
        let document = json!({"markdown": text(names).replace("FILE", &file)});
        let change = json!({"operation": "update_page", "page": page, "document": document});
        world.ada.post(&format!("{request}/content"), json!({"changes": [change]})).await.ok();
        world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    };
    let links = format!("/spaces/{space}/links?limit=2");
    let places = format!("/spaces/{space}/content/files/{file}/backlinks?limit=2");
    let after = async |path: &str, list: &Value| {
        world.ada.get(&format!("{path}&page={}", list["next"]["page"].as_str().unwrap())).await.ok()
    };
    let letters = |list: &Value| -> String {
        let targets = list.list("items").iter().map(|item| &item["targetReference"]);
        targets.filter_map(|target| target["url"].as_str()).map(|url| &url["https://".len()..][..1]).collect()
    };
    let blocks = |list: &Value| -> Vec<String> {
        list.list("items").iter().map(|place| place["internalLocation"].text("node").to_owned()).collect()
    };

    write("bcdef").await;
    let all = blocks(&world.ada.get(&places.replace("limit=2", "limit=9")).await.ok());
    let (links_1, places_1) = (world.ada.get(&links).await.ok(), world.ada.get(&places).await.ok());
    write("cdef").await;
    let (links_2, places_2) = (after(&links, &links_1).await, after(&places, &places_1).await);
    write("acdef").await;
    let (links_3, places_3) = (after(&links, &links_2).await, after(&places, &places_2).await);
    assert_eq!([&links_1, &links_2, &links_3].map(letters), ["b", "cd", "ef"], "the first of all is the file");
    assert_eq!([&places_1, &places_2, &places_3].map(blocks).concat(), all);
    assert!(links_3.get("next").is_none() && places_3.get("next").is_none());
}

#[acceptance::test]
async fn links_to_many_spaces_take_as_many_statements_as_those_to_a_few(world: World) {
    let space = world.space(json!({"empty": true})).await;
    let rita = world.member("rita", Some(Role::Read)).await;
    let path = format!("/spaces/{space}");
    let (mut counts, mut total) = (Vec::new(), 1);
    for (round, others) in [2, 10].into_iter().enumerate() {
        let mut text = "[x](/spaces/nothing) ".to_owned();
        for number in 0..others {
            let other = world.space(json!({})).await;
            text.push_str(&format!("[x](/spaces/{other}) "));
            if number == 0 {
                world.ada.patch(&format!("/spaces/{other}"), json!({"defaultLevel": null})).await.ok();
            }
        }
        total += others;
        let request = world.ada.post(&format!("{path}/change-requests"), json!({})).await.id();
        let request = format!("{path}/change-requests/{request}");
        let page = json!({"operation": "insert_page", "title": "Links", "document": {"markdown": text}});
        world.ada.post(&format!("{request}/content"), json!({"changes": [page]})).await.ok();
        world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
        for (caller, hidden) in [(&world.ada, 0), (&rita, round + 1)] {
            let links = format!("{path}/links");
            // After this, the content is in memory. The commit drops the response.
            caller.get(&links).await.ok();
            world.space(json!({})).await;
            let (found, statements) = world.counted(caller.get(&links)).await;
            assert_eq!(found.ok()["stats"], json!({"total": total, "broken": {"total": 1 + hidden}}));
            counts.push(statements);
        }
    }
    assert_eq!(counts[..2], counts[2..], "for an administrator and for a member");
}

#[acceptance::test]
async fn a_link_follows_its_target_in_another_space_while_its_own_space_stays(world: World) {
    let rita = world.member("rita", Some(Role::Read)).await;
    let (space, other) = (world.space(json!({"empty": true})).await, world.import(&Fixture::guide()).await);
    let target = world.page(&other, "reference/options").await;
    let at = format!("/spaces/{other}/pages/{target}");
    let text = format!("[x]({at}) [x]({at}#verbose) [x]({at}#gone) [x](https://example.org/)");
    let request = world.change_request(&space, json!({})).await;
    let page = json!({"operation": "insert_page", "title": "Links", "document": {"markdown": text}});
    world.ada.post(&format!("{request}/content"), json!({"changes": [page]})).await.ok();
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    let revision = world.ada.get(&format!("/spaces/{space}")).await.ok()["revision"].clone();
    let change = async |change: Value| {
        let request = world.change_request(&other, json!({})).await;
        world.ada.post(&format!("{request}/content"), json!({"changes": [change]})).await.ok();
        world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    };
    let all = format!("/spaces/{space}/links");
    let broken = async |caller: &Caller| caller.get(&all).await.ok()["stats"]["broken"]["total"].clone();

    assert_eq!([broken(&world.ada).await, broken(&rita).await], [1, 1], "the page has no such anchor");
    world.ada.patch(&format!("/spaces/{other}"), json!({"defaultLevel": null})).await.ok();
    assert_eq!([broken(&world.ada).await, broken(&rita).await], [1, 3], "a member may no longer see the space");
    let document = json!({"markdown": "# Options\n\n## gone\n\nIt is back.\n"});
    change(json!({"operation": "update_page", "page": target, "document": document})).await;
    assert_eq!([broken(&world.ada).await, broken(&rita).await], [1, 3], "the other anchor is missing");
    change(json!({"operation": "delete_page", "page": target})).await;
    assert_eq!([broken(&world.ada).await, broken(&rita).await], [3, 3], "the page was deleted");
    let links = world.ada.get(&format!("{all}?status=ok")).await.ok();
    assert_eq!(links["items"][0]["targetReference"]["url"], "https://example.org/", "{links}");
    assert_eq!(world.ada.get(&format!("/spaces/{space}")).await.ok()["revision"], revision);
}

#[acceptance::test]
async fn the_links_of_a_page_are_those_of_its_text_and_not_of_the_pages_below_it(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "install").await;
    let links = world.ada.get(&format!("/spaces/{space}/content/page/{page}/links")).await.ok();
    let places = links.list("items").iter().flat_map(|link| link.list("locationReferences"));
    let places: Vec<&Value> = places.map(|place| &place["page"]).collect();
    assert!(!places.is_empty() && places.iter().all(|place| place["path"] == "install"), "{links}");
    let target = |link: &Value| link["targetReference"]["page"]["path"] == "install/linux";
    assert!(links.list("items").iter().any(target), "{links}");
}
