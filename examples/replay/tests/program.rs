//! The program from outside: what it prints, where, and with which status.

mod common;

use common::{Replay, Run, clf, csv};

#[test]
fn without_arguments_the_three_kinds_are_compared_on_the_sample() {
    let run = Replay::new("").run();
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    for expected in
        ["the bundled sample", "fixed-window 60/1m", "sliding-log 60/1m", "token-bucket 60/1m", "203.0.113.9"]
    {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
}

#[test]
fn the_sample_shows_a_window_boundary_that_only_the_fixed_window_lets_through() {
    let denied = |policy: &str| {
        let run = Replay::new(&format!("{policy} --decisions -")).run();
        run.lines().filter(|line| line.contains("\"203.0.113.9\"") && line.contains("deny")).count()
    };
    assert_eq!(denied("--fixed-window 60/60s"), 0);
    assert!(denied("--sliding-log 60/60s") >= 45);
    assert!(denied("--token-bucket 60/60s") >= 30);
}

#[test]
fn the_sample_shows_a_client_behind_many_addresses() {
    let by = |key: &str| Replay::new(&format!("--sliding-log 60/60s --key {key}")).run().stdout;
    assert!(by("ip/64").contains("2001:db8:51:7::/64"));
    assert!(!by("ip").contains("2001:db8:51:7:"));
}

#[test]
fn the_sample_is_what_its_generator_writes() {
    let made = std::process::Command::new(env!("CARGO_BIN_EXE_make-sample")).output().unwrap();
    assert!(made.status.success());
    assert!(made.stdout == include_bytes!("../data/sample.log"), "run make-sample again, see src/bin/make-sample.rs");
    assert!(made.stdout.len() < 300 << 10);
}

#[test]
fn a_log_that_is_handed_over_and_not_asked_for_is_told_of() {
    let run = Replay::new("--sliding-log 1/60s").input(&clf(&["203.0.113.9"])).run();
    assert_eq!(run.status, 0);
    assert!(run.stdout.contains("the bundled sample"));
    assert!(run.stderr.starts_with("replay: standard input is not read, but the bundled sample"), "{}", run.stderr);
}

#[test]
fn decision_lines_have_their_exact_shape() {
    let input = csv(&[(0, "a", "1"), (1, "a", "1"), (1, "b", "2"), (2, "a", "0")]);
    let run = Replay::new("--sliding-log 1/60s --decisions - -").input(&input).run();
    let expected = r#"{"line":2,"at_ns":0,"key":"a","cost":1,"decision":"allow","remaining":0}
{"line":3,"at_ns":1000000000,"key":"a","cost":1,"decision":"deny","retry_after_ns":59000000000,"policy":0}
{"line":4,"at_ns":1000000000,"key":"b","cost":2,"decision":"never","policy":0}
{"line":5,"at_ns":2000000000,"key":"a","cost":0,"decision":"allow","remaining":0}
"#;
    assert_eq!((run.status, run.stdout.as_str()), (0, expected));
    assert!(run.stderr.contains("Requests"), "{}", run.stderr);
}

#[test]
fn decisions_go_to_a_file_and_the_report_to_standard_output() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("decisions.jsonl");
    let run = Replay::new("--sliding-log 1/60s -").arg("--decisions").arg(&file).input(&csv(&[(0, "a", "1")])).run();
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("Requests"));
    let written = std::fs::read_to_string(file).unwrap();
    assert_eq!(written, "{\"line\":2,\"at_ns\":0,\"key\":\"a\",\"cost\":1,\"decision\":\"allow\",\"remaining\":0}\n");
}

#[test]
fn decisions_never_overwrite_their_input() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("access.log");
    let text = clf(&["192.0.2.1"]);
    std::fs::write(&log, &text).unwrap();
    let other_name = directory.path().join(".").join("access.log");
    let run = Replay::new("").arg("--decisions").arg(&other_name).arg(&log).run();
    run.fails_with("--decisions would overwrite the input");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), text);
}

#[test]
fn decisions_of_an_earlier_run_outlive_a_mistake() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("decisions.jsonl");
    std::fs::write(&file, "earlier").unwrap();
    let run = Replay::new("--key who -").arg("--decisions").arg(&file).input(&csv(&[(0, "a", "1")])).run();
    run.fails_with("no column `who`");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "earlier");
}

