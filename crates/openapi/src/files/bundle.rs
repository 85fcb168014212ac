//! Makes one document of several files.
use super::address::name_of;
use super::{Files, Known, Link, LinkTarget, MAX_FILES, Target, Waiting};
use crate::deadline::Deadline;
use crate::dialect::Version;
use crate::finding::{Code, Finding};
use crate::refs::{MAX_HOPS, as_fragment};
use crate::shape::{ObjectKind, component_field};
use crate::tree::{Member, Members, Node, Path, Place, Step, Value};
use crate::upgrade::names::Names;
use crate::wording::unquoted;
use std::collections::HashMap;

impl Files {
    /// The document with all targets in other files, and findings for references that could not be followed.
    ///
    /// Each target is added once, as a component. A path item, and a component that is only a reference to a file, are
    /// replaced by the content, so a document that was split is the same as before. A target inside another target is
    /// referred to there.
    pub fn bundle(self) -> (Node, Vec<Finding>) {
        self.bundle_within(&Deadline::never())
    }

    /// The same with a deadline: once it is over, this ends with the fatal finding of [`Deadline::finding`].
    pub fn bundle_within(mut self, deadline: &Deadline<'_>) -> (Node, Vec<Finding>) {
        self.report_missing();
        self.name_files();
        let late = || (Node::made(Value::Null), vec![Deadline::finding()]);
        let ends = self.ends_of_chains();
        let outer = self.outer_targets();
        if deadline.look() {
            return late();
        }
        let replacements = self.replacements(&ends, &outer);
        let mut new_pointers: Vec<Option<String>> = vec![None; self.targets.len()];
        for (target, link) in &replacements {
            new_pointers[*target] = self.links.get(*link).map(|link| owner(&link.path).pointer());
        }
        let new_components = self.name_components(&ends, &outer, &mut new_pointers);
        for (target, outer) in outer.iter().enumerate() {
            if let Some((outer, rest)) = outer {
                new_pointers[target] = new_pointers[*outer].as_ref().map(|pointer| format!("{pointer}{rest}"));
            }
        }
        if deadline.look() {
            return late();
        }
        self.rewrite(&ends, &replacements, &new_pointers);
        let is_placed = |index: &usize| replacements.contains_key(index) || new_components.contains_key(index);
        let content = (0..new_pointers.len()).filter(is_placed).map(|index| (index, self.content(index)));
        let content: Vec<(usize, Option<Node>)> = content.collect();
        let links = std::mem::take(&mut self.links);
        let mut root = std::mem::take(&mut self.loaded).into_iter().next().map(|document| document.root);
        if let Some(root) = &mut root {
            for (index, node) in content {
                let Some(node) = node.filter(|_| !deadline.is_over()) else { continue };
                if let Some(link) = replacements.get(&index).and_then(|link| links.get(*link)) {
                    if let Some(place) = root.at_path_mut(&owner(&link.path)) {
                        replace(place, node);
                    }
                } else if let Some((field, name)) = new_components.get(&index) {
                    insert(root, self.version, field, name, node);
                }
            }
        }
        if deadline.look() {
            return late();
        }
        (root.unwrap_or_else(|| Node::made(Value::Null)), self.findings)
    }

    fn report_missing(&mut self) {
        if self.known.len() > MAX_FILES {
            return;
        }
        let waiting: Vec<Waiting> = self
            .known
            .values_mut()
            .flat_map(|known| if let Known::Wanted(waiting) = known { std::mem::take(waiting) } else { Vec::new() })
            .collect();
        for reference in &waiting {
            self.report_file(reference, "cannot be followed: the file is missing");
        }
    }

    /// For each target, the one that replaces it: a path item that is only a reference is replaced by the next one.
    fn ends_of_chains(&self) -> Vec<usize> {
        let mut next = HashMap::new();
        for link in self.links.iter().filter(|link| link.alone) {
            if let LinkTarget::Target(to) = link.to {
                next.insert((link.file, owner(&link.path).pointer()), to);
            }
        }
        let step = |target: &Target| {
            let is_path = target.kind == ObjectKind::PathItem;
            next.get(&(target.file, target.pointer.clone())).copied().filter(|_| is_path)
        };
        let end = |start: usize| {
            let mut end = start;
            for _ in 0..MAX_HOPS {
                match self.targets.get_index(end).and_then(step) {
                    Some(next) => end = next,
                    None => return end,
                }
            }
            start
        };
        (0..self.targets.len()).map(end).collect()
    }

