//! The rules for each type of block: where it may be, and what it may contain.
//!
//! The API's description has a short list of children for each container, fitted to one editor. Markdown nests freely:
//! a list item contains a table, a quotation contains a heading, a tab contains tabs. The short lists would lose
//! content, so the rule here is wider and simpler. There are two kinds of parents:
//!
//! - *Structural* parents contain only their own items: lists contain list items, tabs contain tab items, a stepper
//!   contains steps, columns contain columns, updates contain updates, images contain images, tables contain rows of
//!   cells, and a prompt contains exactly one code block. No item may be anywhere else.
//! - *Flow* parents (list item, quotation, callout, expandable, tab, step, column, update, condition, table cell, note)
//!   contain any number of the blocks that may be at the top of a document, in any order.
//!
//! Everything that the short lists allow is allowed here too.
use super::{Block, Inline, Kind};
use crate::reference::ContentRef;

/// The value of the API's `isVoid` for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Void {
    /// Required and true.
    Always,
    /// Required and false.
    Never,
    /// Optional, and false where given.
    Unsaid,
}

/// The content that a block may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// No content.
    Nothing,
    /// A line of text with any inline content.
    Line,
    /// Code: text without marks, notes and expressions.
    Code,
}

/// Which blocks a block may have inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Children {
    /// None.
    None,
    /// Any number of the blocks that may be at the top of a document.
    Flow,
    /// Any number of one type.
    Only(BlockType),
    /// Exactly one, of this type.
    One(BlockType),
}

/// The rule of one type of block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The value of `isVoid` in the API's form.
    pub void: Void,
    /// What its content may be.
    pub holds: Holds,
    /// Which blocks it may have inside.
    pub children: Children,
    /// Whether it may be at the top of a document, and so in every flow.
    pub top_level: bool,
}

macro_rules! shapes {
    ($($type:ident $pattern:pat, $name:literal: $void:ident, $holds:ident, $children:expr, $top:literal;)*) => {
        /// The type of a block, without its data.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "documented at Kind, name by name")]
        pub enum BlockType { $($type),* }

        impl BlockType {
            /// Every type, in the order of [`Kind`].
            pub const ALL: &[Self] = &[$(Self::$type),*];

            /// Its name, such as `list-item`. It is the API's `type`, except that there a heading is `heading-1`,
            /// `heading-2` or `heading-3`, verbatim source is `code`, and rows and cells are the data of a `table`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$type => $name),* }
            }

            /// Its rule.
            pub const fn shape(self) -> Shape {
                match self {
                    $(Self::$type => Shape {
                        void: Void::$void,
                        holds: Holds::$holds,
                        children: $children,
                        top_level: $top,
                    }),*
                }
            }
        }

        impl Kind {
            /// Its type, without its data.
            pub const fn block_type(&self) -> BlockType {
                match self { $($pattern => BlockType::$type),* }
            }
        }
    };
}

const NONE: Children = Children::None;
const FLOW: Children = Children::Flow;
const fn only(child: BlockType) -> Children {
    Children::Only(child)
}

