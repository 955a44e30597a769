//! An advisor measurement as text.

use countersign_console::{
    ColumnFit, ScreenFormat, TableCell, TextStyle, TextTable, count_words, escape_text, print_line,
    summarize_arguments,
};
use countersign_replay::measure::{
    AdvisorMeasurement, AnswerRow, HumanDecision, ListedMistakes, MeasuredMistake, NamedCaseCounts,
};

/// Prints the measurement: the table, the costs, the mistakes, and the counts by tool and by rule.
pub(super) fn print_measurement(measured: &AdvisorMeasurement, screen: &ScreenFormat) {
    print_line(&confusion_table(measured).format(screen));
    print_line("");
    for line in summary(measured) {
        print_line(&line);
    }
    print_mistakes(&measured.false_allows_listed, "Would allow, but a person denied or changed it", screen);
    print_mistakes(&measured.false_denials_listed, "Would deny, but a person allowed it", screen);
    for (title, rows) in [("TOOL", &measured.tools), ("RULE", &measured.rules)] {
        print_line(&format!("\n{}", named_table(title, rows).format(screen)));
    }
}

fn confusion_table(measured: &AdvisorMeasurement) -> TextTable {
    let mut table = TextTable::new(&[
        ("", ColumnFit::Whole),
        ("WOULD ALLOW", ColumnFit::Number),
        ("WOULD DENY", ColumnFit::Number),
        ("ASKS", ColumnFit::Number),
    ]);
    let counts = &measured.total.table;
    let mut add = |name: &str, row: &AnswerRow, [allow, deny]: [TextStyle; 2]| {
        let number = |style: TextStyle, number: u64| {
            let style = if number == 0 { TextStyle::Dim } else { style };
            TableCell::styled(style, number.to_string())
        };
        let cells = [
            name.into(),
            number(allow, row.allow),
            number(deny, row.deny),
            number(TextStyle::Plain, row.ask),
        ];
        table.add_row(cells);
    };
    add("people allowed", &counts.allowed, [TextStyle::Green, TextStyle::Yellow]);
    add("people denied", &counts.denied, [TextStyle::Red, TextStyle::Green]);
    add("people changed", &counts.changed, [TextStyle::Red, TextStyle::Plain]);
    table
}

fn summary(measured: &AdvisorMeasurement) -> Vec<String> {
    let (total, saved) = (&measured.total, &measured.saved);
    let mut lines = vec![
        format!("Agreed: {}.", describe_share(total.agreed, total.cases)),
        format!(
            "Prompts saved: {} ({} allowed, {} denied).",
            describe_share(saved.allow + saved.deny, total.calls),
            saved.allow,
            saved.deny
        ),
    ];
    if !measured.failures.is_empty() {
        let failures: Vec<_> =
            measured.failures.iter().map(|(code, number)| format!("{code} {number}")).collect();
        lines.push(format!("Failures: {}.", failures.join(", ")));
    }
    if let Some(times) = measured.times {
        let (median, p95, max) = (times.median_ms, times.p95_ms, times.max_ms);
        lines.push(format!("Time: {median} ms (median), {p95} ms (95 %), {max} ms (maximum)."));
    }
    if let Some(tokens) = measured.tokens {
        lines.push(format!("Tokens: {} in questions, {} in answers.", tokens.input, tokens.output));
    }
    lines
}

/// A number and its share, such as `19 of 20 (95.0 %)`.
fn describe_share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return format!("{part} of {whole}");
    }
    // Rounded down, so that 100 % means all.
    let mills = u128::from(part) * 1_000 / u128::from(whole);
    format!("{part} of {whole} ({}.{} %)", mills / 10, mills % 10)
}

fn print_mistakes(listed: &ListedMistakes, title: &str, screen: &ScreenFormat) {
    print_line(&format!("\n{}", screen.paint(TextStyle::Bold, &format!("{title}: {}", listed.count))));
    if listed.count == 0 {
        return;
    }
    let mut table = TextTable::new(&[
        ("SEQ", ColumnFit::Number),
        ("THREAD", ColumnFit::Truncated),
        ("ID", ColumnFit::Whole),
        ("TOOL", ColumnFit::Whole),
        ("PERSON", ColumnFit::Wrapped),
        ("REASON OF THE ADVISOR", ColumnFit::Wrapped),
        ("ARGUMENTS", ColumnFit::Truncated),
    ]);
    for mistake in &listed.calls {
        table.add_row([
            mistake.seq.to_string().into(),
            escape_text(mistake.thread_id.as_str()).into(),
            escape_text(mistake.id.as_str()).into(),
            escape_text(mistake.name.as_str()).into(),
            describe_decision(mistake).into(),
            mistake.reason.as_deref().map_or_else(String::new, escape_text).into(),
            summarize_arguments(&mistake.arguments).into(),
        ]);
    }
    print_line(&table.format(screen));
    let more = listed.count - listed.calls.len() as u64;
    if more > 0 {
        print_line(&format!("… and {}.", count_words(more, "later call")));
    }
}

fn describe_decision(mistake: &MeasuredMistake) -> String {
    let decided = match mistake.decision {
        HumanDecision::Allowed => "allowed",
        HumanDecision::Denied => "denied",
        HumanDecision::Changed => "changed",
    };
    let by = escape_text(mistake.decided_by.as_str());
    let comment =
        mistake.comment.as_ref().map_or(String::new(), |comment| format!(": {}", escape_text(comment)));
    format!("{decided} by {by}{comment}")
}

fn named_table(title: &'static str, rows: &[NamedCaseCounts]) -> TextTable {
    let mut table = TextTable::new(&[
        (title, ColumnFit::Wrapped),
        ("CALLS", ColumnFit::Number),
        ("AGREED", ColumnFit::Number),
        ("FALSE ALLOWS", ColumnFit::Number),
        ("FALSE DENIALS", ColumnFit::Number),
        ("ASKED", ColumnFit::Number),
    ]);
    for NamedCaseCounts { name, counts } in rows {
        let name = name.as_deref().map_or("default".to_owned(), escape_text);
        let numbers = [counts.calls, counts.agreed, counts.false_allows, counts.false_denials, counts.asked];
        let cells = numbers.map(|number| TableCell::from(number.to_string()));
        table.add_row([TableCell::from(name)].into_iter().chain(cells));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_is_never_rounded_up() {
        assert_eq!(describe_share(4_750, 5_000), "4750 of 5000 (95.0 %)");
        assert_eq!(describe_share(4_999, 5_000), "4999 of 5000 (99.9 %)");
        assert_eq!(describe_share(0, 0), "0 of 0");
    }
}
