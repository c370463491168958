//! The order in which cells stand in a table: as the spec lists tasks and arms, points by their values.
//!
//! Records come in the shuffled order of the run, which no reader wants to see.

use fairtrial_model::{ParamValue, Params};
use std::cmp::Ordering;
use std::collections::HashMap;

/// Names by their place in a list; names that are not in it come after, in their own order.
pub(crate) struct Listed<'a>(HashMap<&'a str, usize>);

impl<'a> Listed<'a> {
    pub(crate) fn of(names: impl IntoIterator<Item = &'a String>) -> Self {
        let mut places = HashMap::new();
        for (place, name) in names.into_iter().enumerate() {
            places.entry(name.as_str()).or_insert(place);
        }
        Self(places)
    }

    pub(crate) fn cmp(&self, a: &str, b: &str) -> Ordering {
        let place = |name| self.0.get(name).copied().unwrap_or(usize::MAX);
        place(a).cmp(&place(b)).then_with(|| a.cmp(b))
    }
}

/// Points by their values, axis by axis: numbers by size, the rest by their text.
pub fn points(a: &Params, b: &Params) -> Ordering {
    let pairs = a.iter().zip(b.iter());
    let by_value = pairs
        .map(|((name, left), (other, right))| name.cmp(other).then_with(|| values(left, right)));
    by_value
        .fold(Ordering::Equal, Ordering::then)
        .then_with(|| a.len().cmp(&b.len()))
}

/// Two values of one axis.
pub(crate) fn values(a: &ParamValue, b: &ParamValue) -> Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(left), Some(right)) => left.total_cmp(&right),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Params::display(a).cmp(&Params::display(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Listed, points};
    use fairtrial_model::Params;
    use std::cmp::Ordering;

    fn point(value: serde_json::Value) -> Params {
        [("lr".to_owned(), value)].into_iter().collect()
    }

    #[test]
    fn numbers_are_ordered_by_size_and_not_by_text() {
        assert_eq!(points(&point(9.into()), &point(10.into())), Ordering::Less);
        assert_eq!(
            points(&point(1e-3.into()), &point(3e-4.into())),
            Ordering::Greater
        );
        assert_eq!(
            points(&point("b".into()), &point("a".into())),
            Ordering::Greater
        );
        assert_eq!(points(&Params::new(), &point(1.into())), Ordering::Less);
    }

    #[test]
    fn listed_names_come_first() {
        let list = ["z".to_owned(), "a".to_owned()];
        let listed = Listed::of(&list);
        assert_eq!(listed.cmp("z", "a"), Ordering::Less);
        assert_eq!(listed.cmp("other", "a"), Ordering::Greater);
        assert_eq!(listed.cmp("other", "one"), Ordering::Greater);
    }
}
