mod random;

use super::*;
use crate::patch::Patch;
use crate::site::adaptive_schema::AdaptiveSchema;
use crate::text::Invalid;
use rstest::rstest;

fn space(id: &str) -> SiteSpace {
    SiteSpace::new(id.parse().unwrap(), format!("of-{id}").parse().unwrap(), id.parse().unwrap())
}

fn section(id: &str, spaces: &[&str]) -> Section {
    Section {
        id: id.parse().unwrap(),
        settings: SectionSettings::new(SiteTitle::fitted(id, "Section"), id.parse().unwrap()),
        spaces: spaces.iter().map(|id| space(id)).collect(),
    }
}

fn group(id: &str) -> Item {
    Item::Group(SectionGroup {
        id: id.parse().unwrap(),
        settings: SectionGroupSettings {
            title: "Group".parse().unwrap(),
            icon: None,
            draft: false,
            localized_title: Localized::default(),
        },
        items: Vec::new(),
    })
}

fn link(id: &str) -> Item {
    let settings = serde_json::json!({"title": "Link", "url": "https://example.org/"});
    Item::Link(ExternalLink { id: id.parse().unwrap(), settings: serde_json::from_value(settings).unwrap() })
}

fn home() -> Section {
    section("home", &[])
}

/// Names in order; `*` marks a default, `-` a draft, `g(…)` a group.
fn told(structure: &Structure) -> String {
    fn marked(name: &str, default: bool, draft: bool) -> String {
        format!("{name}{}{}", if default { "*" } else { "" }, if draft { "-" } else { "" })
    }
    fn spaces(spaces: &[SiteSpace]) -> String {
        let names = spaces.iter().map(|one| marked(one.id.as_str(), one.settings.default, one.settings.draft));
        names.collect::<Vec<_>>().join(" ")
    }
    fn items(all: &[Item]) -> String {
        let names = all.iter().map(|item| match item {
            Item::Section(one) => {
                let name = marked(one.id.as_str(), one.settings.default, one.settings.draft);
                format!("{name}[{}]", spaces(&one.spaces))
            }
            Item::Group(group) => format!("{}({})", group.id, items(&group.items)),
            Item::Link(link) => link.id.to_string(),
        });
        names.collect::<Vec<_>>().join(" ")
    }
    match structure {
        Structure::Spaces(all) => spaces(all),
        Structure::Sections(all) => items(all),
    }
}

fn flat(ids: &[&str]) -> Structure {
    let mut structure = Structure::default();
    for id in ids {
        structure.add_space(&NewPlace::Default, space(id)).unwrap();
    }
    structure
}

fn three() -> Structure {
    let mut structure = Structure::default();
    for (id, spaces) in [("one", ["a", "b"]), ("two", ["c", "d"]), ("three", ["e", "f"])] {
        structure.add_section(section(id, &spaces), None, Some(home())).unwrap();
    }
    structure
}

#[test]
fn the_first_space_is_the_default_and_the_first_section_contains_the_spaces() {
    let mut structure = flat(&["a", "b"]);
    assert_eq!(told(&structure), "a* b");
    structure.add_section(section("new", &["c"]), None, Some(home())).unwrap();
    assert_eq!(told(&structure), "home*[a* b] new[c*]");
    structure.add_space(&NewPlace::Default, space("d")).unwrap();
    structure.add_space(&NewPlace::Section("new".parse().unwrap()), space("e")).unwrap();
    assert_eq!(told(&structure), "home*[a* b d] new[c* e]");
    let mut empty = Structure::default();
    empty.add_section(section("only", &["a"]), None, Some(home())).unwrap();
    assert_eq!(told(&empty), "only*[a*]", "there was nothing to take in");
}

#[test]
fn the_next_item_replaces_a_removed_default() {
    let mut structure = three();
    structure.set_default_section(&"two".parse().unwrap()).unwrap();
    assert!(structure.remove_section(&"two".parse().unwrap()).is_some());
    assert_eq!(told(&structure), "one[a* b] three*[e* f]");
    structure.remove_space(&"e".parse().unwrap()).unwrap();
    assert_eq!(told(&structure), "one[a* b] three*[f*]");
    structure.remove_section(&"three".parse().unwrap()).unwrap();
    assert_eq!(told(&structure), "one*[a* b]");
    structure.remove_section(&"one".parse().unwrap()).unwrap();
    assert_eq!(structure, Structure::default(), "without sections the site is flat and empty");
}

