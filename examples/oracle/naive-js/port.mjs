// What any port needs to be held against the oracle: cases in, cases with the port's answers out.

// JSON, with exact integers for all times. See "Numbers" in tests/vectors/README.md.
export function read(text) {
  const quoted = text.replace(/\d{16,}/g, '"$&"');
  return JSON.parse(quoted, (name, value) => (name.endsWith("_ns") ? BigInt(value) : value));
}

// The oracle takes strings of digits for all times.
export function write(value) {
  return JSON.stringify(value, (_, member) => (typeof member === "bigint" ? member.toString() : member));
}

// This limiter knows windows that open with the first request, and nothing but checks; and its times are doubles.
export function applies({ policy, slots, policy_error, steps }) {
  const isSmall = (time) => time + policy.window_ns <= Number.MAX_SAFE_INTEGER;
  return (
    policy.kind === "fixed-window" &&
    !policy.aligned &&
    slots === undefined &&
    policy_error === undefined &&
    steps.every((step) => step.op === undefined && step.policy === undefined && isSmall(step.at_ns))
  );
}

// The case with the limiter's answers in place of those that it had.
export function answered(FixedWindow, testCase) {
  const { quota, window_ns } = testCase.policy;
  const limiter = new FixedWindow(quota, Number(window_ns));
  const steps = testCase.steps.map(({ at_ns, key, cost }) => {
    const { expect, remaining, retryAfter } = limiter.check(key ?? "", cost, Number(at_ns));
    const retry_after_ns = retryAfter === undefined ? undefined : BigInt(retryAfter);
    return { at_ns, key, cost, expect, remaining, retry_after_ns };
  });
  return { ...testCase, steps };
}
