//! Data is read back byte for byte. The log shows people the command that will run, so neither the driver, nor the JSON
//! functions of the database, nor a restart may change its text.

use countersign_approvals::Call;
use countersign_events::json::{MAX_NUMBER_DIGITS, MAX_NUMBER_EXPONENT};
use countersign_store::EventFilter;
use countersign_tests::{Proposal, Random, World, code, on_each_database};

on_each_database! {
    arguments_are_read_back_byte_for_byte,
    numbers_within_bound_are_stored,
    unicode_names_stay_distinct_and_unchanged,
    same_id_in_two_threads_names_two_calls,
}

/// Returns arguments whose text some JSON libraries change.
fn odd_arguments() -> Vec<String> {
    let mut all: Vec<String> = [
        r"{}",
        "{ \"spaced\" :\t[ 1 ,\r\n 2 ] }",
        r#"{"z":1,"a":2,"é":3,"":4}"#,
        r#"{"n":[0,-0,-0.0,1.0,1.00,10e-1,1E+2,9007199254740993,123456789012345678901234567890,1e400,5e-324]}"#,
        r#"{"pi":3.14159265358979323846264338327950288}"#,
        r#"{"text":"\u0000\u001f\u007f\/\"\\\b\f\n\r\t"}"#,
        r#"{"text":"\u00e9é\u65e5日\ud83e\uddd1🧑‍🚀\u202e\ufeff"}"#,
        "{\"text\":\"\u{7f}\u{80}\u{2028}\u{fffd}\u{ffff}\u{10ffff}\"}",
        r#"{"sql":"'; DROP TABLE events; -- $1 ?1 :a @b"}"#,
        r#"{"json":"{\"id\":\"call_2\",\"toolCallId\":\"call_3\"}"}"#,
        r#"{"toolCallId":"other","id":"other","decision":"allow_session"}"#,
        r#"[null,true,false,[],{},"",[[[]]]]"#,
        r#""a string alone""#,
        "null",
        "-12.5e3",
    ]
    .map(str::to_owned)
    .into();
    all.push(format!("{}1{}", "[".repeat(200), "]".repeat(200)));
    all.push(format!("{}1{}", r#"{"deep":"#.repeat(200), "}".repeat(200)));
    all.push(format!(r#"{{"text":"{}"}}"#, "0123456789abcde\u{e9}".repeat(61_682)));
    all.push(format!(r#"{{"text":"{}"}}"#, r"\n\u0000\\".repeat(60_000)));
    all
}

/// Returns a random number in JSON, often at the bound on its digits or its exponent.
fn random_number(random: &mut Random) -> String {
    let digits = *random.one_of(&[1, 17, 400, MAX_NUMBER_DIGITS]);
    let mut number: String = (0..digits).map(|_| *random.one_of(&['0', '1', '9'])).collect();
    number.replace_range(..1, "7");
    match random.below(3) {
        1 if digits > 1 => number.insert(1 + random.below(digits - 1), '.'),
        // 0.7 has two digits.
        2 if digits > 1 => number.replace_range(..2, "0."),
        _ => {}
    }
    let exponent = i64::from(MAX_NUMBER_EXPONENT);
    let exponent = *random.one_of(&[-exponent, -324, 0, 308, exponent]);
    let sign = *random.one_of(&["", "-"]);
    format!("{sign}{number}e{exponent}")
}

/// Callers get the same answer on both databases, so each database must hold every number that callers may send.
async fn numbers_within_bound_are_stored(world: &mut World) {
    let mut random = Random::seeded_from_environment(13);
    let bot = world.agent("bot");
    for n in 0..20 {
        let numbers: Vec<_> = (0..50).map(|_| random_number(&mut random)).collect();
        let (id, arguments) = (format!("call_{n}"), format!("[{}]", numbers.join(",")));
        let outcome = bot.proposes_to(&id, Proposal { arguments: &arguments, ..Proposal::default() }).await;
        assert_eq!(code(&outcome), "done", "{arguments}");
        assert_eq!(arguments_of(world, &id).await, arguments);
    }
    assert!(world.verify().await.holds());
}

async fn arguments_of(world: &World, id: &str) -> String {
    world.call("t", id).await.arguments().as_str().to_owned()
}

async fn arguments_are_read_back_byte_for_byte(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let other = world.another_store().await;
    let all = odd_arguments();
    for (n, arguments) in all.iter().enumerate() {
        let id = format!("call_{n}");
        let proposal = Proposal { arguments, ..Proposal::default() };
        bot.proposes_to(&id, proposal).await.unwrap_or_else(|why| panic!("{arguments:.80}: {why}"));
        // Another store reads the call from the table, because it does not have the original text in memory.
        let allowed = ada.at(&other).allows(&id).await.expect("allowed").call.expect("a call");
        assert_eq!(allowed.arguments().as_str(), arguments, "the other store reads the same text");
        assert_eq!(code(&bot.claims_with(&id, arguments).await), "done", "{arguments:.80}");
    }
    world.restarts().await;
    for (n, arguments) in all.iter().enumerate() {
        assert!(arguments_of(world, &format!("call_{n}")).await == *arguments, "{arguments:.80}");
    }
    assert!(world.verify().await.holds());
}

async fn unicode_names_stay_distinct_and_unchanged(world: &mut World) {
    let names = [
        "t",
        "T",
        "日本/語",
        "e\u{301}",
        "\u{e9}",
        "🚀",
        "'\"\\%_*?[a]",
        "$1",
        "null",
        "1",
        "1.0",
        "{\"a\":1}",
    ];
    let bot = world.agent("日本 語");
    for thread in names {
        for id in names {
            bot.in_thread(thread).proposes(id).await.expect("asked").call.expect("a call");
        }
    }
    world.restarts().await;
    let pending: Vec<Call> =
        world.store().pending(&EventFilter::default(), 0, 1_000).await.expect("reads").items;
    let found: Vec<_> = pending.iter().map(|call| (call.thread_id.as_str(), call.id().as_str())).collect();
    let asked: Vec<_> = names.iter().flat_map(|thread| names.map(|id| (*thread, id))).collect();
    assert_eq!(found, asked);
    assert!(pending.iter().all(|call| call.proposal.by.as_str() == "agent:日本 語"));
    for (thread, id) in asked {
        let call = world.call(thread, id).await;
        assert_eq!((call.thread_id.as_str(), call.id().as_str()), (thread, id));
    }
}

/// Models repeat ids such as `call_0`. The same id in another thread is another call.
async fn same_id_in_two_threads_names_two_calls(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let (bot2, ada2) = (bot.in_thread("t2"), ada.in_thread("t2"));
    bot.proposes("call_0").await.expect("asked");
    let other = Proposal { arguments: r#"{"command":"rm"}"#, ..Proposal::default() };
    bot2.proposes_to("call_0", other).await.expect("another call, with other arguments");
    ada.allows("call_0").await.expect("allowed");
    assert_eq!(code(&bot2.claims_with("call_0", other.arguments).await), "not_allowed");
    ada2.denies("call_0").await.expect("denied");
    assert_eq!(code(&bot.claims("call_0").await), "done");
    assert_eq!(code(&bot.finishes("call_0").await), "done");
    assert_eq!(
        code(&bot2.finishes("call_0").await),
        "already_finished",
        "a denied call has a result for the model"
    );
}
