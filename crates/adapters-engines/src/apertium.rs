//! Apertium: `POST …/translate` of apertium-apy.
use crate::Clients;
use crate::languages::codes;
use async_trait::async_trait;
use domain::ports::{EngineError, EngineUse, Markup, TranslationBatch, Translator, TranslatorAbilities};
use domain::text::Language;
use serde::Deserialize;
use std::fmt::Write;

/// A server of Apertium.
pub(crate) struct Apertium {
    client: Clients,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    response_data: Data,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    translated_text: String,
}

impl Apertium {
    pub(crate) fn new(client: Clients) -> Self {
        Self { client }
    }
}

#[async_trait]
impl Translator for Apertium {
    fn abilities(&self) -> TranslatorAbilities {
        TranslatorAbilities {
            name: "apertium".to_owned(),
            markup: Markup::Html,
            instructions: false,
            max_units: 20,
            max_characters: 5000,
            language_model: false,
        }
    }

    fn has(&self, from: Language, to: Language) -> bool {
        codes(from).apertium.is_some() && codes(to).apertium.is_some()
    }

    async fn translate(&self, batch: &TranslationBatch) -> Result<(Vec<Option<String>>, EngineUse), EngineError> {
        let unknown = || EngineError::Languages { from: batch.from.as_str(), to: batch.to.as_str() };
        let source = codes(batch.from).apertium.ok_or_else(unknown)?;
        let target = codes(batch.to).apertium.ok_or_else(unknown)?;
        let pair = format!("{source}|{target}");
        let asked = paragraphs(&batch.texts);
        let fields = [("langpair", pair.as_str()), ("format", "html"), ("markUnknown", "no"), ("q", asked.as_str())];
        let reply = self.client.post_form("translate", &fields).await?;
        if reply.is_refusal() && reply.text().contains("That pair") {
            return Err(unknown());
        }
        let answer: Answer = reply.json()?;
        let texts = texts(&answer.response_data.translated_text, batch.texts.len());
        Ok((texts, EngineUse { requests: 1, tokens: 0 }))
    }
}

/// The texts as one document, because a request contains one text: a numbered paragraph for each. No text contains such
/// a tag, because texts are escaped.
fn paragraphs(texts: &[String]) -> String {
    let mut document = String::new();
    for (at, text) in texts.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(document, "<p id=\"u{at}\">{text}</p>");
    }
    document
}

/// The texts of the paragraphs; `None` for a missing or repeated one.
fn texts(document: &str, count: usize) -> Vec<Option<String>> {
    let mut texts: Vec<Option<String>> = vec![None; count];
    let mut seen = vec![false; count];
    for part in document.split("<p id=\"u").skip(1) {
        let Some((number, rest)) = part.split_once("\">") else { continue };
        let Some(at) = number.parse::<usize>().ok().filter(|at| *at < count) else { continue };
        let text = rest.split_once("</p>").map(|(text, _)| text.to_owned());
        texts[at] = text.filter(|_| !seen[at]);
        seen[at] = true;
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_paragraphs_of_one_document() {
        let asked = paragraphs(&["A <a id=\"t1\">b</a>".to_owned(), "&lt;p id=\"u0\">".to_owned()]);
        assert_eq!(texts(&asked, 2), [Some("A <a id=\"t1\">b</a>".to_owned()), Some("&lt;p id=\"u0\">".to_owned())]);
        assert_eq!(texts("<p id=\"u1\">b</p><p id=\"u7\">c</p><p id=\"u0\">a", 2), [None, Some("b".to_owned())]);
        assert_eq!(texts("<p id=\"u0\">b</p><p id=\"u0\">c</p>", 1), [None]);
    }
}
