//! What package managers call their verbs.

/// A program whose first operand is a verb. A verb that no list has may do anything.
pub(super) struct PackageManager {
    pub(super) programs: &'static str,
    pub(super) ecosystem: &'static str,
    pub(super) install: &'static str,
    pub(super) remove: &'static str,
    pub(super) publish: &'static str,
    /// Verbs that fetch a package only to run it, unless it is installed.
    pub(super) runs: &'static str,
    /// Verbs that change no package but those that the project has chosen already.
    pub(super) harmless: &'static str,
    /// Words before the verb.
    pub(super) groups: &'static str,
    /// Words after the verb that name no package.
    pub(super) nouns: &'static str,
    pub(super) values: &'static str,
    /// Whether it installs if no verb is given.
    pub(super) alone_installs: bool,
    /// Whether another verb names one of the project's scripts.
    pub(super) runs_scripts: bool,
}

/// A program whose verb is an option.
pub(super) struct FlagManager {
    pub(super) programs: &'static str,
    pub(super) ecosystem: &'static str,
    pub(super) install: &'static str,
    pub(super) remove: &'static str,
    pub(super) harmless: &'static str,
}

const NONE: PackageManager = PackageManager {
    programs: "",
    ecosystem: "",
    install: "",
    remove: "",
    publish: "",
    runs: "",
    harmless: "",
    groups: "",
    nouns: "",
    values: "",
    alone_installs: false,
    runs_scripts: false,
};

/// Options of npm. `-w` has a value in npm alone.
const NPM_VALUES: &str = "-w --prefix -C --dir --cwd --registry --workspace -F --filter --loglevel --omit --include --tag --otp --access -p --package --depth -c --call";
/// Options of the programs beside npm.
const OTHER_VALUES: &str = "--prefix -C --dir --cwd --registry --workspace -F --filter --loglevel --omit --include --tag --otp --access -p --package --depth -c --call";

