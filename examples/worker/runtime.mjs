// Durable objects under Node, as far as this example needs them: one object for each key, its storage, its alarm, and its input gate.
//
// Storage is in memory, and takes a turn of the event loop for each operation, so that what can come in between does.

/** The objects of a class, by name. */
export class Namespace {
  /** Whether storage fails, as it does when a machine or a disk is lost. */
  isBroken = false;
  /** How many operations have changed storage. */
  writes = 0;
  #Class;
  #hasGates;
  #objects = new Map();

  /** Without gates, events are delivered while storage is waited for: how durable objects do not work. */
  constructor(Class, { hasGates = true } = {}) {
    this.#Class = Class;
    this.#hasGates = hasGates;
  }

  idFromName(name) {
    return name;
  }

  get(id) {
    return { fetch: (url, init) => this.#deliver(id, (object) => object.fetch(new Request(url, init))) };
  }

  /** What is stored under a name. */
  stored(name) {
    return this.#objects.get(name)?.storage.values ?? new Map();
  }

  /** Drops every object from memory, as happens to idle ones; storage stays. */
  evict() {
    for (const entry of this.#objects.values()) entry.object = undefined;
  }

  /** Calls every `alarm` that is due. One that fails is due again. */
  async runAlarms(now) {
    for (const [name, { storage }] of this.#objects) {
      const due = storage.alarm;
      if (due === null || due > now) continue;
      storage.alarm = null;
      await this.#deliver(name, (object) => object.alarm()).catch((error) => {
        console.error(`an alarm failed: ${error.message}`);
        storage.alarm ??= due;
      });
    }
  }

  async #deliver(name, event) {
    let entry = this.#objects.get(name);
    if (entry === undefined) {
      const gate = this.#hasGates ? new InputGate() : new NoGate();
      entry = { gate, storage: new Storage(this, gate) };
      this.#objects.set(name, entry);
    }
    return entry.gate.enter(async () => {
      entry.object ??= new this.#Class({ storage: entry.storage });
      return event(entry.object);
    });
  }
}

/** Lets no event in while something is waited for. */
class InputGate {
  #closed = 0;
  #waiting = [];

  enter(event) {
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(event()));
      this.#admit();
    });
  }

  close() {
    this.#closed += 1;
  }

  open() {
    this.#closed -= 1;
    this.#admit();
  }

  #admit() {
    while (this.#closed === 0 && this.#waiting.length > 0) this.#waiting.shift()();
  }
}

class NoGate {
  enter(event) {
    return event();
  }

  close() {}

  open() {}
}

/** What an object has of its own. */
class Storage {
  values = new Map();
  alarm = null;
  #namespace;
  #gate;

  constructor(namespace, gate) {
    this.#namespace = namespace;
    this.#gate = gate;
  }

  get(key) {
    return this.#operate(() => structuredClone(this.values.get(key)));
  }

  put(key, value) {
    const copy = structuredClone(value);
    return this.#change(() => this.values.set(key, copy));
  }

  deleteAll() {
    return this.#change(() => this.values.clear());
  }

  getAlarm() {
    return this.#operate(() => this.alarm);
  }

  setAlarm(time) {
    return this.#change(() => (this.alarm = time));
  }

  #change(operation) {
    return this.#operate(() => {
      this.#namespace.writes += 1;
      operation();
    });
  }

  #operate(operation) {
    this.#gate.close();
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        if (this.#namespace.isBroken) reject(new Error("storage is not there"));
        else resolve(operation());
        // Once whoever waited for this has gone on, and may have closed the gate again.
        setImmediate(() => this.#gate.open());
      });
    });
  }
}
