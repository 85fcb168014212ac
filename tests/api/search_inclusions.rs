//! Search finds pages by the reusable texts that they include, and the index follows a change of these texts.
use acceptance::{Fields, Fixture, Interleaved, World};
use domain::actor::Actor;
use domain::content::document::Document;
use domain::content::search::{Indexer, VERSION};
use domain::id::SpaceId;
use domain::job::Task;
use domain::usecases::content::Destination;
use domain::usecases::jobs::JobResult;
use serde_json::json;

/// A repository of pages that include a text, which includes another one.
struct Repository(Vec<(String, String)>);

impl Repository {
    /// `home` includes `outer`, which includes `inner`; `side` includes `inner`; `plain` includes nothing.
    fn nested() -> Self {
        Self(Vec::new())
            .with(
                "README.md",
                "# Home\n\nWelcome.\n\n## Use\n\n{% include \".gitbook/includes/outer.md\" %}\n\n## Use\n\nOn.\n",
            )
            .with("side.md", "# Side\n\n{% include \".gitbook/includes/inner.md\" %}\n")
            .with("plain.md", "# Plain\n\nNothing here.\n")
            .with(
                ".gitbook/includes/outer.md",
                "---\ntitle: Outer\n---\n\nwalrus\n\n## Use\n\n{% include \"inner.md\" %}\n",
            )
            .with(".gitbook/includes/inner.md", "---\ntitle: Inner\n---\n\npelican\n")
    }

    /// `count` pages that include one text.
    fn of_pages(count: usize, text: &str) -> Self {
        let page = |number| {
            let text = format!("# Page {number}\n\n{{% include \".gitbook/includes/note.md\" %}}\n");
            (format!("page-{number:03}.md"), text)
        };
        Self((0..count).map(page).collect())
            .with(".gitbook/includes/note.md", &format!("---\ntitle: Note\n---\n\n{text}\n"))
    }

    /// With another text of a file; an empty text removes it.
    fn with(mut self, path: &str, text: &str) -> Self {
        self.0.retain(|(known, _)| known != path);
        if !text.is_empty() {
            self.0.push((path.to_owned(), text.to_owned()));
        }
        self
    }

    fn fixture(&self) -> Fixture {
        Fixture::new("repository", self.0.iter().map(|(path, text)| (path.as_str(), text.as_str())))
    }

    async fn import(&self, world: &World) -> SpaceId {
        world.import(&self.fixture()).await
    }

    async fn import_again(&self, world: &World, space: &SpaceId) {
        let destination = Destination::Space(space.clone());
        let import = world.services.content.import(&Actor::Operator, destination, &self.fixture(), &|_| {}).await;
        import.unwrap();
    }
}

/// The titles of the found pages, sorted.
async fn found(world: &World, space: &SpaceId, query: &str) -> Vec<String> {
    let found = world.ada.get(&format!("/spaces/{space}/search?query={query}&limit=1000")).await.ok();
    let mut titles: Vec<String> = found.list("items").iter().map(|item| item.text("title").to_owned()).collect();
    titles.sort();
    titles
}

fn kinds(done: &[(Task, JobResult)]) -> Vec<&'static str> {
    assert!(done.iter().all(|(_, ran)| !matches!(ran, JobResult::Failed(_))), "{done:?}");
    done.iter().map(|(task, _)| task.kind()).collect()
}

#[acceptance::test]
async fn a_page_is_found_by_the_texts_that_it_includes_in_the_section_that_includes_them(world: World) {
    let space = Repository::nested().import(&world).await;
    assert_eq!(found(&world, &space, "walrus").await, ["Home"]);
    assert_eq!(found(&world, &space, "pelican").await, ["Home", "Side"]);
    let answer = world.ada.get(&format!("/spaces/{space}/search?query=walrus%20pelican")).await.ok();
    let section = &answer["items"][0]["sections"][0];
    // Not the heading of the same name in the included text, which would also rename the second one of the page.
    assert_eq!(section["title"], "Use");
    assert!(section.text("path").ends_with("#use"), "{section}");
    let answer = world.ada.get(&format!("/spaces/{space}/search?query=use")).await.ok();
    let sections = answer["items"][0].list("sections");
    let paths: Vec<&str> = sections.iter().map(|section| section.text("path").rsplit('#').next().unwrap()).collect();
    assert!(paths.contains(&"use-1") && !paths.contains(&"use-2"), "{paths:?}");
}

