//! Follows the references of a document through its files.
use super::address::{ALONE, resolve};
use super::{Files, Known, Link, LinkTarget, Loaded, MAX_FILES, Target, Waiting};
use crate::deadline::Deadline;
use crate::dialect::Version;
use crate::finding::{Code, Finding};
use crate::refs::{Reference, Via, as_fragment, percent_decoded, visit_from};
use crate::tree::{Node, Path, Value, pointer_step};
use crate::wording::unquoted;
use std::collections::{HashMap, HashSet};
use url::Url;

/// A reference, without a borrow of the tree in which it was found.
struct Found {
    reference: Waiting,
    via: Via,
    /// Whether it is the name of a schema, in a discriminator.
    is_name: bool,
    /// The `$id` around it, and the path to the schema that has it.
    resource: Option<(String, Path)>,
}

impl Files {
    /// Stores a file.
    pub(super) fn load(&mut self, root: Node, base: Option<Url>) -> usize {
        let mut names = Identifiers::default();
        if self.version >= Some(Version::V3_1) {
            names.collect(&root, &mut String::new());
        }
        let ids = names
            .ids
            .iter()
            .filter_map(|id| Some(super::without_fragment(&base_or_any(base.as_ref())?.join(id).ok()?)));
        let ids = ids.collect();
        self.loaded.push(Loaded { base, ids, anchors: names.anchors, root });
        self.loaded.len() - 1
    }

    /// Finds the references of the discovered targets, and of the targets of those references.
    pub(super) fn explore(&mut self, deadline: &Deadline<'_>) {
        while let Some(target) = self.targets.get_index(self.explored).cloned() {
            if deadline.look() {
                return;
            }
            self.explored += 1;
            self.explore_part(&target);
        }
    }

    /// Finds the references of a part of a file.
    pub(super) fn explore_part(&mut self, part: &Target) {
        let Some(version) = self.version else { return };
        for found in self.references(part, version) {
            self.follow(found);
        }
    }

    fn references(&mut self, target: &Target, version: Version) -> Vec<Found> {
        let mut found = Vec::new();
        let Some(loaded) = self.loaded.get(target.file) else { return found };
        let Some(part) = loaded.root.at_pointer(&target.pointer) else { return found };
        if target.file > 0 {
            let Some(left) = part.subtract_from(self.values) else {
                if self.values > 0 {
                    let message = format!("the files refer to more than {} values", super::MAX_VALUES);
                    self.findings.push(Finding::new(Code::TooLarge, part.at, Path::default(), message));
                }
                self.values = 0;
                return found;
            };
            self.values = left;
        }
        let prefix = Path::of(&loaded.root, &target.pointer);
        visit_from(part, target.kind, version, &mut |reference| {
            // References of a document to itself stay unchanged.
            if target.file > 0 || !reference.is_inside() {
                found.push(found_in(target.file, &prefix, &reference));
            }
        });
        found
    }

    fn follow(&mut self, found: Found) {
        let Found { mut reference, via, is_name, resource } = found;
        if is_name || !self.seen.insert((reference.file, reference.path.clone())) {
            return;
        }
        let Some(loaded) = self.loaded.get(reference.file) else { return };
        let (address, fragment) = reference.text.split_once('#').unwrap_or((&reference.text, ""));
        reference.fragment = fragment.to_owned();
        if address.is_empty() {
            if let Some((_, path)) = &resource
                && !reference.fragment.is_empty()
            {
                reference.fragment.insert_str(0, &as_fragment(&path.pointer()));
            }
            let file = reference.file;
            return self.link_to(reference, file);
        }
        if self.is_id(loaded, &resource, address) {
            return;
        }
        let with_id = resource.as_ref().and_then(|(id, _)| resolve(loaded.base.as_ref(), id).ok());
        match resolve(with_id.as_ref().or(loaded.base.as_ref()), address) {
            // An operation of another document is a link for readers.
            Ok(_) if via == Via::Operation => {}
            Ok(url) => self.want(url, reference),
            Err(reason) => self.report_file(&reference, reason),
        }
    }

    /// Whether an address is the `$id` of a schema in the same file.
    fn is_id(&self, loaded: &Loaded, resource: &Option<(String, Path)>, address: &str) -> bool {
        if loaded.ids.is_empty() {
            return false;
        }
        let base = base_or_any(loaded.base.as_ref());
        let base = base.map(|base| resource.as_ref().and_then(|(id, _)| base.join(id).ok()).unwrap_or(base));
        let url = base.and_then(|base| base.join(address).ok());
        url.is_some_and(|url| loaded.ids.contains(&super::without_fragment(&url)))
    }

