//! The objects that a revision keeps alive: everything that must be stored so that it can be read.
use super::Snapshot;
use crate::object::{Hash, Objects, Read};
use std::collections::BTreeSet;

/// The objects and files that revisions reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Objects.
    pub objects: BTreeSet<Hash>,
    /// The bytes of files.
    pub files: BTreeSet<Hash>,
}

impl Snapshot {
    /// The objects and files that the revision with this manifest reaches, without those in `known`. Over the revisions
    /// of a space, which share most of them, each node is read once.
    ///
    /// Texts are not read, because they refer to no objects.
    pub fn reached(manifest: &Hash, known: &BTreeSet<Hash>, objects: &dyn Objects) -> Read<Reached> {
        if known.contains(manifest) {
            return Ok(Reached::default());
        }
        let Self { pages, places, computed, files, reusable_contents, variables, tags, repository } =
            Self::load(objects, manifest)?;
        let mut reached = Reached::default();
        reached.objects.insert(*manifest);
        reached.objects.extend(repository);
        reached.objects.extend(places.reachable_beyond(known, objects)?);
        reached.objects.extend(computed.reachable_beyond(known, objects)?);
        reached.objects.extend(variables.reachable_beyond(known, objects)?);
        reached.objects.extend(tags.reachable_beyond(known, objects)?);
        let (nodes, pages) = pages.values_beyond(known, objects)?;
        reached.objects.extend(nodes);
        for page in pages {
            reached.objects.extend(page.document().into_iter().chain(page.source));
        }
        let (nodes, reusable_contents) = reusable_contents.values_beyond(known, objects)?;
        reached.objects.extend(nodes);
        for content in reusable_contents {
            reached.objects.extend(content.document.into_iter().chain(content.source));
        }
        let (nodes, files) = files.values_beyond(known, objects)?;
        reached.objects.extend(nodes);
        reached.files.extend(files.into_iter().map(|file| file.blob));
        reached.objects.retain(|hash| !known.contains(hash));
        Ok(reached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::{Content, export};
    use crate::import::testing::{World, repository, time};
    use crate::object::{MemoryObjects, Scratch};
    use crate::text_of;
    use proptest::prelude::*;

    /// A repository with one of everything that names an object or a file.
    const EVERYTHING: &[(&str, &str)] = &[
        (
            "SUMMARY.md",
            "# Contents\n\n* [Start](README.md)\n  * [Deeper](deeper.md)\n* ```yaml\n  type: builtin:openapi\n  ```\n",
        ),
        (".gitbook.yaml", "root: ./\n"),
        (
            "README.md",
            "---\ntags: [one]\n---\n\n# Start\n\n![A](.gitbook/assets/a.svg)\n\n{% include \".gitbook/includes/note.md\" %}\n",
        ),
        ("deeper.md", "# Deeper\n\nText.\n"),
        (".gitbook/includes/note.md", "---\ntitle: Note\n---\n\nMind the gears.\n"),
        (".gitbook/vars.yaml", "version: \"1.2\"\n"),
        (".gitbook/assets/a.svg", "<svg/>"),
    ];

    /// A world made of nothing but what was reached in another one.
    fn only(world: &World, reached: &Reached) -> MemoryObjects {
        let mut kept = MemoryObjects::default();
        for hash in &reached.objects {
            kept.insert(world.objects.get(hash).expect("what is reached is there"));
        }
        kept
    }

    /// Reads all that can be read of a snapshot.
    fn read_all(snapshot: &Snapshot, objects: &MemoryObjects) -> Read<()> {
        snapshot.tree(objects)?;
        snapshot.variables(objects)?;
        snapshot.tags(objects)?;
        snapshot.children(objects, None)?;
        snapshot.computed_pages(objects)?;
        for (_, page) in snapshot.pages(objects)? {
            text_of(objects, page.document())?;
        }
        for (_, content) in snapshot.reusable_contents(objects)? {
            text_of(objects, content.document)?;
        }
        export(&Content::read(snapshot, objects)?, objects).map(drop)
    }

    fn with_manifest(mut world: World) -> (World, Hash) {
        let mut scratch = Scratch::new(&world.objects);
        let manifest = world.snapshot.store(&mut scratch);
        let written = scratch.into_written();
        world.objects.extend(written);
        (world, manifest)
    }

    #[test]
    fn what_a_revision_reaches_is_all_it_takes_to_read_it() {
        let (world, manifest) = with_manifest(World::of(EVERYTHING));
        let reached = Snapshot::reached(&manifest, &BTreeSet::new(), &world.objects).unwrap();
        let kept = only(&world, &reached);
        assert_eq!(Snapshot::load(&kept, &manifest).unwrap(), world.snapshot);
        read_all(&world.snapshot, &kept).unwrap();
        assert_eq!(reached.files, world.blobs.keys().copied().collect());
        assert!(!reached.files.is_empty() && world.snapshot.repository().is_some());
    }

    #[test]
    fn each_object_that_is_reached_is_needed() {
        let (world, manifest) = with_manifest(World::of(EVERYTHING));
        let reached = Snapshot::reached(&manifest, &BTreeSet::new(), &world.objects).unwrap();
        for gone in &reached.objects {
            let mut rest = reached.clone();
            rest.objects.remove(gone);
            let kept = only(&world, &rest);
            let read = Snapshot::load(&kept, &manifest).and_then(|snapshot| read_all(&snapshot, &kept));
            assert!(read.is_err(), "{gone} can be missed");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn from_one_revision_to_the_next_only_what_is_new_is_reached(
            first in proptest::collection::btree_map("[a-e]", "[a-z]{0,12}", 1..5),
            second in proptest::collection::btree_map("[a-e]", "[a-z]{0,12}", 1..5),
        ) {
            let files = |pages: &std::collections::BTreeMap<String, String>| {
                let pages = pages.iter().map(|(name, text)| (format!("{name}.md"), format!("# {name}\n\n{text}\n")));
                pages.collect::<Vec<_>>()
            };
            let mut world = World::default();
            world.import(&repository(&files(&first)), time(0));
            let (mut world, before) = with_manifest(world);
            let known = Snapshot::reached(&before, &BTreeSet::new(), &world.objects).unwrap().objects;
            world.import(&repository(&files(&second)), time(1));
            let (world, after) = with_manifest(world);
            let new = Snapshot::reached(&after, &known, &world.objects).unwrap().objects;
            let whole = Snapshot::reached(&after, &BTreeSet::new(), &world.objects).unwrap().objects;
            prop_assert!(new.is_disjoint(&known));
            prop_assert!(whole.is_subset(&known.union(&new).copied().collect()));
            prop_assert!(new.is_subset(&whole));
            let nothing_more = Snapshot::reached(&after, &known.union(&new).copied().collect(), &world.objects).unwrap();
            prop_assert_eq!(nothing_more, Reached::default());
        }
    }
}
