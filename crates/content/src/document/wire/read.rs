//! Reading blocks.
use super::fields::Fields;
use super::path::{Path, WireError};
use super::read_inline::{code_lines, line};
use super::read_kind;
use crate::document::{
    Block, BlockType, Children, Inline, Key, Kind, MAX_DEPTH, MAX_KEY, Place, Verbatim, Void, check::is_key,
    inline_text,
};
use serde_json::Value;
use std::collections::HashSet;

pub(super) type Read<T> = Result<T, WireError>;

/// The blocks of a document.
pub(super) fn document(value: &Value, path: &Path<'_>) -> Read<Vec<Block>> {
    let document = Fields::of_object(value, "document", path)?;
    if value.get("data").is_some_and(Value::is_null) {
        // For a block, `null` counts as absent; for a document, `data` is one of the two required fields.
        return Err(path.key("data").refuse("must be an object"));
    }
    Fields::of(document.value("data"), &path.key("data"))?;
    Reader::default().flow(document.need_list("nodes")?, &path.key("nodes"), 1)
}

/// The state of reading a document.
#[derive(Default)]
pub(super) struct Reader {
    keys: HashSet<String>,
}

/// A fragment: a name, a type, and nodes at a place.
pub(super) struct Fragment<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) kind: Option<&'a str>,
    pub(super) key: Option<&'a str>,
    pub(super) nodes: &'a [Value],
    /// Its index among the fragments.
    pub(super) at: usize,
}

impl Reader {
    /// The key in the value; an empty one if there is none.
    pub(super) fn key(&mut self, key: Option<&Value>, path: &Path<'_>) -> Read<Key> {
        let Some(key) = key else { return Ok(Key::default()) };
        match key.as_str() {
            Some(key) => self.name(key, path),
            None => Err(path.refuse("must be a string")),
        }
    }

    /// A key, which must be well-formed and unique.
    pub(super) fn name(&mut self, key: &str, path: &Path<'_>) -> Read<Key> {
        if !is_key(key) {
            return Err(path.refuse(format!("must be 1 to {MAX_KEY} characters of a-z, A-Z, 0-9, _ and -")));
        }
        if !self.keys.insert(key.to_owned()) {
            return Err(path.refuse("is used more than once in the document"));
        }
        Ok(Key(key.into()))
    }

    /// Blocks of a flow.
    pub(super) fn flow(&mut self, nodes: &[Value], path: &Path<'_>, depth: usize) -> Read<Vec<Block>> {
        let is_allowed = |kind: BlockType| kind.shape().top_level;
        self.blocks(nodes, path, depth, is_allowed, |kind| format!("a {kind} cannot be here by itself"))
    }

    fn children(&mut self, parent: BlockType, nodes: &[Value], path: &Path<'_>, depth: usize) -> Read<Vec<Block>> {
        let is_allowed = |kind: BlockType| parent.allows(kind);
        let children =
            self.blocks(nodes, path, depth, is_allowed, |kind| format!("a {kind} cannot be in a {parent}"))?;
        match parent.shape().children {
            Children::One(item) if children.len() != 1 => {
                Err(path.refuse(format!("a {parent} must have exactly one {item}")))
            }
            _ => Ok(children),
        }
    }