pub(super) const MANAGERS: &[PackageManager] = &[
    PackageManager {
        programs: "npm cnpm",
        ecosystem: "npm",
        install: "add ci clean-install i in ins install install-test isntall it cit up update upgrade udpate dedupe ddp rebuild rb link ln fix",
        remove: "r rm remove un uninstall unlink prune",
        publish: "access deprecate dist-tag owner publish undeprecate unpublish unstar star team trust",
        runs: "create exec innit init x",
        harmless: "bin bugs c cache completion config diff docs doctor explain explore find-dupes fund get help help-search ls list la ll login \
            logout org outdated pack ping pkg prefix profile query repo restart root run run-script rum s sbom search set start stop t test tst \
            token v version view info show whoami why",
        groups: "audit",
        values: NPM_VALUES,
        ..NONE
    },
    PackageManager {
        programs: "pnpm",
        ecosystem: "npm",
        install: "add ci i import install install-test it up update upgrade dedupe link ln rb rebuild fetch",
        remove: "rm remove un uninstall unlink prune",
        publish: "publish deploy-package dist-tag deprecate unpublish owner",
        runs: "create dlx",
        groups: "recursive m multi",
        values: OTHER_VALUES,
        runs_scripts: true,
        ..NONE
    },
    PackageManager {
        programs: "yarn yarnpkg",
        ecosystem: "npm",
        install: "add install up upgrade upgrade-interactive import link dedupe rebuild",
        remove: "remove unlink",
        publish: "publish tag owner team",
        runs: "create dlx",
        groups: "global npm",
        values: OTHER_VALUES,
        alone_installs: true,
        runs_scripts: true,
        ..NONE
    },
    PackageManager {
        programs: "bun",
        ecosystem: "npm",
        install: "a add i install update link",
        remove: "rm remove unlink",
        publish: "publish",
        runs: "c create x",
        values: OTHER_VALUES,
        runs_scripts: true,
        ..NONE
    },
    PackageManager {
        programs: "deno",
        ecosystem: "npm",
        install: "add i install update outdated",
        remove: "remove rm uninstall",
        publish: "publish deploy",
        harmless: "bench cache check clean completions compile coverage doc eval fmt help info init jupyter lint lsp repl run serve task test types upgrade",
        ..NONE
    },
    PackageManager {
        programs: "pip pip3",
        ecosystem: "pypi",
        install: "install",
        remove: "uninstall",
        harmless: "cache check completion config debug freeze hash help index inspect list lock show download wheel search",
        values: "-r --requirement -c --constraint -i --index-url --extra-index-url -t --target --prefix --root -e --editable --python -f --find-links",
        ..NONE
    },
    PackageManager {
        programs: "uv",
        ecosystem: "pypi",
        install: "add install sync upgrade",
        remove: "remove uninstall",
        publish: "publish",
        runs: "run-tool",
        harmless: "build cache check compile dir export find format freeze generate-shell-completion help init list lock pin python run self show tree \
            update-shell venv version",
        groups: "pip tool",
        values: "-r --requirements -c --constraint -i --index-url --default-index --index --extra-index-url --python -p --group --extra --with --directory --project -e --editable",
        ..NONE
    },
    PackageManager {
        programs: "poetry pdm rye hatch pipenv",
        ecosystem: "pypi",
        install: "add install sync update upgrade",
        remove: "remove uninstall",
        publish: "publish",
        harmless: "about build cache check clean completions config debug env export fix fmt graph help info init list lock new outdated python run scripts \
            search shell show source test tests use venv verify version which",
        groups: "self",
        values: "-C --directory -P --project -G --group --source -r --repository -e --extras --python -p",
        ..NONE
    },
    PackageManager {
        programs: "pipx",
        ecosystem: "pypi",
        install: "inject install install-all reinstall reinstall-all upgrade upgrade-all",
        remove: "uninject uninstall uninstall-all",
        runs: "run",
        harmless: "completions ensurepath environment help interpreter list pin runpip unpin",
        values: "--python --spec --pip-args --index-url -i",
        ..NONE
    },
    PackageManager {
        programs: "conda mamba micromamba pixi",
        ecosystem: "conda",
        install: "add create install update upgrade",
        remove: "remove uninstall",
        publish: "upload",
        harmless: "activate clean compare config deactivate doctor help info init list notices run search shell tree",
        groups: "env global",
        values: "-n --name -p --prefix -c --channel -f --file",
        ..NONE
    },
    PackageManager {
        programs: "cargo",
        ecosystem: "cargo",
        install: "add binstall install install-update update fetch",
        remove: "remove rm uninstall",
        publish: "owner publish release yank",
        harmless: "b bench build c check clean clippy d deny doc expand fix fmt generate-lockfile help hack info init insta llvm-cov locate-project login logout \
            machete metadata miri new nextest pkgid r report run rustc rustdoc search sort t test tree vendor verify-project version watch",
        values: "-p --package --features -F --manifest-path --registry --index --target --version --vers --branch --tag --rev --root --git --path -j --jobs --color --config -Z --profile --bin --example",
        ..NONE
    },
    PackageManager {
        programs: "gem",
        ecosystem: "gem",
        install: "install i update fetch",
        remove: "uninstall cleanup",
        publish: "push yank owner",
        runs: "exec",
        harmless: "build cert check contents dependency environment help info list open outdated query search server signin signout sources specification stale which",
        values: "-v --version -s --source -i --install-dir -k --key",
        ..NONE
    },
    PackageManager {
        programs: "bundle bundler",
        ecosystem: "gem",
        install: "add install update",
        remove: "remove clean",
        harmless: "binstubs cache check config console doctor env exec gem help info init issue list lock open outdated package platform plugin pristine show version viz",
        values: "--gemfile --path --version -v --group -g --source -s",
        alone_installs: true,
        ..NONE
    },
    PackageManager {
        programs: "go",
        ecosystem: "go",
        install: "download get install tidy",
        harmless: "bug build clean doc edit env fix fmt generate graph help init list mod run telemetry test tool use vendor verify version vet why work",
        groups: "mod",
        values: "-C -ldflags -tags -o -p",
        ..NONE
    },
    PackageManager {
        programs: "apt apt-get aptitude",
        ecosystem: "apt",
        install: "build-dep dist-upgrade full-upgrade install reinstall safe-upgrade upgrade",
        remove: "autopurge autoremove purge remove",
        harmless: "autoclean changelog check clean depends download help list moo policy rdepends search show showsrc source update",
        values: "-o -t --target-release -c",
        ..NONE
    },
    PackageManager {
        programs: "dnf dnf5 yum microdnf zypper tdnf",
        ecosystem: "dnf",
        install: "builddep dist-upgrade distro-sync downgrade dup in install localinstall patch reinstall swap system-upgrade up update upgrade",
        remove: "autoremove erase remove rm",
        harmless: "check check-update clean deplist help history info list list-updates lr makecache provides refresh repoinfo repolist repoquery se search updateinfo",
        values: "-c --config --installroot --releasever --repo --enablerepo --disablerepo",
        ..NONE
    },
    PackageManager {
        programs: "apk",
        ecosystem: "apk",
        install: "add fix upgrade",
        remove: "del",
        harmless: "audit cache dot fetch index info list manifest policy query search stats update verify version",
        values: "-t --virtual -X --repository -p --root --arch --repositories-file --keys-dir --cache-dir",
        ..NONE
    },
    PackageManager {
        programs: "brew",
        ecosystem: "brew",
        install: "bundle install link reinstall tap unpin upgrade",
        remove: "autoremove remove rm uninstall unlink untap",
        harmless: "--cache --cellar --config --env --prefix --repository --version analytics cat cleanup commands completions config deps desc developer docs doctor \
            fetch formulae gist-logs help home info leaves list livecheck log ls missing options outdated pin search services shellenv update uses",
        ..NONE
    },
    PackageManager {
        programs: "composer",
        ecosystem: "composer",
        install: "create-project install i reinstall require r u update upgrade",
        remove: "remove rm uninstall",
        harmless: "about archive audit browse bump check-platform-reqs clear-cache completion config depends diagnose dump-autoload dumpautoload exec fund help \
            home info init licenses list outdated prohibits run run-script search show status suggests validate why why-not",
        groups: "global",
        values: "-d --working-dir",
        ..NONE
    },
    PackageManager {
        programs: "dotnet nuget",
        ecosystem: "nuget",
        install: "add install restore update workload",
        remove: "delete remove uninstall",
        publish: "push",
        harmless: "build build-server clean dev-certs format fsi help list locals new pack publish run search sign sln solution sources store test \
            trust user-secrets verify vstest watch why",
        groups: "nuget tool package",
        nouns: "package reference",
        values: "--version -v --source -s --api-key -k --framework -f --tool-path --configfile",
        ..NONE
    },
    PackageManager {
        programs: "docker podman nerdctl buildah",
        ecosystem: "docker",
        install: "load pull import",
        remove: "rmi",
        publish: "push",
        harmless: "attach build builder buildx commit compose config container context cp create diff events exec export history images info inspect kill \
            init login logout logs ls manifest network node pause plugin port ps rename restart rm run save scout search secret service sbom stack start \
            stats stop swarm system tag top trust unpause update version volume wait",
        groups: "image compose buildx",
        values: "-H --host -c --context -l --log-level --config --platform -f --file -t --tag -p --project-name",
        ..NONE
    },
    PackageManager {
        programs: "vsce ovsx code cursor codium",
        ecosystem: "vscode",
        publish: "publish unpublish",
        runs_scripts: true,
        ..NONE
    },
    PackageManager {
        programs: "snap flatpak choco winget scoop port pkg pkg_add nix",
        ecosystem: "system",
        install: "add import install refresh selfupdate update upgrade",
        remove: "autoremove delete deinstall purge remove rm uninstall",
        publish: "push upload publish",
        harmless: "changes check config connections download export find flake develop build eval shell fmt help info list log logs outdated query repl run search show source status version",
        groups: "profile package",
        values: "--channel --version -v --source -s --id",
        ..NONE
    },
];

