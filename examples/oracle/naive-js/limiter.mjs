// A fixed window as it is mostly written: a count and a time of reset for each key, in a Map. Times are numbers of any unit.

export class FixedWindow {
  constructor(quota, window) {
    this.quota = quota;
    this.window = window;
    this.keys = new Map();
  }

  check(key, cost, now) {
    if (cost > this.quota) {
      return { expect: "never" };
    }
    let open = this.keys.get(key);
    if (open === undefined || now >= open.resetAt) {
      open = { count: 0, resetAt: now + this.window };
    }
    if (open.count + cost > this.quota) {
      return { expect: "deny", retryAfter: open.resetAt - now };
    }
    if (cost > 0) {
      open.count += cost;
      this.keys.set(key, open);
    }
    return { expect: "allow", remaining: this.quota - open.count };
  }
}
