//! The agents that people run from the command line: how each is started, which keys and accounts it may have. Their
//! outputs are read by [`crate::usage`].

/// An agent that we know how to start.
#[derive(Debug)]
pub(crate) struct KnownAgent {
    /// Its name in a spec.
    pub(crate) name: &'static str,
    /// The program that it needs.
    pub(crate) program: &'static str,
    /// Program and arguments, with placeholders; the user's own arguments follow.
    pub(crate) argv: &'static [&'static str],
    /// What comes after those.
    pub(crate) last: &'static [&'static str],
    /// Whether its instructions are its standard input.
    pub(crate) reads_instructions: bool,
    /// Files of the user's home that hold its account.
    pub(crate) account_files: &'static [&'static str],
    /// The variables by which it reaches its provider; `*` at the end of a name stands for anything.
    pub(crate) keys: &'static [&'static str],
}

/// The file in which mini-swe-agent keeps what it did, in the folder that `FAIRTRIAL_OUT` names.
pub(crate) const MINI_TRAJECTORY: &str = "mini.traj.json";

/// The keys of agents that reach many providers.
const ANY_PROVIDER: &[&str] = &[
    "OPENAI_*",
    "ANTHROPIC_*",
    "GEMINI_*",
    "GOOGLE_*",
    "OPENROUTER_*",
    "DEEPSEEK_*",
    "AZURE_*",
];

/// What each is told, by its own documentation of running without a person.
pub(crate) const KNOWN_AGENTS: [KnownAgent; 6] = [
    KnownAgent {
        name: "codex",
        program: "codex",
        argv: &[
            "codex",
            "exec",
            "--json",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            "--model",
            "{model}",
        ],
        last: &["-"],
        reads_instructions: true,
        account_files: &[".codex/auth.json", ".codex/config.toml"],
        keys: &["OPENAI_*", "CODEX_API_KEY"],
    },
    KnownAgent {
        name: "claude",
        program: "claude",
        argv: &[
            "claude",
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--dangerously-skip-permissions",
            "--model",
            "{model}",
        ],
        last: &[],
        reads_instructions: true,
        account_files: &[".claude/.credentials.json", ".claude.json"],
        keys: &["ANTHROPIC_*", "CLAUDE_CODE_*"],
    },
    KnownAgent {
        name: "gemini",
        program: "gemini",
        argv: &[
            "gemini",
            "--output-format",
            "stream-json",
            "--yolo",
            "--model",
            "{model}",
        ],
        last: &[],
        reads_instructions: true,
        account_files: &[
            ".gemini/oauth_creds.json",
            ".gemini/google_accounts.json",
            ".gemini/settings.json",
        ],
        keys: &["GEMINI_*", "GOOGLE_*"],
    },
    KnownAgent {
        name: "opencode",
        program: "opencode",
        argv: &["opencode", "run", "--format", "json", "--model", "{model}"],
        last: &[],
        reads_instructions: true,
        account_files: &[
            ".local/share/opencode/auth.json",
            ".config/opencode/opencode.json",
        ],
        keys: ANY_PROVIDER,
    },
    KnownAgent {
        name: "aider",
        program: "aider",
        // It keeps a cache in the workspace, and would put its name into `.gitignore`: both are no answer to the task.
        argv: &[
            "sh",
            "-c",
            "mkdir -p .git/info && echo '.aider*' >> .git/info/exclude; exec aider \"$@\"",
            "aider",
            "--message-file",
            "{instruction_file}",
            "--yes-always",
            "--no-auto-commits",
            "--no-gitignore",
            "--chat-history-file",
            "{out}/aider.chat.history.md",
            "--input-history-file",
            "{out}/aider.input.history",
            "--no-pretty",
            "--no-stream",
            "--no-check-update",
            "--model",
            "{model}",
        ],
        last: &[],
        reads_instructions: false,
        account_files: &[".aider.conf.yml"],
        keys: ANY_PROVIDER,
    },
    KnownAgent {
        name: "mini-swe-agent",
        program: "mini",
        // It takes its task as an argument alone, and asks a person where it was not set up.
        argv: &[
            "sh",
            "-c",
            "task=$(cat \"$1\"); shift; MSWEA_CONFIGURED=true exec mini --task \"$task\" \"$@\"",
            "mini",
            "{instruction_file}",
            "--yolo",
            "--exit-immediately",
            "--model",
            "{model}",
            "--output",
            "{out}/mini.traj.json",
        ],
        last: &[],
        reads_instructions: false,
        account_files: &[".config/mini-swe-agent/.env"],
        keys: ANY_PROVIDER,
    },
];

/// The agent of this name.
pub(crate) fn known_agent(name: &str) -> Option<&'static KnownAgent> {
    KNOWN_AGENTS.iter().find(|agent| agent.name == name)
}
