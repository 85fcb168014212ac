//! Operations: of paths, webhooks and callbacks.
use super::changes::ChangedOperation;
use super::compare::{Comparison, Location, Topic, Unit};
use super::matching::{Matches, Operation, is_moved, matches, operations};
use super::rules::{Rule, Usage};
use super::subject::Subject;
use crate::tree::Node;
use crate::wording::{cut, quoted};

/// The longest path of an operation that is listed, in characters.
pub(super) const MAX_PATH: usize = 500;

/// The part of a document that has operations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OperationPlace {
    Paths,
    Webhooks,
    /// A callback of the operation of this unit.
    Callback(usize),
}

impl<'a> Comparison<'a> {
    /// Compares the operations of paths and webhooks.
    pub(super) fn all_operations(&mut self) {
        let (old, new) = (self.sides.old.root, self.sides.new.root);
        let of = |key, is_path| {
            (operations(&self.sides.old, old.get(key), is_path), operations(&self.sides.new, new.get(key), is_path))
        };
        let paths = of("paths", |path| path.starts_with('/'));
        let webhooks = of("webhooks", |_| true);
        self.compare_operations(&matches(&paths.0, &paths.1), OperationPlace::Paths, Usage::Request);
        self.compare_operations(&matches(&webhooks.0, &webhooks.1), OperationPlace::Webhooks, Usage::Response);
    }

    /// Compares the operations of a callback.
    pub(super) fn callback(&mut self, unit: usize) {
        let Some(Unit { old, new, usage, .. }) = self.units.get(unit) else { return };
        let is_path: fn(&str) -> bool = |path| !path.starts_with("x-");
        let old = operations(&self.sides.old, Some(*old), is_path);
        let new = operations(&self.sides.new, Some(*new), is_path);
        let usage = usage.inverted();
        self.compare_operations(&matches(&old, &new), OperationPlace::Callback(unit), usage);
    }

    fn compare_operations(&mut self, matches: &Matches<'a>, place: OperationPlace, usage: Usage) {
        for (old, new) in &matches.pairs {
            let unit = self.operation_unit(old, new, place, usage);
            if is_moved(old, new) {
                let predicate = format!("moved here from {}", shown(old));
                self.report(unit, Rule::OperationMoved, Location::New(new.node), predicate);
            }
            self.operation(unit, old, new, place);
        }
        for new in &matches.added {
            let unit = self.operation_unit(new, new, place, usage);
            match place {
                OperationPlace::Callback(_) => {
                    self.report(unit, Rule::CallbackAdded, Location::New(new.node), "was added")
                }
                _ => self.report(unit, Rule::OperationAdded, Location::New(new.node), "was added"),
            }
        }
        for old in &matches.removed {
            let unit = self.operation_unit(old, old, place, usage);
            let rule = if matches!(place, OperationPlace::Callback(_)) {
                Rule::CallbackRemoved
            } else {
                Rule::OperationRemoved
            };
            let subject = subject(old, place);
            self.report_removed(unit, &subject, rule, old.node, old.node);
        }
    }

    fn operation_unit(
        &mut self,
        old: &Operation<'a>,
        new: &Operation<'a>,
        place: OperationPlace,
        usage: Usage,
    ) -> usize {
        let text = |text: &str| cut(text, MAX_PATH).into_owned();
        let (operation, parents) = match place {
            OperationPlace::Paths => {
                (Some(ChangedOperation { method: text(new.method), path: text(new.path), webhook: None }), Vec::new())
            }
            OperationPlace::Webhooks => {
                let webhook = Some(text(new.path));
                (Some(ChangedOperation { method: text(new.method), path: String::new(), webhook }), Vec::new())
            }
            OperationPlace::Callback(unit) => (None, vec![unit]),
        };
        let subject = subject(new, place);
        self.add(Unit { topic: Topic::Operation, old: old.node, new: new.node, usage, subject, parents, operation })
    }