    /// For each target, the outermost other one that contains it, and the path there.
    fn outer_targets(&self) -> Vec<Option<(usize, String)>> {
        let mut first: HashMap<(usize, &str), usize> = HashMap::new();
        for (index, target) in self.targets.iter().enumerate() {
            first.entry((target.file, &target.pointer)).or_insert(index);
        }
        let outer = |target: &Target| {
            let ends = target.pointer.match_indices('/').map(|(end, _)| end);
            ends.filter_map(|end| {
                let outer = first.get(&(target.file, &target.pointer[..end]))?;
                Some((*outer, target.pointer[end..].to_owned()))
            })
            .next()
        };
        self.targets.iter().map(outer).collect()
    }

    /// The targets that are inserted at the place of a reference, with the index of its link: the first place that has
    /// the name of the target, or else the first place.
    fn replacements(&self, ends: &[usize], outer: &[Option<(usize, String)>]) -> HashMap<usize, usize> {
        let mut named = HashMap::new();
        let mut replacements = HashMap::new();
        for (position, link) in self.links.iter().enumerate().filter(|(_, link)| link.file == 0) {
            let LinkTarget::Target(target) = link.to else { continue };
            let Some(index) = ends.get(target).copied().filter(|end| matches!(outer.get(*end), Some(None))) else {
                continue;
            };
            let Some(target) = self.targets.get_index(index) else { continue };
            let owner = owner(&link.path);
            if target.kind == ObjectKind::PathItem || (link.alone && self.is_component(&owner, target.kind)) {
                replacements.entry(index).or_insert(position);
                let name = self
                    .loaded
                    .get(target.file)
                    .and_then(|loaded| Some(name_of(loaded.base.as_ref()?, &target.pointer)));
                if matches!((owner.0.last(), name), (Some(Step::Key(key)), Some(name)) if **key == *name) {
                    named.entry(index).or_insert(position);
                }
            }
        }
        replacements.extend(named);
        replacements
    }

    /// Whether a path of the document is that of a component of this kind.
    fn is_component(&self, path: &Path, kind: ObjectKind) -> bool {
        let Some(expected) = field_of(kind, self.version) else { return false };
        let keys: Vec<&str> = path
            .0
            .iter()
            .map(|step| match step {
                Step::Key(key) => &**key,
                Step::Index(_) => "",
            })
            .collect();
        match keys.as_slice() {
            ["components", field, _] => *field == expected && self.version > Some(Version::V2_0),
            [field, _] => *field == expected && self.version == Some(Version::V2_0),
            _ => false,
        }
    }

    /// The field and the name of each target that becomes a new component.
    fn name_components(
        &self,
        ends: &[usize],
        outer: &[Option<(usize, String)>],
        new_pointers: &mut [Option<String>],
    ) -> HashMap<usize, (&'static str, String)> {
        let mut names: HashMap<&str, Names> = HashMap::new();
        let mut new_components = HashMap::new();
        for (index, target) in self.targets.iter().enumerate() {
            let is_placed = new_pointers[index].is_some() || outer[index].is_some() || ends[index] != index;
            let address = self.loaded.get(target.file).and_then(|loaded| loaded.base.as_ref());
            let (Some(field), Some(address), false) = (field_of(target.kind, self.version), address, is_placed) else {
                continue;
            };
            let names = names.entry(field).or_insert_with(|| {
                let taken =
                    self.loaded.first().and_then(|document| components(&document.root, self.version)?.get(field));
                Names::of(taken.into_iter().flat_map(Node::members).map(|(name, _)| name))
            });
            let name = names.take(&name_of(address, &target.pointer));
            let parent = if self.version == Some(Version::V2_0) { "" } else { "/components" };
            new_pointers[index] = Some(format!("{parent}/{field}/{name}"));
            new_components.insert(index, (field, name));
        }
        new_components
    }

