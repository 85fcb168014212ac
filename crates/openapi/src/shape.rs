//! The shape of documents: which objects the specification has, and in which fields.
//!
//! It decides what a value *is*. A `$ref` in a schema is a reference; one in an example is data, and one among
//! `properties` is the name of a property.
use crate::dialect::Version;
use crate::tree::{Node, Path, Step, Value};

/// An object of the specification. Objects without other objects in them, such as `info`, are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectKind {
    /// The document.
    Document,
    /// `paths`, and its keys are paths.
    Paths,
    /// The operations of a path, of a webhook or of a callback.
    PathItem,
    /// An operation.
    Operation,
    /// A parameter.
    Parameter,
    /// A request body.
    RequestBody,
    /// A media type.
    MediaType,
    /// How a property is encoded.
    Encoding,
    /// `responses` of an operation; its keys are status codes.
    Responses,
    /// A response.
    Response,
    /// A header.
    Header,
    /// An example with a summary and a value.
    Example,
    /// A link to another operation.
    Link,
    /// A callback; its keys are expressions.
    Callback,
    /// `components`.
    Components,
    /// A security scheme.
    SecurityScheme,
    /// A schema.
    Schema,
    /// A server.
    Server,
    /// A tag.
    Tag,
}

impl ObjectKind {
    /// The name, with its article.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Document => "an OpenAPI document",
            Self::Paths => "the paths",
            Self::PathItem => "a path",
            Self::Operation => "an operation",
            Self::Parameter => "a parameter",
            Self::RequestBody => "a request body",
            Self::MediaType => "a media type",
            Self::Encoding => "an encoding",
            Self::Responses => "the responses",
            Self::Response => "a response",
            Self::Header => "a header",
            Self::Example => "an example",
            Self::Link => "a link",
            Self::Callback => "a callback",
            Self::Components => "the components",
            Self::SecurityScheme => "a security scheme",
            Self::Schema => "a schema",
            Self::Server => "a server",
            Self::Tag => "a tag",
        }
    }

    /// Whether a reference can be in its place.
    pub(crate) fn may_be_reference(self, version: Version) -> bool {
        match self {
            Self::PathItem | Self::Parameter | Self::Response | Self::Schema => true,
            Self::MediaType => version >= Version::V3_2,
            Self::RequestBody | Self::Header | Self::Example | Self::Link | Self::Callback | Self::SecurityScheme => {
                version >= Version::V3_0
            }
            _ => false,
        }
    }

    /// Whether the fields beside a reference count, all of them. Of others, only `summary` and `description` do.
    pub(crate) fn has_siblings(self, version: Version) -> bool {
        match self {
            Self::Schema => version >= Version::V3_1,
            Self::PathItem => true,
            _ => false,
        }
    }

    /// The form of a field's value; `None` for data, extensions and fields without objects.
    pub(crate) fn field(self, key: &str, version: Version) -> Option<Slot> {
        use Slot::{ListOf, MapOf, One, OneOrList};
        let two = version == Version::V2_0;
        Some(match (self, key) {
            (Self::Paths | Self::Responses | Self::Callback, key) if key.starts_with("x-") => return None,
            (Self::Paths | Self::Callback, _) => One(Self::PathItem),
            (Self::Responses, _) => One(Self::Response),

            (Self::Document, "paths") => One(Self::Paths),
            (Self::Document, "tags") => ListOf(Self::Tag),
            (Self::Document, "definitions") if two => MapOf(Self::Schema),
            (Self::Document, "parameters") if two => MapOf(Self::Parameter),
            (Self::Document, "responses") if two => MapOf(Self::Response),
            (Self::Document, "securityDefinitions") if two => MapOf(Self::SecurityScheme),
            (Self::Document, "webhooks") if version >= Version::V3_1 => MapOf(Self::PathItem),
            (Self::Document, "components") if !two => One(Self::Components),
            (Self::Document | Self::PathItem | Self::Operation, "servers") if !two => ListOf(Self::Server),

            (Self::PathItem, "get" | "put" | "post" | "delete" | "options" | "head" | "patch") => One(Self::Operation),
            (Self::PathItem, "trace") if !two => One(Self::Operation),
            (Self::PathItem, "query") if version >= Version::V3_2 => One(Self::Operation),
            (Self::PathItem, "additionalOperations") if version >= Version::V3_2 => MapOf(Self::Operation),
            (Self::PathItem | Self::Operation, "parameters") => ListOf(Self::Parameter),
            (Self::Operation, "requestBody") if !two => One(Self::RequestBody),
            (Self::Operation, "responses") => One(Self::Responses),
            (Self::Operation, "callbacks") if !two => MapOf(Self::Callback),

            (Self::Parameter | Self::Response, "schema") => One(Self::Schema),
            (Self::Parameter | Self::Header, "items") if two => One(Self::Schema),
            (Self::Header, "schema") if !two => One(Self::Schema),
            (Self::Parameter | Self::Header | Self::RequestBody | Self::Response, "content") if !two => {
                MapOf(Self::MediaType)
            }
            (Self::Parameter | Self::Header | Self::MediaType, "examples") if !two => MapOf(Self::Example),
            (Self::MediaType, "schema") => One(Self::Schema),
            (Self::MediaType, "itemSchema") if version >= Version::V3_2 => One(Self::Schema),
            (Self::MediaType | Self::Encoding, "encoding") => MapOf(Self::Encoding),
            (Self::MediaType | Self::Encoding, "prefixEncoding") => ListOf(Self::Encoding),
            (Self::MediaType | Self::Encoding, "itemEncoding") => One(Self::Encoding),
            (Self::Encoding | Self::Response, "headers") => MapOf(Self::Header),
            (Self::Response, "links") if !two => MapOf(Self::Link),
            (Self::Link, "server") => One(Self::Server),

            (Self::Components, "pathItems") if version < Version::V3_1 => return None,
            (Self::Components, "mediaTypes") if version < Version::V3_2 => return None,
            (Self::Components, key) => MapOf(component_kind(key)?),

            (Self::Schema, "properties") => MapOf(Self::Schema),
            (Self::Schema, "items") => OneOrList(Self::Schema),
            (Self::Schema, "additionalProperties" | "not") => One(Self::Schema),
            (Self::Schema, "allOf" | "oneOf" | "anyOf") => ListOf(Self::Schema),
            (Self::Schema, key) if version >= Version::V3_1 => return newer_schema_field(key),
            _ => return None,
        })
    }
}

