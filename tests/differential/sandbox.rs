//! A sandbox of Linux namespaces for hostile command lines. It contains the shells and stubs that log their
//! arguments, and nothing else: no network, no other process, and only two small folders that can be written.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// The time after which a line is stopped.
const LINE_LIMIT: Duration = Duration::from_secs(10);

/// Runs as the first process in the namespaces, before the root directory changes.
const SETUP: &str = r#"
set -e
mount --make-rprivate /
mount -t tmpfs -o size=64m,mode=755 tmpfs "$1/tree"
cp -a "$1/image/." "$1/tree/"
mount --bind "$1/scratch" "$1/tree/scratch"
mount --bind "$1/log" "$1/tree/log"
mount --bind "$1/job" "$1/tree/job"
for device in null zero; do : > "$1/tree/dev/$device"; mount --bind "/dev/$device" "$1/tree/dev/$device"; done
mount -t proc -o ro proc "$1/tree/proc"
mount -o remount,ro "$1/tree"
cd "$1/tree"
pivot_root . old
/tools/umount -l /old
exec /tools/setpriv --no-new-privs --bounding-set=-all --inh-caps=-all /tools/dash /tools/driver
"#;

/// Runs each job: a file that sets the command's words, which the driver executes. The command substitution ends when
/// the last process that the line started has ended.
const DRIVER: &str = r#"
cd /scratch/work
echo ready
while read -r input; do
    . /job/job
    left=$( (ulimit -t 2; ulimit -f 2; ulimit -v 600000; exec "$@") 9>&1 >/dev/null 2>/dev/null <"$input" )
    echo done
done
"#;

/// Programs that run other programs: the sandbox has them and no stubs. The first name is the one in the PATH.
const LAUNCHERS: &[(&str, &str)] =
    &[("xargs", "xargs"), ("timeout", "timeout"), ("env", "env"), ("nice", "nice"), ("sh", "dash")];

/// A program on the PATH: it logs its argument count, its name and its arguments.
const STUB: &str = "#!/tools/dash\n{ printf '%s\\0' \"$#\" \"${0##*/}\" \"$@\"; } >>/log/log\n";

/// The files that a line finds in its folder. Their names become arguments when a line uses a glob.
const SCRATCH_FILES: &[(&str, &str)] = &[
    ("work/notes", "rm -rf /\n"),
    ("work/a b", "x\n"),
    ("work/f", "touch victim\n"),
    ("work/--output=victim", ""),
    ("work/-o", ""),
    ("work/-delete", ""),
    ("work/d/x", ""),
    ("home/.profile", ""),
    ("tmp/t", ""),
];

/// One way to run a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShellVariant {
    pub(crate) name: &'static str,
    /// The program that must be installed.
    pub(crate) program: &'static str,
    arguments: &'static [&'static str],
    /// Whether the line is typed, that is, read from an interactive shell's standard input.
    is_typed: bool,
}

const fn shell(
    name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    is_typed: bool,
) -> ShellVariant {
    ShellVariant { name, program, arguments, is_typed }
}

pub(crate) const SHELLS: &[ShellVariant] = &[
    shell("bash", "bash", &["--norc", "-c"], false),
    shell("dash", "dash", &["-c"], false),
    shell("zsh", "zsh", &["-f", "-c"], false),
    shell("busybox", "busybox", &["sh", "-c"], false),
    shell("interactive bash", "bash", &["--norc", "--noprofile", "--noediting", "-i"], true),
    shell("interactive zsh", "zsh", &["-f", "-i", "-s", "+Z"], true),
];

/// The effects of one run.
#[derive(Debug, Default)]
pub(crate) struct RunEffects {
    /// The programs that ran, with their arguments.
    pub(crate) commands: Vec<Vec<String>>,
    /// The files that were added, removed or changed.
    pub(crate) changed: Vec<String>,
    /// Whether the line was stopped because it took too long.
    pub(crate) is_stopped: bool,
}

