//! What the kinds of endpoints have in common, each in its own form: places, keys, texts, tokens.

use crate::usage::Usage;
use fairtrial_spec::JudgeApi;
use serde_json::Value;

/// The form of answers that this is written for.
const ANTHROPIC_VERSION: &str = "2023-06-01";
/// What an endpoint must be told that wants a limit on its answer.
pub(crate) const ANTHROPIC_TOKENS: u64 = 8192;

/// Where a question goes.
pub(super) fn url(api: JudgeApi, base: &str) -> String {
    let path = match api {
        JudgeApi::Chat => "chat/completions",
        JudgeApi::Responses => "responses",
        JudgeApi::Anthropic => "messages",
    };
    format!("{}/{path}", base.trim_end_matches('/'))
}

/// How the key and the form are said.
pub(super) fn headers(api: JudgeApi, key: Option<&str>) -> Vec<(&'static str, String)> {
    let key = key.map(|key| match api {
        JudgeApi::Anthropic => ("x-api-key", key.to_owned()),
        JudgeApi::Chat | JudgeApi::Responses => ("Authorization", format!("Bearer {key}")),
    });
    let version =
        (api == JudgeApi::Anthropic).then(|| ("anthropic-version", ANTHROPIC_VERSION.to_owned()));
    key.into_iter().chain(version).collect()
}

/// The key under which a request says how many tokens its answer may have.
pub(crate) fn tokens_key(api: JudgeApi) -> &'static str {
    match api {
        JudgeApi::Responses => "max_output_tokens",
        JudgeApi::Chat | JudgeApi::Anthropic => "max_tokens",
    }
}

/// The text of an answer, in one piece or in parts.
pub(crate) fn text(api: JudgeApi, answer: &Value) -> Option<String> {
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

/// What an answer took, where it says so.
pub(crate) fn usage(api: JudgeApi, answer: &Value) -> Usage {
    let usage = &answer["usage"];
    let either = |pointers: [&str; 2]| {
        let mut found = pointers
            .iter()
            .filter_map(|pointer| usage.pointer(pointer)?.as_u64());
        found.next()
    };
    let mut took = Usage {
        input_tokens: either(["/prompt_tokens", "/input_tokens"]),
        output_tokens: either(["/completion_tokens", "/output_tokens"]),
        cached_tokens: either([
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
        ]),
        reasoning_tokens: either([
            "/completion_tokens_details/reasoning_tokens",
            "/output_tokens_details/reasoning_tokens",
        ]),
        ..Usage::default()
    };
    if api == JudgeApi::Anthropic {
        // It counts what the cache gave, and what went into it, beside the rest.
        took.cached_tokens = usage["cache_read_input_tokens"].as_u64();
        let beside = usage["cache_creation_input_tokens"].as_u64().unwrap_or(0);
        let beside = beside + took.cached_tokens.unwrap_or(0);
        took.input_tokens = took
            .input_tokens
            .map(|tokens| tokens.saturating_add(beside));
    }
    took
}

#[cfg(test)]
mod tests {
    use super::{text, usage};
    use fairtrial_spec::JudgeApi;
    use serde_json::json;

    #[test]
    fn an_answer_is_found_in_every_form() {
        let took = |api, answer| {
            let took = usage(api, answer);
            (
                took.input_tokens,
                took.output_tokens,
                took.cached_tokens,
                took.reasoning_tokens,
            )
        };
        let chat = json!({ "choices": [{ "message": { "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] } }],
            "usage": { "prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": { "cached_tokens": 1 } } });
        assert_eq!(text(JudgeApi::Chat, &chat).unwrap(), "ab");
        assert_eq!(
            took(JudgeApi::Chat, &chat),
            (Some(3), Some(4), Some(1), None)
        );
        let messages = json!({ "content": [{ "type": "thinking", "thinking": "hm" }, { "type": "text", "text": "a" }],
            "usage": { "input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 7 } });
        assert_eq!(text(JudgeApi::Anthropic, &messages).unwrap(), "a");
        assert_eq!(
            took(JudgeApi::Anthropic, &messages),
            (Some(13), Some(2), Some(5), None)
        );
        let responses = json!({ "output": [{ "type": "reasoning", "summary": [] },
            { "type": "message", "content": [{ "type": "output_text", "text": "a" }] }],
            "usage": { "input_tokens": 8, "output_tokens": 9, "output_tokens_details": { "reasoning_tokens": 4 } } });
        assert_eq!(text(JudgeApi::Responses, &responses).unwrap(), "a");
        assert_eq!(
            took(JudgeApi::Responses, &responses),
            (Some(8), Some(9), None, Some(4))
        );
        assert_eq!(text(JudgeApi::Chat, &json!({})), None);
        assert_eq!(took(JudgeApi::Chat, &json!({})), (None, None, None, None));
    }
}