    /// Makes all references lead to the new places of their targets. Reports those whose target has no place: OpenAPI 2.0
    /// has no components for path items.
    fn rewrite(&mut self, ends: &[usize], replacements: &HashMap<usize, usize>, new_pointers: &[Option<String>]) {
        let is_placeless = |target: &usize| {
            self.targets.get_index(*target).is_some_and(|target| field_of(target.kind, self.version).is_none())
        };
        for (position, link) in self.links.iter().enumerate() {
            let Link { file, path, to, .. } = link;
            let pointer = match to {
                LinkTarget::Document(pointer) => Some(pointer),
                LinkTarget::Target(target) => {
                    let end = ends.get(*target).copied().unwrap_or(*target);
                    if replacements.get(&end) == Some(&position) {
                        continue;
                    }
                    new_pointers.get(end).and_then(Option::as_ref)
                }
            };
            let Some(text) = self.loaded.get_mut(*file).and_then(|loaded| loaded.root.at_path_mut(path)) else {
                continue;
            };
            match (pointer, to) {
                (Some(pointer), _) => text.value = Value::Text(format!("#{}", as_fragment(pointer)).into()),
                (None, LinkTarget::Target(target)) if is_placeless(target) => {
                    let reference = unquoted(text.as_text().unwrap_or_default());
                    let message = format!("{reference} cannot be followed: OpenAPI 2.0 has no components of its kind");
                    self.findings.push(Finding::new(Code::RefFile, text.at, path.clone(), message));
                }
                (None, _) => {}
            }
        }
    }

    fn content(&self, target: usize) -> Option<Node> {
        let target = self.targets.get_index(target)?;
        self.loaded.get(target.file)?.root.at_pointer(&target.pointer).cloned()
    }
}

/// The path to the object that has a `$ref`.
fn owner(path: &Path) -> Path {
    Path(path.0[..path.0.len().saturating_sub(1)].to_vec())
}

/// Replaces a reference by content. Fields beside the reference override those of the content.
fn replace(place: &mut Node, mut content: Node) {
    if let (Value::Map(fields), Value::Map(beside)) = (&mut content.value, &mut place.value) {
        beside.shift_remove("$ref");
        fields.extend(std::mem::take(beside));
    }
    *place = content;
}

/// The field for components of this kind.
fn field_of(kind: ObjectKind, version: Option<Version>) -> Option<&'static str> {
    match (version, kind) {
        (Some(Version::V2_0), ObjectKind::Schema) => Some("definitions"),
        (Some(Version::V2_0), ObjectKind::Parameter) => Some("parameters"),
        (Some(Version::V2_0), ObjectKind::Response) => Some("responses"),
        (Some(Version::V2_0), _) => None,
        _ => component_field(kind),
    }
}

/// The object with the fields of components.
fn components(root: &Node, version: Option<Version>) -> Option<&Node> {
    if version == Some(Version::V2_0) { Some(root) } else { root.get("components") }
}

fn insert(root: &mut Node, version: Option<Version>, field: &str, name: &str, node: Node) {
    let parent = if version == Some(Version::V2_0) { Some(root) } else { map_at(root, "components") };
    let kind = parent.and_then(|parent| map_at(parent, field));
    if let Some(Value::Map(members)) = kind.map(|kind| &mut kind.value) {
        members.insert(name.into(), Member { at: node.at, node });
    }
}

/// The mapping at a key, which is created if it does not exist.
fn map_at<'a>(node: &'a mut Node, key: &str) -> Option<&'a mut Node> {
    let Value::Map(members) = &mut node.value else { return None };
    let empty = || Node::made(Value::Map(Members::default()));
    let member = members.entry(key.into()).or_insert_with(|| Member { at: Place::default(), node: empty() });
    if member.node.as_map().is_none() {
        member.node = empty();
    }
    Some(&mut member.node)
}
