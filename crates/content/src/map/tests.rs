//! Examples, and functions that the properties share with them.
use super::*;
use crate::object::{MemoryObjects, ReadError};
use rstest::rstest;

pub(super) type Model = BTreeMap<String, u32>;
pub(super) type Edits = BTreeMap<String, Option<u32>>;

/// A store with one map.
pub(super) fn stored(model: &Model) -> (MemoryObjects, Map<u32>) {
    let mut memory = MemoryObjects::default();
    let mut scratch = Scratch::new(&memory);
    let map = Map::build(&mut scratch, model.clone());
    let written = scratch.into_written();
    memory.extend(written);
    (memory, map)
}

/// Applies edits and keeps the new objects.
pub(super) fn apply(memory: &mut MemoryObjects, map: Map<u32>, edits: Edits) -> Map<u32> {
    let mut scratch = Scratch::new(memory);
    let map = map.edit(&mut scratch, &edits).unwrap();
    let written = scratch.into_written();
    memory.extend(written);
    map
}

pub(super) fn apply_to_model(model: &mut Model, edits: &Edits) {
    for (key, value) in edits {
        match value {
            Some(value) => drop(model.insert(key.clone(), *value)),
            None => drop(model.remove(key)),
        }
    }
}

fn numbered(count: u32) -> Model {
    (0..count).map(|number| (format!("key-{number:06}"), number)).collect()
}

/// The height of a tree.
pub(super) fn depth<V>(map: Map<V>, objects: &dyn Objects) -> usize {
    map.root().map_or(0, |root| usize::from(Visit::root(objects, root).unwrap().node().unwrap().level()) + 1)
}

/// Runs a computation on a working set that is empty at first. After each run, adds the missing objects. Returns the
/// number of runs.
pub(super) fn driven<T>(store: &MemoryObjects, mut run: impl FnMut(&MemoryObjects) -> Read<T>) -> (T, usize) {
    let mut working = MemoryObjects::default();
    for runs in 1.. {
        match run(&working) {
            Ok(result) => return (result, runs),
            Err(ReadError::Missing(hashes)) => {
                assert!(!hashes.is_empty() && hashes.is_sorted_by(|a, b| a < b));
                for hash in hashes {
                    assert_eq!(working.get(&hash), None, "what is at hand is not missing");
                    working.extend([(hash, store.get(&hash).unwrap())]);
                }
            }
            Err(corrupt) => panic!("{corrupt}"),
        }
    }
    unreachable!()
}

#[test]
fn an_empty_map_has_no_nodes() {
    let memory = MemoryObjects::default();
    let map = Map::<u32>::default();
    assert!(map.is_empty());
    assert_eq!(map, Map::build(&mut Scratch::new(&memory), []));
    assert_eq!(map.len(&memory), Ok(0));
    assert_eq!(map.get(&memory, "a"), Ok(None));
    assert_eq!(map.entries(&memory), Ok(vec![]));
    assert_eq!(map.reachable(&memory), Ok(vec![]));
    assert_eq!(map.diff(&map, &memory), Ok(vec![]));
    assert_eq!(map.edit(&mut Scratch::new(&memory), &[("a".to_owned(), None)].into()), Ok(map));
}

#[test]
fn a_map_is_serialized_as_its_root() {
    let (_, map) = stored(&numbered(3));
    let json = serde_json::to_string(&map).unwrap();
    assert_eq!(json, format!("\"{}\"", map.root().unwrap()));
    assert_eq!(serde_json::from_str::<Map<u32>>(&json).unwrap(), map);
    assert_eq!(serde_json::to_string(&Map::<u32>::default()).unwrap(), "null");
    assert_eq!(serde_json::from_str::<Map<u32>>("null").unwrap(), Map::default());
}

/// Checks the stored format: a change would give every map another root.
#[test]
fn the_root_of_a_known_map_is_known() {
    let (_, map) = stored(&numbered(1_000));
    assert_eq!(map.root().unwrap().to_string(), "3651fa5ee95334ebae21617b074a1b080f8fe44fde1f32fc10d5269f4c4d6e23");
}

