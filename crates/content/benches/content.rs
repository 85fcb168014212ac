//! The content engine on whole spaces: an import, one edit, a difference, the tree, and one page, at growing sizes.
use bytes::Bytes;
use content::import::{Imported, InMemory, Maker, Previous, import};
use content::object::{MemoryObjects, Scratch};
use content::page::PageEntry;
use content::snapshot::{Edits, Snapshot};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use values::id::PageId;

/// A repository of `pages` pages of some 4 KB each, a hundred in a folder.
fn source(pages: usize) -> InMemory {
    let mut files: Vec<(String, Bytes)> = Vec::with_capacity(pages + 1);
    let mut summary = String::from("# Table of contents\n\n");
    for n in 0..pages {
        let (folder, name) = (n / 100, n % 100);
        let path = if name == 0 { format!("part-{folder}/README.md") } else { format!("part-{folder}/page-{name}.md") };
        summary += &format!("{}* [Page {n}]({path})\n", if name == 0 { "" } else { "  " });
        let mut text = format!("# Page {n}\n\nSee [the first page](../part-0/README.md).\n");
        for section in 0..8 {
            text += &format!("\n## Section {section} of page {n}\n\n");
            text += &"The engine weaves patterns of **algebra** just as the loom weaves flowers and leaves. ".repeat(5);
            text += "\n\n* one point\n* another point\n";
        }
        files.push((path, Bytes::from(text)));
    }
    files.push(("SUMMARY.md".to_owned(), Bytes::from(summary)));
    InMemory::new("pages", files)
}

fn plan(source: &InMemory, objects: &MemoryObjects) -> (Snapshot, MemoryObjects) {
    let mut next = 0u64;
    let mut ids = || {
        next += 1;
        format!("0193a1f0-7c5e-7000-8000-{next:012}")
    };
    let mut scratch = Scratch::new(objects);
    let maker = Maker { ids: &mut ids, at: chrono::DateTime::UNIX_EPOCH, author: None };
    let Imported { edits, .. } = import(source, Previous::default(), maker, &mut scratch).expect("it imports");
    let snapshot = Snapshot::default().edit(&mut scratch, &edits).expect("all is at hand").expect("it is a tree");
    let mut stored = MemoryObjects::default();
    stored.extend(scratch.into_written());
    (snapshot, stored)
}

fn edited(snapshot: &Snapshot, scratch: &mut Scratch<'_>, pages: &[(PageId, PageEntry)]) -> Snapshot {
    let change =
        |(id, page): &(PageId, PageEntry)| (id.clone(), Some(PageEntry { title: "Another".into(), ..page.clone() }));
    let edits = Edits { pages: pages.iter().map(change).collect(), ..Edits::default() };
    snapshot.edit(scratch, &edits).expect("all is at hand").expect("it is a tree")
}

fn content(c: &mut Criterion) {
    let mut group = c.benchmark_group("content");
    group.sample_size(10);
    for size in [100, 1_000, 10_000] {
        let source = source(size);
        let nothing = MemoryObjects::default();
        if size < 10_000 {
            group.bench_function(BenchmarkId::new("import", size), |b| b.iter(|| black_box(plan(&source, &nothing))));
        }
        let (snapshot, mut objects) = plan(&source, &nothing);
        let pages = snapshot.pages(&objects).expect("all is at hand");
        let ten: Vec<_> = pages.iter().step_by(size / 10).take(10).cloned().collect();
        let ten_edits = {
            let mut scratch = Scratch::new(&objects);
            let next = edited(&snapshot, &mut scratch, &ten);
            let written = scratch.into_written();
            objects.extend(written);
            next
        };
        let one = &pages[size / 2..=size / 2];
        group.bench_function(BenchmarkId::new("edit one page", size), |b| {
            b.iter(|| black_box(edited(&snapshot, &mut Scratch::new(&objects), one)))
        });
        group.bench_function(BenchmarkId::new("difference of ten edits", size), |b| {
            b.iter(|| black_box(snapshot.diff(&ten_edits, &objects)))
        });
        group.bench_function(BenchmarkId::new("page by id", size), |b| {
            b.iter(|| black_box(snapshot.page(&objects, &one[0].0)))
        });
        group.bench_function(BenchmarkId::new("page by path", size), |b| {
            b.iter(|| black_box(snapshot.page_at(&objects, "part-0/page-7")))
        });
        group.bench_function(BenchmarkId::new("tree", size), |b| b.iter(|| black_box(snapshot.tree(&objects))));
    }
    group.finish();
}

criterion_group!(benches, content);
criterion_main!(benches);
