import { nearest } from "../base/text/nearest.ts";
import type { ToolClass } from "../tools/class-implementation.ts";
import { toTool } from "../tools/decorator.ts";
import type { Library } from "../types/agent.ts";
import { ConfigurationError, ToolRegistrationError } from "../types/errors.ts";
import type { AnyTool, ToolSpec } from "../types/tool.ts";
import { bindCode, notFoundFailure } from "./library/bind-code.ts";
import {
  type BindAllFailure,
  type BindAllResult,
  type BindFailure,
  type BindMode,
  type BoundTool,
  bindingsText,
  bindModes,
  type LibraryCode,
  type LibraryEntry,
  toLibraryCode,
} from "./library/library-entry.ts";

export interface BindOptions {
  /** Default: `compatible`. */
  readonly mode?: BindMode;
}

/** Code by name, to which specs are bound. Immutable: a change returns another library. */
export interface ToolLibrary extends Library {
  readonly lookup: (name: string) => LibraryCode | undefined;
  readonly names: () => readonly string[];
  /**
   * Returns a library with this entry, which replaces another of the same name. A tool provides its own name.
   */
  readonly register: (...entry: NamedEntry) => ToolLibrary;
  /** Merges two libraries. Throws if a name has two different entries, unless `onClash` selects one. */
  readonly merge: (other: ToolLibrary, options?: MergeOptions) => ToolLibrary;
  readonly bind: (spec: ToolSpec, options?: BindOptions) => BoundTool | BindFailure;
  /** Binds all specs or none. */
  readonly bindAll: (specs: readonly ToolSpec[], options?: BindOptions) => BindAllResult | BindAllFailure;
}

export type NamedEntry = readonly [tool: AnyTool | ToolClass] | readonly [name: string, entry: LibraryEntry];

export interface MergeOptions {
  readonly onClash?: "refuse" | "ours" | "theirs";
}

/** Creates a library of these entries. */
export const library = (
  entries: Readonly<Record<string, LibraryEntry>> | readonly (AnyTool | ToolClass)[] = {},
): ToolLibrary => {
  if (typeof entries !== "object" || entries === null) {
    throw invalidConfigError(
      "A library must be { name: tool | implementation | function }, or a list of tools.",
    );
  }
  const named: readonly NamedEntry[] = Array.isArray(entries)
    ? entries.map((tool): NamedEntry => [tool])
    : Object.entries(entries as Readonly<Record<string, LibraryEntry>>);
  const codes = new Map<string, LibraryCode>();
  for (const each of named) {
    const [name, code] = readEntry(each);
    if (codes.has(name)) throw nameClashError([name]);
    codes.set(name, code);
  }
  return createLibrary(codes);
};

const createLibrary = (codes: ReadonlyMap<string, LibraryCode>): ToolLibrary => {
  const bind: ToolLibrary["bind"] = (spec, options = {}) => {
    const mode = readMode(options);
    const code = codes.get(spec.name);
    if (code !== undefined) return bindCode(spec, code, mode);
    return notFoundFailure(spec, mode, nearest(spec.name, [...codes.keys()]));
  };

  return Object.freeze({
    lookup: (name: string) => codes.get(name),
    names: () => Object.freeze([...codes.keys()]),
    register: (...entry: NamedEntry) => createLibrary(new Map([...codes, readEntry(entry)])),
    merge: (other: ToolLibrary, options: MergeOptions = {}) =>
      createLibrary(mergeCodes(codes, other, options)),
    bind,
    bindAll: (specs: readonly ToolSpec[], options: BindOptions = {}) =>
      combineBindings(specs.map((spec) => bind(spec, options))),
  });
};

const combineBindings = (bindings: readonly (BoundTool | BindFailure)[]): BindAllResult | BindAllFailure => {
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
  if (typeof name === "string" && name !== "") return [name, toLibraryCode(name, entry)];
  throw invalidConfigError("A registration needs a name: register(tool), or register(name, entry).");
};

const mergeCodes = (
  ours: ReadonlyMap<string, LibraryCode>,
  other: ToolLibrary,
  { onClash = "refuse" }: MergeOptions,
): ReadonlyMap<string, LibraryCode> => {
  if (!["refuse", "ours", "theirs"].includes(onClash)) {
    throw invalidConfigError(`\`onClash\` is "${onClash}"; it must be "refuse", "ours" or "theirs".`);
  }
  const otherCodes = new Map(other.names().map((name) => [name, other.lookup(name)!]));
  const clashing = [...otherCodes].filter(([name, code]) => ours.has(name) && ours.get(name) !== code);
  if (onClash === "refuse" && clashing.length > 0) throw nameClashError(clashing.map(([name]) => name));
  return onClash === "ours" ? new Map([...otherCodes, ...ours]) : new Map([...ours, ...otherCodes]);
};

const readMode = ({ mode = "compatible" }: BindOptions): BindMode => {
  if (bindModes.includes(mode)) return mode;
  throw invalidConfigError(`\`mode\` is ${JSON.stringify(mode)}; it must be one of ${bindModes.join(", ")}.`);
};

const nameClashError = (names: readonly string[]): ToolRegistrationError =>
  new ToolRegistrationError(
    "duplicate_tool",
    `Two different entries are called ${names.map((name) => `"${name}"`).join(", ")}. Rename one, or choose one with merge(other, { onClash: "ours" | "theirs" }).`,
  );

const invalidConfigError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
