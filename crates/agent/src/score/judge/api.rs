//! What is asked of a judge and where its answer stands, by the kind of endpoint.

use fairtrial_spec::{JudgeApi, JudgeChoice};
use serde_json::{Map, Value, json};

/// What an endpoint must be told that wants a limit on its answer.
const ANTHROPIC_TOKENS: u64 = 8192;
/// The form of answers that this is written for.
pub(super) const ANTHROPIC_VERSION: &str = "2023-06-01";

/// A question as an endpoint takes it.
pub(super) struct Question<'a> {
    /// The rules.
    pub(super) system: &'a str,
    /// What is judged.
    pub(super) user: &'a str,
    /// The form of the answer.
    pub(super) schema: Value,
}

/// Where a question goes.
pub(super) fn url(choice: &JudgeChoice) -> String {
    let path = match choice.api {
        JudgeApi::Chat => "chat/completions",
        JudgeApi::Responses => "responses",
        JudgeApi::Anthropic => "messages",
    };
    format!("{}/{path}", choice.url.trim_end_matches('/'))
}

/// The body of a request. Nothing that the user did not ask for is in it: models refuse parameters that they do not know.
pub(super) fn body(choice: &JudgeChoice, question: &Question<'_>) -> Value {
    let (system, user) = (question.system, question.user);
    let mut body = match choice.api {
        JudgeApi::Chat => json!({
            "messages": [
                { "role": "system", "content": system },
                { "role": "user", "content": user },
            ],
        }),
        JudgeApi::Responses => json!({ "instructions": system, "input": user }),
        JudgeApi::Anthropic => json!({
            "system": system,
            "messages": [{ "role": "user", "content": user }],
            "max_tokens": ANTHROPIC_TOKENS,
        }),
    };
    body["model"] = json!(choice.model);
    if let Some(most) = choice.max_tokens {
        let key = match choice.api {
            JudgeApi::Responses => "max_output_tokens",
            JudgeApi::Chat | JudgeApi::Anthropic => "max_tokens",
        };
        body[key] = json!(most);
    }
    if choice.structured {
        let form = json!({ "name": "scores", "strict": true, "schema": question.schema });
        match choice.api {
            JudgeApi::Chat => {
                body["response_format"] = json!({ "type": "json_schema", "json_schema": form });
            }
            JudgeApi::Responses => {
                body["text"] = json!({ "format": {
                    "type": "json_schema", "name": "scores", "strict": true, "schema": question.schema,
                } });
            }
            // It has no such form; the rules ask for JSON anyway.
            JudgeApi::Anthropic => {}
        }
    }
    for (key, value) in choice.params.iter() {
        body[key] = value.clone();
    }
    body
}

/// The text of an answer, in one piece or in parts.
pub(super) fn text(api: JudgeApi, answer: &Value) -> Option<String> {
    match api {
        JudgeApi::Chat => content(answer.pointer("/choices/0/message/content")?),
        JudgeApi::Anthropic => content(&answer["content"]),
        JudgeApi::Responses => {
            if let Some(text) = answer["output_text"].as_str() {
                return Some(text.to_owned());
            }
            let items = answer["output"].as_array()?.iter();
            let parts = items.filter_map(|item| content(item.get("content")?));
            let text: String = parts.collect();
            (!text.is_empty()).then_some(text)
        }
    }
}

/// A text, or the text parts of a list; what a model thought is none.
fn content(content: &Value) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let is_text = |part: &&Value| {
        let kind = part["type"].as_str().unwrap_or("text");
        matches!(kind, "text" | "output_text")
    };
    let parts = content.as_array()?.iter().filter(is_text);
    let text: String = parts.filter_map(|part| part["text"].as_str()).collect();
    (!text.is_empty()).then_some(text)
}

/// Tokens read and written, where the answer says so.
pub(super) fn tokens(answer: &Value) -> Option<(u64, u64)> {
    let usage = &answer["usage"];
    let either = |names: [&str; 2]| names.iter().find_map(|name| usage[*name].as_u64());
    Some((
        either(["prompt_tokens", "input_tokens"])?,
        either(["completion_tokens", "output_tokens"])?,
    ))
}

/// The last object in a text that holds scores, whatever was said before it; else the last object.
pub(super) fn scores_object(text: &str) -> Option<Map<String, Value>> {
    let mut found: Option<Map<String, Value>> = None;
    let mut from = 0;
    while let Some(at) = text[from..].find('{').map(|at| from + at) {
        let mut objects =
            serde_json::Deserializer::from_str(&text[at..]).into_iter::<Map<String, Value>>();
        match objects.next() {
            Some(Ok(object)) => {
                from = at + objects.byte_offset();
                let has_scores = |object: &Map<String, Value>| object.contains_key("scores");
                if has_scores(&object) || !found.as_ref().is_some_and(has_scores) {
                    found = Some(object);
                }
            }
            _ => from = at + 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{scores_object, text, tokens};
    use fairtrial_spec::JudgeApi;
    use serde_json::json;

    #[test]
    fn an_answer_is_found_in_every_form() {
        let chat = json!({ "choices": [{ "message": { "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] } }],
            "usage": { "prompt_tokens": 3, "completion_tokens": 4 } });
        assert_eq!(text(JudgeApi::Chat, &chat).unwrap(), "ab");
        assert_eq!(tokens(&chat), Some((3, 4)));
        let messages = json!({ "content": [{ "type": "thinking", "thinking": "hm" }, { "type": "text", "text": "a" }],
            "usage": { "input_tokens": 1, "output_tokens": 2 } });
        assert_eq!(text(JudgeApi::Anthropic, &messages).unwrap(), "a");
        assert_eq!(tokens(&messages), Some((1, 2)));
        let responses = json!({ "output": [{ "type": "reasoning", "summary": [] },
            { "type": "message", "content": [{ "type": "output_text", "text": "a" }] }] });
        assert_eq!(text(JudgeApi::Responses, &responses).unwrap(), "a");
        assert_eq!(
            (text(JudgeApi::Chat, &json!({})), tokens(&json!({}))),
            (None, None)
        );
    }

    #[test]
    fn scores_stand_after_thinking() {
        let said = "<think>maybe {\"scores\": {\"a\": 0}} or {x}</think> ```json\n{\"scores\": {\"a\": 1}}\n``` {\"done\": true}";
        let found = scores_object(said).unwrap();
        assert_eq!(found["scores"]["a"], 1);
        assert_eq!(scores_object("no { json"), None);
    }
}