#[test]
fn each_stops_at_the_first_denial_and_what_was_admitted_stands() {
    let policies = "--sliding-log 3/60s --fixed-window 1/10s --compose each";
    let verdicts = verdicts(policies, &[(0, "a", "1"), (1, "a", "1"), (2, "a", "1"), (11, "a", "1"), (11, "a", "5")]);
    // The log has counted the two that the window denied, so the one at 11 s is the log's to deny.
    let expected = ["allow 0", "deny 9000000000 by 1", "deny 8000000000 by 1", "deny 49000000000 by 0", "never by 0"];
    assert_eq!(verdicts, expected);
}

#[test]
fn all_admit_together_or_count_nothing() {
    let policies = "--sliding-log 3/60s --fixed-window 1/10s --compose all";
    let verdicts = verdicts(
        policies,
        &[(0, "a", "1"), (1, "a", "1"), (2, "a", "1"), (11, "a", "1"), (22, "a", "1"), (23, "a", "1")],
    );
    let expected =
        ["allow 0", "deny 9000000000 by 1", "deny 8000000000 by 1", "allow 0", "allow 0", "deny 37000000000 by 0"];
    assert_eq!(verdicts, expected);
}

#[test]
fn all_name_the_longest_wait_and_never_before_any() {
    let policies = "--sliding-log 5/10s --token-bucket 2/60s --fixed-window 4/1s --compose all";
    let requests = [(0, "a", "2"), (0, "a", "2"), (0, "a", "3"), (0, "a", "6"), (0, "b", "99999999999")];
    let verdicts = verdicts(policies, &requests);
    let expected = ["allow 0", "deny 60000000000 by 1", "never by 1", "never by 1", "never by 1"];
    assert_eq!(verdicts, expected);
}

#[test]
fn as_many_policies_as_are_allowed_judge_together() {
    let policies = (1..=64).map(|quota| format!("--sliding-log {}/60s", 65 - quota)).collect::<Vec<_>>().join(" ");
    let verdicts = verdicts(&format!("{policies} --compose all"), &[(0, "a", "1"), (1, "a", "1"), (1, "a", "64")]);
    assert_eq!(verdicts, ["allow 0", "deny 59000000000 by 63", "never by 63"]);
}

#[test]
fn independent_policies_answer_each_for_itself() {
    let policies = "--sliding-log 1/60s --fixed-window 5/60s --compose independent";
    let verdicts = verdicts(policies, &[(0, "a", "1"), (1, "a", "2")]);
    assert_eq!(verdicts, ["allow 0 by 0", "allow 4 by 1", "never by 0", "allow 2 by 1"]);
}

#[test]
fn a_cost_beyond_any_quota_never_passes() {
    let huge = "18446744073709551615";
    assert_eq!(
        verdicts("--sliding-log 4294967295/60s", &[(0, "a", "4294967295"), (0, "b", huge)]),
        ["allow 0", "never by 0"]
    );
    assert_eq!(verdicts("--fixed-window 1/1s --compose independent", &[(0, "b", huge)]), ["never by 0"]);
}

#[test]
fn requests_are_judged_by_time_unless_order_is_kept() {
    let input = csv(&[(70, "a", "1"), (0, "a", "1"), (71, "a", "1")]);
    let lines = |options: &str| {
        let run = Replay::new(&format!("--token-bucket 1/60s --decisions - {options} -")).input(&input).run();
        run.lines().map(|line| (number(line, "line"), text(line, "decision"))).collect::<Vec<_>>()
    };
    assert_eq!(lines(""), [(3, "allow".to_owned()), (2, "allow".into()), (4, "deny".into())]);
    assert_eq!(lines("--keep-order"), [(2, "allow".to_owned()), (3, "deny".into()), (4, "deny".into())]);
}

#[test]
fn requests_of_one_time_stay_in_file_order() {
    let input = csv(&[(5, "a", "1"), (3, "a", "1"), (5, "b", "1"), (3, "b", "1"), (5, "c", "1")]);
    let run = Replay::new("--sliding-log 9/60s --decisions - -").input(&input).run();
    assert_eq!(run.lines().map(|line| number(line, "line")).collect::<Vec<_>>(), [3, 5, 2, 4, 6]);
}

