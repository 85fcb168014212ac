//! Merging ten edits of pages on either side, one page on both, at growing sizes of the space.
use content::document::{Block, Document, Inline, Kind, Paragraph};
use content::merge::merge;
use content::object::{MemoryObjects, Scratch};
use content::order::OrderKey;
use content::page::{PageEntry, PageKind};
use content::snapshot::{Edits, Snapshot};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use values::id::PageId;

const SENTENCE: &str = "The engine weaves patterns of algebra just as the loom weaves flowers and leaves. ";

/// A text of some 4 KB, with words of an edit in one of its paragraphs.
fn text(page: usize, edited: usize, words: &str) -> Document {
    let line = |at: usize| {
        let words = if at == edited { words } else { "" };
        let line = format!("{at} of {page}: {}{words}", SENTENCE.repeat(5));
        Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec![Inline::from(line)])
    };
    let mut document = Document { blocks: (0..10).map(line).collect() };
    for (at, block) in document.blocks.iter_mut().enumerate() {
        block.key.0 = format!("k{at}").into();
    }
    document
}

fn id(page: usize) -> PageId {
    format!("0193a1f0-7c5e-7000-8000-{page:012}").parse().expect("an id")
}

/// The content with other texts for some pages.
fn written(objects: &mut MemoryObjects, from: &Snapshot, texts: impl Iterator<Item = (usize, Document)>) -> Snapshot {
    let mut scratch = Scratch::new(objects);
    let mut edits = Edits::default();
    for (page, document) in texts {
        let order = OrderKey::sequence(100).swap_remove(page % 100);
        let parent = (page >= 100).then(|| id(page / 100 - 1));
        let kind = PageKind::Document { document: Some(scratch.put(document.encode())) };
        let entry = PageEntry::new(kind, format!("Page {page}"), format!("page-{page}"), order, Default::default());
        edits.pages.insert(id(page), Some(PageEntry { parent, ..entry }));
    }
    let snapshot = from.edit(&mut scratch, &edits).expect("all is at hand").expect("it is a tree");
    let new = scratch.into_written();
    objects.extend(new);
    snapshot
}

fn merging(c: &mut Criterion) {
    let mut group = c.benchmark_group("merge");
    for size in [100, 1_000, 10_000] {
        let mut objects = MemoryObjects::default();
        let base = written(&mut objects, &Snapshot::default(), (0..size).map(|page| (page, text(page, 0, ""))));
        let step = size / 20;
        let ten = |first: usize| (0..10).map(move |nth| first + nth * step);
        let primary = written(&mut objects, &base, ten(0).map(|page| (page, text(page, 2, "Ours."))));
        // The first page of the change is the last one of the primary content, edited elsewhere.
        let change = written(&mut objects, &base, ten(9 * step).map(|page| (page, text(page, 7, "Theirs."))));
        let merged = merge(&mut Scratch::new(&objects), &base, &primary, &change).expect("all is at hand");
        assert!(merged.conflicts.is_empty() && merged.snapshot != primary && merged.snapshot != change);
        group.bench_function(BenchmarkId::new("ten edits on either side", size), |b| {
            b.iter(|| black_box(merge(&mut Scratch::new(&objects), &base, &primary, &change)))
        });
    }
    group.finish();
}

criterion_group!(benches, merging);
criterion_main!(benches);
