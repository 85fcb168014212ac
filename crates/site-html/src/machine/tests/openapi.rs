//! Blocks of OpenAPI specs as Markdown.
use super::{ADDRESSES, document};
use crate::machine::{Text, markdown};
use domain::content::document::SpecificationPart;
use domain::openapi::example::operation_examples;
use domain::openapi::sample::{SampleOptions, operation_samples};
use domain::openapi::text::read;
use domain::openapi::view::{self, Budget};
use domain::site::reader::{OpenapiBlock, OpenapiKey, References};

const SPEC: &str = r##"
openapi: 3.1.0
info: {title: Pets, version: "1"}
servers: [{url: "https://api.example.com/v1/"}]
paths:
  /pets/{id}:
    put:
      summary: Change a pet
      description: |
        Changes *one* pet.

        * Only its owner may.
      security: [{token: []}]
      parameters:
        - {name: id, in: path, required: true, description: The pet., schema: {type: string, maxLength: 8}}
        - {name: dry, in: query, schema: {type: boolean, default: false}}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Pet"}
      responses:
        "200":
          description: The pet.
          content:
            application/json:
              schema: {$ref: "#/components/schemas/Pet"}
        "404":
          description: There is no such pet.
components:
  securitySchemes:
    token: {type: http, scheme: bearer}
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        name: {type: string, description: "Its `name`,\nin two lines."}
        kind: {type: string, enum: [cat, dog]}
        owner:
          type: object
          properties:
            mail: {type: string, format: email}
"##;

fn written(text: &str) -> String {
    let document = document(text);
    let root = read(SPEC.as_bytes()).root.expect("a spec");
    let budget = Budget::default();
    let mut references = References::default();
    for found in document.specification_uses() {
        let block = match &found.shows {
            SpecificationPart::Operation { method, path } => {
                let Some(view) = view::operation(&root, path, method, &budget) else { continue };
                OpenapiBlock::Operation {
                    view: Box::new(view),
                    examples: Box::new(operation_examples(&root, path, method).expect("examples")),
                    samples: operation_samples(&root, path, method, &SampleOptions::default()).expect("samples"),
                }
            }
            SpecificationPart::Schemas { schemas } => OpenapiBlock::Schemas(view::models(&root, schemas, &budget)),
            SpecificationPart::Webhook { .. } => continue,
        };
        references.openapi.insert(OpenapiKey { spec: found.spec, version: found.version, shows: found.shows }, block);
    }
    let text = Text { title: "API", description: None, url: "", document: &document, references: &references };
    markdown(&text, &ADDRESSES)
}

#[test]
fn an_operation_is_written_whole() {
    let text = written(
        "{% openapi-operation spec=\"pets\" path=\"/pets/{id}\" method=\"put\" %}\n{% endopenapi-operation %}\n",
    );
    insta::assert_snapshot!(text);
}

#[test]
fn schemas_are_lists_of_their_fields() {
    let text =
        written("{% openapi-schemas spec=\"pets\" schemas=\"Pet\" title=\"Objects\" %}\n{% endopenapi-schemas %}\n");
    insta::assert_snapshot!(text);
}

#[test]
fn what_a_spec_does_not_have_is_left_out() {
    let text = written(
        "Before.\n\n{% openapi-operation spec=\"pets\" path=\"/x\" method=\"get\" %}\n{% endopenapi-operation %}\n\nAfter.\n",
    );
    assert_eq!(text, "# API\n\nBefore.\n\nAfter.\n");
}