#[test]
fn a_draft_is_not_the_default_as_long_as_there_is_something_live() {
    let draft = |draft| SectionPatch { draft: Some(draft), ..SectionPatch::default() };
    let mut structure = three();
    structure.update_section(&"one".parse().unwrap(), draft(true)).unwrap();
    assert_eq!(told(&structure), "one-[a* b] two*[c* d] three[e* f]");
    for id in ["two", "three"] {
        structure.update_section(&id.parse().unwrap(), draft(true)).unwrap();
    }
    assert_eq!(told(&structure), "one-[a* b] two-[c* d] three*-[e* f]", "one of the drafts");
    structure.update_section(&"one".parse().unwrap(), draft(false)).unwrap();
    assert_eq!(told(&structure), "one*[a* b] two-[c* d] three-[e* f]");
    let refused = structure.set_default_section(&"two".parse().unwrap()).unwrap_err();
    assert_eq!(refused.field, "defaultSiteSection");
}

#[test]
fn a_section_in_a_draft_group_is_not_the_default() {
    let mut structure = three();
    structure.add_item(group("g"), None).unwrap();
    let into = SectionPatch { group: Patch::Set("g".parse().unwrap()), ..SectionPatch::default() };
    structure.update_section(&"one".parse().unwrap(), into.clone()).unwrap();
    assert_eq!(told(&structure), "two[c* d] three[e* f] g(one*[a* b])");
    let draft = |draft| SectionGroupPatch { draft: Some(draft), ..SectionGroupPatch::default() };
    structure.update_group(&"g".parse().unwrap(), draft(true)).unwrap();
    assert_eq!(told(&structure), "two*[c* d] three[e* f] g(one[a* b])", "the group becomes a draft");
    let refused = structure.set_default_section(&"one".parse().unwrap()).unwrap_err();
    assert_eq!(refused.field, "defaultSiteSection");
    structure.update_section(&"two".parse().unwrap(), into.clone()).unwrap();
    assert_eq!(told(&structure), "three*[e* f] g(one[a* b] two[c* d])", "the default moves into a draft");
    structure.update_section(&"three".parse().unwrap(), into).unwrap();
    assert_eq!(told(&structure), "g(one[a* b] two[c* d] three*[e* f])", "all are in it");
    structure.update_group(&"g".parse().unwrap(), draft(false)).unwrap();
    structure.set_default_section(&"one".parse().unwrap()).unwrap();
    assert_eq!(told(&structure), "g(one*[a* b] two[c* d] three[e* f])");
}

#[test]
fn the_items_of_a_removed_group_take_its_position() {
    let mut structure = three();
    structure.add_item(group("g"), None).unwrap();
    structure.add_item(group("h"), Some(&"g".parse().unwrap())).unwrap();
    let into = |id: &str| SectionPatch { group: Patch::Set(id.parse().unwrap()), ..SectionPatch::default() };
    structure.update_section(&"one".parse().unwrap(), into("g")).unwrap();
    structure.update_section(&"three".parse().unwrap(), into("h")).unwrap();
    assert_eq!(told(&structure), "two[c* d] g(h(three[e* f]) one*[a* b])");
    structure.remove_group(&"g".parse().unwrap()).unwrap();
    assert_eq!(told(&structure), "two[c* d] h(three[e* f]) one*[a* b]");
    let out = SectionPatch { group: Patch::Clear, ..SectionPatch::default() };
    structure.update_section(&"three".parse().unwrap(), out).unwrap();
    assert_eq!(told(&structure), "two[c* d] h() one*[a* b] three[e* f]");
}

#[test]
fn groups_nest_three_deep_and_never_in_themselves() {
    let mut structure = three();
    structure.add_item(group("g"), None).unwrap();
    structure.add_item(group("h"), Some(&"g".parse().unwrap())).unwrap();
    structure.add_item(group("i"), Some(&"h".parse().unwrap())).unwrap();
    let too_deep = structure.add_item(group("j"), Some(&"i".parse().unwrap())).unwrap_err();
    assert_eq!(too_deep.field, "parent");
    let inside = SectionGroupPatch { parent: Patch::Set("i".parse().unwrap()), ..SectionGroupPatch::default() };
    let before = structure.clone();
    let refused = structure.update_group(&"g".parse().unwrap(), inside).unwrap_err();
    assert_eq!((refused.field.as_str(), &structure), ("parentSectionGroupId", &before), "nothing is half done");
    structure.add_item(group("k"), None).unwrap();
    let below = SectionGroupPatch { parent: Patch::Set("k".parse().unwrap()), ..SectionGroupPatch::default() };
    let refused = structure.update_group(&"g".parse().unwrap(), below).unwrap_err();
    assert_eq!(refused.field, "parentSectionGroupId", "with the groups in it, it is too deep");
}