#[acceptance::test]
#[case::a_text(".gitbook/includes/outer.md", "---\ntitle: Outer\n---\n\nheron\n", &[("walrus", ""), ("pelican", "Side"), ("heron", "Home")])]
#[case::a_text_inside_another(".gitbook/includes/inner.md", "---\ntitle: Inner\n---\n\nheron\n", &[("walrus", "Home"), ("pelican", ""), ("heron", "Home Side")])]
#[case::a_text_that_includes_itself_now(".gitbook/includes/inner.md", "---\ntitle: Inner\n---\n\nheron\n\n{% include \"outer.md\" %}\n", &[("walrus", "Home Side"), ("pelican", ""), ("heron", "Home Side")])]
#[case::a_text_that_is_removed(".gitbook/includes/inner.md", "", &[("walrus", "Home"), ("pelican", "")])]
#[case::the_title_of_a_text(".gitbook/includes/inner.md", "---\ntitle: Innermost\n---\n\npelican\n", &[("pelican", "Home Side"), ("innermost", "")])]
#[case::a_page_that_stops_including("side.md", "# Side\n\nheron\n", &[("pelican", "Home"), ("heron", "Side")])]
#[case::a_page_that_begins_including("plain.md", "# Plain\n\n{% include \".gitbook/includes/outer.md\" %}\n", &[("walrus", "Home Plain"), ("pelican", "Home Plain Side")])]
async fn what_is_found_follows_a_change_of(
    world: World,
    #[case] path: &str,
    #[case] text: &str,
    #[case] expected: &[(&str, &str)],
) {
    let space = Repository::nested().import(&world).await;
    Repository::nested().with(path, text).import_again(&world, &space).await;
    for (word, titles) in expected {
        assert_eq!(found(&world, &space, word).await.join(" "), *titles, "{word}");
    }
    // Back to the first state, which was indexed page by page.
    Repository::nested().import_again(&world, &space).await;
    assert_eq!(found(&world, &space, "pelican").await, ["Home", "Side"]);
    assert_eq!(found(&world, &space, "walrus").await, ["Home"]);
    assert_eq!(found(&world, &space, "heron").await, [""; 0]);
}

#[acceptance::test]
async fn a_text_that_is_renamed_stays_found(world: World) {
    let space = Repository::nested().import(&world).await;
    let renamed = Repository::nested()
        .with(".gitbook/includes/inner.md", "")
        .with(".gitbook/includes/bird.md", "---\ntitle: Inner\n---\n\npelican\n")
        .with("side.md", "# Side\n\n{% include \".gitbook/includes/bird.md\" %}\n")
        .with(".gitbook/includes/outer.md", "---\ntitle: Outer\n---\n\nwalrus\n\n{% include \"bird.md\" %}\n");
    renamed.import_again(&world, &space).await;
    assert_eq!(found(&world, &space, "pelican").await, ["Home", "Side"]);
    renamed.with(".gitbook/includes/bird.md", "---\ntitle: Inner\n---\n\nheron\n").import_again(&world, &space).await;
    assert_eq!(found(&world, &space, "pelican").await, [""; 0]);
    assert_eq!(found(&world, &space, "heron").await, ["Home", "Side"]);
}

#[acceptance::test]
async fn a_text_that_many_pages_include_is_indexed_by_a_job(world: World) {
    let space = Repository::of_pages(150, "walrus").import(&world).await;
    world.work().await;
    assert_eq!(found(&world, &space, "walrus").await.len(), 150);
    Repository::of_pages(150, "pelican").import_again(&world, &space).await;
    assert_eq!(kinds(&world.work().await), ["index-space"]);
    assert_eq!(found(&world, &space, "walrus").await.len(), 0);
    assert_eq!(found(&world, &space, "pelican").await.len(), 150);
}

#[acceptance::test]
async fn large_texts_are_indexed_by_a_job_even_on_few_pages(world: World) {
    let text = |word: &str| format!("{} {word}", "filler ".repeat(60_000));
    let space = Repository::of_pages(5, &text("walrus")).import(&world).await;
    kinds(&world.work().await);
    Repository::of_pages(5, &text("pelican")).import_again(&world, &space).await;
    assert_eq!(kinds(&world.work().await), ["index-space"]);
    assert_eq!(found(&world, &space, "walrus").await.len(), 0);
    assert_eq!(found(&world, &space, "pelican").await.len(), 5);
}

#[acceptance::test]
async fn pages_that_a_job_indexed_while_a_text_was_changed_get_the_new_text(world: World) {
    let space = Repository::of_pages(150, "walrus").import(&world).await;
    // No page is indexed yet. The job runs when the import has computed the changes of the index.
    let jobs = world.jobs.clone();
    let interleaved = Interleaved::new(world.services.store.clone(), async move {
        let (claim, task) = jobs.claim().await.unwrap().unwrap();
        assert_eq!(jobs.perform(&claim, &task).await.unwrap(), JobResult::Done);
    });
    // With few changed pages, the import indexes them itself.
    let changed = Repository::of_pages(150, "pelican").fixture();
    let content = world.content_on(interleaved);
    content.import(&Actor::Operator, Destination::Space(space.clone()), &changed, &|_| {}).await.unwrap();
    world.work().await;
    assert_eq!(found(&world, &space, "walrus").await.len(), 0);
    assert_eq!(found(&world, &space, "pelican").await.len(), 150);
}

