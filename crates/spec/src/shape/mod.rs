//! The shape of a spec as data: every key with its type, default and meaning.
//!
//! One table serves four readers: the checker (unknown keys, wrong types), the JSON Schema, the reference page and
//! the canonical names behind aliases. What is not in the table does not exist.

pub(crate) mod agent_keys;
pub(crate) mod analysis_keys;
pub(crate) mod budget_keys;
pub(crate) mod canonical;
pub(crate) mod check;
pub(crate) mod engine_keys;
pub(crate) mod hook_keys;
pub(crate) mod keys;
mod kubernetes_keys;
pub(crate) mod reference;
pub(crate) mod schema;
pub(crate) mod section;
pub(crate) mod suggest;
pub(crate) mod table_keys;
pub(crate) mod task_keys;

pub use reference::reference;
pub use schema::schema;