#[test]
fn a_group_or_a_link_needs_sections() {
    assert!(flat(&["a"]).add_item(group("g"), None).is_err());
    assert!(flat(&["a"]).add_item(link("l"), None).is_err());
}

#[test]
fn a_site_has_at_most_a_hundred_sections_groups_links_and_spaces_beside_each_other() {
    let mut structure = Structure::default();
    let refused = |refused: Result<(), Invalid>| refused.unwrap_err().to_string();
    for at in 0..MAX_SPACES {
        structure.add_space(&NewPlace::Default, space(&format!("v{at}"))).unwrap();
    }
    let told = refused(structure.add_space(&NewPlace::Default, space("more")));
    assert_eq!(told, "spaceId: there can be at most 100 spaces beside each other");
    for at in 1..MAX_SECTIONS {
        structure.add_section(section(&format!("s{at}"), &[&format!("w{at}")]), None, Some(home())).unwrap();
    }
    let told = refused(structure.add_section(section("more", &["more"]), None, Some(home())));
    assert_eq!(told, "title: a site can have at most 100 sections");
    for at in 0..MAX_GROUPS {
        structure.add_item(group(&format!("g{at}")), None).unwrap();
        structure.add_item(link(&format!("l{at}")), None).unwrap();
    }
    let before = structure.clone();
    assert_eq!(refused(structure.add_item(group("more"), None)), "title: a site can have at most 100 groups");
    assert_eq!(refused(structure.add_item(link("more"), None)), "title: a site can have at most 100 links");
    assert_eq!(structure, before);
    structure.add_space(&NewPlace::Section("s1".parse().unwrap()), space("more")).unwrap();
}

#[test]
fn paths_are_unique_among_siblings() {
    let mut structure = three();
    let path = |path: &str| path.parse().ok();
    let same = SectionPatch { path: path("two"), ..SectionPatch::default() };
    assert_eq!(structure.update_section(&"one".parse().unwrap(), same).unwrap_err().field, "path");
    let same = SiteSpacePatch { path: path("b"), ..SiteSpacePatch::default() };
    assert_eq!(structure.update_space(&"a".parse().unwrap(), same.clone()).unwrap_err().field, "path");
    assert_eq!(structure.update_space(&"c".parse().unwrap(), same), Ok(true), "it is in another section");
    assert_eq!(structure.free_section_path("Two").as_str(), "two-1");
}

#[test]
fn a_space_is_on_a_site_once() {
    let mut structure = flat(&["a"]);
    let again = SiteSpace { id: "b".parse().unwrap(), ..space("a") };
    assert_eq!(structure.add_space(&NewPlace::Default, again.clone()).unwrap_err().field, "spaceId");
    let other_page = SiteSpace {
        settings: SiteSpaceSettings { page: "p".parse().ok(), path: "b".parse().unwrap(), ..again.settings.clone() },
        ..again
    };
    assert_eq!(structure.add_space(&NewPlace::Default, other_page), Ok(()), "it begins with another page");
}

#[test]
fn another_space_drops_the_page_of_the_old_one() {
    let mut structure = flat(&["a"]);
    let page = SiteSpacePatch { page: Patch::Set("p".parse().unwrap()), ..SiteSpacePatch::default() };
    structure.update_space(&"a".parse().unwrap(), page).unwrap();
    let other = SiteSpacePatch { space: "other".parse().ok(), ..SiteSpacePatch::default() };
    structure.update_space(&"a".parse().unwrap(), other).unwrap();
    let (_, changed) = structure.space(&"a".parse().unwrap()).unwrap();
    assert_eq!((changed.space.as_str(), &changed.settings.page), ("other", &None));
}

#[rstest]
#[case::to_the_end("", "a", None, None, Ok("b c d a*"))]
#[case::before("", "d", Some("b"), None, Ok("a* d b c"))]
#[case::after("", "a", None, Some("c"), Ok("b c a* d"))]
#[case::between("", "d", Some("b"), Some("a"), Ok("a* d b c"))]
#[case::not_adjacent("", "d", Some("c"), Some("a"), Err("position"))]
#[case::itself("", "d", Some("d"), None, Err("position.before"))]
#[case::unknown("", "d", None, Some("x"), Err("position.after"))]
#[case::after_one_that_precedes_a_hidden_one("b", "d", None, Some("a"), Ok("a* d b c"))]
#[case::between_two_around_a_hidden_one("b", "d", Some("c"), Some("a"), Ok("a* b d c"))]
#[case::to_the_end_with_a_hidden_one("b", "a", None, None, Ok("b c d a*"))]
#[case::a_hidden_one_is_no_sibling("b", "d", Some("b"), None, Err("position.before"))]
fn parts_are_moved_among_the_siblings_that_the_caller_sees(
    #[case] hidden: &str,
    #[case] id: &str,
    #[case] before: Option<&str>,
    #[case] after: Option<&str>,
    #[case] expected: Result<&str, &str>,
) {
    let mut structure = flat(&["a", "b", "c", "d"]);
    let name = |id: &str| ItemId::Space(id.parse().unwrap());
    let shown = |one: &SiteSpace| one.id.as_str() != hidden;
    let beside = SiblingPosition { before: before.map(name), after: after.map(name) };
    let sorted = structure.sort(&name(id), &beside, shown).map(|_| told(&structure));
    assert_eq!(sorted.as_deref().map_err(|error: &Invalid| error.field.as_str()), expected);
}

