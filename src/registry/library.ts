import { nearest } from "../schema/issues.ts";
import type { ToolClass } from "../tool/class-implementation.ts";
import { toTool } from "../tool/decorator.ts";
import type { Library } from "../words/agent.ts";
import { ConfigurationError, ToolBindingError, ToolRegistrationError } from "../words/errors.ts";
import type { ToolSpec } from "../words/spec.ts";
import type { AnyTool } from "../words/tool.ts";
import { bindCode, notFound } from "./library/bind-code.ts";
import {
  type AllBound,
  type BindFailure,
  type BindMode,
  type Bound,
  bindModes,
  type NotAllBound,
} from "./library/binding.ts";
import { bindingsText } from "./library/binding-text.ts";
import { type LibraryCode, type LibraryEntry, toCode } from "./library/entry.ts";

export interface BindOptions {
  /** `compatible` unless named. */
  readonly mode?: BindMode;
}

/** Code by name, to which specs are bound late. A value: what changes it gives another library. */
export interface ToolLibrary extends Library {
  readonly lookup: (name: string) => LibraryCode | undefined;
  readonly names: () => readonly string[];
  /** With the entry in the place of any other of that name. A tool knows its own name. */
  readonly register: (...entry: NamedEntry) => ToolLibrary;
  /** Both libraries as one. The same name for two different things is refused, unless it is said whose counts. */
  readonly merge: (other: ToolLibrary, options?: MergeOptions) => ToolLibrary;
  readonly bind: (spec: ToolSpec, options?: BindOptions) => Bound | BindFailure;
  /** All or nothing. */
  readonly bindAll: (specs: readonly ToolSpec[], options?: BindOptions) => AllBound | NotAllBound;
}

export type NamedEntry = readonly [tool: AnyTool | ToolClass] | readonly [name: string, entry: LibraryEntry];

export interface MergeOptions {
  readonly onClash?: "refuse" | "ours" | "theirs";
}

/** A library of these entries; of none, the empty one. */
export const library = (
  entries: Readonly<Record<string, LibraryEntry>> | readonly (AnyTool | ToolClass)[] = {},
): ToolLibrary => {
  if (typeof entries !== "object" || entries === null) {
    throw refused("A library is { name: tool | implementation | function }, or a list of tools.");
  }
  const named: readonly NamedEntry[] = Array.isArray(entries)
    ? entries.map((tool): NamedEntry => [tool])
    : Object.entries(entries as Readonly<Record<string, LibraryEntry>>);
  const codes = new Map<string, LibraryCode>();
  for (const each of named) {
    const [name, code] = readEntry(each);
    if (codes.has(name)) throw clash([name]);
    codes.set(name, code);
  }
  return libraryOf(codes);
};

const libraryOf = (codes: ReadonlyMap<string, LibraryCode>): ToolLibrary => {
  const bind: ToolLibrary["bind"] = (spec, options = {}) => {
    const mode = readMode(options);
    const code = codes.get(spec.name);
    if (code !== undefined) return bindCode(spec, code, mode);
    return notFound(spec, mode, nearest(spec.name, [...codes.keys()]));
  };

  return Object.freeze({
    lookup: (name: string) => codes.get(name),
    names: () => Object.freeze([...codes.keys()]),
    register: (...entry: NamedEntry) => libraryOf(new Map([...codes, readEntry(entry)])),
    merge: (other: ToolLibrary, options: MergeOptions = {}) => libraryOf(merged(codes, other, options)),
    bind,
    bindAll: (specs: readonly ToolSpec[], options: BindOptions = {}) =>
      together(specs.map((spec) => bind(spec, options))),
  });
};

const together = (bindings: readonly (Bound | BindFailure)[]): AllBound | NotAllBound => {
  const failures = bindings.filter((each) => !each.ok);
  if (failures.length > 0) {
    return Object.freeze({ ok: false, bindings, failures, message: bindingsText(bindings) });
  }
  const bound = bindings.filter((each) => each.ok);
  return Object.freeze({ ok: true, bindings: bound, tools: bound.map(({ tool }) => tool) });
};

const readEntry = (given: NamedEntry): readonly [string, LibraryCode] => {
  const [first, second] = given;
  const entry = given.length === 1 ? (toTool(first) ?? first) : second;
  const name: unknown = given.length === 1 ? (entry as Partial<AnyTool> | undefined)?.spec?.name : first;
  if (typeof name === "string" && name !== "") return [name, toCode(name, entry)];
  throw refused("What is registered needs a name: register(tool), or register(name, entry).");
};

const merged = (
  ours: ReadonlyMap<string, LibraryCode>,
  other: ToolLibrary,
  { onClash = "refuse" }: MergeOptions,
): ReadonlyMap<string, LibraryCode> => {
  if (!["refuse", "ours", "theirs"].includes(onClash)) {
    throw refused(`\`onClash\` is "${onClash}"; it must be "refuse", "ours" or "theirs".`);
  }
  const theirs = new Map(other.names().map((name) => [name, other.lookup(name)!]));
  const clashing = [...theirs].filter(([name, code]) => ours.has(name) && ours.get(name) !== code);
  if (onClash === "refuse" && clashing.length > 0) throw clash(clashing.map(([name]) => name));
  return onClash === "ours" ? new Map([...theirs, ...ours]) : new Map([...ours, ...theirs]);
};

const readMode = ({ mode = "compatible" }: BindOptions): BindMode => {
  if (bindModes.includes(mode)) return mode;
  throw refused(`\`mode\` is ${JSON.stringify(mode)}; it must be one of ${bindModes.join(", ")}.`);
};

/** What could not be bound, as the error that ends a run before it begins. */
export const toBindingError = (failure: BindFailure | NotAllBound): ToolBindingError =>
  new ToolBindingError("not_bound", failure.message);

const clash = (names: readonly string[]): ToolRegistrationError =>
  new ToolRegistrationError(
    "duplicate_tool",
    `Two different entries are called ${names.map((name) => `"${name}"`).join(", ")}. Rename one, or say whose counts with merge(other, { onClash: "ours" | "theirs" }).`,
  );

const refused = (message: string): ConfigurationError => new ConfigurationError("invalid_config", message);