    fn want(&mut self, url: Url, reference: Waiting) {
        let address = String::from(url);
        match self.known.get_mut(&address) {
            Some(Known::Loaded(index)) => {
                let index = *index;
                self.link_to(reference, index);
            }
            Some(Known::Wanted(waiting)) => waiting.push(reference),
            Some(Known::Failed(reason)) => {
                let reason = reason.clone();
                self.report_file(&reference, &reason);
            }
            None => {
                if self.known.len() == MAX_FILES {
                    let message = format!("the document has more than {MAX_FILES} files");
                    self.findings.push(Finding::new(Code::TooLarge, reference.at, reference.path.clone(), message));
                }
                // One more than allowed is kept: from then on, no files are requested.
                if self.known.len() <= MAX_FILES {
                    self.known.insert(address, Known::Wanted(vec![reference]));
                }
            }
        }
    }

    /// Links a reference to its target in a loaded file.
    pub(super) fn link_to(&mut self, reference: Waiting, file: usize) {
        let Waiting { file: reference_file, path, at, kind, alone, text, fragment } = reference;
        let decoded = percent_decoded(&fragment);
        let Some(loaded) = self.loaded.get(file) else { return };
        let anchor = loaded.anchors.get(&*decoded).filter(|_| !decoded.starts_with('/'));
        let pointer = anchor.map_or(&*decoded, String::as_str).to_owned();
        let to = if file == 0 {
            LinkTarget::Document(pointer)
        } else if loaded.root.at_pointer(&pointer).is_some() {
            LinkTarget::Target(self.targets.insert_full(Target { file, pointer, kind }).0)
        } else {
            let message = format!("{} is not there", unquoted(&text));
            return self.findings.push(Finding::new(Code::RefMissing, at, path, message));
        };
        self.links.push(Link { file: reference_file, path, alone, to });
    }

    /// Reports that the file of a reference cannot be loaded.
    pub(super) fn report_file(&mut self, reference: &Waiting, reason: &str) {
        let code = if reason == ALONE { Code::RefAlone } else { Code::RefFile };
        let message = format!("{} {reason}", unquoted(&reference.text));
        self.findings.push(Finding::new(code, reference.at, reference.path.clone(), message));
    }
}

/// The base of addresses that are only compared: any base will do if there is none.
fn base_or_any(base: Option<&Url>) -> Option<Url> {
    base.cloned().or_else(|| Url::parse("file:///").ok())
}

fn found_in(file: usize, prefix: &Path, reference: &Reference<'_>) -> Found {
    let whole = |path: &Path| Path(prefix.0.iter().chain(&path.0).cloned().collect());
    let beside = reference.node.as_map().is_some_and(|members| members.len() > 1);
    let id = |(node, path): &(&Node, Path)| Some((node.text_of("$id")?.to_owned(), whole(path)));
    Found {
        reference: Waiting {
            file,
            path: whole(&reference.path),
            at: reference.at,
            kind: reference.kind,
            alone: reference.via == Via::Ref && !beside,
            text: reference.target.to_owned(),
            fragment: String::new(),
        },
        via: reference.via,
        is_name: reference.is_name(),
        resource: reference.resource.as_ref().and_then(id),
    }
}

/// The anchors and ids of the schemas of a file.
#[derive(Default)]
struct Identifiers {
    anchors: HashMap<String, String>,
    ids: HashSet<String>,
}

impl Identifiers {
    fn collect(&mut self, node: &Node, pointer: &mut String) {
        let length = pointer.len();
        if let Some(anchor) = node.text_of("$anchor") {
            self.anchors.entry(anchor.to_owned()).or_insert_with(|| pointer.clone());
        }
        if let Some(id) = node.text_of("$id") {
            self.ids.insert(id.to_owned());
        }
        let mut below = |step: &str, node: &Node| {
            pointer.push('/');
            pointer.push_str(step);
            self.collect(node, pointer);
            pointer.truncate(length);
        };
        match &node.value {
            Value::Map(members) => members.iter().for_each(|(key, member)| below(&pointer_step(key), &member.node)),
            Value::List(items) => {
                items.iter().enumerate().for_each(|(index, item)| below(&index.to_string(), item));
            }
            _ => {}
        }
    }
}