#[acceptance::test]
async fn a_merge_indexes_a_page_with_the_present_text(world: World) {
    let space = Repository::nested().import(&world).await;
    let plain = world.page(&space, "plain").await;
    let revision = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
    let contents = revision.list("reusableContents");
    let inner = contents.iter().find(|content| content["title"] == "Inner").unwrap().id();
    let include = json!({"kind": "reusable-content", "reusableContent": inner});
    let request = world.change_request(&space, json!({"subject": "Include"})).await;
    let block = json!({"object": "block", "type": "reusable-content", "data": {"ref": include}});
    let document = json!({"object": "document", "nodes": [block]});
    let edit = json!({"operation": "update_page", "page": plain, "document": {"document": document}});
    world.ada.post(&format!("{request}/content"), json!({"changes": [edit]})).await.ok();
    let changed = Repository::nested().with(".gitbook/includes/inner.md", "---\ntitle: Inner\n---\n\nheron\n");
    changed.import_again(&world, &space).await;
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    assert_eq!(found(&world, &space, "heron").await, ["Home", "Plain", "Side"]);
    assert_eq!(found(&world, &space, "pelican").await, [""; 0]);
}

#[acceptance::test]
async fn a_restored_space_is_found_by_its_included_texts(world: World) {
    let space = Repository::of_pages(150, "walrus").import(&world).await;
    world.work().await;
    Repository::of_pages(150, "pelican").import_again(&world, &space).await;
    // The index is updated while the space is deleted.
    world.ada.delete(&format!("/spaces/{space}")).await.expect(205);
    world.work().await;
    world.ada.post(&format!("/spaces/{space}/restore"), json!({})).await.ok();
    assert_eq!(found(&world, &space, "walrus").await.len(), 0);
    assert_eq!(found(&world, &space, "pelican").await.len(), 150);
    Repository::of_pages(150, "heron").import_again(&world, &space).await;
    world.work().await;
    assert_eq!(found(&world, &space, "heron").await.len(), 150);
}

#[acceptance::test]
async fn a_copied_space_and_one_in_another_language_are_found_by_their_included_texts(world: World) {
    let space = Repository::nested().import(&world).await;
    let copy: SpaceId = world.ada.post(&format!("/spaces/{space}/duplicate"), json!({})).await.id().parse().unwrap();
    world.ada.patch(&format!("/spaces/{copy}"), json!({"language": "de"})).await.ok();
    assert_eq!(found(&world, &copy, "pelican").await, ["Home", "Side"]);
    let changed = Repository::nested().with(".gitbook/includes/inner.md", "---\ntitle: Inner\n---\n\nheron\n");
    changed.import_again(&world, &copy).await;
    assert_eq!(found(&world, &copy, "heron").await, ["Home", "Side"]);
    assert_eq!(found(&world, &space, "pelican").await, ["Home", "Side"], "the original stays");
}

#[acceptance::test]
async fn a_text_of_another_space_is_not_found_where_a_page_refers_to_it(world: World) {
    let other = Repository::nested().import(&world).await;
    let revision = world.ada.get(&format!("/spaces/{other}/content")).await.ok();
    let contents = revision.list("reusableContents");
    let inner = contents.iter().find(|content| content["title"] == "Inner").unwrap().id();
    let space = world.import(&Fixture::new("own", [("README.md", "# Own\n\nNothing.\n")])).await;
    let include = json!({"kind": "reusable-content", "reusableContent": inner, "space": other});
    let block = json!({"object": "block", "type": "reusable-content", "data": {"ref": include}});
    let document = json!({"object": "document", "nodes": [block]});
    let page = json!({"operation": "insert_page", "title": "Foreign", "document": {"document": document}});
    let request = world.change_request(&space, json!({})).await;
    world.ada.post(&format!("{request}/content"), json!({"changes": [page]})).await.ok();
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    let read =
        world.ada.get(&format!("/spaces/{space}/content/path/foreign?format=markdown&dereferenced=true")).await.ok();
    assert!(!read.text("markdown").contains("pelican"), "{read}");
    assert_eq!(found(&world, &space, "foreign").await, ["Foreign"]);
    assert_eq!(found(&world, &space, "pelican").await, [""; 0]);
}