    fn operation(&mut self, unit: usize, old: &Operation<'a>, new: &Operation<'a>, place: OperationPlace) {
        let (before, after) = (old.node, new.node);
        // Many paths can refer to one large path item.
        if !self.spend(entries(old) + entries(new)) {
            return;
        }
        let nothing = self.nothing;
        let [old_shared, new_shared] = [old, new].map(|operation| operation.item.get("parameters").unwrap_or(nothing));
        let is_simple = old.target.is_none() && new.target.is_none() && old.path == new.path;
        let is_equal = self.sides.equal(before, after);
        if !is_equal || !is_simple || !self.sides.equal(old_shared, new_shared) {
            self.parameters(unit, old, new);
        }
        if place == OperationPlace::Paths {
            self.inherited(unit, old, new);
        } else {
            self.own_security(unit, before, after);
        }
        self.item_words(unit, old, new);
        if is_equal {
            return;
        }
        self.deprecation(unit, before, after);
        self.words(unit, before, after, &["summary", "description", "externalDocs"]);
        if let Some(location) = self.differing(before, after, &["tags"]) {
            self.report(unit, Rule::TagsChanged, location, "has other tags");
        }
        let [old_id, new_id] = [before, after].map(|node| node.text_of("operationId"));
        if old_id != new_id {
            let location = Location::either(before.get("operationId"), after.get("operationId"), after);
            self.report(unit, Rule::OperationIdChanged, location, "has another operation id");
        }
        self.bodies(unit, before.get("requestBody"), after.get("requestBody"));
        self.responses(unit, before.get("responses"), after.get("responses"));
        self.callbacks(unit, before.get("callbacks"), after.get("callbacks"));
    }

    /// Compares the texts of the path item for readers.
    fn item_words(&mut self, unit: usize, old: &Operation<'a>, new: &Operation<'a>) {
        let differs = ["summary", "description"].iter().find_map(|key| {
            let (before, after) = (old.of_item(key), new.of_item(key));
            let texts = [before, after].map(|node| node.and_then(Node::as_text));
            (texts.first() != texts.last()).then(|| Location::either(before, after, new.item))
        });
        if let Some(location) = differs {
            self.report_text(unit, Rule::DescriptionChanged, location, "the path has another description".to_owned());
        }
    }

    fn callbacks(&mut self, unit: usize, old: Option<&'a Node>, new: Option<&'a Node>) {
        let nothing = self.nothing;
        let [old, new] = [old, new].map(|callbacks| callbacks.unwrap_or(nothing));
        for (name, before) in old.members() {
            let subject = Subject::part(format!("callback {}", quoted(name)));
            match new.get(name) {
                Some(after) => self.reach(unit, Topic::Callback, before, after, subject),
                None => self.report_removed(unit, &subject, Rule::CallbackRemoved, before, before),
            }
        }
        for (name, after) in new.members().filter(|(name, _)| old.get(name).is_none()) {
            let subject = Subject::part(format!("callback {}", quoted(name)));
            self.report_of(unit, &subject, Rule::CallbackAdded, Location::New(after), "was added");
        }
    }
}

/// The number of parameters and responses of an operation, and of its security requirements and callbacks.
fn entries(operation: &Operation<'_>) -> usize {
    let size = |node: &Node| node.as_map().map_or(node.items().len(), |members| members.len());
    let own = ["parameters", "responses", "security", "callbacks"].iter().filter_map(|key| operation.node.get(key));
    own.chain(operation.of_item("parameters")).map(size).sum()
}

/// The operation in words. Changes list operations of paths and webhooks by name.
fn subject(operation: &Operation<'_>, place: OperationPlace) -> Subject {
    match place {
        OperationPlace::Paths | OperationPlace::Webhooks => Subject::part("the operation"),
        OperationPlace::Callback(_) => Subject::part(format!("callback {}", shown(operation))),
    }
}

/// Method and path, on one line.
fn shown(operation: &Operation<'_>) -> String {
    let text = format!("{} {}", operation.method.to_uppercase(), operation.path);
    cut(&text.replace(char::is_control, " "), MAX_PATH).into_owned()
}