#[test]
fn monotonic_takes_a_clock_that_was_set_back() {
    let input = csv(&[(1000, "a", "1"), (10, "a", "1"), (69, "a", "1"), (70, "a", "1")]);
    let decisions = |options: &str| {
        let run =
            Replay::new(&format!("--token-bucket 1/60s --keep-order --decisions - {options} -")).input(&input).run();
        let lines = run.lines();
        lines.map(|line| (number(line, "at_ns") / 1_000_000_000, text(line, "decision"))).collect::<Vec<_>>()
    };
    let deny = || "deny".to_owned();
    // The times are the input's, whatever they are read as.
    assert_eq!(decisions("--monotonic 5s"), [(1000, "allow".into()), (10, deny()), (69, deny()), (70, "allow".into())]);
    assert_eq!(decisions(""), [(1000, "allow".into()), (10, deny()), (69, deny()), (70, deny())]);
}

#[test]
fn every_format_is_told_from_its_first_line() {
    for (input, format) in [
        (clf(&["192.0.2.1", "192.0.2.2"]), "clf"),
        ("at_ms,key\n1,a\n2,b\n".to_owned(), "csv"),
        ("\u{feff}key,\"at_us\"\r\na,1\r\nb,2\r\n".to_owned(), "csv"),
        ("\n\n {\"at_s\":1,\"key\":\"a\"}\n{\"at_s\":2,\"key\":\"b\"}".to_owned(), "jsonl"),
    ] {
        let run = Replay::new("--sliding-log 1/1s -").input(&input).run();
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{input}");
        assert!(run.stdout.contains(&format!("standard input ({format}, by ")), "{}", run.stdout);
        assert_eq!(run.count("Requests"), 2, "{}", run.stdout);
    }
}

#[test]
fn a_format_that_is_given_is_not_told() {
    let run = Replay::new("--format csv -").input(&clf(&["192.0.2.1"])).run();
    run.fails_with("no column of times: expected at_ns, at_us, at_ms or at_s");
}

#[test]
fn physical_lines_are_counted_across_quoted_line_breaks() {
    let input = "at_s,key\r\n1,\"a\r\n\r\nb\"\r\n2,c\r\n";
    let run = Replay::new("--sliding-log 1/1s --decisions - -").input(input).run();
    let lines: Vec<_> = run.lines().map(|line| (number(line, "line"), text(line, "key"))).collect();
    assert_eq!(lines, [(2, "a\r\n\r\nb".to_owned()), (5, "c".to_owned())]);
}

#[test]
fn keys_come_from_the_column_that_is_named() {
    let run = Replay::new("--key who --decisions - --sliding-log 1/1s -").input("who,at_s\nann,1\n").run();
    assert_eq!(text(run.lines().next().unwrap(), "key"), "ann");
    let run = Replay::new("--key who --decisions - --sliding-log 1/1s -").input("{\"who\":\"bob\",\"at_s\":1}").run();
    assert_eq!(text(run.lines().next().unwrap(), "key"), "bob");
    Replay::new("--key who -").input("key,at_s\nann,1\n").run().fails_with("no column `who`");
    Replay::new("--key who -").input("{\"key\":\"a\",\"at_s\":1}").run().fails_with("no member `who`");
    Replay::new("--key who -").input(&clf(&["192.0.2.1"])).run().fails_with("unknown key `who` for clf");
}

#[test]
fn lines_that_cannot_be_parsed_are_named_and_end_nothing() {
    let bad = "nonsense\n".repeat(8);
    let input = format!("{}{bad}{}", clf(&["192.0.2.1"]), clf(&["192.0.2.2"]));
    let run = Replay::new("--sliding-log 1/1s -").input(&input).run();
    assert_eq!(run.status, 0);
    assert_eq!(run.count("Requests"), 2, "{}", run.stdout);
    assert!(run.stdout.contains("Not parsed"), "{}", run.stdout);
    let named: Vec<_> = run.stderr.lines().filter(|line| line.starts_with("line ")).collect();
    assert_eq!(named.len(), 5, "{}", run.stderr);
    assert!(named[0].starts_with("line 2: expected HOST IDENT USER [TIME]"), "{}", run.stderr);
    assert!(run.stderr.contains("and 3 more lines"), "{}", run.stderr);
}

#[test]
fn an_input_without_a_request_is_an_error() {
    Replay::new("-").input("").run().fails_with("standard input holds no request: it is empty");
    Replay::new("-").input("\n\n").run().fails_with("it is empty");
    Replay::new("-").input("at_s,key\n").run().fails_with("nothing follows its header");
    Replay::new("--format jsonl -").input("").run().fails_with("it is empty");
    Replay::new("-").input("who,when\na,1\n").run().fails_with("line 1: expected HOST IDENT USER [TIME]");
    Replay::new("-").input("at_s,key\nx,a\n").run().fails_with("line 2: at_s is not a whole number: \"x\"");
    Replay::new("-").input("at_s,\"key\n").run().fails_with("no header that can be read: line 1");
}

