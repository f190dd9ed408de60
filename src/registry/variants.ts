import * as Effect from "effect/Effect";
import { compileSchema } from "../schema/compile-schema.ts";
import { withoutDefaults } from "../schema/without-defaults.ts";
import { assemble } from "../tool/assemble.ts";
import type { Run } from "../words/call.ts";
import { ConfigurationError, ToolBindingError } from "../words/errors.ts";
import { isReadOnly, type ToolSpec } from "../words/spec.ts";
import type { AnyTool, Implementation } from "../words/tool.ts";

import type { BindMode } from "./library/binding.ts";
import { bindingText } from "./library/binding-text.ts";
import { isTool, type LibraryCode, type LibraryEntry, toCode } from "./library/entry.ts";
import { explainBinding } from "./library/explain-binding.ts";
import { guarded, warnings } from "./library/guards.ts";
import { noteVariant } from "./variants/note.ts";
import { checkKnown, pickVariant, type VariantPick } from "./variants/pick-variant.ts";
import { runVariant } from "./variants/run-variant.ts";
import { type Shadow, shadowed } from "./variants/shadow.ts";

export type { Comparison } from "./variants/compare.ts";
export type { VariantPick } from "./variants/pick-variant.ts";
export type { Shadow } from "./variants/shadow.ts";

/** How `variants` chooses between implementations of one tool. */
export type VariantOptions<Name extends string> = {
  /** What all of them promise; that of the first tool, unless given. */
  readonly spec?: ToolSpec;
  /** How well each tool among them must fit that promise; `compatible` unless named. */
  readonly mode?: BindMode;
} & ({ readonly pick: VariantPick<Name> } | { readonly shadow: Shadow<Name> });

/**
 * One tool with several implementations, of which one answers each call. Policy sees the strictest of them, and the
 * ledger is told which one it was.
 */
export const variants = <const Name extends string>(
  entries: Readonly<Record<Name, LibraryEntry>>,
  options: VariantOptions<NoInfer<Name>>,
): AnyTool => {
  const codes = new Map(
    Object.entries<LibraryEntry>(entries).map(([name, entry]) => [name as Name, toCode(name, entry)]),
  );
  const promise = options.spec ?? [...codes.values()].find(isTool)?.spec;
  if (promise === undefined) {
    throw refused("Variants without a tool among them need a `spec`: nobody says what they promise.");
  }
  for (const [name, code] of codes) checkFits(promise, name, code, options.mode ?? "compatible");
  const spec = strictest(promise, [...codes.values()]);
  const run = "shadow" in options ? inShadow(codes, options.shadow, spec) : picked(codes, options.pick);
  const kinds = [...codes.values()].flatMap((code) => {
    const { _tag, kinds: inner = [] } = isTool(code) ? code.implementation : code;
    return [_tag, ...inner];
  });
  const provesNotRun = [...codes.values()].every(
    (code) => (isTool(code) ? code.implementation : code).provesNotRun === true,
  );
  const implementation: Implementation<unknown> = Object.freeze({
    _tag: "variants",
    provesNotRun,
    kinds,
    bind: run,
  });
  return assemble({
    spec,
    implementation,
    input: compileSchema(spec.input),
    output: spec.output === undefined ? undefined : compileSchema(withoutDefaults(spec.output)),
    layers: [],
  });
};

type Codes<Name extends string> = ReadonlyMap<Name, LibraryCode>;

const picked = <Name extends string>(
  codes: Codes<Name>,
  pick: VariantPick<Name>,
): ((spec: ToolSpec) => Run<unknown>) => {
  const choose = pickVariant(pick, [...codes.keys()]);
  return (spec) => {
    const runs = new Map([...codes].map(([name, code]) => [name, runVariant(name, code, spec)]));
    const start = (name: Name, ...call: Parameters<Run<unknown>>): ReturnType<Run<unknown>> => {
      noteVariant(call[1], name);
      return runs.get(name)!(...call);
    };
    return (input, context) => {
      const chosen = choose(input, context);
      if (typeof chosen === "string") return start(chosen, input, context);
      return Effect.flatMap(chosen, (name) => toEffect(start(name, input, context)));
    };
  };
};

const toEffect = (answer: ReturnType<Run<unknown>>): Effect.Effect<unknown, unknown, unknown> =>
  Effect.isEffect(answer) ? answer : Effect.tryPromise({ try: () => answer, catch: (error) => error });

const inShadow = <Name extends string>(
  codes: Codes<Name>,
  shadow: Shadow<Name>,
  promise: ToolSpec,
): ((spec: ToolSpec) => Run<unknown>) => {
  const { answer, compare, allowWrites = false } = shadow;
  for (const name of [answer, compare]) checkKnown(name, [...codes.keys()]);
  const code = codes.get(compare)!;
  const writes = !isReadOnly(isTool(code) ? code.spec : promise);
  if (writes && !allowWrites) {
    throw refused(
      `The variant "${compare}" may write, and would do so beside "${answer}" at every call. Say annotations: { readOnly: true } if it does not, or shadow: { allowWrites: true } if it may.`,
    );
  }
  return (spec) =>
    shadowed(
      runVariant(answer, codes.get(answer)!, spec),
      runVariant(compare, code, spec),
      shadow,
      spec.timeoutMs ?? 30_000,
    );
};

const checkFits = (promise: ToolSpec, name: string, code: LibraryCode, mode: BindMode): void => {
  if (!isTool(code)) return;
  if (code.layers.length > 0) {
    throw refused(
      `The variant "${name}" brings layers, which would not be run. Put them around all of them: variants(…).layer(…).`,
    );
  }
  // Each goes by the name it has among the variants, whatever it is called elsewhere.
  const explanation = explainBinding({ ...promise, name: code.spec.name }, code, mode);
  if (explanation.ok) return;
  throw new ToolBindingError(
    "not_bound",
    `The variant "${name}" does not keep what "${promise.name}" promises.\n${bindingText(explanation)}`,
  );
};

/** Any of them may be the one that answers. */
const strictest = (promise: ToolSpec, codes: readonly LibraryCode[]): ToolSpec => {
  const tools = codes.filter(isTool);
  const all = tools.reduce((spec, { spec: own }) => guarded(spec, own), promise);
  const { timeoutMs: _, annotations, ...rest } = all;
  const { source, timeoutMs } = promise;
  const every = (key: "readOnly" | "idempotent"): object =>
    annotations[key] === undefined
      ? {}
      : { [key]: tools.every(({ spec }) => spec.annotations[key] === true) };
  const shared =
    tools[0]?.spec.tags.filter((tag) => tools.every(({ spec }) => spec.tags.includes(tag))) ?? [];
  return Object.freeze({
    ...rest,
    tags: Object.freeze([...new Set([...shared, ...tools.flatMap(({ spec }) => warnings(spec.tags))])]),
    annotations: Object.freeze({ ...annotations, ...every("readOnly"), ...every("idempotent") }),
    source,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
};

const refused = (message: string): ConfigurationError => new ConfigurationError("invalid_config", message);