#[test]
fn removing_everything_leaves_the_empty_map() {
    let model = numbered(1_000);
    let (mut memory, map) = stored(&model);
    assert_eq!(apply(&mut memory, map, model.into_keys().map(|key| (key, None)).collect()), Map::default());
}

#[test]
fn of_a_key_that_comes_twice_the_later_entry_counts() {
    let memory = MemoryObjects::default();
    let mut scratch = Scratch::new(&memory);
    let map = Map::build(&mut scratch, [("a".to_owned(), 1), ("a".to_owned(), 2)]);
    assert_eq!(map.get(&scratch, "a"), Ok(Some(2)));
}

#[test]
fn an_edit_that_changes_nothing_writes_nothing() {
    let (memory, map) = stored(&numbered(1_000));
    let mut scratch = Scratch::new(&memory);
    let edits = [("key-000500".to_owned(), Some(500)), ("nobody".to_owned(), None)];
    assert_eq!(map.edit(&mut scratch, &edits.into()), Ok(map));
    assert_eq!(map.edit(&mut scratch, &BTreeMap::<String, _>::new()), Ok(map));
    assert!(scratch.into_written().is_empty());
}

#[test]
fn a_part_of_a_large_map_is_read_without_the_rest() {
    let (memory, map) = stored(&numbered(10_000));
    let (mut working, mut loaded) = (MemoryObjects::default(), 0);
    let found = loop {
        match map.entries_after(&working, Some("key-004999"), 100) {
            Ok(found) => break found,
            Err(ReadError::Missing(hashes)) => {
                loaded += hashes.len();
                working.extend(hashes.into_iter().map(|hash| (hash, memory.get(&hash).unwrap())));
            }
            Err(corrupt) => panic!("{corrupt}"),
        }
    };
    assert_eq!(found, (5_000..5_100).map(|number| (format!("key-{number:06}"), number)).collect::<Vec<_>>());
    // A leaf has 16 entries on average.
    assert!(loaded < 30, "{loaded} of {} nodes", map.reachable(&memory).unwrap().len());
}

#[test]
fn an_edit_reads_and_writes_a_path() {
    let (memory, map) = stored(&numbered(10_000));
    let (mut read, mut written) = (0, 0);
    let edits = Edits::from([("key-005000".to_owned(), Some(0))]);
    driven(&memory, |objects| {
        let mut scratch = Scratch::new(objects);
        let edited = map.edit(&mut scratch, &edits);
        (read, written) = (objects.len(), scratch.into_written().len());
        edited
    });
    assert_eq!((read, written), (depth(map, &memory), depth(map, &memory)));
}

#[test]
fn a_removal_reads_the_next_leaf_only_if_a_cut_disappears() {
    let model = numbered(10_000);
    let (memory, map) = stored(&model);
    for key in model.keys().filter(|key| !chunk::ends(key, 1)).take(200) {
        let mut read = 0;
        driven(&memory, |objects| {
            read = objects.len();
            map.edit(&mut Scratch::new(objects), &[(key.clone(), None)].into())
        });
        assert_eq!(read, depth(map, &memory) + usize::from(chunk::ends(key, 0)), "{key}");
    }
}

#[rstest]
#[case::keys_that_end_no_leaf(false)]
#[case::keys_that_all_end_leaves(true)]
fn a_node_is_bounded_whatever_the_keys(#[case] cutting: bool) {
    let keys = (0..200_000_u32).map(|number| format!("k{number}")).filter(|key| chunk::ends(key, 0) == cutting);
    let model: Model = keys.take(5_000).map(|key| (key, 0)).collect();
    let (memory, map) = stored(&model);
    for hash in map.reachable(&memory).unwrap() {
        let bytes = memory.get(&hash).unwrap();
        let entries = match Node::decode(&bytes, hash).unwrap() {
            Node::Leaf(entries) => entries.len(),
            Node::Inner(_, links) => links.len(),
        };
        assert!(entries <= node::MAX_ENTRIES);
    }
    assert!(depth(map, &memory) <= 7);
}

