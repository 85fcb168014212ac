//! Random changes of a structure.
use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A change of a structure.
#[derive(Clone, Debug)]
enum Step {
    AddSpace(Option<usize>, usize),
    AddSection(usize, usize, Option<usize>),
    AddGroup(usize, Option<usize>),
    DraftSpace(usize, bool),
    DraftSection(usize, bool),
    DraftGroup(usize, bool),
    RemoveSpace(usize),
    RemoveSection(usize),
    AddLink(usize, Option<usize>),
    RemoveGroup(usize),
    RemoveLink(usize),
    Sort(ItemId, ItemId, bool),
    Put(ItemId, Option<usize>),
    DefaultSection(usize),
    DefaultSpace(usize),
}

fn part() -> impl Strategy<Value = ItemId> {
    (0usize..12, 0usize..4).prop_map(|(at, kind)| match kind {
        0 => ItemId::Space(id("v", at)),
        1 => ItemId::Section(id("s", at)),
        2 => ItemId::Group(id("g", at)),
        _ => ItemId::Link(id("l", at)),
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let n = || 0usize..12;
    let maybe = || proptest::option::of(0usize..12);
    let add = prop_oneof![
        (maybe(), n()).prop_map(|(at, id)| Step::AddSpace(at, id)),
        (n(), n(), maybe()).prop_map(|(id, space, group)| Step::AddSection(id, space, group)),
        (n(), maybe()).prop_map(|(id, parent)| Step::AddGroup(id, parent)),
        (n(), maybe()).prop_map(|(id, parent)| Step::AddLink(id, parent)),
    ];
    let change = prop_oneof![
        (n(), any::<bool>()).prop_map(|(id, draft)| Step::DraftSpace(id, draft)),
        (n(), any::<bool>()).prop_map(|(id, draft)| Step::DraftSection(id, draft)),
        (n(), any::<bool>()).prop_map(|(id, draft)| Step::DraftGroup(id, draft)),
        n().prop_map(Step::DefaultSection),
        n().prop_map(Step::DefaultSpace),
    ];
    let remove = prop_oneof![
        n().prop_map(Step::RemoveSpace),
        n().prop_map(Step::RemoveSection),
        n().prop_map(Step::RemoveGroup),
        n().prop_map(Step::RemoveLink),
    ];
    let sort = (part(), part(), any::<bool>()).prop_map(|(id, beside, before)| Step::Sort(id, beside, before));
    let put = (part(), maybe()).prop_map(|(id, group)| Step::Put(id, group));
    let step = prop_oneof![8 => add, 4 => change, 3 => remove, 6 => sort, 3 => put];
    proptest::collection::vec(step, 1..60)
}

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(kind: &str, number: usize) -> T {
    format!("{kind}{number}").parse().unwrap()
}

/// Applies a step if the structure accepts it.
fn apply(structure: &mut Structure, step: Step) -> Result<(), Invalid> {
    let known = |structure: &Structure, number| structure.space(&id("v", number)).is_some();
    match step {
        Step::AddSpace(at, number) if !known(structure, number) => {
            let place = at.map_or(NewPlace::Default, |at| NewPlace::Section(id("s", at)));
            structure.add_space(&place, space(&format!("v{number}")))
        }
        Step::AddSection(at, number, group)
            if !known(structure, number) && structure.section(&id("s", at)).is_none() =>
        {
            let new = section(&format!("s{at}"), &[&format!("v{number}")]);
            structure.add_section(new, group.map(|at| id("g", at)).as_ref(), Some(home()))
        }
        Step::AddGroup(at, parent) if structure.group(&id("g", at)).is_none() => {
            structure.add_item(group(&format!("g{at}")), parent.map(|at| id("g", at)).as_ref())
        }
        Step::DraftSpace(at, draft) => {
            let patch = SiteSpacePatch { draft: Some(draft), ..SiteSpacePatch::default() };
            structure.update_space(&id("v", at), patch).map(drop)
        }
        Step::DraftSection(at, draft) => {
            let patch = SectionPatch { draft: Some(draft), ..SectionPatch::default() };
            structure.update_section(&id("s", at), patch).map(drop)
        }
        Step::DraftGroup(at, draft) => {
            let patch = SectionGroupPatch { draft: Some(draft), ..SectionGroupPatch::default() };
            structure.update_group(&id("g", at), patch).map(drop)
        }
        Step::RemoveSpace(at) => {
            structure.remove_space(&id("v", at));
            Ok(())
        }
        Step::RemoveSection(at) => {
            structure.remove_section(&id("s", at));
            Ok(())
        }
        Step::AddLink(at, parent) if structure.item(&ItemId::Link(id("l", at))).is_none() => {
            structure.add_item(link(&format!("l{at}")), parent.map(|at| id("g", at)).as_ref())
        }
        Step::RemoveGroup(at) => {
            structure.remove_group(&id("g", at));
            Ok(())
        }
        Step::RemoveLink(at) => {
            structure.remove_link(&ItemId::Link(id("l", at)));
            Ok(())
        }
        Step::Sort(item, beside, before) => {
            let beside = match before {
                true => SiblingPosition { before: Some(beside), after: None },
                false => SiblingPosition { before: None, after: Some(beside) },
            };
            structure.sort(&item, &beside, |_| true).map(drop)
        }
        Step::Put(item, group) => {
            let group = group.map_or(Patch::Clear, |at| Patch::Set(id("g", at)));
            match item {
                ItemId::Space(_) => Ok(()),
                ItemId::Section(section) => {
                    let patch = SectionPatch { group, ..SectionPatch::default() };
                    structure.update_section(&section, patch).map(drop)
                }
                ItemId::Group(at) => {
                    let patch = SectionGroupPatch { parent: group, ..SectionGroupPatch::default() };
                    structure.update_group(&at, patch).map(drop)
                }
                ItemId::Link(_) => {
                    let patch = LinkPatch { parent: group, ..LinkPatch::default() };
                    structure.update_link(&item, patch).map(drop)
                }
            }
        }
        Step::DefaultSection(at) => structure.set_default_section(&id("s", at)),
        Step::DefaultSpace(at) => structure.set_default_space(&id("v", at)),
        _known => Ok(()),
    }
}

fn one_default(marks: impl Iterator<Item = (bool, bool)>) -> bool {
    let marks: Vec<(bool, bool)> = marks.collect();
    let defaults = marks.iter().filter(|(default, _)| *default).count();
    let live_default = marks.iter().any(|(default, draft)| *default && !draft);
    defaults == usize::from(!marks.is_empty()) && (live_default || marks.iter().all(|(_, draft)| *draft))
}

/// Every id of a structure.
fn ids(structure: &Structure) -> Vec<String> {
    let spaces = structure.spaces().into_iter().map(|(_, space)| space.id.to_string());
    let sections = structure.sections().into_iter().map(|section| section.id.to_string());
    let groups = structure.groups().into_iter().map(|group| group.id.to_string());
    let links = structure.links().into_iter().map(|link| link.id.to_string());
    spaces.chain(sections).chain(groups).chain(links).collect()
}

/// The parts beside a part, in order, with the part itself.
fn siblings(structure: &Structure, id: &ItemId) -> Vec<ItemId> {
    fn lists(items: &[Item]) -> Vec<Vec<ItemId>> {
        let mut all = vec![items.iter().map(Item::id).collect()];
        for item in items {
            match item {
                Item::Section(one) => all.push(one.spaces.iter().map(|one| ItemId::Space(one.id.clone())).collect()),
                Item::Group(group) => all.extend(lists(&group.items)),
                Item::Link(_) => {}
            }
        }
        all
    }
    let all = match structure {
        Structure::Spaces(all) => vec![all.iter().map(|one| ItemId::Space(one.id.clone())).collect()],
        Structure::Sections(items) => lists(items),
    };
    all.into_iter().find(|list| list.contains(id)).unwrap_or_default()
}

proptest! {
    #[test]
    fn every_change_keeps_one_default_and_all_items_once(steps in steps()) {
        let mut structure = Structure::default();
        for step in steps {
            let before = structure.clone();
            let removes = matches!(
                step,
                Step::RemoveSpace(_) | Step::RemoveSection(_) | Step::RemoveGroup(_) | Step::RemoveLink(_)
            );
            let sorted = match &step {
                Step::Sort(id, beside, first) => Some((id.clone(), beside.clone(), *first)),
                _ => None,
            };
            if let Some((id, beside, first)) = sorted {
                // What a list is after a sort: without the part, and the part beside the other.
                let mut expected = siblings(&structure, &id);
                let among = id != beside && expected.contains(&beside);
                let is_there = !expected.is_empty();
                expected.retain(|one| *one != id);
                if let Some(at) = expected.iter().position(|one| *one == beside) {
                    expected.insert(if first { at } else { at + 1 }, id.clone());
                }
                prop_assert_eq!(apply(&mut structure, step).is_ok(), among || !is_there);
                let expected = if among { expected } else { siblings(&before, &id) };
                prop_assert_eq!(siblings(&structure, &id), expected);
                prop_assert!(among || structure == before, "a refused change changes nothing");
            } else if apply(&mut structure, step).is_err() {
                prop_assert_eq!(&structure, &before, "a refused change changes nothing");
            }
            let (now, was) = (ids(&structure), ids(&before));
            let unique: BTreeSet<&String> = now.iter().collect();
            prop_assert_eq!(unique.len(), now.len(), "nothing is there twice");
            prop_assert!(removes || was.iter().all(|id| unique.contains(id)), "nothing is lost");
            match &structure {
                Structure::Spaces(spaces) => {
                    prop_assert!(one_default(spaces.iter().map(|one| (one.settings.default, one.settings.draft))));
                }
                Structure::Sections(items) => {
                    let sections = structure.sections();
                    prop_assert!(!sections.is_empty(), "a site without sections has no groups");
                    let drafts = live_sections(items).into_iter().map(|live| !live);
                    prop_assert!(one_default(sections.iter().map(|one| one.settings.default).zip(drafts)));
                    for section in sections {
                        let marks = section.spaces.iter().map(|one| (one.settings.default, one.settings.draft));
                        prop_assert!(one_default(marks), "{}", told(&structure));
                    }
                }
            }
        }
    }
}
