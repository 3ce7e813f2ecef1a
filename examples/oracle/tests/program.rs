//! The program from outside: what it reads, what it writes, and how it ends.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

use tollgate_vectors::{LAYERS, POLICIES};

fn oracle(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_oracle"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // It writes while it reads; and it may stop reading, which is no fault of the writer.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    output
}

fn answers(arguments: &[&str], input: &str) -> String {
    let output = oracle(arguments, input.as_bytes());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).unwrap()
}

/// Ends with status 2, and one line that says why.
fn refuses(arguments: &[&str], input: &[u8]) -> String {
    let output = oracle(arguments, input);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    let line = stderr.strip_suffix('\n').and_then(|line| line.strip_prefix("oracle: "));
    let line = line.unwrap_or_else(|| panic!("{stderr:?}"));
    assert!(!line.contains('\n'), "{line}");
    line.to_owned()
}

#[test]
fn a_file_with_right_answers_comes_back_as_it_is() {
    assert_eq!(answers(&[], POLICIES), POLICIES);
    assert_eq!(answers(&[], LAYERS), LAYERS);
}

#[test]
fn long_numbers_go_both_ways_as_strings() {
    let strings = answers(&["--strings"], POLICIES);
    assert!(strings.contains(r#""at_ns": "9223372036854775807", "cost": 1, "expect": "allow", "remaining": 1"#));
    assert_eq!(answers(&[], &strings), POLICIES);
}

#[test]
fn a_case_is_answered_on_a_line() {
    let case = r#"{"name": "n", "policy": {"kind": "fixed-window", "quota": 1, "window_ns": 10, "aligned": true, "origin_ns": 3},
        "steps": [{"at_ns": 2, "cost": 1}, {"at_ns": 2, "cost": 1, "expect": "allow", "remaining": 7}]}"#;
    let answered = r#"{"name": "n", "policy": {"kind": "fixed-window", "quota": 1, "window_ns": 10, "aligned": true, "origin_ns": 3}, "steps": [{"at_ns": 2, "cost": 1, "expect": "allow", "remaining": 0}, {"at_ns": 2, "cost": 1, "expect": "deny", "retry_after_ns": 1}]}"#;
    assert_eq!(answers(&[], case), format!("{answered}\n"));
}

#[test]
fn a_policy_that_cannot_be_is_told_why() {
    let case = r#"{"policy": {"kind": "token-bucket", "quota": 1, "window_ns": 4611686018427387904, "burst": 2}}"#;
    let answered = case.replace("2}}", r#"2}, "policy_error": "fill"}"#);
    assert_eq!(answers(&[], case), format!("{answered}\n"));
    assert_eq!(answers(&["--check"], &answered), "1 answers right, 0 wrong\n");
}

#[test]
fn single_events_are_answered_before_the_next_is_asked() {
    let mut child =
        Command::new(env!("CARGO_BIN_EXE_oracle")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut ask, mut lines) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
    let mut asked = |question: &str| {
        writeln!(ask, "{question}").unwrap();
        ask.flush().unwrap();
        lines.next().unwrap().unwrap()
    };
    let policy = r#"{"policy": {"kind": "sliding-log", "quota": 2, "window_ns": 10}, "slots": 1}"#;
    assert_eq!(asked(policy), policy);
    for (question, answer) in [
        (r#""at_ns": 0, "cost": 2"#, r#""expect": "allow", "remaining": 0"#),
        (r#""at_ns": 4, "op": "status""#, r#""limit": 2, "remaining": 0, "grows_in_ns": 6, "full_in_ns": 6"#),
        (r#""at_ns": 4, "key": "b", "cost": 1"#, r#""expect": "full""#),
        (r#""at_ns": 4, "op": "refund", "cost": 1"#, r#""expect": "done", "remaining": 1"#),
        (r#""at_ns": 4, "op": "peek", "cost": 3"#, r#""expect": "never""#),
        (r#""at_ns": 9, "op": "expired""#, r#""expect": "no""#),
        (r#""at_ns": 10, "op": "prune""#, r#""dropped": 1, "horizon_ns": 10"#),
        (r#""at_ns": 10, "op": "keys""#, r#""keys": 0"#),
        (r#""at_ns": 10, "op": "charge", "cost": 4"#, r#""expect": "done", "remaining": 0"#),
    ] {
        assert_eq!(asked(&format!("{{{question}}}")), format!("{{{question}, {answer}}}"));
    }
    assert_eq!(asked(policy), policy);
    assert_eq!(asked(r#"{"at_ns": 0, "cost": 2}"#), r#"{"at_ns": 0, "cost": 2, "expect": "allow", "remaining": 0}"#);

    let layers = r#"{"layers": [{"policy": {"kind": "fixed-window", "quota": 1, "window_ns": 10}}]}"#;
    assert_eq!(asked(layers), layers);
    let question = r#""at_ns": 0, "asks": [{"cost": 2}]"#;
    let answer = r#""expect": "never", "layer": 0, "remaining": [1]"#;
    assert_eq!(asked(&format!("{{{question}}}")), format!("{{{question}, {answer}}}"));

    drop(ask);
    assert!(child.wait().unwrap().success());
}

#[test]
fn check_tells_the_first_wrong_answer_of_each_case() {
    let right = oracle(&["--check"], POLICIES.as_bytes());
    assert_eq!(right.status.code(), Some(0));
    assert!(String::from_utf8(right.stdout).unwrap().ends_with(" answers right, 0 wrong\n"));

    let policy = r#""policy": {"kind": "fixed-window", "quota": 1, "window_ns": 10}"#;
    let steps = r#""steps": [
        {"at_ns": 0, "cost": 1, "expect": "allow", "remaining": 0},
        {"at_ns": 10, "cost": 1, "expect": "deny", "retry_after_ns": 0},
        {"at_ns": 11, "cost": 1, "expect": "allow", "remaining": 0},
        {"at_ns": 12, "cost": 1}]"#;
    let event = r#"{"at_ns": 5, "op": "keys", "keys": 1}"#;
    let wrong = oracle(
        &["--check"],
        format!(r#"{{"name": "n", "why": "w", {policy}, {steps}}} {{{policy}}} {event}"#).as_bytes(),
    );
    assert_eq!(wrong.status.code(), Some(1));
    let expected = r#""n" (w): step 1, {"at_ns": 10, "cost": 1} is answered {"expect": "deny", "retry_after_ns": 0}; right is {"expect": "allow", "remaining": 0}
event 0, {"at_ns": 5, "op": "keys"} is answered {"keys": 1}; right is {"keys": 0}
1 answers right, 3 wrong, 1 not given
"#;
    assert_eq!(String::from_utf8(wrong.stdout).unwrap(), expected);
}

/// A port may lack any member: a window that only allows and denies is held to that.
#[test]
fn check_compares_the_members_that_are_given() {
    let checked = |steps: &[&str]| {
        let policy = r#""policy": {"kind": "fixed-window", "quota": 1, "window_ns": 10}"#;
        let case = format!(r#"{{"name": "n", {policy}, "steps": [{}]}}"#, steps.join(", "));
        String::from_utf8(oracle(&["--check"], case.as_bytes()).stdout).unwrap()
    };
    let allow = r#"{"at_ns": 0, "cost": 1, "expect": "allow"}"#;
    for (deny, summary) in [
        (r#""expect": "deny""#, "2 answers right (2 in part), 0 wrong\n"),
        (r#""retry_after_ns": 7"#, "2 answers right (2 in part), 0 wrong\n"),
        (r#""expect": "deny", "retry_after_ns": "7""#, "2 answers right (1 in part), 0 wrong\n"),
        (r#""expect": "deny", "remaining": null"#, "2 answers right (2 in part), 0 wrong\n"),
        (r#""expect": null"#, "1 answers right (1 in part), 0 wrong, 1 not given\n"),
    ] {
        assert_eq!(checked(&[allow, &format!(r#"{{"at_ns": 3, "cost": 1, {deny}}}"#)]), summary);
    }
    // Whatever it is, it is no reason to stop.
    for wrong in [
        r#"{"expect": "deny", "retry_after_ns": 8}"#,
        r#"{"expect": "deny", "retry_after_ns": 7.5}"#,
        r#"{"expect": "deny", "remaining": 0}"#,
        r#"{"expect": "denied"}"#,
        r#"{"remaining": -1}"#,
        r#"{"limit": 1}"#,
    ] {
        let deny = wrong.replace('{', r#"{"at_ns": 3, "cost": 1, "#);
        let expected = format!(
            r#""n": step 1, {{"at_ns": 3, "cost": 1}} is answered {wrong}; right is {{"expect": "deny", "retry_after_ns": 7}}"#
        );
        assert_eq!(checked(&[allow, &deny]), format!("{expected}\n1 answers right (1 in part), 1 wrong\n"));
    }
    let layers = r#"{"layers": [{"policy": {"kind": "fixed-window", "quota": 1, "window_ns": 10}}]}
        {"at_ns": 0, "asks": [{"cost": 1}], "expect": "allow"} {"at_ns": 0, "asks": [{"cost": 1}], "layer": 1}"#;
    let expected = r#"event 1, {"at_ns": 0, "asks": [{"cost": 1}]} is answered {"layer": 1}; right is {"expect": "deny", "layer": 0, "remaining": [0], "retry_after_ns": 10}
1 answers right (1 in part), 1 wrong
"#;
    let output = oracle(&["--check"], layers.as_bytes());
    assert_eq!((String::from_utf8(output.stdout).unwrap().as_str(), output.status.code()), (expected, Some(1)));
}

#[test]
fn answers_that_are_there_are_replaced_whatever_they_are() {
    let policy = r#"{"policy": {"kind": "fixed-window", "quota": 1, "window_ns": 10}}"#;
    let right = r#"{"at_ns": 0, "cost": 1, "expect": "allow", "remaining": 0}"#;
    for given in [r#", "expect": "allow""#, r#", "expect": "deny", "remaining": 1.5"#, r#", "keys": "many""#, ""] {
        let event = format!(r#"{{"at_ns": 0, "cost": 1{given}}}"#);
        assert_eq!(answers(&[], &format!("{policy} {event}")), format!("{policy}\n{right}\n"));
    }
}

/// What the README shows of a port that allows and denies, and answers nothing else.
#[test]
fn the_example_of_the_readme_is_what_comes() {
    let readme = include_str!("../README.md");
    let (_, example) = readme.split_once("-- --check <<'END'\n").expect("an example");
    let (input, output) = example.split_once("END\n").expect("an end of the input");
    let (output, _) = output.split_once("```").expect("an end of the block");
    let checked = oracle(&["--check"], input.as_bytes());
    assert_eq!((String::from_utf8(checked.stdout).unwrap().as_str(), checked.status.code()), (output, Some(1)));
}

#[test]
fn help_is_written() {
    for option in ["--help", "-h"] {
        assert!(answers(&[option], "").starts_with("usage: oracle "));
    }
}

#[test]
fn bad_usage_and_bad_input_are_told_in_one_line() {
    const WINDOW: &str = r#"{"policy": {"kind": "fixed-window", "quota": 1, "window_ns": 10}}"#;
    let after = |event: &str| format!("{WINDOW}\n{event}");
    for (arguments, input, part) in [
        (&["--chek"][..], String::new(), "there is no option \"--chek\""),
        (&["file.json"], String::new(), "there is no option \"file.json\""),
        (&["--check"], String::new(), "no answer was given"),
        (&[], "{".to_owned(), "EOF while parsing"),
        (&[], "[]".to_owned(), "nor an event (`at_ns`): each of them is an object"),
        (&[], "[1]".to_owned(), "value 1 of the input: neither a file (`vectors`)"),
        (&[], "7".to_owned(), "each of them is an object"),
        (&[], r#"{"vectors": [[]]}"#.to_owned(), "invalid type: sequence, expected a map"),
        (&[], r#"{"layers": [[]]}"#.to_owned(), "expected a layer, which is an object"),
        (&[], WINDOW.replace("}}", "}, \"steps\": [[]]}"), "expected a step, which is an object"),
        (&[], "{}".to_owned(), "neither a file (`vectors`) nor a case (`policy` or `layers`) nor an event (`at_ns`)"),
        (&[], r#"{"at_ns": 0, "cost": 1}"#.to_owned(), "an event needs a case without steps before it"),
        (
            &[],
            after("{\"at_ns\": 0, \"cost\": 1}").replace(": 1,", ": 0,"),
            "no event can be asked of the case before it: the policy cannot be built: the quota must be 1 to 4294967295, not 0",
        ),
        (&[], WINDOW.replace("fixed-window", "leaky-bucket"), "unknown variant `leaky-bucket`"),
        (&[], WINDOW.replace("quota", "limit"), "unknown field `limit`"),
        (
            &[],
            WINDOW.replace("10}", "10.5}"),
            "invalid type: floating point `10.5`, expected a whole number of nanoseconds",
        ),
        (&[], WINDOW.replace("10}", "\"-1\"}"), "invalid value: string \"-1\""),
        (&[], WINDOW.replace("10}", "10, \"origin_ns\": 3}"), "`origin_ns` needs a grid"),
        (&[], WINDOW.replace("}}", "}, \"capacity\": 3}"), "`capacity` is the room of a log"),
        (&[], WINDOW.replace("}}", "}, \"name\": \"n\", \"steps\": [{\"at_ns\": 0}]}"), "a check needs a `cost`"),
        (&[], after("{\"at_ns\": 9223372036854775808, \"cost\": 1}"), "9223372036854775808 is no timestamp"),
        (&[], after("{\"at_ns\": 1e30, \"cost\": 1}"), "invalid type: floating point"),
        (&[], after("{\"at_ns\": 0, \"cost\": 4294967296}"), "expected u32"),
        (&[], after("{\"at_ns\": 0, \"cost\": -1}"), "expected u32"),
        (&[], after("{\"at_ns\": 0, \"costs\": 1}"), "a step has no member `costs`"),
        (&[], after("{\"at_ns\": 0, \"op\": \"look\"}"), "unknown variant `look`"),
        (&[], after("{\"at_ns\": 0, \"op\": \"status\", \"cost\": 1}"), "status has no `cost`"),
        (&[], after("{\"at_ns\": 0, \"op\": \"keys\", \"key\": \"a\"}"), "keys is asked of all keys"),
        (
            &[],
            after(
                "{\"at_ns\": 0, \"cost\": 1, \"policy\": {\"kind\": \"sliding-log\", \"quota\": 1, \"window_ns\": 1}}",
            ),
            "of one kind",
        ),
        (
            &[],
            after(
                "{\"at_ns\": 0, \"cost\": 1, \"policy\": {\"kind\": \"fixed-window\", \"quota\": 0, \"window_ns\": 1}}",
            ),
            "the quota must be 1 to 4294967295, not 0",
        ),
        (&[], after("{\"at_ns\": 0, \"asks\": []}"), "a step has no member `asks`"),
        (&[], r#"{"layers": []} {"at_ns": 0, "asks": [{"cost": 1}]}"#.to_owned(), "`asks` has 1 members for 0 layers"),
        (&[], r#"{"vectors": [{"policy": 1}]}"#.to_owned(), "value 1 of the input"),
        (
            &[],
            format!(
                r#"{{"vectors": [{}]}}"#,
                WINDOW.replace(": 1,", ": 0,").replace("}}", r#"}, "name": "n", "steps": [{"at_ns": 0, "cost": 1}]}"#)
            ),
            "case \"n\": the policy cannot be built: the quota must be 1 to 4294967295, not 0",
        ),
    ] {
        let line = refuses(arguments, input.as_bytes());
        assert!(line.contains(part), "{input}\n{line}");
    }
    refuses(&[], b"\xff\xfe");
    refuses(&[], "[".repeat(100_000).as_bytes());
}

/// What was right before a bad value was answered before it.
#[test]
fn answers_up_to_bad_input_stand() {
    let output = oracle(
        &[],
        br#"{"policy": {"kind": "sliding-log", "quota": 2, "window_ns": 10}} {"at_ns": 0, "cost": 1} nonsense"#,
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
}
