//! The request of an operation.
mod address;
mod content;
mod given;
mod parameters;
mod security;
mod style;

use super::{CodeSample, SampleLanguage, SampleRequest, render};
use crate::body::media_type::is_token;
use crate::body::{Form, MediaType};
use crate::example::Examples;
use crate::schema::{LocatedNode, Schemas};
use crate::tree::Node;
use crate::view::find::{self, Found};
use parameters::Parameters;

/// The choices of readers, and data that the document does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleOptions<'o> {
    /// The address that the document came from: relative addresses of servers begin there. Without it, they are below
    /// `https://example.com`.
    pub source: Option<&'o str>,
    /// The index of the server in the list for the operation; 0 is the first.
    pub server: usize,
    /// The media type of the body, as the document writes it. Otherwise JSON if the operation takes it, a form, or the
    /// first media type.
    pub media_type: Option<&'o str>,
}

/// A request of an operation: with examples of the required parameters and of the body, and placeholders for the
/// credentials of the first way to authenticate. `None` if the document does not have the operation, or if its method
/// is not valid in HTTP. The path matches with and without a slash at its end, the method without regard to case.
#[cfg(test)]
pub(crate) fn operation_request(
    document: &Node,
    path: &str,
    method: &str,
    options: &SampleOptions<'_>,
) -> Option<SampleRequest> {
    let examples = Examples::of_operation(document);
    let (path, found) = find::operation(examples.schemas(), path, method)?;
    Build { examples: &examples, found: &found, options }.request(&path)
}

/// The samples of an operation: those of the document (`x-codeSamples`), then a generated one in each other language.
/// Empty if the document wants none (`x-codeSamples: false`). `None` if the document does not have the operation.
pub fn operation_samples(
    document: &Node,
    path: &str,
    method: &str,
    options: &SampleOptions<'_>,
) -> Option<Vec<CodeSample>> {
    let examples = Examples::of_operation(document);
    let (path, found) = find::operation(examples.schemas(), path, method)?;
    let Some(mut samples) = given::samples(found.operation.node) else { return Some(Vec::new()) };
    let given: Vec<SampleLanguage> = samples.iter().filter_map(|sample| SampleLanguage::named(&sample.lang)).collect();
    let request = Build { examples: &examples, found: &found, options }.request(&path);
    for language in SampleLanguage::ALL.into_iter().filter(|language| !given.contains(language)) {
        let source = request.as_ref().and_then(|request| render(request, language));
        samples.extend(source.map(|source| CodeSample {
            lang: language.id().to_owned(),
            label: language.label().to_owned(),
            source,
            given: false,
        }));
    }
    Some(samples)
}

/// Builds a request.
struct Build<'a, 'b> {
    examples: &'b Examples<'a>,
    found: &'b Found<'a>,
    options: &'b SampleOptions<'b>,
}

impl<'a> Build<'a, '_> {
    fn request(&self, path: &str) -> Option<SampleRequest> {
        let method = match self.found.method {
            method if crate::parts::METHODS.contains(&method) => method.to_ascii_uppercase(),
            method => method.to_owned(),
        };
        if !is_token(&method) {
            return None;
        }
        let mut parameters = Parameters::of(self);
        parameters.add_header_first("Accept", self.accepted());
        let url = address::url(self, path, &parameters);
        Some(SampleRequest { method, url, headers: parameters.headers(), body: self.body() })
    }

    fn schemas(&self) -> &Schemas<'a> {
        self.examples.schemas()
    }

    /// The media type of the first successful response: JSON if it has it, or else its first.
    fn accepted(&self) -> Option<String> {
        let responses: Vec<(&str, LocatedNode<'a>)> = self.found.operation.members("responses").collect();
        let success = responses.iter().find(|(status, _)| status.starts_with('2'));
        let (_, response) = success.or_else(|| responses.iter().find(|(status, _)| *status == "default"))?;
        let response = self.schemas().behind(response.clone())?;
        let keys: Vec<&str> = response.members("content").map(|(key, _)| key).collect();
        let is_json = |key: &&str| MediaType::of(key).is_some_and(|media_type| media_type.form == Form::Json);
        let key = keys.iter().copied().find(is_json).or_else(|| keys.first().copied())?;
        // A range is valid in `Accept`, so it stays.
        MediaType::of(key).map(|_| key.trim().to_owned())
    }
}
