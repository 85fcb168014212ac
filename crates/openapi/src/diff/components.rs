//! The document as a whole, and the schemas that no operation uses.
use super::compare::{Comparison, Location, Topic};
use super::rules::{Rule, Usage};
use super::subject::Subject;
use crate::tree::{Node, pointer_step};
use std::collections::HashSet;

impl<'a> Comparison<'a> {
    /// Compares the documents.
    pub(super) fn document(&mut self) {
        let (old, new) = (self.sides.old.root, self.sides.new.root);
        let root = self.root_unit(Usage::Request);
        self.all_operations();
        self.drain(0);
        self.schemas(root);
        if let Some(location) = self.differing(old, new, &["info"]) {
            let text = "the title, version or description of the API changed";
            self.report_text(root, Rule::InfoChanged, location, text.to_owned());
        }
        if let Some(location) = self.differing(old, new, &["externalDocs"]) {
            self.report(root, Rule::DescriptionChanged, location, "has other external documentation");
        }
        if let Some(location) = self.differing(old, new, &["tags"]) {
            self.report(root, Rule::TagsChanged, location, "describes its tags in another way");
        }
    }

    /// Lists the schemas that were added or removed, and compares those that no operation uses.
    fn schemas(&mut self, root: usize) {
        let nothing = self.nothing;
        let schemas = |root: &'a Node| {
            let schemas = root.get("components").and_then(|components| components.get("schemas"));
            schemas.unwrap_or(nothing)
        };
        let (old, new) = (schemas(self.sides.old.root), schemas(self.sides.new.root));
        if self.sides.equal(old, new) {
            return;
        }
        let renamed = self.renamed(old, new);
        let unused = self.root_unit(Usage::Unused);
        let from = self.units.len();
        for (name, schema) in new.members() {
            let subject = Subject::schema(&pointer_step(name));
            match old.get(name) {
                Some(before) => self.reach(unused, Topic::Schema, before, schema, subject),
                None if renamed.contains(&std::ptr::from_ref(schema)) => {}
                None => self.report_of(root, &subject, Rule::SchemaAdded, Location::New(schema), "was added"),
            }
        }
        for (name, schema) in old.members() {
            if new.get(name).is_none() && !renamed.contains(&std::ptr::from_ref(schema)) {
                let subject = Subject::schema(&pointer_step(name));
                self.report_of(root, &subject, Rule::SchemaRemoved, Location::Old(schema), "was removed");
            }
        }
        self.drain(from);
    }

    /// The schemas of both documents that only have another name in the other one.
    fn renamed(&mut self, old: &'a Node, new: &'a Node) -> HashSet<*const Node> {
        let only = |of: &'a Node, other: &'a Node| -> HashSet<*const Node> {
            let missing = of.members().filter(|(name, _)| other.get(name).is_none());
            missing.map(|(_, schema)| std::ptr::from_ref(schema)).collect()
        };
        let (removed, added) = (only(old, new), only(new, old));
        let mut found = HashSet::new();
        for (old, new) in std::mem::take(&mut self.renamed) {
            let (from, to) = (std::ptr::from_ref(old), std::ptr::from_ref(new));
            if removed.contains(&from) && added.contains(&to) && self.alike(old, new) {
                found.extend([from, to]);
            }
        }
        found
    }
}
