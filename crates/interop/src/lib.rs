//! Other tools' result files to executions that Fairtrial can analyse, and back.
//!
//! A path is recognised by its content ([`locate()`]), read as a stream by its format ([`Format`]) into a [`Sink`], and
//! laid out as trials by rules that a user can see and change ([`Roles`], [`Layout`]). Raw samples, clusters, failures and
//! original units are kept; nothing here knows statistics.
#![forbid(unsafe_code)]

mod collect;
mod error;
mod execution;
mod fields;
mod folder;
mod foreign;
mod format;
#[expect(
    clippy::struct_field_names,
    reason = "fields are called like the keys of the files"
)]
mod formats;
mod grouped;
mod head;
mod input;
mod json;
mod json_table;
mod lines;
mod locate;
mod online;
mod outline;
mod parquet;
mod protobuf;
mod records;
mod roles;
mod rules;
mod run_name;
mod scale;
mod sink;
mod table;
mod time;
mod writers;
mod xml;
mod zip;

pub use collect::{Collected, Curve, Keep, PointSink, parse};
pub use error::{FilePlace, InteropError};
pub use execution::{Execution, ExecutionFields, Fact, FactKind, Metric, MetricId, Samples};
pub use foreign::{Foreign, Mapping, Reading, Recognised, Source};
pub use format::{Format, ReadUnit};
pub use formats::{FORMATS, format_named};
pub use input::Input;
pub use json_table::read_json_lines;
pub use locate::{Located, locate};
pub use online::Online;
pub use online::access::Access;
pub use parquet::{Parquet, ParquetColumn, ParquetTable, is_parquet, read_parquet};
pub use records::{Known, Layout, SeedMeaning};
pub use roles::{Given, RoleLine, Roles, Scope};
pub use rules::{Arm, Rules, Subject, Way};
pub use sink::Sink;
pub use writers::{
    Form, HarborJob, Outgoing, Rewards, Rows, SeriesRow, Shape, TableKind, Target, Tracker,
    WRITERS, Writer, push,
};
