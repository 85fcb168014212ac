//! Samples: the code that sends a request, in several languages.
//!
//! [`operation_samples`] makes one request of an operation: the first usable server, the path, examples of the required
//! parameters, placeholders of credentials, the body. [`render`] writes that request in each language. Texts of the
//! document are quoted by the rules of the language, so that the server gets them unchanged; characters that are
//! invisible or change the direction of a line are written as escapes, so that the code is what it looks like. Messages
//! of HTTP have no escapes.
mod build;
mod curl;
mod go;
mod http;
mod javascript;
mod literal;
mod multipart;
mod python;
mod quote;
mod request;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use build::operation_request;
pub use build::{SampleOptions, operation_samples};
pub use request::{PartContent, SampleBody, SamplePart, SampleRequest};

use serde::Serialize;

/// A language that samples are generated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleLanguage {
    /// The command `curl`, for a shell that knows `$'…'`: bash, zsh, ksh, or another of POSIX 2024.
    Curl,
    /// JavaScript with `fetch`: a module for browsers, Node and Deno.
    JavaScript,
    /// Python 3 with `requests`.
    Python,
    /// Go with `net/http`: a whole program.
    Go,
    /// The message of HTTP/1.1, its lines ended by `\n`.
    Http,
}

impl SampleLanguage {
    /// All languages, in the order for readers.
    pub const ALL: [Self; 5] = [Self::Curl, Self::JavaScript, Self::Python, Self::Go, Self::Http];

    /// The name that code blocks use.
    pub fn id(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::JavaScript => "javascript",
            Self::Python => "python",
            Self::Go => "go",
            Self::Http => "http",
        }
    }

    /// The name for readers.
    pub fn label(self) -> &'static str {
        match self {
            Self::Curl => "cURL",
            Self::JavaScript => "JavaScript",
            Self::Python => "Python",
            Self::Go => "Go",
            Self::Http => "HTTP",
        }
    }

    /// The language that `lang` of `x-codeSamples` names, if it is one of these.
    fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "curl" | "shell" | "bash" | "sh" => Self::Curl,
            "javascript" | "js" => Self::JavaScript,
            "python" | "py" | "python3" => Self::Python,
            "go" | "golang" => Self::Go,
            "http" => Self::Http,
            _ => return None,
        })
    }
}

/// Code that sends a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeSample {
    /// The language: an id of [`SampleLanguage`], or what the author wrote.
    pub lang: String,
    /// The name for readers.
    pub label: String,
    /// The code.
    pub source: String,
    /// Whether the author wrote it.
    pub given: bool,
}

/// The code that sends a request; `None` if the language has no way to send it: `fetch` refuses the method TRACE.
pub fn render(request: &SampleRequest, language: SampleLanguage) -> Option<String> {
    match language {
        SampleLanguage::Curl => Some(curl::render(request)),
        SampleLanguage::JavaScript => javascript::render(request),
        SampleLanguage::Python => Some(python::render(request)),
        SampleLanguage::Go => Some(go::render(request)),
        SampleLanguage::Http => Some(http::render(request)),
    }
}
