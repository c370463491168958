//! Spec text (TOML, YAML, JSON) to a validated [`Spec`], with diagnostics that point at the place.
//!
//! [`load`] reads a file into one spanned document tree whatever its format, puts included files under it, applies
//! `--set` changes, checks the tree against one table of keys and resolves it. Every problem is reported, none stops
//! the others from being found. The same table gives the JSON Schema ([`schema`]) and the reference page.
#![forbid(unsafe_code)]

mod constraint;
mod diagnostic;
mod document;
mod engine;
mod episode_file;
mod episodes;
mod filter;
mod kubernetes;
mod load;
mod load_options;
mod metric;
mod metric_summary;
pub mod preset;
mod read;
mod reference_points;
mod render;
mod resolve;
mod rollout;
mod sandbox;
mod secrets;
mod set;
mod shape;
mod source;
mod spec;
mod table_text;
mod template;

pub use constraint::{CONSTRAINT_GRAMMAR, Constraint, ConstraintError};
pub use diagnostic::{Diagnostic, Related, Severity};
pub use engine::{
    EngineChoice, EngineKind, EngineLack, EngineSpec, PROFILES, PairOn, SkypilotOptions,
    SlurmOptions, TEMPLATE_PLACEHOLDERS, TemplateOptions,
};
pub use episodes::{EPISODE_GRAMMAR, EpisodeError, EpisodeSet};
pub use filter::{FILTER_GRAMMAR, Filter, FilterError, filter_word};
pub use kubernetes::{ContainerUser, KubernetesOptions, SharedVolume, Toleration};
pub use load::{Loaded, load, load_text, load_with};
pub use load_options::{FileCheck, LoadOptions};
pub use metric::wall_time;
pub use read::Format;
pub use render::{Style, render};
pub use resolve::find_path::find_path;
pub use rollout::{
    AGENT_PLACEHOLDERS, AGENTS, AgentChoice, EndpointChoice, JUDGED_GOOD, JudgeApi, JudgeChoice,
    JudgeRule, KNOWN_AGENTS, Price, RolloutOptions, Scoring,
};
pub use sandbox::{Network, Phase, SANDBOX_PLACEHOLDERS, SandboxChoice, SandboxKey, SandboxKind};
pub use secrets::written_secrets;
pub use shape::suggest::neighbour;
pub use shape::{reference, schema};
pub use source::{Source, Sources};
pub use spec::*;
pub use table_text::read_table;
pub use template::{
    BUILTIN_NAMES, MissingVariable, Placeholder, PlaceholderForm, Template, UndefinedPlaceholder,
    env_references, expand_env, without_references,
};
