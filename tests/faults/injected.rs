//! System call faults, injected with `LD_PRELOAD`: see `faulty_calls.c`.

use countersign_tests::{ProcessWorld, Random};
use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::PathBuf,
    process::Command,
};

const SOURCE: &str = include_str!("faulty_calls.c");

/// What happens to the system calls of the server. The fields are those of `struct faults`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InjectedFault {
    write_error: i32,
    sync_error: i32,
    one_in: i32,
    delay_us: i32,
    clock_offset: i64,
}

impl InjectedFault {
    /// A random fault.
    pub(crate) fn pick(random: &mut Random) -> Self {
        let one_in = *random.one_of(&[1, 3, 20]);
        match random.below(5) {
            0 => Self { write_error: IO_ERROR, one_in, ..Self::default() },
            1 => Self { write_error: NO_SPACE, one_in, ..Self::default() },
            2 => Self { sync_error: IO_ERROR, one_in, ..Self::default() },
            3 => Self { delay_us: 30_000, one_in, ..Self::default() },
            _ => Self { clock_offset: *random.one_of(&[-3_600, -5, 5, 3_600]), ..Self::default() },
        }
    }

    fn to_bytes(self) -> Vec<u8> {
        let numbers = [self.write_error, self.sync_error, self.one_in, self.delay_us];
        numbers.into_iter().flat_map(i32::to_ne_bytes).chain(self.clock_offset.to_ne_bytes()).collect()
    }
}

/// The errno `EIO`.
const IO_ERROR: i32 = 5;

/// The errno `ENOSPC`.
const NO_SPACE: i32 = 28;

/// The library, and the file through which a test tells it what to do.
pub(crate) struct FaultInjector {
    library: PathBuf,
    control: PathBuf,
}

impl FaultInjector {
    /// Compiles the library into the test folder.
    pub(crate) fn compile(world: &ProcessWorld) -> Self {
        let (source, library) = (world.file("faulty_calls.c"), world.file("faulty_calls.so"));
        fs::write(&source, SOURCE).expect("the folder is writable");
        let mut compile = Command::new("cc");
        compile.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]).arg(&library).arg(&source);
        assert!(compile.status().expect("a C compiler").success(), "the library compiles");
        let injector = Self { library, control: world.file("faults") };
        fs::write(&injector.control, InjectedFault::default().to_bytes()).expect("the folder is writable");
        injector
    }

    /// The environment that puts a server under this injector. Only log files are affected.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("LD_PRELOAD", self.library.display().to_string()),
            ("COUNTERSIGN_TEST_FAULTS", self.control.display().to_string()),
            ("COUNTERSIGN_TEST_FAULTS_IN", "/log.db".to_owned()),
        ]
    }

    /// Replaces the injected fault.
    pub(crate) fn inject(&self, fault: InjectedFault) {
        // The server maps this file, so it is not replaced.
        let control = File::options().write(true).open(&self.control).expect("the file exists");
        control.write_all_at(&fault.to_bytes(), 0).expect("it is writable");
    }
}