#[test]
fn a_leaf_of_large_values_is_bounded_and_editable() {
    let large = |number: usize| "x".repeat(10_000 + number);
    let model: BTreeMap<String, String> = (0..300).map(|number| (format!("k{number:03}"), large(number))).collect();
    let memory = MemoryObjects::default();
    let mut scratch = Scratch::new(&memory);
    let map = Map::build(&mut scratch, model.clone());
    for hash in map.reachable(&scratch).unwrap() {
        assert!(scratch.get(&hash).unwrap().len() < 64 * 1024 + 11_000);
    }
    let mut later = model;
    let mut edits = BTreeMap::new();
    for (at, key) in (0..300).step_by(7).map(|at| (at, format!("k{at:03}"))) {
        let value = (at % 2 == 0).then(|| "y".repeat(at));
        edits.insert(key.clone(), value.clone());
        match value {
            Some(value) => drop(later.insert(key, value)),
            None => drop(later.remove(&key)),
        }
    }
    let edited = map.edit(&mut scratch, &edits).unwrap();
    assert_eq!(edited, Map::build(&mut scratch, later));
}

#[test]
fn a_diff_reads_only_where_the_maps_differ() {
    let (mut memory, map) = stored(&numbered(10_000));
    let edited = apply(&mut memory, map, [("key-005000".to_owned(), Some(0))].into());
    let loaded = std::cell::Cell::new(0);
    let (changes, _) = driven(&memory, |objects| {
        loaded.set(objects.len());
        map.diff(&edited, objects)
    });
    let change = MapChange { key: "key-005000".to_owned(), before: Some(Box::new(5_000)), after: Some(Box::new(0)) };
    assert_eq!(changes, [change]);
    assert_eq!(loaded.get(), 2 * depth(map, &memory));
    assert_eq!(map.diff(&map, &MemoryObjects::default()), Ok(vec![]), "equal maps are not read at all");
}

#[test]
fn keys_are_found_by_their_values() {
    let (memory, map) = stored(&numbered(100));
    assert_eq!(map.keys_where(&memory, |value| *value >= 98).unwrap(), ["key-000098", "key-000099"]);
}

#[test]
fn a_change_takes_no_memory_for_a_value_that_is_absent() {
    assert!(size_of::<MapChange<[u64; 100]>>() <= size_of::<String>() + 2 * size_of::<usize>());
}

#[test]
fn what_is_known_is_not_reached_again() {
    let (mut memory, map) = stored(&numbered(10_000));
    let edited = apply(&mut memory, map, [("key-005000".to_owned(), Some(0))].into());
    let known = map.reachable(&memory).unwrap().into_iter().collect();
    let fresh = edited.reachable_beyond(&known, &memory).unwrap();
    assert_eq!(fresh.len(), depth(map, &memory));
    assert!(fresh.iter().all(|hash| !known.contains(hash)));
    assert_eq!(map.reachable_beyond(&known, &MemoryObjects::default()), Ok(vec![]));
}

#[test]
fn a_value_of_another_type_is_corrupt() {
    let (memory, map) = stored(&numbered(3));
    let other = Map::<bool>::at(map.root());
    let root = map.root().unwrap();
    assert!(matches!(other.get(&memory, "key-000001"), Err(ReadError::Corrupt { hash, .. }) if hash == root));
    assert!(matches!(other.entries(&memory), Err(ReadError::Corrupt { hash, .. }) if hash == root));
}

#[test]
fn a_node_in_a_foreign_place_is_refused() {
    let (memory, map) = stored(&numbered(100));
    let root = map.root().unwrap();
    let bytes = memory.get(&root).unwrap();
    let Node::Inner(_, links) = Node::decode(&bytes, root).unwrap() else { panic!("a root of leaves") };
    let (one, two) = (links[0].hash, links[1].hash);
    let mut swapped = memory.clone();
    swapped.extend([(one, memory.get(&two).unwrap()), (two, memory.get(&one).unwrap())]);
    assert!(matches!(map.entries(&swapped), Err(ReadError::Corrupt { hash, .. }) if hash == one));
    assert!(matches!(map.get(&swapped, "key-000000"), Err(ReadError::Corrupt { hash, .. }) if hash == one));
    let mut endless = memory.clone();
    endless.extend([(one, bytes.clone())]);
    assert!(matches!(map.entries(&endless), Err(ReadError::Corrupt { hash, .. }) if hash == one));
}
