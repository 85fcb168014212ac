//! A schema as the set of its rules, independent of how it is written.
//!
//! `allOf` and a reference with fields beside it mean that several schemas apply: they are *sources*. `anyOf: [X,
//! null]` means that X applies, and that null is also valid: X is a *nullable* source. Other `anyOf` and `oneOf` are
//! *groups* of choices. A target that both documents refer to by one name is compared as a unit of its own, so it is
//! not a source here.
use crate::diff::sides::Side;
use crate::schema::{Types, is_null};
use crate::tree::Node;
use std::collections::HashSet;

/// The maximum number of sources of a schema.
const MAX_SOURCES: usize = 200;

/// The maximum number of schemas that are read for the types of a choice.
const MAX_CHOICE_SCHEMAS: usize = 100;

/// A schema that applies.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) node: &'a Node,
    /// Whether null is also valid.
    pub(super) is_nullable: bool,
}

/// A reference to a schema that applies.
#[derive(Clone, Copy)]
pub(super) struct Base<'a> {
    pub(super) name: &'a str,
    pub(super) node: &'a Node,
    is_nullable: bool,
}

/// The choices of `anyOf` or `oneOf`, without null.
pub(super) struct Group<'a> {
    /// The list.
    pub(super) list: &'a Node,
    pub(super) choices: Vec<&'a Node>,
    pub(super) has_null: bool,
}

/// A schema, split into its sources, bases and groups.
#[derive(Default)]
pub(super) struct View<'a> {
    pub(super) sources: Vec<Source<'a>>,
    pub(super) bases: Vec<Base<'a>>,
    pub(super) groups: Vec<Group<'a>>,
}

impl<'a> View<'a> {
    /// Splits a schema. References become bases.
    pub(super) fn of(side: &Side<'a>, schema: &'a Node) -> Self {
        let mut view = Self::default();
        view.add(side, Source { node: schema, is_nullable: false });
        view
    }

    fn add(&mut self, side: &Side<'a>, source: Source<'a>) {
        if self.sources.len() >= MAX_SOURCES {
            return;
        }
        self.sources.push(source);
        let Source { node, is_nullable } = source;
        if let Some(name) = node.text_of("$ref")
            && let Some(target) = side.target(name)
        {
            self.bases.push(Base { name, node: target, is_nullable });
        }
        for part in node.items_of("allOf") {
            self.add(side, Source { node: part, is_nullable });
        }
        for list in ["anyOf", "oneOf"].iter().filter_map(|key| node.get(key)) {
            let all = list.items();
            let choices: Vec<&Node> = all.iter().filter(|choice| !is_null(choice)).collect();
            let has_null = choices.len() < all.len();
            match choices.as_slice() {
                [] => {}
                [only] => self.add(side, Source { node: only, is_nullable: is_nullable || has_null }),
                _ => self.groups.push(Group { list, choices, has_null: is_nullable || has_null }),
            }
        }
    }

    /// Turns bases into sources, except those with these names.
    pub(super) fn expand(&mut self, side: &Side<'a>, kept: &HashSet<&str>) {
        let mut seen: HashSet<*const Node> =
            self.sources.iter().map(|source| std::ptr::from_ref(source.node)).collect();
        let mut paired = Vec::new();
        let mut at = 0;
        while let Some(base) = self.bases.get(at).copied() {
            at += 1;
            if kept.contains(base.name) {
                paired.push(base);
            } else if seen.insert(std::ptr::from_ref(base.node)) {
                self.add(side, Source { node: base.node, is_nullable: base.is_nullable });
            }
        }
        self.bases = paired;
    }

    /// Whether null is also valid for a base.
    pub(super) fn has_nullable_base(&self) -> bool {
        self.bases.iter().any(|base| base.is_nullable)
    }

    /// Whether the schema has no rules besides its choices.
    pub(super) fn is_only_choices(&self) -> bool {
        let keys = self.sources.iter().filter_map(|source| source.node.as_map()).flat_map(|members| members.keys());
        let mut limits = keys.filter(|key| !SILENT.contains(&&***key) && !key.starts_with("x-"));
        self.bases.is_empty() && limits.next().is_none()
    }
}

/// Keywords that make no value invalid, and the keywords of groups.
const SILENT: [&str; 14] = [
    "anyOf",
    "oneOf",
    "discriminator",
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "externalDocs",
    "$comment",
    "xml",
];

/// The label of a choice for readers: the name of its reference, its title, or its only value.
pub(super) fn label(choice: &Node) -> Option<String> {
    let name = choice.text_of("$ref").map(crate::diff::subject::name);
    let text = || choice.text_of("title").or_else(|| choice.get("const")?.text_or_digits());
    name.or_else(|| text().map(str::to_owned))
}

/// The types of a choice. After too many schemas, it counts as having any type.
pub(in crate::diff) fn types_of<'a>(side: &Side<'a>, choice: &'a Node) -> Types {
    let mut left = MAX_CHOICE_SCHEMAS;
    types_within(side, choice, &mut left)
}

fn types_within<'a>(side: &Side<'a>, schema: &'a Node, left: &mut usize) -> Types {
    let Some(rest) = left.checked_sub(1) else { return Types::ALL };
    *left = rest;
    let mut types = side.own_types(schema);
    if let Some(target) = schema.text_of("$ref").and_then(|name| side.target(name)) {
        types = types.and(types_within(side, target, left));
    }
    // Of a long list, only the schemas that may still be read, and one more, which has any type.
    for part in schema.items_of("allOf").iter().take(*left + 1) {
        types = types.and(types_within(side, part, left));
    }
    for choices in ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)?.as_list()) {
        let choices = choices.iter().take(*left + 1);
        types = types.and(choices.fold(Types::NONE, |all, choice| all.or(types_within(side, choice, left))));
    }
    types
}