/// A running sandbox.
pub(crate) struct Sandbox {
    folder: TempDir,
    names: BTreeSet<String>,
    process: Option<RunningDriver>,
}

struct RunningDriver {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Drop for RunningDriver {
    fn drop(&mut self) {
        // The namespaces end with their first process. It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Sandbox {
    /// Starts a sandbox with stubs of these names. The error says which part is unavailable.
    pub(crate) fn start(names: BTreeSet<String>) -> Result<Self, String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut sandbox = Self { folder, names, process: None };
        sandbox.build_image();
        sandbox.reset_scratch();
        sandbox.restart()?;
        Ok(sandbox)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Copies the shells with their libraries, and writes the stubs.
    fn build_image(&self) {
        for folder in
            ["dev", "proc", "old", "scratch", "log", "job", "tmp", "tools", "shells", "bin", "usr/bin"]
        {
            fs::create_dir_all(self.path("image").join(folder)).expect(folder);
        }
        for folder in ["tree", "log", "job"] {
            fs::create_dir_all(self.path(folder)).expect(folder);
        }
        let image = self.path("image");
        for (folder, programs) in [
            ("tools", ["dash", "setpriv", "umount"].as_slice()),
            ("shells", &["bash", "dash", "zsh", "busybox"]),
        ] {
            for program in programs {
                if let Some(found) = find_program(program) {
                    copy_file(&found, &image.join(folder).join(program));
                    for library in find_libraries(&found) {
                        copy_library(&image, &library);
                    }
                }
            }
        }
        for (name, program) in LAUNCHERS {
            if let Some(found) = find_program(program) {
                copy_file(&found, &image.join("usr/bin").join(name));
                copy_file(&found, &image.join("bin").join(name));
                for library in find_libraries(&found) {
                    copy_library(&image, &library);
                }
            }
        }
        for modules in glob_zsh_modules() {
            let target = image.join(modules.strip_prefix("/").expect("an absolute path"));
            let files = fs::read_dir(&modules).into_iter().flatten().flatten();
            for file in files.filter(|file| file.path().extension().is_some_and(|end| end == "so")) {
                fs::create_dir_all(&target).expect("a folder for modules");
                copy_file(&file.path(), &target.join(file.file_name()));
            }
        }
        write_program(&image.join("tools/driver"), DRIVER);
        write_program(&image.join("usr/bin/.stub"), STUB);
        fs::remove_dir(image.join("tmp"))
            .and_then(|()| symlink("scratch/tmp", image.join("tmp")))
            .expect("a link");
        let is_real = |name: &str| LAUNCHERS.iter().any(|(launcher, _)| *launcher == name);
        for name in self.names.iter().filter(|name| !is_real(name)) {
            for folder in ["usr/bin", "bin"] {
                symlink("/usr/bin/.stub", image.join(folder).join(name)).expect(name);
            }
        }
    }

    fn restart(&mut self) -> Result<(), String> {
        self.process = None;
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc", "--uts"])
            .args(["--fork", "--kill-child", "sh", "-c", SETUP, "sandbox"])
            .arg(self.folder.path())
            .env_clear()
            .envs([
                ("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),
                ("HOME", "/scratch/home"),
                ("LC_ALL", "C.UTF-8"),
                ("HISTFILE", "/dev/null"),
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("unshare: {error}"))?;
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let errors = child.stderr.take().expect("a pipe");
        let (send, answers) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).all(|line| send.send(line).is_ok()));
        let driver = RunningDriver { child, input, answers };
        if driver.answers.recv_timeout(LINE_LIMIT).as_deref() == Ok("ready") {
            self.process = Some(driver);
            return Ok(());
        }
        drop(driver);
        Err(std::io::read_to_string(errors).unwrap_or_default().trim().to_owned())
    }

    /// Runs the line in the shell and returns its effects.
    pub(crate) fn run(&mut self, shell: ShellVariant, line: &str) -> RunEffects {
        let mut words = vec![format!("/shells/{}", shell.program)];
        words.extend(shell.arguments.iter().map(|&word| word.to_owned()));
        let input = if shell.is_typed {
            fs::write(self.path("job/line"), format!("{line}\n")).expect("the line");
            "/job/line"
        } else {
            words.push(line.to_owned());
            "/dev/null"
        };
        let words: Vec<_> = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        fs::write(self.path("job/job"), format!("set -- {}\n", words.join(" "))).expect("the job");
        fs::write(self.path("log/log"), "").expect("the log");
        let driver = self.process.as_mut().expect("the sandbox runs");
        writeln!(driver.input, "{input}").expect("the driver reads");
        let is_stopped = driver.answers.recv_timeout(LINE_LIMIT).is_err();
        if is_stopped {
            self.restart().expect("the sandbox starts again");
        }
        let changed = self.find_changes();
        if !changed.is_empty() {
            self.reset_scratch();
            self.restart().expect("the sandbox starts again");
        }
        RunEffects { commands: self.read_log(), changed, is_stopped }
    }

    /// Reads the commands that the stubs logged. The last record is cut if the log reached its limit.
    fn read_log(&self) -> Vec<Vec<String>> {
        let log = fs::read(self.path("log/log")).unwrap_or_default();
        let mut fields: Vec<_> =
            log.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned()).collect();
        // The text after the last NUL is empty, or cut.
        fields.pop();
        let mut fields = fields.into_iter();
        let mut commands = Vec::new();
        while let Some(count) = fields.next().and_then(|count| count.parse::<usize>().ok()) {
            let command: Vec<_> = fields.by_ref().take(count + 1).collect();
            if command.len() == count + 1 {
                commands.push(command);
            }
        }
        commands
    }