#[test]
fn what_cannot_be_read_or_written_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing").join("file");
    Replay::new("").arg(directory.path().join("missing")).run().fails_with("cannot read");
    Replay::new("").arg(directory.path()).run().fails_with("cannot read");
    Replay::new("").arg("--decisions").arg(&missing).run().fails_with("cannot write");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    Replay::new("--decisions /dev/full").run().fails_with("cannot write /dev/full");
}

#[test]
fn a_wrong_command_line_is_one_line_and_status_2() {
    for (line, expected) in [
        ("--fixed-window 0/60s", "the quota is 0"),
        ("--sliding-log ten/60s", "the quota"),
        ("--token-bucket 10/60parsecs", "the window"),
        ("--monotonic 5s", "expected --keep-order"),
        ("--compose all", "expected --fixed-window"),
        ("--format csv", "expected a FILE"),
        ("--key ip/129", "expected ip, ip/PREFIX (0 to 128 bits)"),
        ("--plot-key x", "expected --plot or --html"),
        ("--plot - --decisions -", "--decisions and --plot would write to one place"),
        ("--suggest 1e2", "expected a percentage from 0 to 100"),
        ("--unknown", "unexpected argument"),
    ] {
        Replay::new(line).run().fails_with(expected);
    }
}

#[test]
fn who_reads_only_the_first_lines_ends_the_run_without_a_word() {
    let run = Replay::new("--decisions -").stop_reading_after(2).run();
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert_eq!(run.stdout.lines().count(), 2);
}

#[test]
fn no_input_makes_it_panic() {
    let mut noise = Vec::new();
    let mut state = 1u32;
    for _ in 0..200_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.push((state >> 24) as u8);
    }
    let line = clf(&["192.0.2.1"]);
    let pieces: [&[u8]; 9] = [
        b"at_s,key,cost\n",
        b"{\"at_s\":1,\"key\":\"a\"}\n",
        line.as_bytes(),
        b"\xff\xfe\0\0",
        b"-9223372036854775808,\0,-1\n",
        b"{\"at_s\":1e999,\"key\":\"\xc3\"}\n",
        b"\"",
        b"[[[[[\n",
        &noise,
    ];
    for first in pieces {
        for second in pieces {
            let input = [first, second, first].concat();
            for format in ["", "--format clf", "--format csv", "--format jsonl"] {
                let run = Replay::new(&format!("{format} --decisions - -")).input_bytes(&input).run();
                assert!([0, 2].contains(&run.status), "{}: {}", run.status, run.stderr);
                assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
            }
        }
    }
}

#[test]
fn a_line_without_end_is_not_held() {
    let mut input = clf(&["192.0.2.1"]).into_bytes();
    input.extend(std::iter::repeat_n(b'x', 8 << 20));
    input.extend(b"\n");
    input.extend(clf(&["192.0.2.2"]).into_bytes());
    let run = Replay::new("--sliding-log 1/1s -").input_bytes(&input).run();
    assert_eq!((run.status, run.count("Requests")), (0, 2));
    assert!(run.stderr.contains("line 2: longer than 1048576 bytes"), "{}", run.stderr);
}

#[test]
fn keys_cannot_steer_the_terminal() {
    let run = Replay::new("--sliding-log 1/60s -")
        .input("{\"at_s\":1,\"key\":\"\\u001b[2J\"}\n{\"at_s\":1,\"key\":\"\\u001b[2J\"}")
        .run();
    assert!(run.stdout.contains("\\u{1b}[2J") && !run.stdout.contains('\u{1b}'), "{}", run.stdout);
}