/// The fields of `components`, and the kinds of their components.
const COMPONENTS: [(&str, ObjectKind); 11] = [
    ("schemas", ObjectKind::Schema),
    ("responses", ObjectKind::Response),
    ("parameters", ObjectKind::Parameter),
    ("examples", ObjectKind::Example),
    ("requestBodies", ObjectKind::RequestBody),
    ("headers", ObjectKind::Header),
    ("securitySchemes", ObjectKind::SecurityScheme),
    ("links", ObjectKind::Link),
    ("callbacks", ObjectKind::Callback),
    ("pathItems", ObjectKind::PathItem),
    ("mediaTypes", ObjectKind::MediaType),
];

/// The kind of the components in a field of `components`, in the newest version.
pub(crate) fn component_kind(field: &str) -> Option<ObjectKind> {
    COMPONENTS.iter().find(|(known, _)| *known == field).map(|(_, kind)| *kind)
}

/// The field of `components` for components of a kind, in the newest version.
pub(crate) fn component_field(kind: ObjectKind) -> Option<&'static str> {
    COMPONENTS.iter().find(|(_, known)| *known == kind).map(|(field, _)| *field)
}

/// The schemas in fields that 3.1 has from JSON Schema 2020-12, and those of earlier drafts that it still reads.
fn newer_schema_field(key: &str) -> Option<Slot> {
    Some(match key {
        "patternProperties" | "dependentSchemas" | "$defs" | "definitions" | "dependencies" => {
            Slot::MapOf(ObjectKind::Schema)
        }
        "prefixItems" => Slot::ListOf(ObjectKind::Schema),
        "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema"
        | "additionalItems" => Slot::One(ObjectKind::Schema),
        _ => return None,
    })
}

/// The form of a field's value.
pub(crate) enum Slot {
    One(ObjectKind),
    MapOf(ObjectKind),
    ListOf(ObjectKind),
    OneOrList(ObjectKind),
}

/// A [`Step`] that borrows from the document.
#[derive(Clone, Copy, Debug)]
enum StepRef<'a> {
    Key(&'a str),
    Index(usize),
}

/// An object on a walk.
#[derive(Debug)]
pub(crate) struct Object<'a, 'w> {
    /// Its kind.
    pub(crate) kind: ObjectKind,
    /// The value. It can be anything: a document with faults has lists and texts where objects belong.
    pub(crate) node: &'a Node,
    trail: &'w [StepRef<'a>],
    resource: Option<(&'a Node, usize)>,
}

