//! The limits of `serve`: its connections, the times that clients may take, and the requests of one caller.

use super::args::ServeArgs;
use countersign_console::{CliError, CommandContext, SettingKey};
use countersign_server::{ConnectionTimeouts, DescriptorLimit, RequestLimits, ServerOptions};
use std::time::Duration;

/// The longest time limit, in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// Raises the limit of open files of this process, and reads the limits from the options and the settings.
pub(crate) fn server_options(context: &CommandContext, args: &ServeArgs) -> anyhow::Result<ServerOptions> {
    let _ = DescriptorLimit::raise();
    Ok(ServerOptions {
        max_connections: max_connections(context, args)?,
        timeouts: timeouts(context, args)?,
        limits: request_limits(context, args)?,
        ..ServerOptions::default()
    })
}

fn max_connections(context: &CommandContext, args: &ServeArgs) -> anyhow::Result<Option<usize>> {
    let (number, origin) = match args.max_connections {
        Some(number) => (Some(number), "--max-connections".to_owned()),
        None => match context.settings.text_with_origin(SettingKey::MaxConnections) {
            Some((text, origin)) => (text.parse().ok().or(Some(0)), origin.to_string()),
            None => return Ok(None),
        },
    };
    match number {
        Some(0) => Err(CliError::usage(format!("{origin} must be a number, at least 1")).into()),
        number => Ok(number),
    }
}

fn request_limits(context: &CommandContext, args: &ServeArgs) -> anyhow::Result<RequestLimits> {
    let defaults = RequestLimits { body: max_body(context, args)?, ..RequestLimits::default() };
    read_pairs(context, &args.caller_limits, "--caller-limit", SettingKey::CallerLimits, defaults, set_limit)
}

fn max_body(context: &CommandContext, args: &ServeArgs) -> anyhow::Result<usize> {
    let (bytes, origin) = match args.max_body {
        Some(bytes) => (Some(bytes), "--max-body".to_owned()),
        None => match context.settings.text_with_origin(SettingKey::MaxBody) {
            Some((text, origin)) => (text.parse().ok(), origin.to_string()),
            None => return Ok(RequestLimits::default().body),
        },
    };
    let most = RequestLimits::MAX_BODY;
    let is_possible = |bytes: &usize| (1..=most).contains(bytes);
    let why = || CliError::usage(format!("{origin} must be a number of bytes from 1 to {most}"));
    bytes.filter(is_possible).ok_or_else(|| why().into())
}

/// Sets the limit for one kind from a pair such as `streams=10`.
fn set_limit(limits: &mut RequestLimits, text: &str) -> Result<(), &'static str> {
    let (name, number) = text.split_once('=').ok_or("must have the form NAME=NUMBER")?;
    let number: u32 = number.trim().parse().map_err(|_| "the limit must be a number, at least 1")?;
    if number == 0 {
        return Err("the limit must be a number, at least 1");
    }
    let limit = match name.trim() {
        "requests" => &mut limits.requests,
        "streams" => &mut limits.streams,
        "waits" => &mut limits.waits,
        _ => return Err("the limits are requests, streams and waits"),
    };
    *limit = number;
    Ok(())
}

/// Sets values from pairs such as `head=10`: from the option, or else from the setting.
fn read_pairs<T>(
    context: &CommandContext,
    given: &[String],
    option: &str,
    key: SettingKey,
    mut values: T,
    set: impl Fn(&mut T, &str) -> Result<(), &'static str>,
) -> anyhow::Result<T> {
    let (texts, origin) = match context.settings.texts(key) {
        _ if !given.is_empty() => (given, option.to_owned()),
        Some((texts, origin)) => (texts, origin.to_string()),
        None => return Ok(values),
    };
    for text in texts {
        set(&mut values, text).map_err(|why| CliError::usage(format!("{origin}: {text:?}: {why}")))?;
    }
    Ok(values)
}

fn timeouts(context: &CommandContext, args: &ServeArgs) -> anyhow::Result<ConnectionTimeouts> {
    let defaults = ConnectionTimeouts::default();
    read_pairs(context, &args.timeouts, "--timeout", SettingKey::Timeouts, defaults, set_timeout)
}

/// Sets the time limit for one step from a pair such as `head=10`.
fn set_timeout(timeouts: &mut ConnectionTimeouts, text: &str) -> Result<(), &'static str> {
    let (step, seconds) = text.split_once('=').ok_or("must have the form STEP=SECONDS")?;
    let seconds: f64 = seconds.trim().parse().map_err(|_| "the seconds must be a number")?;
    if !(seconds > 0.0 && seconds <= MAX_SECONDS) {
        return Err("the seconds must be more than 0 and at most 86400");
    }
    let limit = match step.trim() {
        "connect" => &mut timeouts.connect,
        "head" => &mut timeouts.head,
        "body" => &mut timeouts.body,
        "idle" => &mut timeouts.idle,
        "write" => &mut timeouts.write,
        _ => return Err("the steps are connect, head, body, idle and write"),
    };
    *limit = Duration::from_secs_f64(seconds);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeout_of_each_step_is_set() {
        let mut timeouts = ConnectionTimeouts::default();
        for text in ["connect=1", "head=2", "body=3", "idle=4", "write=0.5"] {
            set_timeout(&mut timeouts, text).expect(text);
        }
        let seconds = Duration::from_secs;
        let (connect, head, body, idle) = (seconds(1), seconds(2), seconds(3), seconds(4));
        let expected = ConnectionTimeouts { connect, head, body, idle, write: Duration::from_millis(500) };
        assert_eq!(timeouts, expected);
    }

    #[test]
    fn limit_of_each_kind_is_set() {
        let mut limits = RequestLimits::default();
        for text in ["requests=1", "streams=2", "waits=3"] {
            set_limit(&mut limits, text).expect(text);
        }
        let expected = RequestLimits { requests: 1, streams: 2, waits: 3, ..RequestLimits::default() };
        assert_eq!(limits, expected);
        for text in ["requests", "requests=0", "requests=-1", "streams=x", "body=1"] {
            assert!(set_limit(&mut limits, text).is_err(), "{text}");
        }
    }

    #[test]
    fn malformed_timeout_is_rejected() {
        for text in ["head", "head=", "head=x", "head=0", "head=-1", "head=NaN", "head=86401", "tail=1"] {
            assert!(set_timeout(&mut ConnectionTimeouts::default(), text).is_err(), "{text}");
        }
    }
}
