//! The committed processor time figures, and the comparison of a run with them.

use crate::{cost::CostRow, lab::LabOutcome};
use std::{collections::BTreeMap, fmt::Write, fs, path::PathBuf};

/// The ratio to the baseline from which a cost is a regression.
const REGRESSION: f64 = 1.1;

const HEADER: &str = "# Microseconds of processor time at the server, for each cycle or request. Written by\n\
                      # `just bench-compare --save`; docs/benchmarks.md says on which machine.\n";

fn path() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "bench", "baseline.tsv"].iter().collect()
}

/// Writes the figures of this run as the new baseline.
pub(crate) fn save(costs: &[CostRow]) -> LabOutcome<()> {
    let mut text = HEADER.to_owned();
    for cost in costs {
        writeln!(text, "{}\t{:.1}", cost.name, cost.cpu)?;
    }
    Ok(fs::write(path(), text)?)
}

/// Prints each figure beside the baseline. Fails if one is more than 10 % higher, or if the baseline does not have it.
pub(crate) fn compare(costs: &[CostRow]) -> LabOutcome<()> {
    let text = fs::read_to_string(path())?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let baseline: BTreeMap<&str, f64> = lines
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, cpu)| Ok((name, cpu.parse()?)))
        .collect::<LabOutcome<_>>()?;
    let mut regressions = Vec::new();
    println!("| at the server | CPU | baseline | ratio |");
    println!("| --- | --- | --- | --- |");
    for CostRow { name, cpu, .. } in costs {
        let Some(before) = baseline.get(name.as_str()) else {
            regressions.push(format!("{name} is not in the baseline"));
            continue;
        };
        let ratio = cpu / before;
        println!("| {name} | {cpu:.1} µs | {before:.1} µs | {ratio:.2} |");
        if ratio > REGRESSION {
            regressions.push(format!("{name} costs {:.0} % more than the baseline", (ratio - 1.0) * 100.0));
        }
    }
    if regressions.is_empty() { Ok(()) } else { Err(regressions.join("; ").into()) }
}