shapes! {
    // type, pattern, name                                              void    content  children                      top
    Paragraph Kind::Paragraph(_), "paragraph":                          Unsaid, Line,    NONE,                         true;
    Heading Kind::Heading(_), "heading":                                Unsaid, Line,    NONE,                         true;
    ListOrdered Kind::ListOrdered(_), "list-ordered":                   Unsaid, Nothing, only(BlockType::ListItem),    true;
    ListUnordered Kind::ListUnordered, "list-unordered":                Unsaid, Nothing, only(BlockType::ListItem),    true;
    ListTasks Kind::ListTasks, "list-tasks":                            Unsaid, Nothing, only(BlockType::ListItem),    true;
    ListItem Kind::ListItem(_), "list-item":                            Unsaid, Nothing, FLOW,                         false;
    Divider Kind::Divider, "divider":                                   Always, Nothing, NONE,                         true;
    Blockquote Kind::Blockquote, "blockquote":                          Unsaid, Nothing, FLOW,                         true;
    Hint Kind::Hint(_), "hint":                                         Unsaid, Nothing, FLOW,                         true;
    Prompt Kind::Prompt(_), "prompt":                                   Unsaid, Nothing, Children::One(BlockType::Code), true;
    Code Kind::Code(_), "code":                                         Unsaid, Code,    NONE,                         true;
    Math Kind::Math(_), "math":                                         Always, Nothing, NONE,                         true;
    Embed Kind::Embed(_), "embed":                                      Always, Line,    NONE,                         true;
    Integration Kind::Integration(_), "integration":                    Always, Nothing, NONE,                         true;
    Images Kind::Images(_), "images":                                   Never,  Nothing, only(BlockType::Image),       true;
    Image Kind::Image(_), "image":                                      Always, Line,    NONE,                         false;
    File Kind::File(_), "file":                                         Always, Line,    NONE,                         true;
    Drawing Kind::Drawing(_), "drawing":                                Always, Nothing, NONE,                         true;
    ContentRef Kind::ContentRef(_), "content-ref":                      Always, Nothing, NONE,                         true;
    ReusableContent Kind::ReusableContent(_), "reusable-content":       Always, Nothing, NONE,                         true;
    Expandable Kind::Expandable(_), "expandable":                       Always, Line,    FLOW,                         true;
    Tabs Kind::Tabs(_), "tabs":                                         Unsaid, Nothing, only(BlockType::TabsItem),    true;
    TabsItem Kind::TabsItem(_), "tabs-item":                            Unsaid, Nothing, FLOW,                         false;
    Stepper Kind::Stepper, "stepper":                                   Unsaid, Nothing, only(BlockType::StepperStep), true;
    StepperStep Kind::StepperStep(_), "stepper-step":                   Unsaid, Nothing, FLOW,                         false;
    Columns Kind::Columns(_), "columns":                                Never,  Nothing, only(BlockType::Column),      true;
    Column Kind::Column(_), "column":                                   Unsaid, Nothing, FLOW,                         false;
    Updates Kind::Updates(_), "updates":                                Unsaid, Nothing, only(BlockType::Update),      true;
    Update Kind::Update(_), "update":                                   Unsaid, Nothing, FLOW,                         false;
    If Kind::If(_), "if":                                               Unsaid, Nothing, FLOW,                         true;
    Table Kind::Table(_), "table":                                      Always, Nothing, only(BlockType::TableRow),    true;
    TableRow Kind::TableRow, "table-row":                               Unsaid, Nothing, only(BlockType::TableCell),   false;
    TableCell Kind::TableCell(_), "table-cell":                         Unsaid, Line,    FLOW,                         false;
    Swagger Kind::Swagger(_), "swagger":                                Always, Nothing, NONE,                         true;
    OpenapiOperation Kind::OpenapiOperation(_), "openapi-operation":    Always, Nothing, NONE,                         true;
    OpenapiSchemas Kind::OpenapiSchemas(_), "openapi-schemas":          Always, Nothing, NONE,                         true;
    OpenapiWebhook Kind::OpenapiWebhook(_), "openapi-webhook":          Always, Nothing, NONE,                         true;
    Verbatim Kind::Verbatim(_), "verbatim":                             Unsaid, Nothing, NONE,                         true;
}

impl BlockType {
    /// Whether a block of this type may hold one of `child`.
    pub const fn allows(self, child: Self) -> bool {
        match self.shape().children {
            Children::None => false,
            Children::Flow => child.shape().top_level,
            Children::Only(item) | Children::One(item) => item as u8 == child as u8,
        }
    }
}

impl std::fmt::Display for BlockType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Kind {
    /// Whether a block of this kind may hold one of `child`.
    pub const fn allows(&self, child: &Self) -> bool {
        self.block_type().allows(child.block_type())
    }
}

/// A place of inline content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the content of a block of text.
    Line,
    /// In code.
    Code,
    /// In a link.
    Link,
    /// In annotated text.
    Annotated,
}

impl Place {
    /// The place in the content of a block, if it may have content.
    pub const fn of(holds: Holds) -> Option<Self> {
        match holds {
            Holds::Nothing => None,
            Holds::Line => Some(Self::Line),
            Holds::Code => Some(Self::Code),
        }
    }

    /// Whether `inline` may be here.
    pub const fn allows(self, inline: &Inline) -> bool {
        match (self, inline) {
            (Self::Line, _) | (_, Inline::Text(_)) => true,
            (Self::Code, Inline::Annotation(_) | Inline::Expression { .. }) => true,
            (Self::Code, _) => false,
            (Self::Annotated, Inline::Link(_)) => true,
            (
                _,
                Inline::Emoji { .. }
                | Inline::Icon(_)
                | Inline::Expression { .. }
                | Inline::Math { .. }
                | Inline::Image(_)
                | Inline::Verbatim { .. },
            ) => true,
            (_, Inline::Link(_) | Inline::Annotation(_) | Inline::Mention { .. } | Inline::Button(_)) => false,
        }
    }
}

impl Inline {
    /// Its `type` in the API; `text` and `verbatim` have none there.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Link(_) => "link",
            Self::Emoji { .. } => "emoji",
            Self::Icon(_) => "icon",
            Self::Expression { .. } => "expression",
            Self::Math { .. } => "inline-math",
            Self::Image(_) => "inline-image",
            Self::Annotation(_) => "annotation",
            Self::Mention { .. } => "mention",
            Self::Button(_) => "button",
            Self::Verbatim { .. } => "verbatim",
        }
    }
}

