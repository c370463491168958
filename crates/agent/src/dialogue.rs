//! A talk with a model that has one tool, a shell: what is sent, and what is read from its answers, in the form of each kind
//! of endpoint.

use crate::model_api::forms::{self, ANTHROPIC_TOKENS, tokens_key};
use fairtrial_spec::{EndpointChoice, JudgeApi};
use serde_json::{Value, json};

/// The tool's name.
const TOOL: &str = "shell";
const ABOUT: &str =
    "Runs a shell command and gives what it prints and its exit code. Each call is a new shell.";

/// A command that the model wants run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolCall {
    /// By which its result is known.
    pub(crate) id: String,
    /// The command, or why there is none.
    pub(crate) command: Result<String, String>,
}

/// What the model said in one answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
}

/// A talk so far.
pub(crate) struct Dialogue {
    api: JudgeApi,
    system: String,
    messages: Vec<Value>,
}

impl Dialogue {
    pub(crate) fn new(api: JudgeApi, system: String, task: &str) -> Self {
        Self {
            api,
            system,
            messages: vec![json!({ "role": "user", "content": task })],
        }
    }

    /// The next request. Nothing that the user did not ask for is in it: models refuse parameters that they do not know.
    pub(crate) fn request(&self, model: &str, endpoint: &EndpointChoice) -> Value {
        let form = json!({
            "type": "object", "required": ["command"], "additionalProperties": false,
            "properties": { "command": { "type": "string" } },
        });
        let mut body = match self.api {
            JudgeApi::Chat => {
                let system = json!({ "role": "system", "content": self.system });
                let messages: Vec<&Value> = [&system].into_iter().chain(&self.messages).collect();
                let tool = json!({ "name": TOOL, "description": ABOUT, "parameters": form });
                json!({ "messages": messages, "tools": [{ "type": "function", "function": tool }] })
            }
            JudgeApi::Responses => json!({
                "instructions": self.system, "input": self.messages,
                "tools": [{ "type": "function", "name": TOOL, "description": ABOUT, "parameters": form }],
            }),
            JudgeApi::Anthropic => json!({
                "system": self.system, "messages": self.messages, "max_tokens": ANTHROPIC_TOKENS,
                "tools": [{ "name": TOOL, "description": ABOUT, "input_schema": form }],
            }),
        };
        body["model"] = model.into();
        if let Some(most) = endpoint.answer_tokens {
            body[tokens_key(self.api)] = most.into();
        }
        for (key, value) in endpoint.params.iter() {
            body[key] = value.clone();
        }
        body
    }

    /// Takes an answer in; absent where it says nothing that can be used.
    pub(crate) fn take(&mut self, answer: &Value) -> Option<Turn> {
        let (own, items) = match self.api {
            JudgeApi::Chat => {
                let message = answer.pointer("/choices/0/message")?;
                let calls = message["tool_calls"].as_array().cloned();
                (vec![message.clone()], calls.unwrap_or_default())
            }
            JudgeApi::Responses => {
                let items = answer["output"].as_array()?.clone();
                (items.clone(), items)
            }
            JudgeApi::Anthropic => {
                let items = answer["content"].as_array()?.clone();
                (
                    vec![json!({ "role": "assistant", "content": items })],
                    items,
                )
            }
        };
        let turn = Turn {
            text: forms::text(self.api, answer).unwrap_or_default(),
            calls: items.iter().filter_map(|item| self.call(item)).collect(),
        };
        if turn.text.is_empty() && turn.calls.is_empty() {
            return None;
        }
        self.messages.extend(own);
        Some(turn)
    }

    fn call(&self, item: &Value) -> Option<ToolCall> {
        let (id, name, given) = match self.api {
            JudgeApi::Chat => (
                &item["id"],
                &item["function"]["name"],
                &item["function"]["arguments"],
            ),
            JudgeApi::Responses if item["type"] == "function_call" => {
                (&item["call_id"], &item["name"], &item["arguments"])
            }
            JudgeApi::Anthropic if item["type"] == "tool_use" => {
                (&item["id"], &item["name"], &item["input"])
            }
            _ => return None,
        };
        // Most write the arguments as a text of their own.
        let read = match given {
            Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
            other => other.clone(),
        };
        let command = match (name.as_str(), read["command"].as_str()) {
            (Some(TOOL), Some(command)) => Ok(command.to_owned()),
            (Some(TOOL), None) => Err(format!("`{TOOL}` wants {{\"command\": \"...\"}}")),
            _ => Err(format!("there is no such tool; there is `{TOOL}`")),
        };
        Some(ToolCall {
            id: id.as_str()?.to_owned(),
            command,
        })
    }