pub(super) const FLAG_MANAGERS: &[FlagManager] = &[
    FlagManager {
        programs: "dpkg",
        ecosystem: "apt",
        install: "-i --install --unpack --configure",
        remove: "-r --remove -P --purge",
        harmless: "-l --list -L --listfiles -s --status -S --search -p --print-avail --get-selections --audit -C -V --verify --print-architecture --version --help",
    },
    FlagManager {
        programs: "rpm",
        ecosystem: "dnf",
        install: "-i --install -U --upgrade -F --freshen -ivh -Uvh",
        remove: "-e --erase",
        harmless: "-q --query -qa -ql -qi -qf -qp -V --verify -K --checksig --version --help",
    },
    FlagManager {
        programs: "pacman yay paru",
        ecosystem: "pacman",
        install: "-S -Sy -Syu -Syyu -Su -U --sync --upgrade",
        remove: "-R -Rs -Rns -Rn -Rsc --remove",
        harmless: "-Q -Qi -Ql -Qs -Qe -Qm -Qu -Qo --query -Ss -Si -Sl -F -Fy -V -h --version --help",
    },
    FlagManager {
        programs: "nix-env",
        ecosystem: "system",
        install: "-i -iA --install -u --upgrade -A",
        remove: "-e --uninstall",
        harmless: "-q --query -qa -qaP --list-generations --version --help",
    },
];

/// Programs that fetch a package and run it, unless it is installed, with their ecosystem.
pub(super) const RUNNERS: &[(&str, &str)] = &[("npx bunx pnpx", "npm"), ("uvx", "pypi")];

/// Programs that publish the files that they name, with their ecosystem.
pub(super) const UPLOADERS: &[(&str, &str)] = &[("twine", "pypi"), ("jsr", "npm")];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_verb_is_in_one_list() {
        for manager in MANAGERS {
            let lists = [manager.install, manager.remove, manager.publish, manager.runs, manager.harmless];
            let mut seen = HashSet::new();
            for verb in lists.iter().flat_map(|list| list.split_ascii_whitespace()) {
                assert!(seen.insert(verb), "{}: {verb} is in two lists", manager.programs);
            }
        }
    }
}
