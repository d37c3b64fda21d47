// Checks messages against the official meta model of the protocol.
import { readFileSync } from "node:fs";

const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);
const within = (v, low, high) => Number.isInteger(v) && v >= low && v <= high;

/** Knows the types of the protocol. */
export class MetaModel {
  constructor(path) {
    const model = JSON.parse(readFileSync(path, "utf8"));
    const by = (list, key) => new Map(list.map((x) => [x[key], x]));
    this.structures = by(model.structures, "name");
    this.enumerations = by(model.enumerations, "name");
    this.aliases = by(model.typeAliases, "name");
    this.requests = by(model.requests, "method");
    this.notifications = by(model.notifications, "method");
  }

  /** Returns where a value does not conform to a type. */
  problems(type, value, at) {
    switch (type.kind) {
      case "base":
        return this.#base(type.name, value) ? [] : [`${at}: not ${type.name}`];
      case "reference":
        return this.#reference(type.name, value, at);
      case "array":
        return Array.isArray(value) ? value.flatMap((x, i) => this.problems(type.element, x, `${at}[${i}]`)) : [`${at}: not an array`];
      case "map":
        return isObject(value) ? Object.entries(value).flatMap(([k, x]) => this.problems(type.value, x, `${at}[${k}]`)) : [`${at}: not a map`];
      case "and":
        return type.items.flatMap((t) => this.problems(t, value, at)).filter((p) => !p.endsWith("unknown property"));
      case "or": {
        const all = type.items.map((t) => this.problems(t, value, at));
        return all.reduce((a, b) => (b.length < a.length ? b : a));
      }
      case "tuple":
        return Array.isArray(value) && value.length === type.items.length
          ? value.flatMap((x, i) => this.problems(type.items[i], x, `${at}[${i}]`))
          : [`${at}: not a tuple of ${type.items.length}`];
      case "literal":
        return this.#object(new Map(type.value.properties.map((p) => [p.name, p])), value, at);
      default: // a literal of a string, an integer or a boolean
        return value === type.value ? [] : [`${at}: not ${JSON.stringify(type.value)}`];
    }
  }

  #base(name, v) {
    switch (name) {
      case "integer":
        return within(v, -(2 ** 31), 2 ** 31 - 1);
      case "uinteger":
        return within(v, 0, 2 ** 31 - 1);
      case "decimal":
        return typeof v === "number";
      case "boolean":
        return typeof v === "boolean";
      case "null":
        return v === null;
      case "URI":
      case "DocumentUri":
        return typeof v === "string" && /^[a-z][a-z0-9+.-]*:/i.test(v);
      default:
        return typeof v === "string";
    }
  }

  #reference(name, value, at) {
    if (name === "LSPAny") {
      return [];
    }
    const structure = this.structures.get(name);
    if (name === "LSPObject" || (structure && this.#properties(structure).size === 0)) {
      return isObject(value) ? [] : [`${at}: not an object`];
    }
    if (structure) {
      return this.#object(this.#properties(structure), value, at);
    }
    const e = this.enumerations.get(name);
    if (!e) {
      return this.problems(this.aliases.get(name).type, value, at);
    }
    const known = this.#base(e.type.name, value) && (e.supportsCustomValues || e.values.some((x) => x.value === value));
    return known ? [] : [`${at}: no ${name}: ${JSON.stringify(value)}`];
  }

  #properties(structure, all = new Map()) {
    for (const t of [...(structure.extends ?? []), ...(structure.mixins ?? [])]) {
      this.#properties(this.structures.get(t.name), all);
    }
    for (const p of structure.properties) {
      all.set(p.name, p);
    }
    return all;
  }

  #object(properties, value, at) {
    if (!isObject(value)) {
      return [`${at}: not an object`];
    }
    const missing = [...properties.values()].filter((p) => !(p.name in value) && !p.optional).map((p) => `${at}.${p.name}: missing`);
    const unknown = Object.keys(value).filter((k) => !properties.has(k)).map((k) => `${at}.${k}: unknown property`);
    const wrong = [...properties.values()].filter((p) => p.name in value).flatMap((p) => this.problems(p.type, value[p.name], `${at}.${p.name}`));
    return [...missing, ...unknown, ...wrong];
  }
}

/** The notification of ambit, which the meta model does not have. */
const own = { "ambit/status": ["folder", "state", "files", "pending", "message"] };

/**
 * Checks a log of tee.mjs: the messages of the server must conform to the meta model.
 *
 * @returns the number of messages of each side, the problems, and the unanswered requests
 */
export function check(model, log) {
  const lines = readFileSync(log, "utf8").trim().split("\n").map((l) => JSON.parse(l));
  const pending = { c2s: new Map(), s2c: new Map() };
  const problems = [];
  for (const { dir, msg } of lines) {
    const found = msg.method !== undefined ? call(model, dir, msg, pending) : reply(model, dir, msg, pending);
    if (dir === "s2c") {
      problems.push(...found.map((p) => `${msg.method ?? "reply"}: ${p}`));
    }
  }
  const count = (dir) => lines.filter((l) => l.dir === dir).length;
  return { server: count("s2c"), client: count("c2s"), problems, unanswered: [...pending.c2s.values()].map((r) => r?.method ?? "?") };
}

function call(model, dir, msg, pending) {
  const request = msg.id !== undefined;
  const known = (request ? model.requests : model.notifications).get(msg.method);
  if (request) {
    pending[dir].set(msg.id, known);
  }
  if (own[msg.method]) {
    return own[msg.method].filter((f) => !(f in msg.params)).map((f) => `params.${f}: missing`);
  }
  if (!known) {
    return msg.method.startsWith("$/") ? [] : ["unknown method"];
  }
  const allowed = dir === "s2c" ? ["serverToClient", "both"] : ["clientToServer", "both"];
  const direction = allowed.includes(known.messageDirection) ? [] : ["wrong direction"];
  return [...direction, ...(known.params ? model.problems(known.params, msg.params, "params") : [])];
}

function reply(model, dir, msg, pending) {
  const asked = pending[dir === "s2c" ? "c2s" : "s2c"];
  const request = asked.get(msg.id);
  if (!asked.delete(msg.id)) {
    return [`answers an unknown id ${msg.id}`];
  }
  if ("result" in msg === "error" in msg) {
    return ["does not have exactly one of result and error"];
  }
  if (msg.error) {
    return Number.isInteger(msg.error.code) && typeof msg.error.message === "string" ? [] : ["an invalid error"];
  }
  return request ? model.problems(request.result, msg.result, `${request.method} result`) : [];
}
