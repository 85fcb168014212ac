//! Properties of every map, with a `BTreeMap` as the model.
use super::tests::{Edits, Model, apply, apply_to_model, depth, driven, stored};
use super::*;
use crate::object::ReadError;
use bytes::Bytes;
use proptest::prelude::*;
use std::ops::Bound::{Excluded, Included, Unbounded};

/// Keys of the alphabet of ids, both close together and far apart, so that edits hit existing entries.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![4 => (0_u32..2_000).prop_map(|number| format!("k{number}")), 1 => "[a-é]{0,3}"]
}

/// Keys that end no leaf: only the size limit cuts a row of them.
fn plain_key() -> impl Strategy<Value = String> {
    (0_u32..3_000).prop_map(|number| format!("k{number}")).prop_filter("ends a leaf", |key| !chunk::ends(key, 0))
}

/// Keys that each end a leaf.
fn cutting_key() -> impl Strategy<Value = String> {
    let cutting: Vec<_> = (0_u32..6_000).map(|number| format!("k{number}")).filter(|key| chunk::ends(key, 0)).collect();
    prop::sample::select(cutting)
}

fn any_kind_of_key() -> BoxedStrategy<String> {
    prop_oneof![6 => key(), 2 => plain_key(), 1 => cutting_key()].boxed()
}

fn model() -> impl Strategy<Value = Model> {
    prop_oneof![
        prop::collection::btree_map(any_kind_of_key(), any::<u32>(), 0..40),
        prop::collection::btree_map(key(), any::<u32>(), 0..1_500),
        prop::collection::btree_map(plain_key(), any::<u32>(), 0..600),
        prop::collection::btree_map(cutting_key(), any::<u32>(), 0..300),
    ]
}

fn edits() -> impl Strategy<Value = Edits> {
    prop::collection::btree_map(any_kind_of_key(), prop::option::weighted(0.6, any::<u32>()), 0..30)
}