/// The allowed targets of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedTargets {
    /// At anything.
    Any,
    /// At a file, or at an address.
    File,
    /// At a reusable content, or at the address it was written as.
    ReusableContent,
    /// At a tag.
    Tag,
}

impl AllowedTargets {
    /// Whether `target` is allowed.
    pub const fn allows(self, target: &ContentRef) -> bool {
        match self {
            Self::Any => true,
            Self::File => matches!(target, ContentRef::File { .. } | ContentRef::Url { .. }),
            Self::ReusableContent => matches!(target, ContentRef::ReusableContent { .. } | ContentRef::Url { .. }),
            Self::Tag => matches!(target, ContentRef::Tag { .. }),
        }
    }

    /// The allowed targets, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Any => "anything",
            Self::File => "a file or a url",
            Self::ReusableContent => "a reusable content or a url",
            Self::Tag => "a tag",
        }
    }
}

impl Block {
    /// A block without key, content and children.
    pub fn new(kind: Kind) -> Self {
        Self { key: super::Key::default(), kind, content: Vec::new(), children: Vec::new() }
    }

    /// The same block with this content.
    #[must_use]
    pub fn with_content(mut self, content: Vec<Inline>) -> Self {
        self.content = content;
        self
    }

    /// The same block with these blocks inside.
    #[must_use]
    pub fn with_children(mut self, children: Vec<Self>) -> Self {
        self.children = children;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// The lists of the API's description. `ESS` is its group of simple blocks.
    const ESS: &[&str] = &["paragraph", "heading", "list-ordered", "list-unordered", "list-tasks", "divider"];

    #[rstest]
    #[case("list-item", &["code", "hint", "blockquote", "math", "table"])]
    #[case("blockquote", &["blockquote"])]
    #[case("hint", &["embed", "integration", "table"])]
    #[case("expandable", &["file", "images", "code", "table", "hint", "prompt", "blockquote", "reusable-content", "integration"])]
    #[case("tabs-item", &["content-ref", "code", "embed", "file", "images", "drawing", "hint", "prompt", "blockquote", "math", "integration"])]
    #[case("stepper-step", &["content-ref", "code", "embed", "file", "images", "drawing", "hint", "prompt", "blockquote", "math", "integration", "expandable"])]
    #[case("column", &["images", "code", "hint", "prompt", "content-ref", "drawing", "embed", "file", "integration", "math", "blockquote", "table", "expandable", "stepper"])]
    #[case("update", &["content-ref", "code", "embed", "file", "images", "drawing", "hint", "prompt", "blockquote", "math", "integration", "tabs", "expandable"])]
    fn a_flow_parent_holds_all_that_the_description_lists_and_no_items(#[case] parent: &str, #[case] listed: &[&str]) {
        let parent = named(parent);
        for child in ESS.iter().chain(listed) {
            assert!(parent.allows(named(child)), "{parent} must hold {child}");
        }
        for item in ["list-item", "image", "tabs-item", "stepper-step", "column", "update", "table-row", "table-cell"] {
            assert!(!parent.allows(named(item)), "{parent} must not hold {item}");
        }
    }

    #[rstest]
    #[case("list-ordered", "list-item")]
    #[case("list-unordered", "list-item")]
    #[case("list-tasks", "list-item")]
    #[case("prompt", "code")]
    #[case("images", "image")]
    #[case("tabs", "tabs-item")]
    #[case("stepper", "stepper-step")]
    #[case("columns", "column")]
    #[case("updates", "update")]
    #[case("table", "table-row")]
    #[case("table-row", "table-cell")]
    fn a_structural_parent_holds_its_own_items_alone(#[case] parent: &str, #[case] item: &str) {
        let allowed: Vec<&str> =
            BlockType::ALL.iter().filter(|child| named(parent).allows(**child)).map(|child| child.name()).collect();
        assert_eq!(allowed, [item]);
    }

    #[test]
    fn a_block_without_inside_allows_no_child() {
        for parent in BlockType::ALL.iter().filter(|parent| parent.shape().children == Children::None) {
            assert!(BlockType::ALL.iter().all(|child| !parent.allows(*child)), "{parent}");
        }
    }

    #[test]
    fn the_types_that_are_void_are_those_of_the_description() {
        let void = |wanted| {
            BlockType::ALL
                .iter()
                .filter(move |t| t.shape().void == wanted)
                .map(|t| t.name())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            void(Void::Always),
            "divider math embed integration image file drawing content-ref reusable-content expandable table swagger \
             openapi-operation openapi-schemas openapi-webhook"
        );
        assert_eq!(void(Void::Never), "images columns");
    }

    fn named(name: &str) -> BlockType {
        *BlockType::ALL.iter().find(|block| block.name() == name).expect("a type of block")
    }
}
