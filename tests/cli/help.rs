//! `--help`, `--version`, and invalid command lines.

use crate::desk::with_desk;
use insta::assert_snapshot;

#[tokio::test]
async fn short_help_lists_the_commands() {
    with_desk(async |desk| {
        let help = desk.types("--help").await.to_string();
        let (commands, _) = help.split_once("\n\nOptions:").expect("options after the commands");
        assert_snapshot!(commands, @"
        The approval service between AI agents and the tools they want to run

        Usage: countersign [OPTIONS] <COMMAND>

        Commands:
          up                 Start the service in the background, and print how people and agents use it
          down               Stop the service that `up` started
          status             Show who is connected, and what is pending
          serve              Serve the HTTP API on this machine
          run                Run a command after it is approved
          mcp                Ask before each tool call of an MCP server
          permission-prompt  Answer the permission prompts of Claude Code, as an MCP server
          pending            List the pending calls
          watch              Decide pending calls interactively as they arrive
          show               Show one call: its arguments, decision and result
          allow              Allow pending calls
          deny               Deny pending calls
          stop               Deny all pending calls at once
          take-back          Take back an approval that no executor has used
          release            Let another executor take over a call whose executor was lost
          flag               Complain that a call was allowed
          erase              Erase the arguments and other content of a call that has ended
          log                Print the log's events
          calls              List calls, the newest first
          thread             List threads, and change a thread's settings
          grant              List and revoke grants: decisions that answer later calls of a thread
          tool               List the tools that the log knows, and accept changed definitions
          token              Create, list and revoke the tokens with which callers use a server
          delegation         Hand your queue to another person, list delegations and end them
          approver-key       Add, list and remove the keys with which approvers prove their decisions
          webhook            Send messages about calls to chats and other services
          advisor            List the advisors of the policy, and let them decide
          policy             Check a policy, test it, and compare it with the log
          install            Let a coding agent ask Countersign before it runs a tool
          uninstall          Remove what `install` added to a coding agent's configuration
          hook               Answer a message from a coding agent's hook
          acp                Run an agent of the Agent Client Protocol, and answer its questions for
                             permission
          codex-app-server   Run the app server of Codex, and answer its requests for approval
          stats              Count calls and decisions, and how long people took to decide
          doctor             Check the database, the server and this machine for problems
          verify             Check the hash chain of the whole log
          checkpoint         Sign the log's tip, so that a later change to it shows
          migrate            Upgrade a log to the schema of this version
          archive            Move the content of old closed threads to a file
          compact            Build the database file again, smaller and without erased content
          backup             Back up the log into a new file, while processes use it
          restore            Restore a backup as the log
          copy               Copy a whole log into another database
          demo               Try countersign in a minute with a scripted agent
          config             Show the settings and where each was set
          completions        Print a completion script for a shell
          man                Print the manual, or write a page for each command
          version            Print the version and build information
          help               Print this message or the help of the given subcommand(s)
        ");
    })
    .await;
}

#[tokio::test]
async fn long_help_explains_settings_and_exit_codes() {
    with_desk(async |desk| {
        let help = desk.types("--help").await.to_string();
        let (_, everywhere) = help.split_once("\n\nOptions:\n").expect("options after the commands");
        assert_snapshot!(everywhere, @r#"
          -h, --help     Print help
          -V, --version  Print version

        Options:
              --json  Print JSON, and errors as JSON too

        Global options:
              --database <ADDRESS>    The log: a path, sqlite://… or postgres://… [default: ./countersign.db
                                      if it exists, otherwise one log per user]
              --database-file <FILE>  A file that contains the log's address, which may include a password
              --server <URL>          Use a server instead of a database: http://127.0.0.1:7878
              --tls-ca <FILE>         The authorities to trust for an https:// server (PEM), instead of
                                      those of the system
              --policy <FILE>         The policy, a TOML file [default: task tools are allowed, other calls
                                      are asked]
              --as <PRINCIPAL>        The principal of this command: user:NAME or agent:NAME [default: your
                                      login name]
              --token-file <FILE>     A file that contains the token for the server [default:
                                      `COUNTERSIGN_TOKEN`, or the file of `serve`]
              --config <FILE>         The settings, a TOML file [default: ./countersign.toml, …]
              --log <FILTER>          The log level: error, warn, info, debug, or a filter
              --log-format <FORMAT>   The format of log lines on stderr [possible values: human, json]
              --otlp <URL>            Send traces by OTLP over HTTP: http://127.0.0.1:4318
              --colour <WHEN>         When to use colours: auto (on a terminal), always or never [possible
                                      values: auto, always, never]

        Exit codes:
          0    success
          1    failed: a file or the system; damage was found
          2    the command line or a setting is invalid
          3    refused by the rules, such as already decided
          4    no such call, thread or grant, or more than one
          5    the server or the database is unavailable
          76   policy check: the verdict is ask
          77   run: denied or blocked; policy check: block
          78   run: expired without a decision
          79   run: cancelled
          126  run: the command cannot be started
          127  run: the command was not found
          130  run: cancelled with Ctrl-C
          else run: the exit code of the command

        Errors with --json:
          {"code", "detail", "hint": absent if there is none}

        Environment:
          COUNTERSIGN_DATABASE, _SERVER, _POLICY and others
          replace options: `countersign config` lists them.
          COUNTERSIGN_TOKEN is the token for a server.
          NO_COLOR turns colours off.
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn run_help_lists_its_options() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("run --help").await, @"
        Run a command after it is approved

        Usage: countersign run [OPTIONS] -- <COMMAND>...

        Arguments:
          <COMMAND>...  The command and its arguments, after --

        Options:
              --thread <THREAD>     The call's thread; session grants apply within it [default: terminal]
              --tool <TOOL>         The tool name of the call [default: bash]
              --id <ID>             The call's id; the same id resumes a run that was interrupted before it
                                    started, or takes over a call that was released
              --description <TEXT>  The purpose, shown to approvers
              --expires <DURATION>  How long to wait for a decision, such as 90s, 15m, 2h
              --lease <DURATION>    The lease, at most 1d, renewed while the command runs: if this process
                                    is lost, the outcome counts as unknown after this time [default: 15m]
          -h, --help                Print help

        Options:
              --json  Print JSON, and errors as JSON too

        Global options:
              --database <ADDRESS>    The log: a path, sqlite://… or postgres://… [default: ./countersign.db
                                      if it exists, otherwise one log per user]
              --database-file <FILE>  A file that contains the log's address, which may include a password
              --server <URL>          Use a server instead of a database: http://127.0.0.1:7878
              --tls-ca <FILE>         The authorities to trust for an https:// server (PEM), instead of
                                      those of the system
              --policy <FILE>         The policy, a TOML file [default: task tools are allowed, other calls
                                      are asked]
              --as <PRINCIPAL>        The principal of this command: user:NAME or agent:NAME [default: your
                                      login name]
              --token-file <FILE>     A file that contains the token for the server [default:
                                      `COUNTERSIGN_TOKEN`, or the file of `serve`]
              --config <FILE>         The settings, a TOML file [default: ./countersign.toml, …]
              --log <FILTER>          The log level: error, warn, info, debug, or a filter
              --log-format <FORMAT>   The format of log lines on stderr [possible values: human, json]
              --otlp <URL>            Send traces by OTLP over HTTP: http://127.0.0.1:4318
              --colour <WHEN>         When to use colours: auto (on a terminal), always or never [possible
                                      values: auto, always, never]

        The words after -- are the program and its arguments, and no shell reads them. For a pipeline, a
        builtin or several commands, run a shell: countersign run -- sh -c 'make && make install'. A program
        that does not exist is reported before approvers are asked.

        JSON: the call with its result; the output of the command goes to stderr
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn version_is_that_of_the_package() {
    with_desk(async |desk| {
        let output = desk.types("-V").await;
        assert_eq!(output.stdout, format!("countersign {}\n", env!("CARGO_PKG_VERSION")));
    })
    .await;
}

#[tokio::test]
async fn invalid_command_line_is_refused() {
    with_desk(async |desk| {
        let nothing = desk.types("").await;
        assert_eq!((nothing.stderr, nothing.code), (desk.types("--help").await.stdout, 2));
        assert_snapshot!(desk.types("approve call_1").await, @"
        ! error: unrecognized subcommand 'approve'
        ! 
        !   tip: some similar subcommands exist: 'archive', 'approver-key'
        ! 
        ! Usage: countersign [OPTIONS] <COMMAND>
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("allow").await, @"
        ! error: the following required arguments were not provided:
        !   <ID>...
        ! 
        ! Usage: countersign allow <ID>...
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("run ls").await, @"
        ! error: unexpected argument 'ls' found
        ! 
        ! Usage: countersign run [OPTIONS] -- <COMMAND>...
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("run --expires soon -- ls").await, @"
        ! error: invalid value 'soon' for '--expires <DURATION>': expected a whole number and a unit, such as 90s, 15m, 2h or 1d
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("pending --server http://127.0.0.1:1 --database a.db").await, @"
        ! error: the argument '--server <URL>' cannot be used with '--database <ADDRESS>'
        ! 
        ! Usage: countersign pending --server <URL>
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn invalid_names_are_refused() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("pending --as ada").await, @r#"
        ! countersign: --as: "ada" must begin with user: or agent:
        exit 2
        "#);
        assert_snapshot!(desk.types("run --as system:expiry -- ls").await, @r#"
        ! countersign: --as: "system:expiry" must begin with user: or agent:
        exit 2
        "#);
        assert_snapshot!(desk.types("pending --thread ..").await, @r#"
        ! countersign: thread: it is "." or "..", which cannot be used in a URL
        exit 2
        "#);
        assert_snapshot!(desk.types("run --id '' -- ls").await, @"
        ! countersign: id: it is empty
        exit 2
        ");
        assert_snapshot!(desk.types("run --tool '' -- ls").await, @"
        ! countersign: --tool: it is empty
        exit 2
        ");
        assert_snapshot!(desk.types("pending --database mysql://somewhere").await, @"
        ! countersign: --database: mysql:// is not supported; give a path, sqlite://… or postgres://…
        ! hint: see docs/postgresql.md for the format of an address
        exit 2
        ");
        assert_snapshot!(desk.types_bytes("run -- ls", b"caf\xe9").await, @"
        ! countersign: the command and its folder must be valid Unicode, so that approvers can read them
        exit 2
        ");
    })
    .await;
}