impl<'a> Object<'a, '_> {
    /// The path to it from the start of the walk.
    pub(crate) fn path(&self) -> Path {
        path_of(self.trail)
    }

    /// The key or index of its last step; `None` at the start of the walk.
    pub(crate) fn last(&self) -> Option<Step> {
        self.trail.last().map(StepRef::owned)
    }

    /// The key of its last step, if that is a key.
    pub(crate) fn key(&self) -> Option<&'a str> {
        match self.trail.last()? {
            StepRef::Key(key) => Some(key),
            StepRef::Index(_) => None,
        }
    }

    /// The number of steps from the start of the walk.
    pub(crate) fn depth(&self) -> usize {
        self.trail.len()
    }

    /// The target, if it is a reference.
    pub(crate) fn reference(&self, version: Version) -> Option<&'a str> {
        if self.kind.may_be_reference(version) { self.node.text_of("$ref") } else { None }
    }

    /// The nearest schema around it (or the object itself) that has an `$id`, with its path: references are relative to
    /// it.
    pub(crate) fn resource(&self) -> Option<(&'a Node, Path)> {
        self.resource.map(|(node, depth)| (node, path_of(&self.trail[..depth])))
    }
}

impl StepRef<'_> {
    fn owned(&self) -> Step {
        match self {
            StepRef::Key(key) => Step::Key((*key).into()),
            StepRef::Index(index) => Step::Index(*index),
        }
    }
}

fn path_of(trail: &[StepRef<'_>]) -> Path {
    Path(trail.iter().map(StepRef::owned).collect())
}

/// The kind of the value at a path of a document; `None` if it is not an object with an [`ObjectKind`].
pub(crate) fn kind_at(path: &Path, version: Version) -> Option<ObjectKind> {
    let mut kind = ObjectKind::Document;
    let mut steps = path.0.iter().peekable();
    while let Some(step) = steps.next() {
        let Step::Key(key) = step else { return None };
        kind = match (kind.field(key, version)?, steps.peek()) {
            (Slot::MapOf(kind), Some(Step::Key(_)))
            | (Slot::ListOf(kind) | Slot::OneOrList(kind), Some(Step::Index(_))) => {
                steps.next();
                kind
            }
            (Slot::One(kind) | Slot::OneOrList(kind), _) => kind,
            _ => return None,
        };
    }
    Some(kind)
}

/// Visits this object and all objects below it, in the order of the text. Fields beside a reference that are ignored
/// are not visited.
pub(crate) fn walk<'a>(root: &'a Node, kind: ObjectKind, version: Version, visit: &mut dyn FnMut(&Object<'a, '_>)) {
    let mut walk = Walk { version, trail: Vec::new(), resource: None, visit };
    walk.object(root, kind);
}

struct Walk<'a, 'f> {
    version: Version,
    trail: Vec<StepRef<'a>>,
    resource: Option<(&'a Node, usize)>,
    visit: &'f mut dyn FnMut(&Object<'a, '_>),
}

impl<'a> Walk<'a, '_> {
    fn object(&mut self, node: &'a Node, kind: ObjectKind) {
        let outer = self.resource;
        if kind == ObjectKind::Schema && self.version >= Version::V3_1 && node.text_of("$id").is_some() {
            self.resource = Some((node, self.trail.len()));
        }
        let object = Object { kind, node, trail: &self.trail, resource: self.resource };
        (self.visit)(&object);
        let ends = object.reference(self.version).is_some() && !kind.has_siblings(self.version);
        if let (false, Value::Map(members)) = (ends, &node.value) {
            for (key, member) in members {
                if let Some(slot) = kind.field(key, self.version) {
                    self.trail.push(StepRef::Key(key));
                    self.slot(&member.node, &slot);
                    self.trail.pop();
                }
            }
        }
        self.resource = outer;
    }

    fn slot(&mut self, node: &'a Node, slot: &Slot) {
        match (slot, &node.value) {
            (Slot::MapOf(kind), Value::Map(members)) => {
                for (key, member) in members {
                    self.trail.push(StepRef::Key(key));
                    self.object(&member.node, *kind);
                    self.trail.pop();
                }
            }
            (Slot::ListOf(kind) | Slot::OneOrList(kind), Value::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.trail.push(StepRef::Index(index));
                    self.object(item, *kind);
                    self.trail.pop();
                }
            }
            (Slot::One(kind) | Slot::OneOrList(kind), _) => self.object(node, *kind),
            _ => {}
        }
    }
}
