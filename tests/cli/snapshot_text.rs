//! Replaces values that differ between runs by fixed text. Only a valid value is replaced, so that an invalid value
//! remains visible in the snapshot.

/// Replaces times, hashes, random ids, ports and durations. Ids are numbered in the order of their first appearance, so
/// that different ids remain distinct.
pub(crate) fn hide(text: &str) -> String {
    let text = &hide_presence(text);
    let (mut shown, mut rest, mut ids) = (String::new(), text.as_str(), Vec::new());
    while let Some(first) = rest.chars().next() {
        let at_start = !shown.ends_with(|c: char| c.is_ascii_alphanumeric());
        let found = if at_start { find(rest) } else { None };
        let length = match found {
            Some((length, "call")) => {
                let id = &rest[..length];
                let known = ids.iter().position(|known| *known == id);
                let number = known.unwrap_or_else(|| {
                    ids.push(id);
                    ids.len() - 1
                });
                shown.push_str(&["[call ", &(number + 1).to_string(), "]"].concat());
                length
            }
            Some((length, name)) => {
                shown.extend(["[", name, "]"]);
                length
            }
            None => {
                shown.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    shown
}

/// Removes the line about a waiting agent, which is there a second after it began to wait.
fn hide_presence(text: &str) -> String {
    let is_presence = |line: &&str| line.split_whitespace().eq(["agent", "waits", "for", "the", "decision"]);
    text.split_inclusive('\n').filter(|line| !is_presence(line)).collect()
}

/// Finds a replaceable value with which the text starts. Returns its length and its kind.
fn find(text: &str) -> Option<(usize, &'static str)> {
    type Rule = (&'static str, fn(&str) -> Option<usize>);
    let rules: [Rule; 11] = [
        ("token", token),
        ("time", time),
        ("moment", moment),
        ("minute", minute),
        ("size", size),
        ("sha256", sha256),
        ("call", call),
        ("executor", executor),
        ("port", port),
        ("pages", pages),
        ("ago", ago),
    ];
    rules.iter().find_map(|(name, length)| length(text).map(|length| (length, *name)))
}

/// Matches a token id in the process log, such as `id="0123456789ab"` before `kind=`.
fn token(text: &str) -> Option<usize> {
    let length = "id=\"0123456789ab\"".len();
    (text.starts_with("id=\"") && text.get(length..)?.starts_with(" kind=")).then_some(length)
}

/// Matches `2026-01-31T12:00:00.000Z`, or the same with microseconds as in the process log.
fn time(text: &str) -> Option<usize> {
    let end = text.bytes().take(27).position(|byte| byte == b'Z').filter(|end| [23, 26].contains(end))?;
    let moment = text[..=end].parse::<countersign_events::Timestamp>().ok()?;
    // A time that was computed in a wrong unit is not in this century.
    (1_700_000_000_000..4_102_444_800_000).contains(&moment.as_millis()).then_some(end + 1)
}

/// Matches `2026-01-31 12:00:00Z`, as `log` prints it.
fn moment(text: &str) -> Option<usize> {
    let (day, second) = (text.get(..10)?, text.get(11..19)?);
    text[10..].starts_with(' ').then_some(())?;
    text[19..].starts_with('Z').then_some(())?;
    time(&format!("{day}T{second}.000Z")).map(|_| 20)
}

/// Matches `01-31 12:00Z`, as `log` prints it in a narrow terminal.
fn minute(text: &str) -> Option<usize> {
    let (day, minute) = (text.get(..5)?, text.get(6..11)?);
    text[5..].starts_with(' ').then_some(())?;
    text[11..].starts_with('Z').then_some(())?;
    time(&format!("2026-{day}T{minute}:00.000Z")).map(|_| 12)
}

/// Matches `12.5 KiB`, as `doctor` prints it.
fn size(text: &str) -> Option<usize> {
    let number = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    text[..number].parse::<f64>().ok()?;
    [" KiB", " MiB", " GiB"]
        .iter()
        .find(|unit| text[number..].starts_with(**unit))
        .map(|unit| number + unit.len())
}

fn sha256(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b)).count();
    (digits == 64).then_some(64)
}

fn random(text: &str) -> Option<usize> {
    let letters = text.bytes().take_while(|b| b.is_ascii_digit() || b.is_ascii_lowercase()).count();
    (letters == 12 && !text[..12].contains(['i', 'l', 'o', 'u'])).then_some(12)
}

/// Matches `call_` and twelve random letters and digits.
fn call(text: &str) -> Option<usize> {
    Some(5 + random(text.strip_prefix("call_")?)?)
}

/// Matches `run-`, a process id, and twelve random letters and digits.
fn executor(text: &str) -> Option<usize> {
    let (pid, rest) = text.strip_prefix("run-")?.split_once('-')?;
    pid.parse::<u32>().ok()?;
    Some("run-".len() + pid.len() + 1 + random(rest)?)
}

/// Matches `127.0.0.1:` and a port that the operating system chose.
fn port(text: &str) -> Option<usize> {
    port_of("127.0.0.1:", text)
}

/// Matches `countersign.localhost:` and such a port.
fn pages(text: &str) -> Option<usize> {
    port_of("countersign.localhost:", text)
}

fn port_of(host: &str, text: &str) -> Option<usize> {
    let rest = text.strip_prefix(host)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse::<u16>().ok().filter(|port| *port >= 10_000)?;
    Some(host.len() + digits)
}

/// Matches less than a minute, such as `0s ago`, because no test takes longer. A table pads `0s ago` to the width of
/// `10s ago`, so two columns of the padding are kept.
fn ago(text: &str) -> Option<usize> {
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    text[..digits].parse::<u8>().ok().filter(|seconds| *seconds < 60)?;
    let rest = text[digits..].strip_prefix("s ago")?;
    let room = rest.bytes().take_while(|byte| *byte == b' ').count();
    Some(digits + "s ago".len() + room.saturating_sub(2))
}

#[test]
fn only_valid_values_are_hidden() {
    assert_eq!(hide("at 2026-01-31T12:00:00.000Z (3s ago)"), "at [time] ([ago])");
    assert_eq!(hide("3s ago     t1"), hide("10s ago    t1"));
    assert_eq!(hide("at 2026-13-31T12:00:00.000Z"), "at 2026-13-31T12:00:00.000Z");
    let (one, two) = ("call_0123456789ab", "call_zzzzzzzzzzzz");
    assert_eq!(hide(&format!("{one} {two} {one}")), "[call 1] [call 2] [call 1]");
    assert_eq!(hide("call_1 run-7-0123456789ab 127.0.0.1:45678"), "call_1 [executor] [port]");
    assert_eq!(
        hide("http://countersign.localhost:45678/ countersign.localhost:7878"),
        "http://[pages]/ countersign.localhost:7878"
    );
    assert_eq!(hide(&"ab".repeat(32)), "[sha256]");
    assert_eq!(hide(&"ab".repeat(33)), "ab".repeat(33));
}