    fn blocks(
        &mut self,
        nodes: &[Value],
        path: &Path<'_>,
        depth: usize,
        is_allowed: impl Fn(BlockType) -> bool,
        refusal: impl Fn(BlockType) -> String,
    ) -> Read<Vec<Block>> {
        let mut blocks = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let path = path.index(at);
            let block = self.block(node, &path, depth)?;
            let kind = block.kind.block_type();
            if !is_allowed(kind) {
                return Err(path.key("type").refuse(refusal(kind)));
            }
            blocks.push(block);
        }
        Ok(blocks)
    }

    fn block(&mut self, value: &Value, path: &Path<'_>, depth: usize) -> Read<Block> {
        if depth > MAX_DEPTH {
            return Err(path.refuse(format!("content must be nested at most {MAX_DEPTH} levels deep")));
        }
        let fields = Fields::of_object(value, "block", path)?;
        let name: String = fields.need("type")?;
        let key = self.key(fields.value("key"), &path.key("key"))?;
        let data_path = path.key("data");
        let data = Fields::of(fields.value("data"), &data_path)?;
        let meta_path = path.key("meta");
        let anchor = Fields::of(fields.value("meta"), &meta_path)?.get("id")?;
        let mut block = Block { key, ..Block::new(Kind::Divider) };
        let nodes_path = path.key("nodes");
        if name == BlockType::Table.name() {
            let fragments = fragments(&fields, path)?;
            let (table, rows) = self.table(&data, &data_path, &fragments, path, depth)?;
            block.kind = Kind::Table(Box::new(table));
            block.children = rows;
        } else {
            block.kind = read_kind::kind(&name, &data, anchor, &fields)?
                .ok_or_else(|| path.key("type").refuse("is not a type of block"))?;
        }
        data.nothing_else()?;
        let kind = block.kind.block_type();
        is_void(&fields, kind.shape().void == Void::Always, path)?;
        match kind {
            BlockType::Paragraph | BlockType::Heading => {
                block.content = line(self, fields.list("nodes")?, Place::Line, &nodes_path, depth + 1)?;
            }
            BlockType::Code => self.code(&mut block, &fields, &nodes_path, depth)?,
            BlockType::Image | BlockType::Embed | BlockType::File => {
                let fragments = fragments(&fields, path)?;
                let caption = named(&fragments, "caption");
                block.content = caption.map_or(Ok(Vec::new()), |caption| self.lines(caption, path, depth))?;
            }
            BlockType::Expandable => {
                let fragments = fragments(&fields, path)?;
                let need = |name: &str| {
                    named(&fragments, name)
                        .ok_or_else(|| path.key("fragments").refuse(format!("needs a fragment {name}")))
                };
                let (title, body) = (need("expandable-title")?, need("expandable-body")?);
                block.content = self.lines(title, path, depth)?;
                block.children = self.body(body, path, depth + 1)?;
            }
            BlockType::Table => {}
            _ => block.children = self.children(kind, fields.list("nodes")?, &nodes_path, depth + 1)?,
        }
        Ok(block)
    }

    fn code(&mut self, block: &mut Block, fields: &Fields<'_, '_>, path: &Path<'_>, depth: usize) -> Read<()> {
        let Kind::Code(code) = &mut block.kind else { return Ok(()) };
        (block.content, code.highlighted) = code_lines(self, fields.list("nodes")?, path, depth + 1)?;
        let plain = block.content.iter().all(|inline| matches!(inline, Inline::Text(_)));
        if plain && fields.get("verbatim")?.unwrap_or(false) {
            let syntax = code.syntax.take().unwrap_or_default();
            let source = inline_text(&std::mem::take(&mut block.content));
            block.kind = Kind::Verbatim(Verbatim { source, syntax });
        }
        Ok(())
    }

    /// The line of a fragment with one paragraph. Several paragraphs become lines of it.
    pub(super) fn lines(&mut self, fragment: &Fragment<'_>, path: &Path<'_>, depth: usize) -> Read<Vec<Inline>> {
        let (path, at) = (path.key("fragments"), fragment.at);
        let (path, mut content) = (path.index(at), Vec::new());
        let path = path.key("nodes");
        for (at, node) in fragment.nodes.iter().enumerate() {
            let path = path.index(at);
            let paragraph = Fields::of_object(node, "block", &path)?;
            if paragraph.value("type").and_then(Value::as_str) != Some(BlockType::Paragraph.name()) {
                return Err(path.key("type").refuse("must be \"paragraph\""));
            }
            if at > 0 {
                content.push("\n".into());
            }
            content.extend(line(self, paragraph.list("nodes")?, Place::Line, &path.key("nodes"), depth + 1)?);
        }
        Ok(content)
    }

    /// The blocks of a fragment that needs at least one: an empty paragraph without a key means none.
    pub(super) fn body(&mut self, fragment: &Fragment<'_>, path: &Path<'_>, depth: usize) -> Read<Vec<Block>> {
        if let [only] = fragment.nodes
            && is_plain_paragraph(only)
            && only.get("key").is_none_or(Value::is_null)
            && only.get("nodes").is_none_or(|nodes| nodes.as_array().is_some_and(Vec::is_empty))
        {
            return Ok(Vec::new());
        }
        let path = path.key("fragments");
        let path = path.index(fragment.at);
        self.flow(fragment.nodes, &path.key("nodes"), depth)
    }

    /// The content of a cell's fragment: a line if it is a single plain paragraph, and otherwise blocks.
    pub(super) fn cell(
        &mut self,
        fragment: &Fragment<'_>,
        path: &Path<'_>,
        depth: usize,
    ) -> Read<(Vec<Inline>, Vec<Block>)> {
        if let [only] = fragment.nodes
            && is_plain_paragraph(only)
        {
            return Ok((self.lines(fragment, path, depth)?, Vec::new()));
        }
        let path = path.key("fragments");
        let path = path.index(fragment.at);
        Ok((Vec::new(), self.flow(fragment.nodes, &path.key("nodes"), depth + 1)?))
    }
}

fn is_plain_paragraph(node: &Value) -> bool {
    let data = node.get("data").and_then(Value::as_object);
    node["type"] == BlockType::Paragraph.name() && data.is_none_or(|data| data.values().all(Value::is_null))
}

/// Checks the value of `isVoid`, if there is one.
pub(super) fn is_void(fields: &Fields<'_, '_>, void: bool, path: &Path<'_>) -> Read<()> {
    match fields.get::<bool>("isVoid")? {
        Some(said) if said != void => Err(path.key("isVoid").refuse(format!("must be {void}"))),
        _ => Ok(()),
    }
}

/// The fragments of a block or an inline.
pub(super) fn fragments<'a>(fields: &Fields<'a, '_>, path: &Path<'_>) -> Read<Vec<Fragment<'a>>> {
    let path = path.key("fragments");
    let mut fragments = Vec::new();
    for (at, value) in fields.list("fragments")?.iter().enumerate() {
        let path = path.index(at);
        let fields = Fields::of_object(value, "fragment", &path)?;
        let text = |name| match fields.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(path.key(name).refuse("must be a string")),
        };
        let (name, kind, key) = (text("fragment")?, text("type")?, text("key")?);
        fragments.push(Fragment { name, kind, key, nodes: fields.need_list("nodes")?, at });
    }
    Ok(fragments)
}

/// The fragment that has this name or type.
pub(super) fn named<'f, 'a>(fragments: &'f [Fragment<'a>], name: &str) -> Option<&'f Fragment<'a>> {
    fragments.iter().find(|fragment| fragment.name == Some(name) || fragment.kind == Some(name))
}
