//! The rules of the comparison: their ids and their levels, all in one table.
use super::ChangeLevel::{self, Breaking, Fine, Risky, Words};
use crate::direction::Direction;
use crate::tree::Node;

/// The usage of a part of a document, which decides the direction of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Usage {
    /// In requests, to the API: valid values must stay valid.
    Request,
    /// In responses, from the API: promises must be kept.
    Response,
    /// None: it is a component that no operation uses.
    Unused,
}

impl Usage {
    /// The usage in a webhook or a callback, where the API sends the request.
    pub(super) fn inverted(self) -> Self {
        match self {
            Self::Request => Self::Response,
            Self::Response => Self::Request,
            Self::Unused => Self::Unused,
        }
    }

    /// Whether values of this schema are absent. For a reference, only the fields beside it count.
    pub(super) fn hides(self, schema: &Node) -> bool {
        match self {
            Self::Request => Direction::Request.hides(schema),
            Self::Response => Direction::Response.hides(schema),
            Self::Unused => false,
        }
    }

    /// The start of the ids of its changes.
    fn prefix(self) -> &'static str {
        match self {
            Self::Request => "request-",
            Self::Response => "response-",
            Self::Unused => "unused-",
        }
    }
}

/// Whether a change has different ids in requests and in responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ids {
    /// It has one id.
    Once,
    /// It has an id for each usage.
    Each,
}

macro_rules! rules {
    ($($rule:ident $id:literal $ids:ident $request:ident $response:ident)*) => {
        /// A kind of change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(super) enum Rule {
            $(
                #[doc = $id]
                $rule,
            )*
        }

        impl Rule {
            /// All of them.
            const ALL: &[Self] = &[$(Self::$rule),*];

            /// The id without the usage, whether there is an id for each usage, the level in requests and in responses.
            fn row(self) -> (&'static str, Ids, ChangeLevel, ChangeLevel) {
                match self {
                    $(Self::$rule => ($id, Ids::$ids, $request, $response),)*
                }
            }
        }
    };
}

