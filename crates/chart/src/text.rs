//! How much room a text takes, and how it is cut or broken where there is less.
//!
//! The widths are those of Noto Sans, rounded up: a drawing is laid out before anything measures it, and a text that
//! turns out narrower than thought does no harm.

use std::collections::VecDeque;

/// Size of the letters of ordinary text in drawing units.
pub(crate) const SIZE: f64 = 12.0;

/// Width of a text at a size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

/// Width of one letter as a share of the size.
fn em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '(' | ')'
        | '[' | ']' | '/' => 0.36,
        'f' | 't' | 'r' | '-' => 0.44,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 0.95,
        c if c.is_uppercase() => 0.73,
        c if c.is_ascii() => 0.62,
        c if (c as u32) < 0x2e80 => 0.68,
        // Chinese, Japanese, Korean, and pictures.
        _ => 1.05,
    }
}

/// The text, cut with an ellipsis so that it takes no more than `room`. Names that differ often do so at both ends
/// (`train/actor/…/loss`), so the middle goes.
pub(crate) fn fit(text: &str, room: f64, size: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let mut kept = letters.len();
    while kept > 1 {
        kept -= 1;
        let front = kept.div_ceil(2);
        let cut: String = letters[..front]
            .iter()
            .chain(['…'].iter())
            .chain(&letters[letters.len() - (kept - front)..])
            .collect();
        if width(&cut, size) <= room {
            return cut;
        }
    }
    "…".to_owned()
}

/// The names, each cut to `room`. Where cut names come out alike, what they have in common goes first, so that each shows
/// where it differs.
pub(crate) fn fit_apart(names: &[String], room: f64) -> Vec<String> {
    let mut labels: Vec<String> = names.iter().map(|name| fit(name, room, SIZE)).collect();
    for _ in 0..ROUNDS {
        let alike = |place: &usize| {
            let same = labels.iter().zip(names);
            let mut same = same.filter(|(label, _)| **label == labels[*place]);
            same.any(|(_, name)| *name != names[*place])
        };
        let crowded: Vec<usize> = (0..names.len()).filter(alike).collect();
        let Some(first) = crowded.first() else { break };
        let label = labels[*first].clone();
        let group: Vec<usize> = crowded
            .into_iter()
            .filter(|at| labels[*at] == label)
            .collect();
        let letters: Vec<Vec<char>> = group
            .iter()
            .map(|at| names[*at].chars().collect())
            .collect();
        let front = in_common(&letters, |name, place| name.get(place));
        let back = in_common(&letters, |name, place| name.iter().rev().nth(place));
        for (at, name) in group.iter().zip(&letters) {
            let end = name.len().saturating_sub(back).max(front);
            labels[*at] = around(name, front..end, room);
        }
    }
    labels
}

/// Groups of names that are told apart one after the other, at most.
const ROUNDS: usize = 32;
/// The share of the room that the beginning of a name has, where what tells it from others stands further on.
const BEGINNING: f64 = 0.35;

/// How many letters all names share, counted by `at`.
fn in_common(names: &[Vec<char>], at: impl Fn(&Vec<char>, usize) -> Option<&char>) -> usize {
    let Some(first) = names.first() else { return 0 };
    let shared = |place: &usize| {
        let letter = at(first, *place);
        letter.is_some() && names.iter().all(|name| at(name, *place) == letter)
    };
    (0..first.len()).take_while(shared).count()
}

/// A name of which the letters in `kept` must be seen, with its beginning and as much around them as there is room for.
fn around(name: &[char], kept: std::ops::Range<usize>, room: f64) -> String {
    let cut = |from: usize, to: usize| {
        let text: String = name[from..to].iter().collect();
        let end = if to < name.len() { "…" } else { "" };
        format!("{text}{end}")
    };
    let mut head = 0;
    while head < kept.start && width(&cut(0, head + 1), SIZE) <= BEGINNING * room {
        head += 1;
    }
    let label = |from: usize, to: usize| {
        if from <= head {
            cut(0, to)
        } else {
            format!("{}{}", cut(0, head), cut(from, to))
        }
    };
    let (mut from, mut to) = (kept.start, kept.end);
    loop {
        let wider = [
            (from.saturating_sub(1), to),
            (from, (to + 1).min(name.len())),
        ];
        let grown = wider.into_iter().find(|(new_from, new_to)| {
            (*new_from, *new_to) != (from, to) && width(&label(*new_from, *new_to), SIZE) <= room
        });
        match grown {
            Some(grown) => (from, to) = grown,
            None => return fit(&label(from, to), room, SIZE),
        }
    }
}

