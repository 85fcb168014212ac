//! The grammar of the command line.
use crate::commands::{
    access::AccessCommand, audit::AuditCommand, conversations::ConversationsCommand, engine::EngineCommand,
    export::Export, fonts::FontsCommand, import::Import, jobs::JobsCommand, member::MemberCommand,
    openapi::OpenapiCommand, site::SiteCommand, token::TokenCommand, translations::TranslationsCommand,
    user::UserCommand,
};
use crate::config::{Serve, Shared};
use crate::output::Output;
use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command as Grammar, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

const EXAMPLES: &str = "\
Examples:
  octavo demo                         Start a server with sample content
  octavo serve                        Start a server on http://127.0.0.1:8080
  octavo import ./docs                Create a space from a folder of Markdown
  octavo token create --label ci      Create an API token

Every setting has an environment variable; `octavo serve --help` lists them.";

/// Documentation you host yourself: spaces of pages with a history, as websites and through a JSON API.
///
/// One program: the server, and the commands to manage it. All data is in one folder, or in a PostgreSQL database and
/// a folder of files. Commands work on the data directly, also while a server is running.
#[derive(Debug, Parser)]
#[command(name = "octavo", version, after_help = EXAMPLES, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) shared: Shared,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server.
    ///
    /// The first start creates the data folder, the database, an administrator and an organization, and prints the
    /// administrator's token. SIGTERM or Ctrl-C stops the server after the requests in progress; a second one stops it
    /// at once.
    #[command(after_long_help = "\
Examples:
  octavo serve
  octavo serve --listen 0.0.0.0:80 --public-url https://docs.example.org
  DATABASE_URL=postgres://octavo:password@db/octavo \\
    octavo serve --data-dir /var/lib/octavo")]
    Serve(Serve),

    /// Run the server with sample content.
    ///
    /// Creates an organization with a published site of sample spaces, change requests and comments, and a token for
    /// its account demo@localhost, then runs like `octavo serve`. Running it again uses the same content and token, and
    /// completes the content if the first run was interrupted. --admin-email and --admin-token have no effect.
    #[command(after_long_help = "\
Examples:
  octavo demo
  octavo demo --data-dir /tmp/octavo-demo --listen 127.0.0.1:9000")]
    Demo(Serve),

    /// Import a folder or zip archive of Markdown as a space.
    ///
    /// Reads SUMMARY.md, .gitbook.yaml and front matter if present; without them, folders and file names give the
    /// order. Also reads what is usual in repositories of MkDocs, Sphinx with MyST, mdBook, Docusaurus, VitePress,
    /// Starlight, Nextra, Fumadocs, docsify, Jekyll, Hugo, Mintlify and Obsidian. The import becomes one revision, or
    /// fails without any effect. Works while a server is running.
    ///
    /// Exit codes: 0 imported, 1 not imported, 2 wrong command line, 3 imported with broken links (only with --strict).
    Import(Import),

    /// Export a space as a folder of Markdown.
    ///
    /// Writes the layout that `octavo import` reads: pages, SUMMARY.md, .gitbook.yaml, images and other files. Files
    /// that did not change since their import are written byte for byte. A new folder appears when it is complete; an
    /// empty one gets its files at the end.
    Export(Export),

    /// Create, list and revoke API tokens.
    #[command(subcommand)]
    Token(TokenCommand),

    /// Create, list and verify accounts.
    #[command(subcommand)]
    User(UserCommand),

    /// List, add, update and remove members of organizations.
    #[command(subcommand)]
    Member(MemberCommand),

    /// List, create, publish and unpublish docs sites.
    #[command(subcommand)]
    Site(SiteCommand),

    /// List issues of customers, and delete conversations.
    #[command(subcommand)]
    Conversations(ConversationsCommand),

    /// Explain the access of a user.
    #[command(subcommand)]
    Access(AccessCommand),

    /// Show the audit log.
    #[command(subcommand)]
    Audit(AuditCommand),

    /// List and run background jobs, such as purging deleted spaces.
    #[command(subcommand)]
    Jobs(JobsCommand),

    /// List and run translations of spaces.
    #[command(subcommand)]
    Translations(TranslationsCommand),

    /// Check the translation engine, the language model and the embeddings model.
    #[command(subcommand)]
    Engine(EngineCommand),

    /// Check the fonts for sites.
    #[command(subcommand)]
    Fonts(FontsCommand),

    /// Check, compare and publish OpenAPI documents, and print the one of the API.
    #[command(subcommand)]
    Openapi(OpenapiCommand),
}

