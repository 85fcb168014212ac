//! Maps of page entries, of some 300 bytes each, under ids that are random and of one length.
use content::map::Map;
use content::object::{Hash, MemoryObjects, Objects, Scratch};
use content::order::OrderKey;
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hint::black_box;

/// A page without its text, of the usual size.
#[derive(Clone, Serialize, Deserialize)]
struct Page {
    parent: String,
    order: OrderKey,
    title: String,
    slug: String,
    description: String,
    document: Hash,
    version: u32,
}

fn id(number: usize) -> String {
    let digits = Hash::of(&number.to_le_bytes()).to_string();
    format!("{}-{}-{}-{}-{}", &digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..32])
}

fn page(number: usize, order: OrderKey, version: u32) -> Page {
    Page {
        parent: id(number / 100),
        order,
        title: format!("Page number {number} of the documentation"),
        slug: format!("page-number-{number}-of-the-documentation"),
        description: "What this page is about.".to_owned(),
        document: Hash::of(&(number as u64 + (u64::from(version) << 32)).to_le_bytes()),
        version,
    }
}

fn pages(count: usize) -> Vec<(String, Page)> {
    let orders = OrderKey::sequence(count);
    orders.into_iter().enumerate().map(|(number, order)| (id(number), page(number, order, 0))).collect()
}

/// New versions of `edited` pages, spread over all.
fn edits(count: usize, edited: usize, seed: usize) -> BTreeMap<String, Option<Page>> {
    let orders = OrderKey::sequence(count);
    let number = |edit: usize| (edit * count / edited + seed * 911) % count;
    (0..edited).map(number).map(|number| (id(number), Some(page(number, orders[number].clone(), 1)))).collect()
}

/// The stored size: of the whole map and, on average, of an edit of one page.
fn report(count: usize, memory: &MemoryObjects, map: Map<Page>) {
    let bytes = |objects: &dyn Objects, hashes: &[Hash]| -> usize {
        hashes.iter().filter_map(|hash| objects.get(hash)).map(|bytes| bytes.len()).sum()
    };
    let nodes = map.reachable(memory).expect("all at hand");
    let (mut new_nodes, mut new_bytes) = (0, 0);
    let samples = 1_000.min(count);
    for seed in 0..samples {
        let mut scratch = Scratch::new(memory);
        map.edit(&mut scratch, &edits(count, 1, seed)).expect("all at hand");
        let written = scratch.into_written();
        new_nodes += written.len();
        new_bytes += written.values().map(|bytes| bytes.len()).sum::<usize>();
    }
    eprintln!(
        "{count} entries: {} nodes, {} bytes; an edit of one stores {:.1} nodes, {} bytes",
        nodes.len(),
        bytes(memory, &nodes),
        new_nodes as f64 / samples as f64,
        new_bytes / samples,
    );
}

fn maps(criterion: &mut Criterion) {
    for count in [100, 1_000, 10_000] {
        let entries = pages(count);
        let mut memory = MemoryObjects::default();
        let mut scratch = Scratch::new(&memory);
        let map = Map::build(&mut scratch, entries.iter().cloned());
        let ten = map.edit(&mut scratch, &edits(count, 10, 7)).expect("all at hand");
        let written = scratch.into_written();
        memory.extend(written);
        report(count, &memory, map);

        let mut group = criterion.benchmark_group("map");
        let empty = MemoryObjects::default();
        group.bench_with_input(BenchmarkId::new("build", count), &entries, |bencher, entries| {
            let build = |entries| Map::build(&mut Scratch::new(&empty), entries);
            bencher.iter_batched(|| entries.clone(), build, BatchSize::LargeInput);
        });
        group.bench_function(BenchmarkId::new("edit one", count), |bencher| {
            let mut seed = 0;
            let one = || {
                seed += 1;
                edits(count, 1, seed)
            };
            let sample: Vec<_> = std::iter::repeat_with(one).take(64).collect();
            let mut next = sample.iter().cycle().cloned();
            let edit = |edits| {
                let mut scratch = Scratch::new(&memory);
                map.edit(&mut scratch, &edits).expect("all at hand");
                scratch.into_written()
            };
            bencher.iter_batched(|| next.next().unwrap_or_default(), edit, BatchSize::SmallInput);
        });
        group.bench_function(BenchmarkId::new("get one", count), |bencher| {
            let mut keys = entries.iter().map(|(key, _)| key.as_str()).cycle();
            bencher.iter(|| map.get(&memory, keys.next().unwrap_or_default()).expect("all at hand"));
        });
        group.bench_function(BenchmarkId::new("diff of ten edits", count), |bencher| {
            bencher.iter(|| map.diff(black_box(&ten), &memory).expect("all at hand"));
        });
        group.bench_function(BenchmarkId::new("entries", count), |bencher| {
            bencher.iter(|| map.entries(&memory).expect("all at hand"));
        });
        group.finish();
    }
}

criterion_group!(benches, maps);
criterion_main!(benches);
