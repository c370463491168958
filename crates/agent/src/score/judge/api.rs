//! What is asked of a judge and where the scores stand in its answer, by the kind of endpoint.

use crate::model_api::forms::{ANTHROPIC_TOKENS, tokens_key};
use fairtrial_spec::{JudgeApi, JudgeChoice};
use serde_json::{Map, Value, json};

/// A question as an endpoint takes it.
pub(super) struct Question<'a> {
    /// The rules.
    pub(super) system: &'a str,
    /// What is judged.
    pub(super) user: &'a str,
    /// The form of the answer.
    pub(super) schema: Value,
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
        body[tokens_key(choice.api)] = json!(most);
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
    use super::scores_object;

    #[test]
    fn scores_stand_after_thinking() {
        let said = "<think>maybe {\"scores\": {\"a\": 0}} or {x}</think> ```json\n{\"scores\": {\"a\": 1}}\n``` {\"done\": true}";
        let found = scores_object(said).unwrap();
        assert_eq!(found["scores"]["a"], 1);
        assert_eq!(scores_object("no { json"), None);
    }
}
