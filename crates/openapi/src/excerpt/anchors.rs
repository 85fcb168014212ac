//! References to an `$anchor` or an `$id`. No key says which part has it, so the schemas of the components are searched
//! for it.
use super::part::Content;
use super::visit::Visit;
use super::{Excerpt, VERSION, kind_of};
use crate::refs::percent_decoded;
use crate::shape::{ObjectKind, walk};
use crate::tree::pointer_step;
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};

/// The part that lists all schemas.
const SCHEMAS: &str = "/components/schemas";

/// The anchors and ids that references name.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// The texts of references whose target is unknown, with the number of further references that their pointers may
    /// still pass.
    needed: IndexMap<String, usize>,
    /// The pointers of anchors, written `#name`, and of ids.
    known: HashMap<String, String>,
    /// The parts that were searched.
    searched: HashSet<String>,
    /// Whether all schemas were requested.
    is_exhausted: bool,
}

impl Anchors {
    pub(super) fn need(&mut self, targets: Vec<(String, usize)>) {
        for (target, detours) in targets {
            self.needed.entry(target).or_insert(detours);
        }
    }

    /// The pointer of a reference.
    fn pointer(&self, target: &str) -> Option<String> {
        let (address, fragment) = target.split_once('#').unwrap_or((target, ""));
        let fragment = percent_decoded(fragment);
        if !fragment.is_empty() && !fragment.starts_with('/') {
            let (name, rest) = fragment.split_at(fragment.find('/').unwrap_or(fragment.len()));
            return Some(format!("{}{rest}", self.known.get(&format!("#{name}"))?));
        }
        Some(format!("{}{fragment}", self.known.get(address)?))
    }
}

impl Excerpt {
    /// Visits the targets of references to an anchor or an id. If the loaded parts do not have them, all schemas are
    /// requested, as far as the budget allows.
    pub(super) fn look_for_anchors(&mut self) {
        while self.waiting.is_empty() && !self.anchors.needed.is_empty() {
            self.search();
            let Self { anchors, .. } = self;
            let found: Vec<(String, String, usize)> = anchors
                .needed
                .iter()
                .filter_map(|(target, detours)| Some((target.clone(), anchors.pointer(target)?, *detours)))
                .collect();
            for (target, pointer, detours) in &found {
                self.anchors.needed.swap_remove(target);
                self.want(Visit::at(pointer, ObjectKind::Schema).with_detours(*detours));
            }
            self.work();
            if found.is_empty() && !self.ask_for_schemas() {
                return;
            }
        }
    }

    /// Requests the list of all schemas, then the schemas; false if there is nothing to request.
    fn ask_for_schemas(&mut self) -> bool {
        if self.anchors.is_exhausted {
            return false;
        }
        let Some(list) = self.parts.get_mut(SCHEMAS) else { return self.ask(SCHEMAS) };
        self.anchors.is_exhausted = true;
        let order = list.content.read(SCHEMAS).and_then(|(_, order)| order);
        let names = order.unwrap_or_default().to_vec();
        for name in names {
            if self.found + self.waiting.len() >= self.budget {
                break;
            }
            self.ask(&format!("{SCHEMAS}/{}", pointer_step(&name)));
        }
        !self.waiting.is_empty()
    }

    /// Searches the parts that were added since the last search for anchors and ids.
    fn search(&mut self) {
        for (key, loaded) in &mut self.parts {
            if !self.anchors.searched.insert(key.clone()) {
                continue;
            }
            let is_possible = match &loaded.content {
                Content::Text(json) => {
                    ["\"$anchor\"", "\"$dynamicAnchor\"", "\"$id\""].iter().any(|key| json.contains(key))
                }
                _ => true,
            };
            let kind = kind_of(&loaded.pointer);
            let (true, Some(kind), Some((node, _))) = (is_possible, kind, loaded.content.read(&loaded.pointer)) else {
                continue;
            };
            walk(node, kind, VERSION, &mut |object| {
                if object.kind != ObjectKind::Schema {
                    return;
                }
                let names = ["$anchor", "$dynamicAnchor"].into_iter().filter_map(|key| object.node.text_of(key));
                let id = object.node.text_of("$id").map(|id| id.trim_end_matches('#').to_owned());
                for name in names.map(|name| format!("#{name}")).chain(id) {
                    let pointer = || format!("{}{}", loaded.pointer, object.path().pointer());
                    self.anchors.known.entry(name).or_insert_with(pointer);
                }
            });
        }
    }
}
