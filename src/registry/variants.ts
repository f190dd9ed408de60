import * as Effect from "effect/Effect";
import { compileSchema } from "../base/schema/compile-schema.ts";
import { withoutDefaults } from "../base/schema/keywords.ts";
import { assembleTool } from "../tools/assemble-tool.ts";
import type { ToolFunction } from "../types/call.ts";
import { ConfigurationError, ToolBindingError } from "../types/errors.ts";
import { type AnyTool, type Implementation, isReadOnly, type ToolSpec } from "../types/tool.ts";
import { explainBinding } from "./library/explain-binding.ts";
import {
  type BindMode,
  bindingText,
  isTool,
  type LibraryCode,
  type LibraryEntry,
  stricterSpec,
  toLibraryCode,
  warningTags,
} from "./library/library-entry.ts";
import { checkVariantName, pickVariant, type VariantPick } from "./variants/pick-variant.ts";
import { runVariant } from "./variants/run-variant.ts";
import { noteVariant, runWithShadow, type ShadowOptions } from "./variants/shadow.ts";

/** Options of `variants`. */
export type VariantOptions<Name extends string> = {
  /** The spec of all variants. Default: that of the first tool. */
  readonly spec?: ToolSpec;
  /** How strictly each tool must match the spec. Default: `compatible`. */
  readonly mode?: BindMode;
} & ({ readonly pick: VariantPick<Name> } | { readonly shadow: ShadowOptions<Name> });

/**
 * Creates one tool from several implementations, of which one answers each call. Policy sees the strictest of
 * them, and the ledger records which one it was.
 */
export const variants = <const Name extends string>(
  entries: Readonly<Record<Name, LibraryEntry>>,
  options: VariantOptions<NoInfer<Name>>,
): AnyTool => {
  const codes = new Map(
    Object.entries<LibraryEntry>(entries).map(([name, entry]) => [name as Name, toLibraryCode(name, entry)]),
  );
  const sharedSpec = options.spec ?? [...codes.values()].find(isTool)?.spec;
  if (sharedSpec === undefined) {
    throw invalidConfigError(
      "Variants need a `spec` if none of them is a tool, because functions and implementations have no spec.",
    );
  }
  for (const [name, code] of codes) checkCompatible(sharedSpec, name, code, options.mode ?? "compatible");
  const spec = strictestSpec(sharedSpec, [...codes.values()]);
  const run =
    "shadow" in options ? createShadowRun(codes, options.shadow, spec) : createPickedRun(codes, options.pick);
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
  const keyed = [...codes.values()].filter(isTool).find(({ key }) => key !== undefined);
  return assembleTool({
    key: keyed?.key,
    reconcile: keyed?.reconcile,
    spec,
    implementation,
    input: compileSchema(spec.input),
    output: spec.output === undefined ? undefined : compileSchema(withoutDefaults(spec.output)),
    layers: [],
  });
};

type VariantImplementations<Name extends string> = ReadonlyMap<Name, LibraryCode>;

const createPickedRun = <Name extends string>(
  codes: VariantImplementations<Name>,
  pick: VariantPick<Name>,
): ((spec: ToolSpec) => ToolFunction<unknown>) => {
  const choose = pickVariant(pick, [...codes.keys()]);
  return (spec) => {
    const runs = new Map([...codes].map(([name, code]) => [name, runVariant(name, code, spec)]));
    const start = (
      name: Name,
      ...call: Parameters<ToolFunction<unknown>>
    ): ReturnType<ToolFunction<unknown>> => {
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

const toEffect = (answer: ReturnType<ToolFunction<unknown>>): Effect.Effect<unknown, unknown, unknown> =>
  Effect.isEffect(answer) ? answer : Effect.tryPromise({ try: () => answer, catch: (error) => error });

const createShadowRun = <Name extends string>(
  codes: VariantImplementations<Name>,
  shadow: ShadowOptions<Name>,
  sharedSpec: ToolSpec,
): ((spec: ToolSpec) => ToolFunction<unknown>) => {
  const { answer, compare, allowWrites = false } = shadow;
  for (const name of [answer, compare]) checkVariantName(name, [...codes.keys()]);
  const code = codes.get(compare)!;
  const writes = !isReadOnly(isTool(code) ? code.spec : sharedSpec);
  if (writes && !allowWrites) {
    throw invalidConfigError(
      `The variant "${compare}" may write, and would run in addition to "${answer}" for every call. Set annotations: { readOnly: true } if it only reads, or shadow: { allowWrites: true } to allow the writes.`,
    );
  }
  return (spec) =>
    runWithShadow(
      runVariant(answer, codes.get(answer)!, spec),
      runVariant(compare, code, spec),
      shadow,
      spec.timeoutMs ?? 30_000,
    );
};

const checkCompatible = (sharedSpec: ToolSpec, name: string, code: LibraryCode, mode: BindMode): void => {
  if (!isTool(code)) return;
  if (code.layers.length > 0) {
    throw invalidConfigError(
      `The variant "${name}" has layers, which would not run. Put the layers around all variants: variants(…).layer(…).`,
    );
  }
  const explanation = explainBinding({ ...sharedSpec, name: code.spec.name }, code, mode);
  if (explanation.ok) return;
  throw new ToolBindingError(
    "not_bound",
    `The variant "${name}" does not match the spec of "${sharedSpec.name}".\n${bindingText(explanation)}`,
  );
};

const strictestSpec = (sharedSpec: ToolSpec, codes: readonly LibraryCode[]): ToolSpec => {
  const tools = codes.filter(isTool);
  const all = tools.reduce((spec, { spec: own }) => stricterSpec(spec, own), sharedSpec);
  const { timeoutMs: _, annotations, ...rest } = all;
  const { source, timeoutMs } = sharedSpec;
  const every = (key: "readOnly" | "idempotent"): object =>
    annotations[key] === undefined
      ? {}
      : { [key]: tools.every(({ spec }) => spec.annotations[key] === true) };
  const shared =
    tools[0]?.spec.tags.filter((tag) => tools.every(({ spec }) => spec.tags.includes(tag))) ?? [];
  return Object.freeze({
    ...rest,
    tags: Object.freeze([...new Set([...shared, ...tools.flatMap(({ spec }) => warningTags(spec.tags))])]),
    annotations: Object.freeze({ ...annotations, ...every("readOnly"), ...every("idempotent") }),
    source,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
};

const invalidConfigError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