impl Cli {
    /// Reads the command line. For help, the version or an error, prints it and ends the process.
    pub(crate) fn read() -> Self {
        let grammar = grammar();
        let arguments: Vec<OsString> = std::env::args_os().collect();
        let read = grammar.clone().try_get_matches_from(&arguments).and_then(|mut matches| {
            Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut grammar.clone()))
        });
        read.unwrap_or_else(|error| {
            let Some(variable) = variable_of(&error, &arguments) else { error.exit() };
            let _closed = error.print();
            Output::people().note(format_args!("The value comes from the environment variable {variable}."));
            std::process::exit(error.exit_code())
        })
    }
}

/// The grammar. An empty environment variable, as in many files for containers, counts as not set.
pub(crate) fn grammar() -> Grammar {
    each_argument(Cli::command(), |arg| {
        let empty = arg.get_env().is_some_and(|name| std::env::var_os(name).is_some_and(|value| value.is_empty()));
        let arg = arg.hide_env_values(true);
        if empty { arg.env(Resettable::Reset) } else { arg }
    })
}

fn each_argument(grammar: Grammar, change: impl Fn(Arg) -> Arg + Copy) -> Grammar {
    grammar.mut_args(change).mut_subcommands(|inner| each_argument(inner, change))
}

/// The environment variable with the wrong value, unless the value is from the command line.
fn variable_of(error: &clap::Error, arguments: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidArg) else { return None };
    // Arguments can be displayed only after the grammar is built.
    let mut grammar = grammar();
    grammar.build();
    let all = std::iter::once(&grammar).chain(grammar.get_subcommands()).flat_map(Grammar::get_arguments);
    let argument = all.into_iter().find(|argument| argument.to_string() == *wrong)?;
    let flag = format!("--{}", argument.get_long()?);
    let given = arguments
        .iter()
        .filter_map(|given| given.to_str())
        .any(|given| given == flag || given.strip_prefix(&flag).is_some_and(|rest| rest.starts_with('=')));
    let variable = argument.get_env()?.to_str()?;
    (!given && std::env::var_os(variable).is_some()).then(|| variable.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// Reads a command line without environment variables.
    fn read(line: &str) -> Result<Cli, clap::Error> {
        let grammar = each_argument(grammar(), |arg| arg.env(Resettable::Reset));
        let matches = grammar.try_get_matches_from(line.split_whitespace())?;
        Cli::from_arg_matches(&matches)
    }

    #[test]
    fn the_grammar_is_sound() {
        grammar().debug_assert();
    }

    #[rstest]
    #[case("octavo serve")]
    #[case("octavo serve --listen 0.0.0.0:80 --public-url https://docs.example.org --rate-limit 0")]
    #[case("octavo serve --data-dir /data --log-format json --log-level info,http_server=debug")]
    #[case("octavo --data-dir /data serve --trusted-proxies 10.0.0.0/8,192.168.0.1")]
    #[case("octavo serve --allow-private-fetch --listen 0.0.0.0:80")]
    #[case("octavo serve --allow-private-fetch=false")]
    #[case("octavo demo --listen 127.0.0.1:0")]
    #[case("octavo import ./docs --title Handbook")]
    #[case("octavo import docs.zip --space s1 --strict --json")]
    #[case("octavo export s1 ./out")]
    #[case("octavo site export product-docs ./out --force --base-url https://docs.example.org/guide")]
    #[case("octavo token create --user ada@example.org --label ci --expires 90d")]
    #[case("octavo token create --scope space:read --scope change-request:merge,space:write")]
    #[case("octavo token list --json")]
    #[case("octavo token revoke t1")]
    #[case("octavo user create ada@example.org --name Ada --role edit --organization o1")]
    #[case("octavo user create ada@example.org --unverified")]
    #[case("octavo user list")]
    #[case("octavo audit tail")]
    #[case("octavo audit tail -f -n 1000 --org o1 --actor ada@example.org --action token_created --json")]
    #[case("octavo user verify ada@example.org")]
    #[case("octavo member list --organization o1 --json")]
    #[case("octavo member add ada@example.org guest")]
    #[case("octavo member role u1 admin --organization o1")]
    #[case("octavo member disable ada@example.org")]
    #[case("octavo member enable ada@example.org")]
    #[case("octavo member remove ada@example.org")]
    #[case("octavo jobs list --failed --json")]
    #[case("octavo jobs run --failed")]
    #[case("octavo translations list --json")]
    #[case("octavo translations run t1 --fresh")]
    #[case("octavo serve --translator libretranslate --translator-url http://127.0.0.1:5000")]
    #[case("octavo engine check --translator pseudo --into de")]
    #[case("octavo serve --fonts-dir /srv/fonts")]
    #[case("octavo fonts check --dir /srv/fonts --json")]
    #[case("octavo openapi print")]
    #[case("octavo openapi check openapi.yaml --json")]
    fn this_is_understood(#[case] line: &str) {
        if let Err(error) = read(line) {
            panic!("{error}");
        }
    }

    #[rstest]
    #[case("octavo serve --listen 8080", "--listen", "such as 127.0.0.1:8080")]
    #[case("octavo serve --metrics-listen nowhere", "--metrics-listen", "such as 127.0.0.1:8080")]
    #[case("octavo serve --public-url docs.example.org", "--public-url", "https://docs.example.org")]
    #[case("octavo serve --rate-limit many", "--rate-limit", "a whole number from 0")]
    #[case("octavo serve --trusted-proxies example.org", "--trusted-proxies", "such as 10.0.0.0/8")]
    #[case("octavo serve --allow-private-fetch=yes", "--allow-private-fetch", "must be true or false")]
    #[case("octavo serve --admin-email ada", "--admin-email", "such as ada@example.org")]
    #[case("octavo serve --workers 0", "--workers", "a whole number from 1 to 1024")]
    #[case("octavo serve --log-level loud", "--log-level", "error, warn, info, debug or trace")]
    #[case("octavo serve --log-format xml", "--log-format", "pretty, json")]
    #[case("octavo serve --translator google", "--translator", "libretranslate")]
    #[case("octavo import docs --space s --title t", "--title", "cannot be used with")]
    #[case("octavo import docs --space a/b", "--space", "1 to 64 characters")]
    #[case("octavo export", "<SPACE>", "required")]
    #[case("octavo token create --expires soon", "--expires", "30d")]
    #[case("octavo token create --scope space:reed", "--scope", "change-request:merge")]
    #[case("octavo token create --scope space:reed", "--scope", "'space:read'")]
    #[case("octavo audit tail --limit 1001", "--limit", "a whole number from 1 to 1000")]
    #[case("octavo audit tail --action space_exploded", "--action", "space_created")]
    #[case("octavo user create ada", "<EMAIL>", "such as ada@example.org")]
    #[case("octavo user create ada@example.org --role king", "--role", "admin")]
    #[case("octavo member role ada@example.org king", "<ROLE>", "admin")]
    #[case("octavo frobnicate", "frobnicate", "unrecognized subcommand")]
    fn an_error_names_the_setting_and_how_to_write_it(#[case] line: &str, #[case] name: &str, #[case] rule: &str) {
        let error = read(line).expect_err("refused");
        let text = error.to_string();
        assert!(text.contains(name) && text.contains(rule), "{text}");
        assert_eq!(error.exit_code(), 2);
    }

    /// A longer line would be wrapped, and could not be copied.
    #[test]
    fn examples_fit_in_80_columns() {
        fn check(grammar: &Grammar) -> usize {
            let examples = grammar.get_after_long_help().or(grammar.get_after_help());
            let examples = examples.map(ToString::to_string).unwrap_or_default();
            let wide: Vec<&str> = examples.lines().filter(|line| line.chars().count() > 80).collect();
            assert!(wide.is_empty(), "{}: {wide:?}", grammar.get_name());
            usize::from(!examples.is_empty()) + grammar.get_subcommands().map(check).sum::<usize>()
        }
        assert!(check(&grammar()) > 10);
    }

    #[test]
    fn help_never_shows_the_value_of_a_variable() {
        let mut hidden = 0;
        let grammar = grammar();
        for command in std::iter::once(&grammar).chain(grammar.get_subcommands()) {
            for argument in command.get_arguments().filter(|argument| argument.get_env().is_some()) {
                assert!(argument.is_hide_env_values_set(), "{argument}");
                hidden += 1;
            }
        }
        assert!(hidden > 10);
    }

    #[rstest]
    #[case("--admin-token short-secret", "20 to 200")]
    #[case("--secret 1234567890abcdefg", "64 hexadecimal digits")]
    #[case("--smtp-url smtp://ada:secret@", "--mail-from")]
    fn an_error_about_a_secret_does_not_show_it(#[case] setting: &str, #[case] rule: &str) {
        let Command::Serve(serve) = read(&format!("octavo serve {setting}")).unwrap().command else { panic!("serve") };
        let shown = format!("{serve:?}");
        let error = crate::failure::explain(&serve.check().expect_err("refused"));
        let (name, value) = setting.split_once(' ').unwrap();
        assert!(error.contains(name) && error.contains(rule) && !error.contains(value), "{error}");
        assert!(!shown.contains(value), "{shown}");
    }
}