    /// Gives the model what its commands said.
    pub(crate) fn answer(&mut self, results: &[(String, String)]) {
        let all = results.iter().map(|(id, said)| match self.api {
            JudgeApi::Chat => json!({ "role": "tool", "tool_call_id": id, "content": said }),
            JudgeApi::Responses => {
                json!({ "type": "function_call_output", "call_id": id, "output": said })
            }
            JudgeApi::Anthropic => {
                json!({ "type": "tool_result", "tool_use_id": id, "content": said })
            }
        });
        let all: Vec<Value> = all.collect();
        match self.api {
            JudgeApi::Anthropic => self
                .messages
                .push(json!({ "role": "user", "content": all })),
            JudgeApi::Chat | JudgeApi::Responses => self.messages.extend(all),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialogue, ToolCall};
    use fairtrial_spec::{EndpointChoice, JudgeApi};
    use serde_json::{Value, json};

    fn talk(api: JudgeApi, answer: &Value) -> (Vec<ToolCall>, String, Value) {
        let mut dialogue = Dialogue::new(api, "rules".to_owned(), "task");
        let turn = dialogue.take(answer).unwrap();
        let results: Vec<_> = turn
            .calls
            .iter()
            .map(|call| (call.id.clone(), "said".to_owned()))
            .collect();
        dialogue.answer(&results);
        let endpoint = EndpointChoice {
            params: [("temperature".to_owned(), json!(0))].into_iter().collect(),
            ..EndpointChoice::of(api)
        };
        (turn.calls, turn.text, dialogue.request("m", &endpoint))
    }

    #[test]
    fn each_kind_of_endpoint_is_spoken_to_in_its_own_form() {
        let good = |id: &str| ToolCall {
            id: id.to_owned(),
            command: Ok("ls".to_owned()),
        };
        let chat = json!({ "choices": [{ "message": { "role": "assistant", "content": null, "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "shell", "arguments": "{\"command\": \"ls\"}" } },
            { "id": "b", "type": "function", "function": { "name": "shell", "arguments": "{\"comm" } },
        ] } }] });
        let (calls, _, request) = talk(JudgeApi::Chat, &chat);
        assert_eq!(calls[0], good("a"));
        assert!(calls[1].command.is_err());
        let roles: Vec<&Value> = request["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["role"])
            .collect();
        assert_eq!(roles, ["system", "user", "assistant", "tool", "tool"]);
        assert_eq!(
            (&request["temperature"], &request["model"]),
            (&json!(0), &json!("m"))
        );
        assert_eq!(request["max_tokens"], Value::Null);

        let responses = json!({ "output": [
            { "type": "message", "content": [{ "type": "output_text", "text": "now" }] },
            { "type": "function_call", "call_id": "a", "name": "shell", "arguments": "{\"command\": \"ls\"}" },
        ] });
        let (calls, text, request) = talk(JudgeApi::Responses, &responses);
        assert_eq!((calls, text.as_str()), (vec![good("a")], "now"));
        assert_eq!(request["input"][3]["type"], "function_call_output");

        let messages = json!({ "content": [
            { "type": "text", "text": "now" },
            { "type": "tool_use", "id": "a", "name": "shell", "input": { "command": "ls" } },
        ] });
        let (calls, text, request) = talk(JudgeApi::Anthropic, &messages);
        assert_eq!((calls, text.as_str()), (vec![good("a")], "now"));
        assert_eq!(request["messages"][2]["content"][0]["tool_use_id"], "a");
        assert_eq!(request["max_tokens"], 8192);
    }

    #[test]
    fn an_answer_without_words_or_commands_is_none() {
        for api in [JudgeApi::Chat, JudgeApi::Responses, JudgeApi::Anthropic] {
            let mut dialogue = Dialogue::new(api, String::new(), "task");
            for answer in [
                json!({}),
                json!({ "choices": [{ "message": { "content": "" } }] }),
                json!({ "output": [], "content": [] }),
            ] {
                assert_eq!(dialogue.take(&answer), None);
            }
        }
    }
}
