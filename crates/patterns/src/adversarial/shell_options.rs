//! Options between a program and its subcommand or operands.

use super::{NO, ShellCase, UNCLEAR, YES};

pub(super) const CASES: &[ShellCase] = &[
    (
        "option with a value before a subcommand",
        "git push*",
        "git push*",
        "git -C /x push origin",
        NO,
        UNCLEAR,
    ),
    ("option that sets something", "git push*", "git push*", "git -c a.b=c push", NO, UNCLEAR),
    ("option without a value", "git push*", "git push*", "git --no-pager push", NO, UNCLEAR),
    ("option with its value in one word", "git push*", "git push*", "git --git-dir=/x push", NO, YES),
    (
        "options of several kinds",
        "ls*",
        "kubectl delete*",
        "kubectl -n prod --v=3 -o json delete pod a",
        NO,
        UNCLEAR,
    ),
    ("option of a program by its path", "ls*", "git push*", "/usr/bin/git -C /x push", NO, UNCLEAR),
    ("option whose value is a variable", "ls*", "git push*", "git -C $x push", NO, UNCLEAR),
    ("option of what is handed on", "ls*", "git push*", "sudo git -C /x push", NO, UNCLEAR),
    ("option within a shell", "ls*", "git push*", "bash -c 'git -C /x push'", NO, UNCLEAR),
    ("options before a path", "ls*", "rm /etc*", "rm -rf /etc/passwd", NO, UNCLEAR),
    ("end of options before a path", "ls*", "rm /etc*", "rm -- /etc/passwd", NO, UNCLEAR),
    ("option and another subcommand", "ls*", "git push*", "git -C /x status", NO, NO),
    ("subcommand as an argument", "git status*", "git push*", "git status push", YES, NO),
    ("option behind the subcommand", "git push*", "git push*", "git push -u origin", YES, YES),
    (
        "more options than the limit",
        "ls*",
        "x y*",
        "x -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a y",
        NO,
        UNCLEAR,
    ),
];
