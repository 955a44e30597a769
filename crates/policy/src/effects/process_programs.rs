//! Programs that start and stop services and containers, and what they call that.

/// A program whose first operand is a verb, and the others are names.
pub(super) struct ServiceProgram {
    pub(super) programs: &'static str,
    pub(super) kind: &'static str,
    pub(super) start: &'static str,
    pub(super) stop: &'static str,
    pub(super) restart: &'static str,
    pub(super) signal: &'static str,
    pub(super) remove: &'static str,
    /// Verbs that stop the machine itself.
    pub(super) machine: &'static str,
    pub(super) harmless: &'static str,
    /// Verbs whose operand is not the name of what they start.
    pub(super) creates: &'static str,
    /// Words before the verb.
    pub(super) groups: &'static str,
    pub(super) values: &'static str,
    pub(super) flags: &'static str,
    /// Whether the name comes before the verb.
    pub(super) name_first: bool,
    /// Whether it is about processes only below one of its groups.
    pub(super) needs_group: bool,
    /// Whether a verb that is not listed does nothing with processes.
    pub(super) has_other_verbs: bool,
}

const NONE: ServiceProgram = ServiceProgram {
    programs: "",
    kind: "service",
    start: "start",
    stop: "stop",
    restart: "restart",
    signal: "",
    remove: "",
    machine: "",
    harmless: "",
    creates: "",
    groups: "",
    values: "",
    flags: "",
    name_first: false,
    needs_group: false,
    has_other_verbs: false,
};

const COMPOSE: ServiceProgram = ServiceProgram {
    kind: "container",
    start: "run start unpause up create scale",
    stop: "stop kill pause down",
    remove: "rm",
    creates: "run",
    values: "-f --file -p --project-name --profile --env-file --project-directory -t --timeout --name",
    flags: "-d --detach --build --remove-orphans --no-deps -q --quiet --volumes",
    has_other_verbs: true,
    ..NONE
};

pub(super) const SERVICE_PROGRAMS: &[ServiceProgram] = &[
    ServiceProgram {
        programs: "systemctl",
        start: "start enable reenable unmask preset link",
        stop: "stop disable mask isolate freeze",
        restart: "restart try-restart reload-or-restart try-reload-or-restart condrestart",
        signal: "kill reload thaw",
        remove: "clean revert",
        machine: "default emergency exit halt hibernate hybrid-sleep kexec poweroff reboot rescue sleep soft-reboot suspend suspend-then-hibernate",
        harmless: "cat get-default help is-active is-enabled is-failed is-system-running list-automounts list-dependencies list-jobs list-machines list-paths \
            list-sockets list-timers list-unit-files list-units show show-environment status whoami",
        values: "-t --type --state -p --property -H --host -M --machine -n --lines -o --output -s --signal --kill-whom --root",
        flags: "--user --system --global --now -q --quiet --no-pager -a --all -l --full --no-block",
        ..NONE
    },
    ServiceProgram {
        programs: "service rc-service invoke-rc.d",
        start: "start",
        restart: "restart try-restart force-reload condrestart",
        signal: "reload",
        harmless: "status describe",
        name_first: true,
        flags: "--status-all",
        ..NONE
    },
    ServiceProgram {
        programs: "launchctl",
        start: "bootstrap enable kickstart load start submit",
        stop: "bootout disable stop unload",
        signal: "kill",
        remove: "remove",
        machine: "reboot",
        harmless: "blame dumpstate error getenv help hostinfo list managername managerpid manageruid plist print print-cache print-disabled procinfo resolveport version",
        flags: "-w -k -p",
        ..NONE
    },
    ServiceProgram {
        programs: "supervisorctl",
        start: "start add",
        stop: "stop shutdown",
        restart: "restart reload update reread",
        signal: "signal",
        remove: "remove",
        harmless: "avail fg help maintail pid status tail version",
        values: "-c --configuration -s --serverurl -u --username -p --password",
        ..NONE
    },
    ServiceProgram {
        programs: "pm2",
        start: "start resurrect startup",
        stop: "stop unstartup kill",
        restart: "restart reload gracefulReload update",
        signal: "sendSignal trigger scale",
        remove: "delete del",
        harmless: "dashboard describe desc env flush id info jlist list logs ls monit ping pid plus prettylist ps report reloadLogs save show status",
        values: "--name -n -i --instances --cwd",
        creates: "start",
        ..NONE
    },
    ServiceProgram {
        programs: "brew",
        start: "start run",
        stop: "stop kill",
        restart: "restart",
        remove: "cleanup",
        harmless: "info list",
        groups: "services",
        needs_group: true,
        ..NONE
    },
    ServiceProgram { programs: "docker podman nerdctl", groups: "compose", needs_group: true, ..COMPOSE },
    ServiceProgram { programs: "docker-compose podman-compose", ..COMPOSE },
    ServiceProgram {
        programs: "docker podman nerdctl",
        kind: "container",
        start: "run start unpause create",
        stop: "stop kill pause",
        signal: "update",
        remove: "rm prune",
        creates: "run create",
        groups: "container system",
        values: "-H --host --context -l --log-level --config -t --time --signal --name -e --env --env-file -v --volume -p --publish --network --entrypoint -u \
            --user -w --workdir --mount --platform -m --memory --restart",
        flags: "-d --detach -i -t -it --rm -q --quiet -f --force",
        has_other_verbs: true,
        ..NONE
    },
    ServiceProgram {
        programs: "sc net nssm",
        start: "start",
        stop: "stop pause",
        restart: "restart rotate",
        remove: "delete remove",
        harmless: "query queryex qc qdescription view use user group localgroup accounts share session statistics time status get list",
        has_other_verbs: true,
        ..NONE
    },
];