#[acceptance::test]
async fn a_small_edit_costs_the_same_in_a_large_space(world: World) {
    let small = Repository::of_pages(3, "walrus").with("plain.md", "# Plain\n\nText.\n").import(&world).await;
    let large = Repository::of_pages(90, "walrus").with("plain.md", "# Plain\n\nText.\n");
    let large = (0..150).fold(large, |all, number| all.with(&format!("other-{number}.md"), "# Other\n\nText.\n"));
    let large = large.import(&world).await;
    world.work().await;
    let mut costs = Vec::new();
    for space in [&small, &large] {
        let page = world.page(space, "plain").await;
        let request = world.change_request(space, json!({})).await;
        let edit = json!({"operation": "update_page", "page": page, "document": {"markdown": "Heron."}});
        world.ada.post(&format!("{request}/content"), json!({"changes": [edit]})).await.ok();
        let (merged, statements) = world.counted(world.ada.post(&format!("{request}/merge"), json!({}))).await;
        merged.ok();
        assert_eq!(found(&world, space, "heron").await, ["Plain"]);
        costs.push(statements);
    }
    assert!(costs[1] <= costs[0] + 10, "{costs:?}");
}

/// Gives the index of a space the entries of an earlier version of the indexer: the pages have other words.
async fn outdate(world: &World, spaces: &[&SpaceId]) {
    for space in spaces {
        let pages = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
        let pages = pages.list("pages").iter().map(|page| page.id().parse().unwrap());
        let pages: Vec<domain::id::PageId> = pages.collect();
        let mut indexer = Indexer::new(None);
        let entry = |id| indexer.page(id, "gluedwords", None, &Document::default());
        let entries: Vec<_> = pages.iter().map(entry).collect();
        let mut tx = world.services.store.write().await.unwrap();
        tx.lock(&[(*space).into()]).await.unwrap();
        tx.search().remove(space, &pages).await.unwrap();
        tx.search().insert(space, &entries).await.unwrap();
        tx.search().set_version(space, VERSION - 1).await.unwrap();
        tx.commit().await.unwrap();
    }
}

#[acceptance::test]
async fn spaces_that_an_earlier_version_indexed_are_indexed_again_in_the_background(world: World) {
    let spaces = [Repository::nested().import(&world).await, Repository::of_pages(60, "walrus").import(&world).await];
    let current = Repository::nested().import(&world).await;
    let deleted = Repository::nested().import(&world).await;
    outdate(&world, &[&spaces[0], &spaces[1], &deleted]).await;
    world.ada.delete(&format!("/spaces/{deleted}")).await.expect(205);
    assert_eq!(found(&world, &spaces[1], "gluedwords").await.len(), 60);
    world.jobs.renew().await.unwrap();
    // A change before the job runs is found, and stays.
    let changed = Repository::nested().with("plain.md", "# Plain\n\nheron\n");
    changed.import_again(&world, &spaces[0]).await;
    let done = kinds(&world.work().await);
    assert_eq!(done.iter().filter(|kind| **kind == "index-space").count(), 3, "{done:?}");
    for space in &spaces {
        assert_eq!(found(&world, space, "gluedwords").await, [""; 0]);
    }
    assert_eq!(found(&world, &spaces[0], "pelican").await, ["Home", "Side"]);
    assert_eq!(found(&world, &spaces[0], "heron").await, ["Plain"]);
    assert_eq!(found(&world, &spaces[1], "walrus").await.len(), 60);
    assert_eq!(found(&world, &current, "pelican").await, ["Home", "Side"]);
    world.ada.post(&format!("/spaces/{deleted}/restore"), json!({})).await.ok();
    assert_eq!(found(&world, &deleted, "pelican").await, ["Home", "Side"]);
    // The next start finds nothing to do.
    world.jobs.renew().await.unwrap();
    assert_eq!(kinds(&world.work().await), [""; 0]);
}

#[acceptance::test]
async fn indexing_again_continues_where_it_was_interrupted(world: World) {
    let space = Repository::of_pages(60, "walrus").import(&world).await;
    outdate(&world, &[&space]).await;
    world.jobs.renew().await.unwrap();
    let (claim, task) = world.jobs.claim().await.unwrap().unwrap();
    assert!(matches!(world.jobs.perform(&claim, &task).await.unwrap(), JobResult::Later(_)));
    // The server stops after the first parts of the space, and starts again.
    let (claim, task) = world.jobs.claim_indexing(&space).await.unwrap().unwrap();
    let stopped = Interleaved::after(4, world.services.store.clone(), std::future::pending());
    assert!(!stopped.ends_before_event(world.jobs_on(stopped.clone()).perform(&claim, &task)).await);
    world.jobs.release(&claim).await.unwrap();
    let left = found(&world, &space, "gluedwords").await.len();
    assert!((1..60).contains(&left), "{left}");
    world.jobs.renew().await.unwrap();
    let done = world.work().await;
    let resumed = done.iter().any(|(task, _)| matches!(task, Task::IndexSpace { after: Some(_), .. }));
    assert!(resumed, "{done:?}");
    assert_eq!(found(&world, &space, "gluedwords").await.len(), 0);
    assert_eq!(found(&world, &space, "walrus").await.len(), 60);
}
