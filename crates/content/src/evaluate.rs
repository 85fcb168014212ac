//! Evaluates the expressions in a document and replaces them by their results.
use super::document::{Block, Document, Inline, Kind, Text};
use super::expression::{Expression, Scope};
use serde::Serialize;

/// Which expressions are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Evaluated {
    /// None: they stay as they were written.
    #[default]
    No,
    /// Those whose result does not depend on the reader.
    DeterministicOnly,
    /// All; expressions about the reader are evaluated for an anonymous reader.
    All,
}

/// Replaces inline expressions by their results as text, and conditions that hold by their content. Text that is not a
/// valid expression stays as it was written.
pub fn evaluate(document: Document, scope: &Scope, which: Evaluated) -> Document {
    if which == Evaluated::No {
        return document;
    }
    let outcome = |source: &str| {
        let expression = Expression::parse(source).ok()?;
        let wanted = which == Evaluated::All || expression.is_deterministic();
        wanted.then(|| expression.evaluate(scope))
    };
    let holds = |source: &str| Some(outcome(source)?.holds());
    let text = |source: &str| Some(outcome(source)?.into_text());
    Outcomes { holds: &holds, text: &text }.document(document)
}

/// Replaces each condition that holds by its content, and removes the others. `holds` evaluates an expression.
pub fn with_conditions(document: Document, holds: &impl Fn(&str) -> bool) -> Document {
    Outcomes { holds: &|source| Some(holds(source)), text: &|_| None }.document(document)
}

/// Replaces all expressions by their results, where each field of `scope` is a name, such as `visitor`. Invalid
/// expressions are hidden: a condition with its content, and an expression in text.
pub fn evaluate_for(document: Document, scope: &impl Serialize) -> Document {
    let outcome = |source: &str| Expression::parse(source).ok().map(|expression| expression.evaluate(scope));
    let holds = |source: &str| Some(outcome(source).is_some_and(|outcome| outcome.holds()));
    let text = |source: &str| Some(outcome(source).map(|outcome| outcome.into_text()).unwrap_or_default());
    Outcomes { holds: &holds, text: &text }.document(document)
}

/// Replaces expressions by results; an expression without a result stays as it was written.
struct Outcomes<'a> {
    holds: &'a dyn Fn(&str) -> Option<bool>,
    text: &'a dyn Fn(&str) -> Option<String>,
}

impl Outcomes<'_> {
    fn document(&self, document: Document) -> Document {
        Document { blocks: self.blocks(document.blocks) }
    }

    fn blocks(&self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for mut block in blocks {
            block.children = self.blocks(block.children);
            block.content = self.inlines(block.content);
            match &block.kind {
                Kind::If(condition) => match (self.holds)(&condition.expression) {
                    Some(true) => out.extend(block.children),
                    Some(false) => {}
                    None => out.push(block),
                },
                _ => out.push(block),
            }
        }
        out
    }

    fn inlines(&self, inlines: Vec<Inline>) -> Vec<Inline> {
        inlines.into_iter().map(|inline| self.inline(inline)).collect()
    }

    fn inline(&self, inline: Inline) -> Inline {
        match inline {
            Inline::Expression { expression } => match (self.text)(&expression) {
                Some(text) => Inline::Text(Text { text, ..Text::default() }),
                None => Inline::Expression { expression },
            },
            Inline::Link(mut link) => {
                link.content = self.inlines(link.content);
                Inline::Link(link)
            }
            Inline::Annotation(mut annotation) => {
                annotation.content = self.inlines(annotation.content);
                annotation.body = self.blocks(annotation.body);
                Inline::Annotation(annotation)
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Annotation, If, Key, Paragraph};
    use crate::expression::Variables;
    use crate::page::Variable;
    use rstest::rstest;

    fn document(condition: &str) -> Document {
        let expression = Inline::Expression { expression: "space.vars.name".into() };
        let text = Block {
            key: Key("p".into()),
            kind: Kind::Paragraph(Paragraph::default()),
            content: vec![expression],
            children: vec![],
        };
        let condition = Kind::If(If { expression: condition.into() });
        Document {
            blocks: vec![Block { key: Key("i".into()), kind: condition, content: vec![], children: vec![text] }],
        }
    }

    #[rstest]
    #[case::holds("space.vars.name == 'Octavo'", Evaluated::All, Some("Octavo"))]
    #[case::does_not_hold("space.vars.name == 'x'", Evaluated::All, Some(""))]
    #[case::nobody_reads("visitor.claims.pro", Evaluated::All, Some(""))]
    #[case::left_alone("visitor.claims.pro", Evaluated::DeterministicOnly, None)]
    #[case::not_an_expression("((", Evaluated::All, None)]
    #[case::not_asked("space.vars.name == 'Octavo'", Evaluated::No, None)]
    fn a_condition_is_replaced_by_what_it_shows(
        #[case] condition: &str,
        #[case] which: Evaluated,
        #[case] text: Option<&str>,
    ) {
        let vars = [("name".to_owned(), Variable::Text("Octavo".into()))].into();
        let scope = Scope { space: Variables { vars }, page: Variables::default() };
        let evaluated = evaluate(document(condition), &scope, which);
        match text {
            None => assert!(matches!(evaluated.blocks[0].kind, Kind::If(_))),
            Some("") => assert!(evaluated.blocks.is_empty()),
            Some(text) => {
                let expected = Inline::Text(Text { text: text.into(), ..Text::default() });
                assert_eq!(evaluated.blocks[0].content, [expected]);
            }
        }
    }

    #[test]
    fn a_condition_in_an_annotation_is_one_of_the_document() {
        let note = |condition: &str| {
            let Document { blocks } = document(condition);
            Inline::Annotation(Box::new(Annotation { body: blocks, ..Annotation::default() }))
        };
        let mut outer = document("yes");
        outer.blocks[0].children[0].content = vec![note("no"), note("yes")];
        let shown = with_conditions(outer, &|expression| expression == "yes");
        let bodies = shown.blocks[0].content.iter().map(|inline| match inline {
            Inline::Annotation(annotation) => annotation.body.len(),
            _ => 0,
        });
        assert_eq!(bodies.collect::<Vec<_>>(), [0, 1]);
    }

    #[rstest]
    #[case::holds("yes", 1)]
    #[case::does_not_hold("no", 0)]
    fn a_condition_of_a_visitor_is_replaced_by_its_content_or_by_nothing(
        #[case] condition: &str,
        #[case] blocks: usize,
    ) {
        let Document { blocks: inner } = document("yes");
        let mut outer = document(condition);
        outer.blocks[0].children = inner;
        let shown = with_conditions(outer, &|expression| expression == "yes");
        assert_eq!(shown.blocks.len(), blocks);
        assert!(shown.blocks.iter().all(|block| matches!(block.kind, Kind::Paragraph(_))));
    }
}
