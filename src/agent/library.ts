import { type RunFunction, runImplementation } from "../define/run-implementation.ts";
import { compileSchema } from "../define/schema/compile-schema.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { Library } from "../words/agent.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { ToolSpec } from "../words/spec.ts";
import type { AnyTool, Implementation } from "../words/tool.ts";
import type { Validator } from "../words/validator.ts";

/** A library, or its entries: tools, implementations or plain functions by name. */
export type LibrarySource = Library | Readonly<Record<string, AnyTool | Implementation | RunFunction>>;

export const toLibrary = (source: LibrarySource): Library => {
  if (typeof source !== "object" || source === null) {
    throw refused("A library is { name: tool | implementation | function }, or has a `lookup`.");
  }
  // A single tool named "lookup" has to come in a library of its own.
  if (typeof source.lookup === "function") return source as Library;
  const entries = new Map(Object.entries(source).map(([name, entry]) => [name, toEntry(name, entry)]));
  return { lookup: (name) => entries.get(name) };
};

const toEntry = (name: string, entry: unknown): AnyTool | Implementation => {
  if (typeof entry === "function") return runImplementation(entry as RunFunction);
  if (isTool(entry) || isImplementation(entry)) return entry;
  throw refused(`The library's "${name}" is neither a tool, an implementation nor a function.`);
};

/** The spec as the agent knows it, answered by the library's code. */
export const bindSpec = (spec: ToolSpec, entry: AnyTool | Implementation): AnyTool => {
  if (!isTool(entry)) return assemble(spec, entry, compileSchema(spec.input), undefined, []);
  const input = isSame(spec, entry.spec) ? entry.input : inTurn(compileSchema(spec.input), entry.input);
  return assemble(spec, entry.implementation, input, entry.output, entry.layers);
};

/** The agent's promise first, then what the code itself wants to see; neither can be talked out of it. */
const inTurn = (first: Validator, second: Validator): Validator =>
  Object.assign(
    (value: unknown) => {
      const judged = first(value);
      return judged.ok ? second(judged.value) : judged;
    },
    { engine: `${first.engine} + ${second.engine}` },
  );

const assemble = (
  spec: ToolSpec,
  implementation: Implementation<unknown>,
  input: Validator,
  own: Validator | undefined,
  layers: AnyTool["layers"],
): AnyTool => {
  const promised = spec.output === undefined ? undefined : compileSchema(spec.output);
  const output = own === undefined || promised === undefined ? (own ?? promised) : inTurn(own, promised);
  const made = { spec, implementation, layers, input, ...(output === undefined ? {} : { output }) };
  const layer = (...more: AnyTool["layers"]): AnyTool =>
    assemble(spec, implementation, input, own, [...layers, ...more]);
  const withName = (name: string): AnyTool => assemble({ ...spec, name }, implementation, input, own, layers);
  return Object.freeze({ ...made, layer, withName }) as AnyTool;
};

const isSame = (one: ToolSpec, other: ToolSpec): boolean =>
  one === other || canonicalJson(one.input as never) === canonicalJson(other.input as never);

export const isTool = (value: unknown): value is AnyTool =>
  typeof value === "object" && value !== null && "spec" in value && "implementation" in value;

const isImplementation = (value: unknown): value is Implementation =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { readonly bind?: unknown }).bind === "function";

const refused = (message: string): ConfigurationError => new ConfigurationError("invalid_config", message);