/// A name in lines of at most `room`, broken between its words and behind the signs inside of them
/// (`train/` `actor_` `loss`); at most `lines`. Of what has no room the middle goes, because names differ at both ends.
pub(crate) fn wrap_name(name: &str, room: f64, lines: usize) -> Vec<String> {
    let in_lines = |mut pieces: VecDeque<&str>| {
        let mut broken: Vec<String> = Vec::new();
        while let Some(piece) = pieces.pop_front() {
            broken.push(filled(piece.to_owned(), room, &mut pieces, Ends::Front));
        }
        broken
    };
    let mut broken = in_lines(pieces(name).collect());
    if broken
        .iter()
        .any(|line| width(line.trim_end(), SIZE) > room)
    {
        // A part has no room for itself: better broken anywhere than cut.
        let by_letters = in_lines(name.split_inclusive(|_: char| true).collect());
        if by_letters.len() <= lines {
            return by_letters;
        }
    }
    let mut pieces: VecDeque<&str>;
    if broken.len() > lines {
        let behind = lines / 2;
        broken.truncate(lines.saturating_sub(behind + 1));
        let front: usize = broken.iter().map(String::len).sum();
        pieces = self::pieces(&name[front..]).collect();
        let mut last: Vec<String> = Vec::new();
        while last.len() < behind
            && let Some(piece) = pieces.pop_back()
        {
            last.push(filled(piece.to_owned(), room, &mut pieces, Ends::Back));
        }
        broken.push(pieces.into_iter().collect());
        broken.extend(last.into_iter().rev());
    }
    let lines = broken.iter().map(|line| fit(line.trim_end(), room, SIZE));
    lines.collect()
}

/// Where a line takes further pieces from.
#[derive(Clone, Copy)]
enum Ends {
    Front,
    Back,
}

/// A line with as many further pieces as have room in it.
fn filled(mut line: String, room: f64, pieces: &mut VecDeque<&str>, ends: Ends) -> String {
    loop {
        let longer = match ends {
            Ends::Front => pieces.front().map(|piece| format!("{line}{piece}")),
            Ends::Back => pieces.back().map(|piece| format!("{piece}{line}")),
        };
        match longer.filter(|longer| width(longer.trim_end(), SIZE) <= room) {
            Some(longer) => line = longer,
            None => return line,
        }
        match ends {
            Ends::Front => pieces.pop_front(),
            Ends::Back => pieces.pop_back(),
        };
    }
}

/// The parts of a name between which it may be broken: words, and what stands behind a sign and begins with a letter, so
/// that no number is broken. Each sign stays with what stands before it.
fn pieces(name: &str) -> impl Iterator<Item = &str> {
    let sign = |c: char| matches!(c, '/' | '_' | '-' | '.' | ':' | ',');
    let mut rest = name;
    std::iter::from_fn(move || {
        let mut letters = rest.char_indices().peekable();
        while let Some((_, c)) = letters.next() {
            if let Some((next, letter)) = letters.peek()
                && (c == ' ' || sign(c) && letter.is_alphabetic())
            {
                let (piece, more) = rest.split_at(*next);
                rest = more;
                return Some(piece);
            }
        }
        (!rest.is_empty()).then(|| std::mem::take(&mut rest))
    })
}

/// The names without the parts that all of them begin with, where that is much: what has no room shows where it differs.
pub(crate) fn without_common_start(names: &[String]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = names.iter().map(|name| pieces(name).collect()).collect();
    let Some(first) = parts.first().filter(|_| names.len() > 1) else {
        return names.to_vec();
    };
    let shared = |place: &usize| {
        let is_alike = |of: &Vec<&str>| place + 1 < of.len() && of[*place] == first[*place];
        parts.iter().all(is_alike)
    };
    let count = (0..first.len()).take_while(shared).count();
    let start: usize = first[..count].iter().map(|part| part.len()).sum();
    if start < MUCH {
        return names.to_vec();
    }
    names
        .iter()
        .map(|name| format!("…{}", &name[start..]))
        .collect()
}

/// Letters in common at the start that are much.
const MUCH: usize = 8;

/// The text in lines of at most `room`, broken between words; at most `lines`, the last one cut.
pub(crate) fn wrap(text: &str, room: f64, lines: usize) -> Vec<String> {
    let mut broken: Vec<String> = Vec::new();
    // A percent sign alone on the next line would be nobody's.
    let whole = text.replace(" %", "\u{a0}%");
    let between = |c: char| c.is_whitespace() && c != '\u{a0}';
    for word in whole.split(between).filter(|word| !word.is_empty()) {
        match broken.last_mut() {
            Some(line) if width(&format!("{line} {word}"), SIZE) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => broken.push(word.to_owned()),
        }
    }
    if broken.len() > lines {
        let rest = broken.split_off(lines.saturating_sub(1)).join(" ");
        broken.push(cut_end(&rest, room));
    }
    let lines = broken.iter().map(|line| line.replace("\u{a0}%", " %"));
    lines.map(|line| fit(&line, room, SIZE)).collect()
}

