//! Operations: their ids and tags.
use super::paths::Owner;
use super::{Check, item_of, texts};
use crate::finding::Code;
use crate::shape::Object;
use crate::tree::{Node, Place, Step};
use crate::wording::quoted;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The ids and tags so far.
pub(super) struct Operations<'a> {
    ids: HashMap<&'a str, (String, Place)>,
    /// `None` if the document has no tags of its own.
    tags: Option<BTreeSet<&'a str>>,
    unknown: HashSet<&'a str>,
}

impl<'a> Operations<'a> {
    pub(super) fn new(root: &'a Node) -> Self {
        let tags = root.get("tags").and_then(Node::as_list);
        let names: BTreeSet<&str> = tags.into_iter().flatten().filter_map(|tag| tag.text_of("name")).collect();
        Self { ids: HashMap::new(), tags: Some(names).filter(|names| !names.is_empty()), unknown: HashSet::new() }
    }

    pub(super) fn check(&mut self, object: &Object<'a, '_>, owner: &Owner<'a>, check: &mut Check<'_, '_>) {
        if let Some((node, id)) = object.node.get("operationId").and_then(|node| Some((node, node.as_text()?))) {
            let method = match object.last() {
                Some(Step::Key(method)) => method.to_uppercase(),
                _ => String::new(),
            };
            match self.ids.get(id) {
                Some((other, at)) => {
                    let message = format!("{} is the id of {other}, too ({}:{})", quoted(id), at.line, at.column);
                    check.report(Code::OperationIdTwice, node.at, object.path(), message);
                }
                None => {
                    self.ids.insert(id, (format!("{method} {}", owner.name()), node.at));
                }
            }
        }
        let Some(tags) = &self.tags else { return };
        for (index, node, tag) in texts(object.node.get("tags")) {
            // Each tag is reported once, at its first use.
            if !tags.contains(tag) && self.unknown.insert(tag) {
                let hint = check.findings.suggestion(tag, tags.iter().copied());
                let message = format!("{} is no tag of the document{hint}", quoted(tag));
                check.report(Code::UnknownTag, node.at, item_of(&object.path(), "tags", index), message);
            }
        }
    }
}