#[test]
fn the_report_says_how_often_how_many_and_how_long() {
    let input = csv(&[(0, "a", "1"), (1, "a", "1"), (2, "a", "1"), (3, "b", "1"), (4, "b", "9"), (5, "c", "1")]);
    let run = Replay::new("--fixed-window 9/60s --sliding-log 1/60s --top 1 -").input(&input).run();
    let expected = "\
Input     standard input (csv, by key)
Time      1970-01-01T00:00:00Z to 1970-01-01T00:00:05Z (5s)
Order     by time
Policies  each in turn, the first denial ends it

Requests        6
  allowed       3  50.0%
  denied        3  50.0%
  never         0   0.0%
Keys            3
  limited       2  66.7%
Longest wait  59s         for a at line 3

   Policy             denied  never
0  fixed-window 9/1m       1      0
1  sliding-log 1/1m        2      0

Keys denied most  requests  denied  share
a                        3       2  66.7%
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn the_comparison_stands_side_by_side() {
    let input = csv(&[(0, "a", "1"), (59, "a", "2"), (60, "a", "2"), (61, "b", "3"), (62, "", "3")]);
    let run =
        Replay::new("--compose independent --fixed-window 2/60s --token-bucket 2/60s --keep-order -").input(&input);
    let expected = "\
Input     standard input (csv, by key)
Time      1970-01-01T00:00:00Z to 1970-01-01T00:01:02Z (1m 2s)
Order     as in the file
Policies  independent, compared

   Policy             requests  allowed  denied  share  never  keys  limited  longest wait
0  fixed-window 2/1m         5        2       1  20.0%      2     3        3            1s
1  token-bucket 2/1m         5        2       1  20.0%      2     3        3           59s

Keys denied most  requests  denied by 0  never   share  denied by 1  never   share
b                        1            0      1  100.0%            0      1  100.0%
(empty)                  1            0      1  100.0%            0      1  100.0%
a                        3            1      0   33.3%            1      0   33.3%
";
    assert_eq!(run.run().stdout, expected);
}

/// What the README shows, and how it was made.
const PICTURE: (&str, &[u8]) =
    ("--plot double-burst.svg --plot-key 203.0.113.9", include_bytes!("../pictures/double-burst.svg"));

#[test]
fn the_picture_is_what_its_command_draws() {
    let directory = tempfile::tempdir().unwrap();
    let run = Replay::new(PICTURE.0).in_directory(directory.path()).run();
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let drawn = std::fs::read(directory.path().join("double-burst.svg")).unwrap();
    assert!(drawn == PICTURE.1, "run `replay {}` in examples/replay/pictures again", PICTURE.0);
    assert!(drawn.len() < 40 << 10);
    let text = String::from_utf8(drawn).unwrap();
    for expected in [
        "fixed-window 60/1m: 111 allowed, 0 denied, at most 110 units",
        "sliding-log 60/1m: 61 allowed, 50 denied, at most 60 units",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn a_picture_leaves_the_report_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    for options in
        ["", "--keep-order", "--keep-order --monotonic 5s", "--sliding-log 9/10s --fixed-window 5/1s --compose all"]
    {
        let plain = Replay::new(options).run();
        let drawn = Replay::new(&format!("{options} --plot a.svg --html a.html")).in_directory(directory.path()).run();
        assert_eq!((drawn.status, drawn.stderr.as_str()), (0, ""));
        assert_eq!(drawn.stdout, plain.stdout);
    }
}

#[test]
fn the_key_that_is_denied_most_is_drawn_unless_another_is_named() {
    let input = csv(&[(0, "a", "1"), (1, "a", "1"), (1, "b", "1"), (2, "b", "1"), (3, "b", "1"), (3, "c", "1")]);
    let drawn = |options: &str| {
        let run = Replay::new(&format!("--sliding-log 1/60s --plot - {options} -")).input(&input).run();
        assert_eq!(run.status, 0, "{}", run.stderr);
        // The report stands aside.
        assert!(run.stderr.contains("Requests"), "{}", run.stderr);
        let title = run.stdout.lines().find_map(|line| line.strip_prefix("<title id=\"key-title\">")).unwrap();
        title.trim_end_matches("</title>").to_owned()
    };
    assert_eq!(drawn(""), "What the policy makes of b");
    assert_eq!(drawn("--plot-key c"), "What the policy makes of c");
    let run = Replay::new("--sliding-log 1/60s --plot - --plot-key d -").input(&input).run();
    run.fails_with("--plot-key d: no request has this key; expected one of 3 keys, such as b");
}

#[test]
fn a_page_needs_nothing_else_and_escapes_what_it_shows() {
    let key = "\"</title><script>alert(1)</script>&";
    let line = |at| serde_json::json!({ "at_s": at, "key": key }).to_string();
    let input = [line(0), line(1)].join("\n");
    let run = Replay::new("--sliding-log 1/60s --html - -").input(&input).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let page = run.stdout;
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page}");
    for absent in ["<script", "http://", "https://", "src=", "href=", "url(", "@import"] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
    assert!(page.contains("&quot;&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;"), "{page}");
    assert!(page.contains("default-src 'none'"), "{page}");
    // Opened and closed as often.
    for tag in ["section", "table", "tr", "figure", "details", "svg", "div", "dl"] {
        assert_eq!(
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count(),
            page.matches(&format!("</{tag}>")).count(),
            "{tag}"
        );
    }
}

#[test]
fn a_page_says_what_the_report_says() {
    let run = Replay::new("--html - --suggest 1").run();
    for line in run.stderr.lines().filter(|line| line.contains("/1m")) {
        for cell in line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()) {
            assert!(run.stdout.contains(&format!(">{cell}<")), "{cell}: {}", run.stdout);
        }
    }
    assert!(run.stdout.contains("203.0.113.9"));
}

