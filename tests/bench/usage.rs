//! The processor time and the context switches of a process, as the kernel counts them.

use crate::lab::LabOutcome;
use rustix::process::Pid;
use std::{collections::HashMap, fs, path::Path};

/// Process counters at one moment.
pub(crate) struct ProcessUsage {
    threads: HashMap<String, ThreadUsage>,
    /// Ticks of 10 ms in programs and in the kernel. They are exact only together.
    user: u64,
    system: u64,
}

#[derive(Clone, Copy, Default)]
struct ThreadUsage {
    nanoseconds: u64,
    switches: u64,
}

/// The resources that a process used between two moments.
#[derive(Clone, Copy)]
pub(crate) struct UsedResources {
    /// Microseconds of processor time.
    pub(crate) cpu: f64,
    /// The share of time that was spent in the kernel.
    pub(crate) system_share: f64,
    pub(crate) switches: f64,
}

impl ProcessUsage {
    pub(crate) fn read(process: Pid) -> LabOutcome<Self> {
        let folder = format!("/proc/{}", process.as_raw_nonzero());
        let stat = fs::read_to_string(format!("{folder}/stat"))?;
        // The fields 14 and 15 of proc_pid_stat(5). The name before them may contain blanks.
        let fields: Vec<_> =
            stat.rsplit_once(')').ok_or("no name in stat")?.1.split_whitespace().skip(11).collect();
        let [user, system, ..] = fields[..] else { return Err("stat is too short".into()) };
        let mut threads = HashMap::new();
        for thread in fs::read_dir(format!("{folder}/task"))? {
            let thread = thread?;
            // A thread may end between the two steps. It used nothing for ten seconds before, so its time is known.
            if let Ok(usage) = read_thread(&thread.path()) {
                threads.insert(thread.file_name().to_string_lossy().into_owned(), usage);
            }
        }
        Ok(Self { threads, user: user.parse()?, system: system.parse()? })
    }

    #[expect(clippy::cast_precision_loss, reason = "seconds in nanoseconds")]
    pub(crate) fn since(&self, before: &Self) -> UsedResources {
        let (mut nanoseconds, mut switches) = (0, 0);
        for (id, now) in &self.threads {
            let then = before.threads.get(id).copied().unwrap_or_default();
            nanoseconds += now.nanoseconds.saturating_sub(then.nanoseconds);
            switches += now.switches.saturating_sub(then.switches);
        }
        let (user, system) = (self.user - before.user, self.system - before.system);
        UsedResources {
            cpu: nanoseconds as f64 / 1_000.0,
            system_share: system as f64 / (user + system).max(1) as f64,
            switches: switches as f64,
        }
    }
}

fn read_thread(folder: &Path) -> LabOutcome<ThreadUsage> {
    let times = fs::read_to_string(folder.join("schedstat"))?;
    let nanoseconds = times.split_whitespace().next().ok_or("schedstat is empty")?.parse()?;
    let status = fs::read_to_string(folder.join("status"))?;
    let count = |line: &str| line.split_once("ctxt_switches:")?.1.trim().parse::<u64>().ok();
    Ok(ThreadUsage { nanoseconds, switches: status.lines().filter_map(count).sum() })
}
