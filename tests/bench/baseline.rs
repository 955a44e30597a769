//! The committed figures of processor time and allocations, and the comparison of a run with them.

use crate::{cost::CostRow, lab::LabOutcome};
use std::{collections::BTreeMap, fmt::Write, fs, path::PathBuf};

/// The ratio to the baseline from which a cost is a regression.
const REGRESSION: f64 = 1.1;

const HEADER: &str = "# Microseconds of processor time and allocations at the server, for each cycle or request. Written by\n\
                      # `just bench-compare --save`; docs/benchmarks.md says on which machine.\n";

fn path() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "bench", "baseline.tsv"].iter().collect()
}

/// Writes the figures of this run as the new baseline.
pub(crate) fn save(costs: &[CostRow]) -> LabOutcome<()> {
    let mut text = HEADER.to_owned();
    for cost in costs {
        writeln!(text, "{}\t{:.1}\t{:.0}", cost.name, cost.cpu, cost.allocations)?;
    }
    Ok(fs::write(path(), text)?)
}

/// The figures of one line.
struct BaselineLine {
    cpu: f64,
    allocations: f64,
}

impl BaselineLine {
    /// Reads a line's name and figures.
    fn read(line: &str) -> LabOutcome<(&str, Self)> {
        let fields: Vec<_> = line.split('\t').collect();
        let [name, cpu, allocations] = *fields else {
            return Err(format!("the baseline has a line without two figures: {line:?}").into());
        };
        Ok((name, Self { cpu: cpu.parse()?, allocations: allocations.parse()? }))
    }
}

/// Prints each figure beside the baseline. Fails if one is more than 10 % higher, or if the baseline does not have it.
pub(crate) fn compare(costs: &[CostRow]) -> LabOutcome<()> {
    let text = fs::read_to_string(path())?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let baseline: BTreeMap<&str, BaselineLine> = lines.map(BaselineLine::read).collect::<LabOutcome<_>>()?;
    let mut regressions = Vec::new();
    println!("| at the server | CPU | baseline | ratio | allocations | baseline | ratio |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for CostRow { name, cpu, allocations, .. } in costs {
        let Some(before) = baseline.get(name.as_str()) else {
            regressions.push(format!("{name} is not in the baseline"));
            continue;
        };
        let ratios = [cpu / before.cpu, allocations / before.allocations];
        println!(
            "| {name} | {cpu:.1} µs | {:.1} µs | {:.2} | {allocations:.0} | {:.0} | {:.2} |",
            before.cpu, ratios[0], before.allocations, ratios[1]
        );
        for (what, ratio) in [("processor time", ratios[0]), ("allocations", ratios[1])] {
            if ratio > REGRESSION {
                let more = (ratio - 1.0) * 100.0;
                regressions.push(format!("{name} costs {more:.0} % more {what} than the baseline"));
            }
        }
    }
    if regressions.is_empty() { Ok(()) } else { Err(regressions.join("; ").into()) }
}
