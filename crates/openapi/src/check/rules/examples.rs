//! Examples that their schema rejects.
//!
//! Only certain problems are reported: types, enumerations, and the same for properties and items, also behind
//! references.
use super::Check;
use super::schemas::{shown, wrong_type};
use crate::deadline::Deadline;
use crate::dialect::Version;
use crate::finding::Code;
use crate::refs::Resolver;
use crate::schema::is_one_of;
use crate::shape::{Object, ObjectKind};
use crate::tree::{Node, Step, Value, pointer_step};
use crate::wording::cut;

/// The maximum number of examples of a document that are checked.
pub(super) const MAX_EXAMPLES: usize = 2_000;
/// The maximum number of values of an example that are compared with schemas.
const MAX_VALUES: usize = 2_000;
/// The maximum number of comparisons of an example's values with possible ones.
const MAX_COMPARISONS: usize = 100_000;

/// Checks the examples of a schema, or of an object with a schema: a parameter, a header or a media type. `left` is the
/// number of examples that may still be checked.
pub(super) fn check<'a>(object: &Object<'a, '_>, left: &mut usize, deadline: &Deadline<'_>, check: &mut Check<'a, '_>) {
    let node = object.node;
    if object.reference(check.version).is_some() {
        return;
    }
    // An example of another form than JSON is a text, whatever its schema says.
    if object.kind == ObjectKind::MediaType && !object.key().is_some_and(|name| name.contains("json")) {
        return;
    }
    let schema = if object.kind == ObjectKind::Schema { Some(node) } else { node.get("schema") };
    let Some(schema) = schema else { return };
    // Each with the path to it from the object.
    let mut examples: Vec<(Vec<Step>, &Node)> = Vec::new();
    if let Some(example) = node.get("example") {
        examples.push((vec![Step::Key("example".into())], example));
    }
    match node.get("examples").map(|node| &node.value) {
        Some(Value::List(items)) if object.kind == ObjectKind::Schema && check.version >= Version::V3_1 => {
            let items = items.iter().enumerate().take(*left);
            examples.extend(items.map(|(index, item)| (vec![Step::Key("examples".into()), Step::Index(index)], item)));
        }
        Some(Value::Map(members)) if object.kind != ObjectKind::Schema && check.version != Version::V2_0 => {
            for (key, member) in members.iter().take(*left) {
                if let Some(value) = member.node.get("value") {
                    let steps = vec![Step::Key("examples".into()), Step::Key(key.clone()), Step::Key("value".into())];
                    examples.push((steps, value));
                }
            }
        }
        _ => {}
    }
    for (steps, example) in examples {
        if *left == 0 || deadline.look() {
            return;
        }
        *left -= 1;
        let mut walk =
            Walk { resolver: check.resolver, values: MAX_VALUES, comparisons: MAX_COMPARISONS, way: String::new() };
        if let Some(problem) = walk.problem(schema, example) {
            let message = format!("the example is not what the schema says: {problem}");
            let mut path = object.path();
            path.0.extend(steps);
            check.report(Code::ExampleUnfit, example.at, path, message);
        }
    }
}

struct Walk<'a, 'r> {
    resolver: &'r Resolver<'a>,
    values: usize,
    comparisons: usize,
    /// The pointer from the example to the value.
    way: String,
}

impl<'a> Walk<'a, '_> {
    fn problem(&mut self, schema: &'a Node, value: &Node) -> Option<String> {
        self.values = self.values.checked_sub(1)?;
        let schema = self.resolver.behind(schema, ObjectKind::Schema)?;
        // In many documents null means that there is no example, and an example of a file can be anything.
        if matches!(value.value, Value::Null) || matches!(schema.text_of("format"), Some("binary" | "byte")) {
            return None;
        }
        let what = |walk: &Self| if walk.way.is_empty() { "it".to_owned() } else { cut(&walk.way, 80).into_owned() };
        if let Some(expected) = wrong_type(schema, value) {
            return Some(format!("{} must be {expected}", what(self)));
        }
        if let Some(choices) = schema.get("enum").and_then(Node::as_list)
            && !is_one_of(value, choices, &mut self.comparisons)?
        {
            return Some(format!("{} is not in the enumeration", shown(value)));
        }
        for branch in schema.get("allOf").and_then(Node::as_list).into_iter().flatten() {
            if let Some(problem) = self.problem(branch, value) {
                return Some(problem);
            }
        }
        match &value.value {
            Value::Map(members) => members.iter().find_map(|(key, member)| {
                let property = schema.get("properties").and_then(|properties| properties.get(key))?;
                self.below(&pointer_step(key), property, &member.node)
            }),
            Value::List(items) => {
                let schema = schema.get("items").filter(|schema| schema.as_map().is_some())?;
                items.iter().enumerate().find_map(|(index, item)| self.below(&index.to_string(), schema, item))
            }
            _ => None,
        }
    }

    fn below(&mut self, step: &str, schema: &'a Node, value: &Node) -> Option<String> {
        let before = self.way.len();
        self.way.push('/');
        self.way.push_str(step);
        let problem = self.problem(schema, value);
        self.way.truncate(before);
        problem
    }
}
