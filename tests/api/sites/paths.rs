//! Every path that a page of a site ever had leads to it, whatever was renamed and moved since.
use super::addresses::{lead, merge};
use super::site;
use acceptance::{Fields, Fixture, SeededRandom, World};
use domain::id::SpaceId;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A page: its space, and its id.
type Page = (String, String);

/// Two sections with two variants each; every page has a name of its own.
struct Site {
    path: String,
    spaces: Vec<SpaceId>,
    sections: Vec<String>,
    /// The spaces on the site, by section.
    variants: Vec<Vec<String>>,
}

impl Site {
    async fn new(world: &World) -> Self {
        let mut spaces = Vec::new();
        for name in ["ant", "bee", "cat", "dog"] {
            let (one, two) = (format!("{name}-one.md"), format!("{name}-deep/{name}-two.md"));
            let files = [("README.md", "# Start\n"), (one.as_str(), "# One\n"), (two.as_str(), "# Two\n")];
            spaces.push(world.import(&Fixture::new(name, files)).await);
        }
        let path = site(world, json!({"title": "Docs", "spaces": [spaces[0].as_str()]})).await;
        let add = async |list: &str, body: Value| {
            world.ada.post(&format!("{path}/{list}"), body).await.expect(201).id().to_owned()
        };
        add("sections", json!({"spaceId": spaces[1].as_str(), "title": "Second"})).await;
        let found = world.ada.get(&format!("{path}/structure")).await.ok();
        let sections: Vec<String> = found.list("structure").iter().map(|section| section.id().to_owned()).collect();
        for (section, space) in sections.iter().zip(&spaces[2..]) {
            add("site-spaces", json!({"spaceId": space.as_str(), "sectionId": section, "title": "Other"})).await;
        }
        let found = world.ada.get(&format!("{path}/structure")).await.ok();
        let ids = |section: &Value| section.list("siteSpaces").iter().map(|one| one.id().to_owned()).collect();
        let variants = found.list("structure").iter().map(ids).collect();
        world.ada.post(&format!("{path}/publish"), json!({})).await.ok();
        Self { path, spaces, sections, variants }
    }

    /// Where each page is published now; the first pages of spaces are at the path of their variant.
    async fn addresses(&self, world: &World) -> BTreeMap<Page, String> {
        let mut all = BTreeMap::new();
        for space in &self.spaces {
            let found = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
            let mut waiting: Vec<Value> = found.list("pages").to_vec();
            while let Some(page) = waiting.pop() {
                waiting.extend(page["pages"].as_array().cloned().unwrap_or_default());
                if page["type"] == "document" {
                    let url = page["urls"].text("published").to_owned();
                    all.insert((space.to_string(), page.id().to_owned()), url);
                }
            }
        }
        all
    }

    /// Renames or moves something.
    async fn change(&self, world: &World, random: &mut SeededRandom, step: usize) {
        let (section, variant) = (random.below(2), random.below(2));
        let (section_id, variant_id) = (&self.sections[section], &self.variants[section][variant]);
        let section_path = format!("{}/sections/{section_id}", self.path);
        let (at, body) = match random.below(5) {
            0 => (section_path, json!({"path": format!("section{step}")})),
            1 => (format!("{}/site-spaces/{variant_id}", self.path), json!({"path": format!("variant{step}")})),
            2 => (self.path.clone(), json!({"defaultSiteSection": section_id})),
            3 => (section_path, json!({"defaultSiteSpace": variant_id})),
            _ => {
                let space = &self.spaces[random.below(4)];
                let found = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
                let pages: Vec<&Value> = found
                    .list("pages")
                    .iter()
                    .filter(|page| page["path"].as_str().unwrap_or_default().contains("one"))
                    .collect();
                let Some(page) = pages.first() else { return };
                let slug = format!("one{step}");
                return merge(world, space, json!([{"operation": "update_page", "page": page.id(), "slug": slug}]))
                    .await;
            }
        };
        world.ada.patch(&at, body).await.ok();
    }
}

#[acceptance::test]
async fn every_path_of_before_leads_to_its_page(world: World) {
    for seed in 0..2 {
        let (mut random, site) = (SeededRandom::new(seed), Site::new(&world).await);
        let mut ever: BTreeMap<String, Page> = BTreeMap::new();
        for step in 0..16 {
            ever.extend(site.addresses(&world).await.into_iter().map(|(page, url)| (url, page)));
            site.change(&world, &mut random, step).await;
        }
        let now = site.addresses(&world).await;
        assert_eq!(now.values().collect::<std::collections::BTreeSet<_>>().len(), now.len(), "each has its own");
        for (url, page) in ever {
            let found = lead(&world, &url).await;
            if !url.contains("one") && !url.contains("two") {
                // The first page of a variant: whichever it is now.
                assert!(found != "nothing", "seed {seed}: {url} leads to nothing");
            } else if now[&page] == url {
                assert!(found.starts_with("= "), "seed {seed}: {url} leads to {found}");
            } else {
                assert_eq!(found, now[&page], "seed {seed}: {url}");
            }
        }
        world.ada.delete(&site.path).await.expect(205);
    }
}
