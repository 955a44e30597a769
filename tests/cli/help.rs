//! `--help`, `--version`, and command lines that cannot be meant.

use crate::desk::at_a_desk;
use insta::assert_snapshot;

#[tokio::test]
async fn help_tells_what_there_is() {
    at_a_desk(async |desk| {
        let help = desk.types("--help").await.to_string();
        let (commands, _) = help.split_once("\n\nOptions:").expect("options after the commands");
        assert_snapshot!(commands, @"
        The approval service between an AI agent and the tools it wants to run

        Usage: countersign [OPTIONS] <COMMAND>

        Commands:
          serve          Serve the HTTP API on this machine
          run            Run a command once somebody has allowed it
          pending        List what waits for a decision
          watch          Decide on what waits, as it comes
          show           Show one call, and what became of it
          allow          Allow calls that wait
          deny           Deny calls that wait
          stop           Deny all that waits, at once
          release        Let another executor take over a call whose own was lost
          log            Tell what happened, event by event
          calls          List calls, the last proposed first
          threads        List threads, or show one
          grants         List what is remembered for the rest of a thread: allowed or denied
          revoke         Take a grant back: it answers no more calls
          mode           Show or set how a thread answers what is asked
          thread-policy  Show or set what a thread itself says of tools
          policy         Check a policy, test it, and compare it with the log
          close          End a thread: what waits in it is cancelled, and nothing new starts
          stats          Count what became of calls, and how long people took to decide
          doctor         Look for what is wrong with the file, the server and this machine
          verify         Check the hash chain of the whole log
          migrate        Bring a log to the layout of this version, as its owner
          copy           Copy a whole log into another database
          demo           See all of it in a minute, with an agent that only plays
          config         Show what is in force, and who says so
          completions    Print what a shell needs to complete the command line
          man            Print the manual, or write a page for each command
          version        Tell which program this is, and how it was built
          help           Print this message or the help of the given subcommand(s)
        ");
    })
    .await;
}

#[tokio::test]
async fn help_tells_what_holds_everywhere_and_how_it_ends() {
    at_a_desk(async |desk| {
        let help = desk.types("--help").await.to_string();
        let (_, everywhere) = help.split_once("\n\nOptions:\n").expect("options after the commands");
        assert_snapshot!(everywhere, @r#"
          -h, --help     Print help
          -V, --version  Print version

        Everywhere:
              --database <ADDRESS>    The log: a path, sqlite://… or postgres://… [default: countersign.db]
              --database-file <FILE>  A file that holds the address of the log, which may have a password
              --server <URL>          A server instead of a database: http://127.0.0.1:7878
              --policy <FILE>         The policy, a TOML file; without one task tools are free and the rest
                                      is asked
              --as <WHO>              Who is asking: user:NAME or agent:NAME [default: your login name]
              --config <FILE>         The settings, a TOML file [default: ./countersign.toml, …]
              --log <FILTER>          What is logged: error, warn, info, debug, or a filter
              --log-format <FORMAT>   How it is logged to stderr [possible values: human, json]
              --otlp <URL>            Where traces are sent, by OTLP over HTTP: http://127.0.0.1:4318
              --colour <WHEN>         Colours: on a terminal, always or never [possible values: auto,
                                      always, never]
              --json                  Print JSON, and errors as JSON too

        Exit codes:
          0    done
          1    failed: the file, the system; damage that was found
          2    the command line or a setting is wrong
          3    the rules do not allow it: decided before, …
          4    no such call, thread or grant, or several
          5    no server answers, or no database opens
          76   policy check: people are asked
          77   run: denied or blocked; policy check: blocked
          78   run: nobody decided in time
          79   run: cancelled by somebody
          126  run: the command cannot be started
          127  run: there is no such command
          130  run: cancelled with Ctrl-C
          else run: the command's own

        Errors with --json:
          {"code", "detail", "hint": left out if there is none}

        Environment:
          COUNTERSIGN_DATABASE, _SERVER, _POLICY and so on stand in
          for options: `countersign config` lists what holds.
          NO_COLOR turns colours off.
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn help_on_running_tells_its_options() {
    at_a_desk(async |desk| {
        assert_snapshot!(desk.types("run --help").await, @"
        Run a command once somebody has allowed it

        Usage: countersign run [OPTIONS] -- <COMMAND>...

        Arguments:
          <COMMAND>...  The command and its arguments, after --

        Options:
              --thread <T>          The conversation it belongs to: what is allowed for the session is
                                    allowed in it [default: terminal]
              --tool <TOOL>         The tool that it counts as [default: bash]
              --id <ID>             The call's id; the same one again takes up a run that was interrupted
                                    before it started
              --description <TEXT>  What it is for, shown to whoever decides
              --expires <SPAN>      How long to wait for a decision, such as 90s, 15m, 2h
              --lease <SPAN>        After how long without a result the outcome counts as unknown [default:
                                    1d]
          -h, --help                Print help

        Everywhere:
              --database <ADDRESS>    The log: a path, sqlite://… or postgres://… [default: countersign.db]
              --database-file <FILE>  A file that holds the address of the log, which may have a password
              --server <URL>          A server instead of a database: http://127.0.0.1:7878
              --policy <FILE>         The policy, a TOML file; without one task tools are free and the rest
                                      is asked
              --as <WHO>              Who is asking: user:NAME or agent:NAME [default: your login name]
              --config <FILE>         The settings, a TOML file [default: ./countersign.toml, …]
              --log <FILTER>          What is logged: error, warn, info, debug, or a filter
              --log-format <FORMAT>   How it is logged to stderr [possible values: human, json]
              --otlp <URL>            Where traces are sent, by OTLP over HTTP: http://127.0.0.1:4318
              --colour <WHEN>         Colours: on a terminal, always or never [possible values: auto,
                                      always, never]
              --json                  Print JSON, and errors as JSON too

        JSON: the call, as it ended; what the command itself prints all goes to stderr then
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn the_version_is_the_packages() {
    at_a_desk(async |desk| {
        let said = desk.types("-V").await;
        assert_eq!(said.stdout, format!("countersign {}\n", env!("CARGO_PKG_VERSION")));
    })
    .await;
}

#[tokio::test]
async fn a_command_line_that_cannot_be_meant_is_refused() {
    at_a_desk(async |desk| {
        let nothing = desk.types("").await;
        assert_eq!((nothing.stderr, nothing.code), (desk.types("--help").await.stdout, 2));
        assert_snapshot!(desk.types("approve call_1").await, @"
        ! error: unrecognized subcommand 'approve'
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
        ! error: invalid value 'soon' for '--expires <SPAN>': a span is a whole number and a unit, such as 90s, 15m, 2h or 1d
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
async fn names_that_cannot_be_are_refused() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("pending --as ada").await, @r#"
        ! countersign: --as: "ada" does not begin with user: or agent:
        exit 2
        "#);
        assert_snapshot!(desk.types("run --as system:expiry -- ls").await, @r#"
        ! countersign: --as: "system:expiry" does not begin with user: or agent:
        exit 2
        "#);
        assert_snapshot!(desk.types("pending --thread ..").await, @r#"
        ! countersign: thread: "." and ".." cannot stand in a URL
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
        ! countersign: --database: mysql:// names no database that this program can open; give a path, sqlite://… or postgres://…
        ! hint: docs/postgresql.md says how one is written
        exit 2
        ");
        assert_snapshot!(desk.types_bytes("run -- ls", b"caf\xe9").await, @"
        ! countersign: the command and its folder must be Unicode, or nobody could be shown them
        exit 2
        ");
    })
    .await;
}