#[test]
fn a_hidden_part_is_not_moved() {
    let mut structure = flat(&["a", "b"]);
    let id: SiteSpaceId = "a".parse().unwrap();
    let sorted = structure.sort(&ItemId::Space(id.clone()), &SiblingPosition::default(), |one| one.id != id);
    assert_eq!((sorted, told(&structure).as_str()), (Ok(false), "a* b"));
}

#[test]
fn the_live_structure_has_no_drafts_deleted_spaces_or_empty_items() {
    let mut structure = three();
    structure.add_item(group("g"), None).unwrap();
    let draft = SiteSpacePatch { draft: Some(true), ..SiteSpacePatch::default() };
    structure.update_space(&"a".parse().unwrap(), draft).unwrap();
    let live = structure.clone().live(|space| !["c", "d"].contains(&space.id.as_str()));
    assert_eq!(told(&live), "one*[b*] three[e* f]");
    let live = structure.live(|space| !["b", "c"].contains(&space.id.as_str()));
    assert_eq!(told(&live), "two*[d*] three[e* f]", "the default section has nothing left");
}

#[rstest]
#[case::as_visitors_read(None, None, "a c e")]
#[case::from_another_space(Some("d"), None, "a d e")]
#[case::only_there(Some("d"), Some(ScopeRestriction::Current), "d")]
#[case::all_but_that(Some("d"), Some(ScopeRestriction::Others), "a b c e f")]
fn a_default_scope_is_the_current_space_and_the_defaults_of_other_sections(
    #[case] current: Option<&str>,
    #[case] restriction: Option<ScopeRestriction>,
    #[case] expected: &str,
) {
    let scope = SiteScope::Default { current: current.map(|id| id.parse().unwrap()), restriction };
    let found: Vec<String> = three().in_scope(&scope).unwrap().iter().map(|space| space.id.to_string()).collect();
    assert_eq!(found.join(" "), expected);
}

#[test]
fn a_scope_names_spaces_of_the_site() {
    let structure = three();
    let specific = |ids: &[&str]| SiteScope::Specific(ids.iter().map(|id| id.parse().unwrap()).collect());
    assert_eq!(structure.in_scope(&specific(&["f", "a"])).unwrap().len(), 2);
    assert_eq!(structure.in_scope(&specific(&["a", "x"])).unwrap_err().field, "scope.siteSpaceIds[1]");
    assert_eq!(structure.in_scope(&SiteScope::All).unwrap().len(), 6);
}

#[test]
fn a_visitor_sees_pages_without_a_condition_or_with_a_true_one() {
    let mut structure = three();
    let condition = |source: &str| Patch::Set(Condition::parse(source).unwrap().unwrap());
    let patch = |source| SectionPatch { condition: condition(source), ..SectionPatch::default() };
    structure.update_section(&"one".parse().unwrap(), patch("visitor.claims.plan === 'pro'")).unwrap();
    let hide = SiteSpacePatch { condition: condition("false"), ..SiteSpacePatch::default() };
    structure.update_space(&"c".parse().unwrap(), hide).unwrap();
    let schema = serde_json::json!({"type": "object", "additionalProperties": false, "properties": {
        "plan": {"type": "string", "description": "The plan."},
    }});
    let schema = AdaptiveSchema::parse(&schema).unwrap();
    let claims =
        |plan: &str| schema.cut(serde_json::json!({"plan": plan}).as_object().unwrap(), &serde_json::Map::new());
    assert_eq!(told(&structure.clone().for_visitor(&claims("pro"))), "one*[a* b] two[d*] three[e* f]");
    assert_eq!(told(&structure.clone().for_visitor(&claims("free"))), "two*[d*] three[e* f]");
    assert_eq!(told(&structure.for_visitor(&VisitorClaims::default())), "two*[d*] three[e* f]");
}
