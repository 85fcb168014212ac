//! A language model: `POST …/chat/completions` of an OpenAI-compatible API, such as those of Ollama, vLLM and
//! llama.cpp.
use crate::Clients;
use crate::reply::Reply;
use async_trait::async_trait;
use domain::ports::{Chat, ChatAnswer, ChatQuestion, EngineError, EngineUse};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};

/// The most requests for one question.
const TRIES: u64 = 5;

/// A model of an OpenAI-compatible API.
pub(crate) struct ChatCompletions {
    client: Clients,
    model: String,
    /// The parameters that the server is known to accept.
    features: Mutex<ServerFeatures>,
}

/// The parameters of requests to a server. Servers support different ones, and respond 400 to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ServerFeatures {
    format: Format,
    /// Whether the limit of tokens is sent as `max_completion_tokens`, not as `max_tokens`.
    completion_tokens: bool,
    /// Whether the server chooses the temperature.
    own_temperature: bool,
    /// Whether a request with these parameters has succeeded. A later 400 is then caused by the question.
    confirmed: bool,
}

/// The `response_format` of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// A JSON schema.
    Schema,
    /// Any JSON object.
    Object,
    /// None: only the prompt asks for JSON.
    None,
}

#[derive(Deserialize)]
struct Answer {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<String>,
}

#[derive(Default, Deserialize)]
struct Usage {
    #[serde(default)]
    total_tokens: u64,
}

impl ChatCompletions {
    pub(crate) fn new(client: Clients, model: String) -> Self {
        let features = ServerFeatures {
            format: Format::Schema,
            completion_tokens: false,
            own_temperature: false,
            confirmed: false,
        };
        Self { client, model, features: Mutex::new(features) }
    }

    fn features(&self) -> ServerFeatures {
        *self.features.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn confirm(&self, features: ServerFeatures) {
        *self.features.lock().unwrap_or_else(PoisonError::into_inner) = ServerFeatures { confirmed: true, ..features };
    }

    fn body(&self, question: &ChatQuestion, features: ServerFeatures) -> Value {
        let mut body = json!({
            "model": self.model,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.user},
            ],
        });
        let most = if features.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        body[most] = question.max_tokens.into();
        if !features.own_temperature {
            body["temperature"] = 0.into();
        }
        match features.format {
            Format::Schema => {
                let schema = json!({"name": question.schema_name, "schema": question.schema});
                body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
            }
            Format::Object => body["response_format"] = json!({"type": "json_object"}),
            Format::None => {}
        }
        body
    }
}

impl ServerFeatures {
    /// The parameters for the next request after a refusal; `None` if there are no others.
    fn without_refused(self, refusal: &Reply) -> Option<Self> {
        let text = refusal.text();
        match self.format {
            _ if self.confirmed => None,
            _ if !self.completion_tokens && text.contains("max_completion_tokens") => {
                Some(Self { completion_tokens: true, ..self })
            }
            _ if !self.own_temperature && text.contains("temperature") => Some(Self { own_temperature: true, ..self }),
            Format::Schema => Some(Self { format: Format::Object, ..self }),
            Format::Object => Some(Self { format: Format::None, ..self }),
            Format::None => None,
        }
    }
}

#[async_trait]
impl Chat for ChatCompletions {
    async fn ask(&self, question: &ChatQuestion) -> ChatAnswer {
        let mut features = self.features();
        let mut requests = 1;
        let reply = loop {
            let reply = self.client.post_json("chat/completions", &self.body(question, features)).await?;
            match features.without_refused(&reply).filter(|_| reply.is_refusal() && requests < TRIES) {
                Some(next) => features = next,
                None => break reply,
            }
            requests += 1;
        };
        let answer: Answer = reply.json()?;
        if !features.confirmed {
            self.confirm(features);
        }
        let choice = answer.choices.into_iter().next().ok_or(EngineError::InvalidAnswer("it has no choice"))?;
        if choice.finish_reason.as_deref() == Some("length") {
            return Err(EngineError::InvalidAnswer("it is cut off"));
        }
        let value = json_in(&choice.message.content.unwrap_or_default())?;
        Ok((value, EngineUse { requests, tokens: answer.usage.unwrap_or_default().total_tokens }))
    }
}

/// Extracts the JSON object from an answer. Models without a schema put it after their reasoning, into a code fence, or
/// between words.
fn json_in(answer: &str) -> Result<Value, EngineError> {
    let text = answer.rsplit_once("</think>").map_or(answer, |(_, text)| text).trim();
    let object = text.find('{').zip(text.rfind('}')).and_then(|(start, end)| text.get(start..=end));
    let read = |text: &str| serde_json::from_str(text).ok();
    read(text).or_else(|| object.and_then(read)).ok_or(EngineError::InvalidAnswer("it is not JSON"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("{\"a\": 1}", Some(json!({"a": 1})))]
    #[case("```json\n{\"a\": 1}\n```", Some(json!({"a": 1})))]
    #[case("<think>{\"a\": 2} or {</think>\n{\"a\": 1}", Some(json!({"a": 1})))]
    #[case("Here it is: {\"a\": {\"b\": 1}}. Good?", Some(json!({"a": {"b": 1}})))]
    #[case("{\"a\": ", None)]
    #[case("", None)]
    #[case("no }{", None)]
    fn json_is_extracted_from_an_answer(#[case] text: &str, #[case] value: Option<Value>) {
        assert_eq!(json_in(text).ok(), value);
    }
}