/// A sentence loses its end and not its middle.
fn cut_end(text: &str, room: f64) -> String {
    let mut kept = String::new();
    for c in text.chars() {
        if width(&format!("{kept}{c}…"), SIZE) > room {
            return kept + "…";
        }
        kept.push(c);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{SIZE, fit, fit_apart, width, without_common_start, wrap, wrap_name};

    #[test]
    fn names_that_would_look_alike_show_where_they_differ() {
        let names: Vec<String> = (1..=9)
            .map(|n| format!("score · arm_0{n}_with_a_rather_longish_name"))
            .collect();
        let labels = fit_apart(&names, 139.0);
        let mut different = labels.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), 9, "{labels:?}");
        for (label, n) in labels.iter().zip(1..) {
            assert!(width(label, SIZE) <= 139.0, "{label}");
            assert!(
                label.starts_with("scor") && label.contains(&format!("0{n}")),
                "{label}"
            );
        }
        // What fits, and what differs as it is cut, stays.
        let plain = ["one".to_owned(), "one".to_owned(), "two".to_owned()];
        assert_eq!(fit_apart(&plain, 139.0), plain);
    }

    #[test]
    fn long_names_keep_both_ends() {
        let name = "train/environment/very_long_component_name/episode_reward_mean";
        let cut = fit(name, 160.0, SIZE);
        assert!(width(&cut, SIZE) <= 160.0);
        assert!(cut.starts_with("train/") && cut.ends_with("mean"), "{cut}");
        assert_eq!(fit("short", 160.0, SIZE), "short");
        assert_eq!(fit("short", 1.0, SIZE), "…");
    }

    #[test]
    fn names_break_behind_their_signs_and_lose_their_middle() {
        let lines = wrap_name("train/actor_loss of all", 80.0, 3);
        assert_eq!(lines, ["train/actor_", "loss of all"]);
        assert_eq!(wrap_name("short", 80.0, 3), ["short"]);
        let long = "environment/arena_basic/agents/cooperative/team_reward_mean";
        let lines = wrap_name(long, 100.0, 3);
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("environment/"), "{lines:?}");
        assert!(lines[1].contains('…'), "{lines:?}");
        assert_eq!(lines[2], "reward_mean");
        assert!(
            lines.iter().all(|line| width(line, SIZE) <= 100.0),
            "{lines:?}"
        );
    }

    #[test]
    fn a_part_without_room_is_broken_before_it_is_cut() {
        assert_eq!(wrap_name("linear_decay", 42.0, 3), ["linear", "_deca", "y"]);
        let cut = wrap_name("a_linear_decay_over_all_steps", 42.0, 3);
        assert!(
            cut.len() <= 3 && cut.iter().any(|line| line.contains('…')),
            "{cut:?}"
        );
    }

    #[test]
    fn numbers_are_not_broken() {
        let lines = wrap_name("lr=0.001 depth=-2 arm_01_of_many", 60.0, 9);
        assert_eq!(lines, ["lr=0.001", "depth=-2", "arm_01_", "of_many"]);
    }

    #[test]
    fn what_all_names_begin_with_goes_where_it_is_much() {
        let of = |names: &[&str]| -> Vec<String> {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            without_common_start(&names)
        };
        assert_eq!(
            of(&["ppo_with_bonus_a", "ppo_with_bonus_bc"]),
            ["…a", "…bc"]
        );
        assert_eq!(of(&["ppo_a", "ppo_b"]), ["ppo_a", "ppo_b"]);
        assert_eq!(
            of(&["ppo_with_bonus", "ppo_with_bonus_b"]),
            ["…bonus", "…bonus_b"]
        );
        assert_eq!(of(&["ppo_with_bonus_alone"]), ["ppo_with_bonus_alone"]);
    }

    #[test]
    fn sentences_break_between_words() {
        let lines = wrap("one two three four five six seven", 80.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…'), "{lines:?}");
        assert!(wrap("", 80.0, 2).is_empty());
        let percent = wrap("of all runs 1 % show one", 76.0, 4);
        assert!(
            percent.iter().all(|line| !line.starts_with('%')),
            "{percent:?}"
        );
    }
}
