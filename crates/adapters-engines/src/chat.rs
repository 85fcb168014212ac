//! A language model: `POST …/chat/completions` of an OpenAI-compatible API, such as those of Ollama, vLLM and llama.cpp.
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
    /// What the server is known to accept.
    manners: Mutex<Manners>,
}

/// How a server is asked. Servers differ in what they accept, and answer 400 to the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Manners {
    format: Format,
    /// Whether the most tokens are called `max_completion_tokens`.
    completion_tokens: bool,
    /// Whether the temperature is left to the server.
    own_temperature: bool,
    /// Whether a question was answered like this. Then a refusal is about the question.
    proven: bool,
}

/// How the form of the answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// With the schema.
    Schema,
    /// As any JSON object.
    Object,
    /// In words only.
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
        let manners =
            Manners { format: Format::Schema, completion_tokens: false, own_temperature: false, proven: false };
        Self { client, model, manners: Mutex::new(manners) }
    }

    fn manners(&self) -> Manners {
        *self.manners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, manners: Manners) {
        *self.manners.lock().unwrap_or_else(PoisonError::into_inner) = Manners { proven: true, ..manners };
    }

    fn body(&self, question: &ChatQuestion, manners: Manners) -> Value {
        let mut body = json!({
            "model": self.model,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.user},
            ],
        });
        let most = if manners.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        body[most] = question.max_tokens.into();
        if !manners.own_temperature {
            body["temperature"] = 0.into();
        }
        match manners.format {
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

impl Manners {
    /// How to ask after a refusal; none if there is no other way.
    fn after(self, refusal: &Reply) -> Option<Self> {
        let said = refusal.text();
        match self.format {
            _ if self.proven => None,
            _ if !self.completion_tokens && said.contains("max_completion_tokens") => {
                Some(Self { completion_tokens: true, ..self })
            }
            _ if !self.own_temperature && said.contains("temperature") => Some(Self { own_temperature: true, ..self }),
            Format::Schema => Some(Self { format: Format::Object, ..self }),
            Format::Object => Some(Self { format: Format::None, ..self }),
            Format::None => None,
        }
    }
}

#[async_trait]
impl Chat for ChatCompletions {
    async fn ask(&self, question: &ChatQuestion) -> ChatAnswer {
        let mut manners = self.manners();
        let mut requests = 1;
        let reply = loop {
            let reply = self.client.post_json("chat/completions", &self.body(question, manners)).await?;
            match manners.after(&reply).filter(|_| reply.is_refusal() && requests < TRIES) {
                Some(next) => manners = next,
                None => break reply,
            }
            requests += 1;
        };
        let answer: Answer = reply.json()?;
        if !manners.proven {
            self.learn(manners);
        }
        let choice = answer.choices.into_iter().next().ok_or(EngineError::Garbled("it has no choice"))?;
        if choice.finish_reason.as_deref() == Some("length") {
            return Err(EngineError::Garbled("it is cut off"));
        }
        let value = json_in(&choice.message.content.unwrap_or_default())?;
        Ok((value, EngineUse { requests, tokens: answer.usage.unwrap_or_default().total_tokens }))
    }
}

/// The JSON object in an answer: after the thoughts of the model, and in a fence of code or between words, which models add
/// that were not given the schema.
fn json_in(answer: &str) -> Result<Value, EngineError> {
    let said = answer.rsplit_once("</think>").map_or(answer, |(_, said)| said).trim();
    let object = said.find('{').zip(said.rfind('}')).and_then(|(start, end)| said.get(start..=end));
    let read = |text: &str| serde_json::from_str(text).ok();
    read(said).or_else(|| object.and_then(read)).ok_or(EngineError::Garbled("it is not JSON"))
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
    fn json_is_found_in_what_a_model_says(#[case] said: &str, #[case] value: Option<Value>) {
        assert_eq!(json_in(said).ok(), value);
    }
}
