//! The parts of OpenAPI specifications that a document shows.
use super::{Block, Document, Inline, Key, Kind, Text};
use crate::reference::ContentRef;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A block that shows a part of an OpenAPI specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecificationUse {
    /// The key of the block.
    pub key: Key,
    /// The slug of the specification, as it is written; or the web address of its document.
    pub spec: String,
    /// Whether it is named by the address of its document.
    pub is_address: bool,
    /// The id of its version; absent for the newest one.
    pub version: Option<String>,
    /// The part that the block shows.
    pub shows: SpecificationPart,
}

/// The part of a specification that a block shows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum SpecificationPart {
    /// An operation.
    Operation {
        /// Its method, as it is written.
        method: String,
        /// Its path.
        path: String,
    },
    /// A webhook.
    Webhook {
        /// Its name.
        name: String,
        /// Its method, as it is written.
        method: String,
    },
    /// Schemas.
    Schemas {
        /// Their names.
        schemas: Vec<String>,
    },
}

/// As people write it: `GET /pets`.
impl fmt::Display for SpecificationPart {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation { method, path } => write!(to, "{} {path}", method.to_ascii_uppercase()),
            Self::Webhook { name, method } => write!(to, "{} {name}", method.to_ascii_uppercase()),
            Self::Schemas { schemas } => to.write_str(&schemas.join(", ")),
        }
    }
}

/// Whether a URL is one of the web.
fn is_of_the_web(url: &str) -> bool {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

impl SpecificationUse {
    /// The part of a specification that a block shows; `None` for other blocks.
    fn of(block: &Block) -> Option<Self> {
        let (spec, version, shows) = match &block.kind {
            Kind::OpenapiOperation(data) => {
                let shows = SpecificationPart::Operation { method: data.method.clone(), path: data.path.clone() };
                (&data.spec, &data.version, shows)
            }
            Kind::OpenapiWebhook(data) => {
                let shows = SpecificationPart::Webhook { name: data.name.clone(), method: data.method.clone() };
                (&data.spec, &data.version, shows)
            }
            Kind::OpenapiSchemas(data) => {
                (&data.spec, &data.version, SpecificationPart::Schemas { schemas: data.schemas.clone() })
            }
            Kind::Swagger(data) => {
                let ContentRef::Url { url } = &data.source.0 else { return None };
                if !is_of_the_web(url) {
                    return None;
                }
                let shows = SpecificationPart::Operation { method: data.method.clone(), path: data.path.clone() };
                return Some(Self {
                    key: block.key.clone(),
                    spec: url.clone(),
                    is_address: true,
                    version: None,
                    shows,
                });
            }
            _ => return None,
        };
        Some(Self { key: block.key.clone(), spec: spec.clone(), is_address: false, version: version.clone(), shows })
    }
}

impl Document {
    /// The blocks that show parts of OpenAPI specifications, in document order.
    pub fn specification_uses(&self) -> Vec<SpecificationUse> {
        self.walk().filter_map(SpecificationUse::of).collect()
    }

    /// Adds text to the blocks that show parts of specifications, so that a search finds them by it.
    pub fn add_specification_texts(&mut self, mut text: impl FnMut(&SpecificationUse) -> Option<String>) {
        add_texts(&mut self.blocks, &mut text);
    }
}

fn add_texts(blocks: &mut [Block], text: &mut impl FnMut(&SpecificationUse) -> Option<String>) {
    for block in blocks {
        if let Some(text) = SpecificationUse::of(block).and_then(|found| text(&found)) {
            block.content = vec![Inline::Text(Text { text, ..Text::default() })];
        }
        add_texts(&mut block.children, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown;

    fn document(text: &str) -> Document {
        markdown::parse(text, &markdown::Unresolved).into_document().expect("a document")
    }

    #[test]
    fn each_block_names_the_part_that_it_shows() {
        let text = "{% openapi-operation spec=\"Pets\" path=\"/pets\" method=\"get\" %}\n{% endopenapi-operation %}\n\n\
            {% hint style=\"info\" %}\n{% openapi-webhook spec=\"pets\" version=\"v1\" name=\"born\" method=\"post\" %}\n\
            {% endopenapi-webhook %}\n{% endhint %}\n\n\
            {% openapi-schemas spec=\"pets\" schemas=\"Pet,Cat\" %}\n{% endopenapi-schemas %}\n\n\
            {% openapi src=\"https://a.test/b.json\" path=\"/c\" method=\"put\" %}\n{% endopenapi %}\n\n\
            {% openapi src=\"pets\" path=\"/c\" method=\"put\" %}\n{% endopenapi %}\n\n\
            {% openapi src=\"//a.test/b.json\" path=\"/c\" method=\"put\" %}\n{% endopenapi %}\n\n\
            {% openapi-operation spec=\"https://a.test/b.json\" path=\"/d\" method=\"put\" %}\n{% endopenapi-operation %}\n";
        let found: Vec<String> = (document(text).specification_uses().iter())
            .map(|found| format!("{} {} {:?}: {}", found.spec, found.is_address, found.version.as_deref(), found.shows))
            .collect();
        let expected = [
            "Pets false None: GET /pets",
            "pets false Some(\"v1\"): POST born",
            "pets false None: Pet, Cat",
            "https://a.test/b.json true None: PUT /c",
            "https://a.test/b.json false None: PUT /d",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn text_is_added_to_the_blocks_that_show_something() {
        let block = "{% openapi-operation spec=\"pets\" path=\"/pets\" method=\"get\" %}\n{% endopenapi-operation %}";
        let mut document = document(&format!("a\n\n{{% hint style=\"info\" %}}\n{block}\n{{% endhint %}}\n"));
        document.add_specification_texts(|found| (found.spec == "pets").then(|| "List pets".to_owned()));
        assert_eq!(document.text(), "a\nList pets\nget /pets");
    }
}
