//! Vectors of texts: `POST …/embeddings` of an OpenAI-compatible API.
use crate::Clients;
use async_trait::async_trait;
use domain::ports::{Embedder, EngineError, EngineUse};
use serde::Deserialize;
use serde_json::json;

/// A model of an OpenAI-compatible API.
pub(crate) struct Embeddings {
    client: Clients,
    model: String,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
    #[serde(default)]
    usage: Usage,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Default, Deserialize)]
struct Usage {
    #[serde(default)]
    total_tokens: u64,
}

impl Embeddings {
    pub(crate) fn new(client: Clients, model: String) -> Self {
        Self { client, model }
    }
}

#[async_trait]
impl Embedder for Embeddings {
    fn model(&self) -> String {
        self.model.clone()
    }

    async fn embed(&self, texts: &[String]) -> Result<(Vec<Vec<f32>>, EngineUse), EngineError> {
        if texts.is_empty() {
            return Ok((Vec::new(), EngineUse::default()));
        }
        let body = json!({"model": self.model, "input": texts, "encoding_format": "float"});
        let answer: Answer = self.client.post_json("embeddings", &body).await?.json()?;
        let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); texts.len()];
        for item in answer.data {
            let place = vectors.get_mut(item.index).ok_or(EngineError::InvalidAnswer("it has a vector for no text"))?;
            *place = item.embedding;
        }
        let length = vectors.first().map_or(0, Vec::len);
        let finite = vectors.iter().flatten().all(|number| number.is_finite());
        if length == 0 || !finite || vectors.iter().any(|vector| vector.len() != length) {
            return Err(EngineError::InvalidAnswer("it lacks a vector, or its vectors differ in length"));
        }
        Ok((vectors, EngineUse { requests: 1, tokens: answer.usage.total_tokens }))
    }
}