#[test]
fn pictures_and_pages_never_overwrite_their_input() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("access.log");
    let text = clf(&["192.0.2.1"]);
    std::fs::write(&log, &text).unwrap();
    for option in ["--plot", "--html"] {
        let run = Replay::new("").arg(option).arg(directory.path().join(".").join("access.log")).arg(&log).run();
        run.fails_with(&format!("{option} would overwrite the input"));
        Replay::new("").arg(option).arg(directory.path()).run().fails_with("cannot write");
        Replay::new("").arg(option).arg(directory.path().join("missing").join("x")).run().fails_with("cannot write");
    }
    assert_eq!(std::fs::read_to_string(&log).unwrap(), text);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn an_earlier_picture_outlives_a_mistake() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.svg");
    std::fs::write(&file, "earlier").unwrap();
    for (options, input) in [("--plot-key b", "at_s,key\n1,a\n"), ("", "at_s,key\n")] {
        let run = Replay::new(&format!("{options} -")).arg("--plot").arg(&file).input(input).run();
        assert_eq!(run.status, 2, "{}", run.stderr);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "earlier");
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_for_pictures_too() {
    Replay::new("--plot /dev/full").run().fails_with("cannot write /dev/full");
    Replay::new("--html /dev/full").run().fails_with("cannot write /dev/full");
}

#[test]
fn the_smallest_quota_that_refuses_few_enough_is_suggested() {
    let input = csv(&[(0, "a", "1"), (1, "a", "1"), (2, "a", "1"), (3, "b", "1"), (10, "a", "1")]);
    let options = "--compose independent --fixed-window 9/10s --token-bucket 9/10s,burst=1 --sliding-log 1/4s";
    let suggested = |percent: &str| {
        let run = Replay::new(&format!("{options} --suggest {percent} -")).input(&input).run();
        let at = run.stdout.find("\n   Smallest").unwrap();
        run.stdout[at..].to_owned()
    };
    let expected = "
   Smallest quota that refuses at most 20%, each alone  refused    share  with one less    share
0  fixed-window 2/10s                                         1  20.000%              2  40.000%
1  token-bucket 5/10s,burst=1                                 1  20.000%              2  40.000%
2  sliding-log 2/4s                                           1  20.000%              2  40.000%
";
    assert_eq!(suggested("20"), expected);
    assert!(suggested("0").contains("sliding-log 3/4s"), "{}", suggested("0"));
    assert!(suggested("100%").contains("fixed-window 1/10s"));
    // What is suggested keeps what was asked, and one less does not.
    let refused = |policy: &str| {
        let run = Replay::new(&format!("--fixed-window {policy} -")).input(&input).run();
        run.count("denied") + run.count("never")
    };
    assert_eq!((refused("2/10s"), refused("1/10s")), (1, 2));
}

/// Each decision as `allow REMAINING`, `deny NANOSECONDS by POLICY` or `never by POLICY`.
fn verdicts(options: &str, requests: &[(u64, &str, &str)]) -> Vec<String> {
    let run: Run = Replay::new(&format!("{options} --decisions - -")).input(&csv(requests)).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let verdict = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = ["remaining", "retry_after_ns"].iter().find_map(|name| line.get(*name));
        let number = number.map(|number| format!(" {number}")).unwrap_or_default();
        let policy = line.get("policy").map(|policy| format!(" by {policy}")).unwrap_or_default();
        format!("{}{number}{policy}", line["decision"].as_str().unwrap())
    };
    run.lines().map(verdict).collect()
}

fn number(line: &str, member: &str) -> u64 {
    serde_json::from_str::<serde_json::Value>(line).unwrap()[member].as_u64().unwrap()
}

fn text(line: &str, member: &str) -> String {
    serde_json::from_str::<serde_json::Value>(line).unwrap()[member].as_str().unwrap().to_owned()
}