rules! {
    // Rule                     id                            ids    request  response
    OperationRemoved            "operation-removed"           Once   Breaking Breaking
    OperationMoved              "operation-moved"             Once   Breaking Breaking
    OperationAdded              "operation-added"             Once   Fine     Fine
    OperationIdChanged          "operation-id-changed"        Once   Fine     Fine
    Deprecated                  "deprecated"                  Once   Fine     Fine
    DeprecationRemoved          "deprecation-removed"         Once   Fine     Fine
    ServerRemoved               "server-removed"              Once   Risky    Risky
    ServerAdded                 "server-added"                Once   Fine     Fine
    ServerVariablesChanged      "server-variables-changed"    Once   Risky    Risky
    SecurityAdded               "security-added"              Each   Breaking Fine
    SecurityRemoved             "security-removed"            Each   Fine     Breaking
    ScopeAdded                  "scope-added"                 Each   Breaking Fine
    ScopeRemoved                "scope-removed"               Each   Fine     Breaking
    SecuritySchemeChanged       "security-scheme-changed"     Once   Breaking Breaking
    SecurityFlowRemoved         "security-flow-removed"       Once   Breaking Breaking
    SecurityFlowAdded           "security-flow-added"         Once   Fine     Fine
    SecurityAddressChanged      "security-address-changed"    Once   Risky    Risky
    CallbackRemoved             "callback-removed"            Once   Breaking Breaking
    CallbackAdded               "callback-added"              Once   Fine     Fine
    LinkRemoved                 "link-removed"                Once   Risky    Risky
    LinkAdded                   "link-added"                  Once   Fine     Fine

    RequiredParameterAdded      "required-parameter-added"    Each   Breaking Fine
    RequiredParameterRemoved    "required-parameter-removed"  Each   Risky    Breaking
    ParameterAdded              "parameter-added"             Each   Fine     Fine
    ParameterRemoved            "parameter-removed"           Each   Risky    Risky
    ParameterNowRequired        "parameter-now-required"      Each   Breaking Fine
    ParameterNowOptional        "parameter-now-optional"      Each   Fine     Breaking
    ParameterStyleChanged       "parameter-style-changed"     Each   Breaking Breaking
    RequiredHeaderAdded         "required-header-added"       Each   Breaking Fine
    RequiredHeaderRemoved       "required-header-removed"     Each   Risky    Breaking
    HeaderAdded                 "header-added"                Each   Fine     Fine
    HeaderRemoved               "header-removed"              Each   Risky    Risky
    HeaderNowRequired           "header-now-required"         Each   Breaking Fine
    HeaderNowOptional           "header-now-optional"         Each   Fine     Breaking
    HeaderStyleChanged          "header-style-changed"        Each   Breaking Breaking
    RequiredBodyAdded           "required-body-added"         Each   Breaking Fine
    RequiredBodyRemoved         "required-body-removed"       Each   Risky    Breaking
    BodyAdded                   "body-added"                  Each   Fine     Fine
    BodyRemoved                 "body-removed"                Each   Risky    Risky
    BodyNowRequired             "body-now-required"           Each   Breaking Fine
    BodyNowOptional             "body-now-optional"           Each   Fine     Breaking
    MediaTypeRemoved            "media-type-removed"          Each   Breaking Breaking
    MediaTypeAdded              "media-type-added"            Each   Fine     Fine
    EncodingChanged             "encoding-changed"            Each   Risky    Risky
    StatusRemoved               "status-removed"              Once   Breaking Breaking
    StatusAdded                 "status-added"                Once   Fine     Fine

    RequiredFieldAdded          "required-field-added"        Each   Breaking Fine
    RequiredFieldRemoved        "required-field-removed"      Each   Risky    Breaking
    FieldAdded                  "field-added"                 Each   Fine     Fine
    FieldRemoved                "field-removed"               Each   Risky    Risky
    FieldForbidden              "request-field-forbidden"     Once   Breaking Breaking
    FieldNowRequired            "field-now-required"          Each   Breaking Fine
    FieldNowOptional            "field-now-optional"          Each   Fine     Breaking
    OtherFieldsForbidden        "other-fields-forbidden"      Each   Breaking Fine
    OtherFieldsAllowed          "other-fields-allowed"        Each   Fine     Fine
    OtherFieldsNarrowed         "other-fields-narrowed"       Each   Breaking Fine
    OtherFieldsWidened          "other-fields-widened"        Each   Fine     Risky

    TypeNarrowed                "type-narrowed"               Each   Breaking Fine
    TypeWidened                 "type-widened"                Each   Fine     Breaking
    TypeChanged                 "type-changed"                Each   Breaking Breaking
    NullRemoved                 "null-removed"                Each   Breaking Fine
    NullAdded                   "null-added"                  Each   Fine     Breaking
    EnumIntroduced              "enum-introduced"             Each   Breaking Fine
    EnumDropped                 "enum-dropped"                Each   Fine     Risky
    EnumValueRemoved            "enum-value-removed"          Each   Breaking Fine
    EnumValueAdded              "enum-value-added"            Each   Fine     Risky
    BoundNarrowed               "bound-narrowed"              Each   Breaking Fine
    BoundWidened                "bound-widened"               Each   Fine     Risky
    BoundChanged                "bound-changed"               Each   Breaking Risky
    LengthNarrowed              "length-narrowed"             Each   Breaking Fine
    LengthWidened               "length-widened"              Each   Fine     Risky
    FormatNarrowed              "format-narrowed"             Each   Risky    Fine
    FormatWidened               "format-widened"              Each   Fine     Risky
    FormatChanged               "format-changed"              Each   Risky    Risky
    PatternAdded                "pattern-added"               Each   Breaking Fine
    PatternRemoved              "pattern-removed"             Each   Fine     Risky
    PatternChanged              "pattern-changed"             Each   Risky    Risky
    ChoicesIntroduced           "choices-introduced"          Each   Breaking Fine
    ChoicesDropped              "choices-dropped"             Each   Fine     Risky
    ChoiceRemoved               "choice-removed"              Each   Breaking Fine
    ChoiceAdded                 "choice-added"                Each   Fine     Risky
    DiscriminatorChanged        "discriminator-changed"       Each   Breaking Breaking
    DiscriminatorValueRemoved   "discriminator-value-removed" Each   Breaking Fine
    DiscriminatorValueAdded     "discriminator-value-added"   Each   Fine     Risky
    ConditionChanged            "condition-changed"           Each   Risky    Risky
    DefaultChanged              "default-changed"             Each   Risky    Risky

    SchemaRemoved               "schema-removed"              Once   Fine     Fine
    SchemaAdded                 "schema-added"                Once   Fine     Fine
    TooDifferent                "too-different"               Once   Risky    Risky
    InfoChanged                 "info-changed"                Once   Words    Words
    TagsChanged                 "tags-changed"                Once   Words    Words
    DescriptionChanged          "description-changed"         Once   Words    Words
    ExampleChanged              "example-changed"             Once   Words    Words
}

impl Rule {
    /// Whether the change has an id for each usage.
    pub(super) fn has_id_per_usage(self) -> bool {
        self.row().1 == Ids::Each
    }

    /// The id of a change. It never changes: files of accepted changes and programs depend on it.
    pub(super) fn id(self, usage: Usage) -> String {
        let (id, ids, ..) = self.row();
        match ids {
            Ids::Once => id.to_owned(),
            Ids::Each => format!("{}{id}", usage.prefix()),
        }
    }

    /// The level, if nothing was announced. A part that no operation uses breaks no caller.
    pub(super) fn level(self, usage: Usage) -> ChangeLevel {
        let (.., request, response) = self.row();
        match usage {
            Usage::Request => request,
            Usage::Response => response,
            Usage::Unused => response.max(Fine),
        }
    }
}

/// The ids of all changes with their levels. A removal after a deprecation is [`Announced`](ChangeLevel::Announced)
/// instead.
pub fn rules() -> impl Iterator<Item = (String, ChangeLevel)> {
    Rule::ALL.iter().flat_map(|rule| {
        let usages = if rule.has_id_per_usage() {
            &[Usage::Request, Usage::Response, Usage::Unused][..]
        } else {
            &[Usage::Request]
        };
        usages.iter().map(|usage| (rule.id(*usage), rule.level(*usage)))
    })
}