    fn reset_scratch(&self) {
        let scratch = self.path("scratch");
        drop(fs::remove_dir_all(&scratch));
        for (name, content) in SCRATCH_FILES {
            let path = scratch.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect(name);
            fs::write(path, content).expect(name);
        }
    }

    fn find_changes(&self) -> Vec<String> {
        let expected: BTreeMap<String, Vec<u8>> = SCRATCH_FILES
            .iter()
            .map(|(name, content)| ((*name).to_owned(), content.as_bytes().to_vec()))
            .collect();
        let mut found = BTreeMap::new();
        read_files(&self.path("scratch"), "", &mut found);
        let mut changed: Vec<_> =
            found.iter().filter(|(name, content)| expected.get(*name) != Some(*content)).collect();
        changed.extend(expected.iter().filter(|(name, _)| !found.contains_key(*name)));
        changed.into_iter().map(|(name, _)| name.clone()).collect()
    }
}

fn read_files(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let before = found.len();
            read_files(&entry.path(), &format!("{name}/"), found);
            if found.len() == before {
                found.insert(name, Vec::new());
            }
        } else {
            found.insert(name, fs::read(entry.path()).unwrap_or_default());
        }
    }
}

/// Looks up a program's path in the usual folders.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.exists())
}

/// The shared libraries that a program needs.
fn find_libraries(program: &Path) -> Vec<PathBuf> {
    let output = Command::new("ldd").arg(program).output().expect("ldd runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from).collect()
}

fn glob_zsh_modules() -> Vec<PathBuf> {
    let folders =
        fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path().join("zsh"));
    let versions = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    versions.map(|version| version.path().join("zsh")).filter(|modules| modules.is_dir()).collect()
}

fn copy_library(image: &Path, library: &Path) {
    let target = image.join(library.strip_prefix("/").expect("an absolute path"));
    fs::create_dir_all(target.parent().expect("a folder")).expect("a folder for libraries");
    copy_file(library, &target);
}

fn copy_file(from: &Path, to: &Path) {
    fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, text)
        .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(0o755)))
        .expect("a program");
}