/// Edits that mostly hit keys of a model, with runs of neighbours.
fn edits_of(model: Model) -> impl Strategy<Value = (Model, Edits)> {
    let runs = prop::collection::vec((any::<prop::sample::Index>(), 1_usize..60, any::<Option<u32>>()), 0..4);
    (Just(model), runs, edits()).prop_map(|(model, runs, mut edits)| {
        let keys: Vec<_> = model.keys().cloned().collect();
        for (start, length, value) in runs.into_iter().filter(|_| !keys.is_empty()) {
            edits.extend(keys.iter().skip(start.index(keys.len())).take(length).map(|key| (key.clone(), value)));
        }
        (model, edits)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_history_gives_the_tree_of_its_content(
        (start, first) in model().prop_flat_map(edits_of),
        then in prop::collection::vec(edits(), 0..4),
    ) {
        let (mut memory, mut map) = stored(&start);
        let mut model = start;
        for edits in std::iter::once(first).chain(then) {
            apply_to_model(&mut model, &edits);
            map = apply(&mut memory, map, edits);
            let (built_memory, built) = stored(&model);
            prop_assert_eq!(map, built);
            prop_assert_eq!(map.reachable(&memory).unwrap(), built.reachable(&built_memory).unwrap());
        }
    }

    #[test]
    fn a_map_reads_as_its_model(model in model(), asked in prop::collection::vec(any_kind_of_key(), 0..20)) {
        let (memory, map) = stored(&model);
        prop_assert_eq!(map.len(&memory).unwrap(), model.len() as u64);
        prop_assert_eq!(map.is_empty(), model.is_empty());
        prop_assert_eq!(map.entries(&memory).unwrap(), model.clone().into_iter().collect::<Vec<_>>());
        for key in &asked {
            prop_assert_eq!(map.get(&memory, key).unwrap(), model.get(key).copied());
        }
        let all: Vec<&str> = asked.iter().chain(model.keys()).map(String::as_str).collect();
        let expected: Vec<_> = all.iter().map(|key| model.get(*key).copied()).collect();
        prop_assert_eq!(map.get_many(&memory, &all).unwrap(), expected);
    }

    #[test]
    fn a_range_is_that_of_its_model(
        model in model(),
        a in any_kind_of_key(),
        b in any_kind_of_key(),
        cut in 0_usize..4,
    ) {
        let (memory, map) = stored(&model);
        let (low, high) = if a < b { (&a[..], &b[..]) } else { (&b[..], &a[..]) };
        for bounds in [(Included(low), Excluded(high)), (Excluded(low), Unbounded), (Unbounded, Included(high))] {
            if low < high {
                let range = model.range::<str, _>(bounds);
                let expected: Vec<_> = range.map(|(key, value)| (key.clone(), *value)).collect();
                prop_assert_eq!(map.range(&memory, bounds).unwrap(), expected);
            }
        }
        let prefix: String = a.chars().take(cut).collect();
        let expected: Vec<_> = model.into_iter().filter(|(key, _)| key.starts_with(&prefix)).collect();
        prop_assert_eq!(map.with_prefix(&memory, &prefix).unwrap(), expected);
    }

    #[test]
    fn the_entries_after_a_key_are_the_first_of_its_model(
        model in model(),
        after in prop::option::of(any_kind_of_key()),
        limit in 0_usize..400,
    ) {
        let (memory, map) = stored(&model);
        let after = after.as_deref();
        let range = model.range::<str, _>((after.map_or(Unbounded, Excluded), Unbounded));
        let expected: Vec<_> = range.take(limit).map(|(key, value)| (key.clone(), *value)).collect();
        let (found, runs) = driven(&memory, |objects| map.entries_after(objects, after, limit));
        prop_assert_eq!(found, expected);
        prop_assert!(runs <= depth(map, &memory) + 1);
    }

    #[test]
    fn a_diff_leads_from_one_map_to_the_other(
        (before, edits) in model().prop_flat_map(edits_of),
        other in model(),
        near in any::<bool>(),
    ) {
        let mut after = before.clone();
        apply_to_model(&mut after, &edits);
        let after = if near { after } else { other };
        let (mut memory, map) = stored(&before);
        let (other_memory, target) = stored(&after);
        let nodes = target.reachable(&other_memory).unwrap();
        memory.extend(nodes.into_iter().map(|hash| (hash, other_memory.get(&hash).unwrap())));
        let changes = map.diff(&target, &memory).unwrap();
        let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
        let expected: Vec<_> = keys
            .into_iter()
            .map(|key| {
                let value = |model: &BTreeMap<String, u32>| model.get(key).copied().map(Box::new);
                MapChange { key: key.clone(), before: value(&before), after: value(&after) }
            })
            .filter(|change| change.before != change.after)
            .collect();
        prop_assert_eq!(&changes, &expected);
        let edits = changes.into_iter().map(|change| (change.key, change.after.map(|value| *value))).collect();
        prop_assert_eq!(apply(&mut memory, map, edits), target);
    }

    #[test]
    fn loading_what_is_missing_takes_a_run_for_each_level((model, edits) in model().prop_flat_map(edits_of)) {
        let (mut memory, map) = stored(&model);
        let edited = apply(&mut memory, map, edits.clone());
        let levels = depth(map, &memory);

        let (all, runs) = driven(&memory, |objects| map.entries(objects));
        prop_assert_eq!(all, map.entries(&memory).unwrap());
        prop_assert!(runs <= levels + 1);

        let keys: Vec<&str> = edits.keys().map(String::as_str).collect();
        let (values, runs) = driven(&memory, |objects| map.get_many(objects, &keys));
        prop_assert_eq!(values, map.get_many(&memory, &keys).unwrap());
        prop_assert!(runs <= levels + 1);

        let (again, runs) = driven(&memory, |objects| map.edit(&mut Scratch::new(objects), &edits));
        prop_assert_eq!(again, edited);
        prop_assert!(runs <= levels + 1, "{} runs for {} levels", runs, levels);

        let (changes, runs) = driven(&memory, |objects| map.diff(&edited, objects));
        prop_assert_eq!(changes, map.diff(&edited, &memory).unwrap());
        prop_assert!(runs <= levels.max(depth(edited, &memory)) + 1);

        let (nodes, runs) = driven(&memory, |objects| map.reachable(objects));
        prop_assert_eq!(nodes, map.reachable(&memory).unwrap());
        prop_assert!(runs <= levels + 1);
    }

    #[test]
    fn an_edit_writes_only_nodes_of_the_new_tree((model, edits) in model().prop_flat_map(edits_of)) {
        let (memory, map) = stored(&model);
        let mut scratch = Scratch::new(&memory);
        let edited = map.edit(&mut scratch, &edits).unwrap();
        let new: BTreeSet<_> = edited.reachable(&scratch).unwrap().into_iter().collect();
        let old: BTreeSet<_> = map.reachable(&memory).unwrap().into_iter().collect();
        let written: BTreeSet<_> = scratch.into_written().into_keys().collect();
        prop_assert_eq!(written, new.difference(&old).copied().collect());
    }

    #[test]
    fn a_spoilt_node_is_refused_or_read_but_never_panics(
        model in prop::collection::btree_map(key(), any::<u32>(), 1..300),
        node in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        edits in edits(),
    ) {
        let (memory, map) = stored(&model);
        let nodes = map.reachable(&memory).unwrap();
        let hash = nodes[node.index(nodes.len())];
        let mut bytes = memory.get(&hash).unwrap().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let mut spoilt = memory.clone();
        spoilt.extend([(hash, Bytes::from(bytes))]);
        let honest = |error: &ReadError| match error {
            ReadError::Corrupt { hash: named, reason } => *named == hash || reason.contains("above"),
            ReadError::Missing(hashes) => hashes.iter().all(|hash| memory.get(hash).is_none()),
        };
        match map.entries(&spoilt) {
            Ok(all) => prop_assert_eq!(all.len(), model.len()),
            Err(error) => prop_assert!(honest(&error), "{}", error),
        }
        for key in model.keys() {
            prop_assert!(map.get(&spoilt, key).err().is_none_or(|error| honest(&error)));
        }
        prop_assert!(map.edit(&mut Scratch::new(&spoilt), &edits).err().is_none_or(|error| honest(&error)));
        prop_assert!(map.diff(&Map::default(), &spoilt).err().is_none_or(|error| honest(&error)));
        prop_assert!(map.reachable(&spoilt).err().is_none_or(|error| honest(&error)));
    }
}
