import type { JsonLimits } from "../../base/json/json-problem.ts";
import { freezeJson, stringifyValue } from "../../base/json/json-value.ts";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import { customValidatorOf } from "../../tools/read-definition.ts";
import type { RawCall } from "../../types/call.ts";
import {
  type Change,
  type HydrationError,
  type HydrationResult,
  noProvenance,
  type Repairer,
  type RepairMode,
  type ValidatorNote,
} from "../../types/hydration.ts";
import type { ToolSpec, Validator } from "../../types/tool.ts";
import { invalidArgumentsMessage, toExcerpt } from "./argument-messages.ts";
import { checkCallShape, toValidatorNote } from "./hydrate.ts";
import {
  type AcceptedArguments,
  parseArguments,
  type RefusedArguments,
  readArguments,
} from "./read-arguments.ts";

/** Options of `hydrate`. */
export interface HydrateOptions<Mode extends RepairMode = RepairMode> {
  readonly repair?: Mode;
  /** Called once if `repair` is `model`. */
  readonly repairer?: Repairer;
  readonly limits?: JsonLimits;
  /** Clock for the provenance. Unless set: no times are noted. */
  readonly now?: () => number;
}

/** Asynchronous only for `repair: "model"`. */
export type HydrateReturn<Mode extends RepairMode> = Mode extends "model"
  ? Promise<HydrationResult>
  : HydrationResult;

/**
 * Runs stage 1 without a runtime: reads arguments and validates them against a spec. Never throws. The result
 * is not authorized.
 */
export const hydrate = <Mode extends RepairMode = "off">(
  raw: RawCall,
  spec: ToolSpec,
  options: HydrateOptions<Mode> = {},
): HydrateReturn<Mode> => {
  try {
    const request = { raw, spec, options, at: options.now?.(), ready: compiledSpecOf(spec) };
    const read = readCallArguments(request);
    const after = options.now?.();
    const hydrating: HydrationInput = { ...request, after };
    if (options.repair === "model") return repairWithModel(hydrating, read) as HydrateReturn<Mode>;
    return toHydrationResult(hydrating, read) as HydrateReturn<Mode>;
  } catch {
    return (
      options?.repair === "model" ? Promise.resolve(unusableResult) : unusableResult
    ) as HydrateReturn<Mode>;
  }
};

interface HydrationInput {
  readonly raw: RawCall;
  readonly spec: ToolSpec;
  readonly options: HydrateOptions;
  readonly at: number | undefined;
  readonly after: number | undefined;
  readonly ready: CompiledSpec;
}

interface InvalidCall {
  readonly ok: false;
  readonly error: HydrationError;
}

type ReadResult = AcceptedArguments | RefusedArguments | InvalidCall;

const readCallArguments = ({ raw, spec, options, ready }: Omit<HydrationInput, "after">): ReadResult => {
  const notACall = checkCallShape(raw);
  if (notACall !== undefined) return { ok: false, error: { stage: "find", message: notACall.message } };
  if (ready.problem !== undefined) return { ok: false, error: ready.problem };
  const { limits, repair } = options;
  return readArguments({ spec, validate: ready.validate }, raw, { limits, repair });
};

const repairWithModel = async (hydrating: HydrationInput, read: ReadResult): Promise<HydrationResult> => {
  const { raw, spec, options, ready } = hydrating;
  const { repairer, limits } = options;
  if (read.ok || "error" in read || !read.isRepairable || repairer === undefined)
    return toHydrationResult(hydrating, read);
  const text = stringifyValue(raw.input ?? {});
  let answer: unknown;
  try {
    answer = await repairer({ spec, text, problem: read.failure.message });
  } catch {
    return toHydrationResult(hydrating, read);
  }
  if (typeof answer !== "string" || answer === "") return toHydrationResult(hydrating, read);
  const repaired = readArguments(
    { spec, validate: ready.validate },
    { ...raw, input: answer },
    { limits, mode: "strict" },
  );
  if (!repaired.ok) return toHydrationResult(hydrating, read);
  const change: Change = { stage: "model", pointer: "", from: toExcerpt(text), to: toExcerpt(answer) };
  return toHydrationResult(hydrating, { ...repaired, changes: Object.freeze([change]) });
};

const noItems: readonly never[] = Object.freeze([]);

const toHydrationResult = (
  { raw, spec, at, after, ready, options }: HydrationInput,
  read: ReadResult,
): HydrationResult => {
  const changes = read.ok ? read.changes : noItems;
  const violation = read.ok && read.issues.length > 0 ? read.issues : undefined;
  const isUnmodified = read.ok && changes.length === 0 && violation === undefined;
  const parsed =
    isUnmodified && raw.nulls === undefined && !ready.fillsDefaults
      ? read.value
      : parseStrictly(raw, options.limits);
  return {
    success: read.ok,
    errors: hydrationErrorsOf(read, spec),
    provenance: {
      providerToolId: raw.tool,
      callId: raw.id,
      tool: spec.name,
      ...(raw.part === undefined ? {} : { part: raw.part }),
      originalRawArgs: raw.input,
      ...(parsed === undefined ? {} : { parsed }),
      ...(read.ok
        ? { validated: isUnmodified && typeof raw.input === "string" ? read.value : freezeJson(read.value) }
        : {}),
      validator: ready.note,
      at,
      ...(at === undefined || after === undefined ? {} : { validationMs: after - at }),
      repaired: changes.length > 0,
      changes,
      ...(spec.noSchemaMode === undefined ? {} : { noSchemaMode: spec.noSchemaMode }),
    },
  };
};

const hydrationErrorsOf = (read: ReadResult, spec: ToolSpec): readonly HydrationError[] => {
  if (read.ok) {
    if (read.issues.length === 0) return noItems;
    return [
      { stage: "validate", message: invalidArgumentsMessage(spec.name, read.issues), detail: read.issues },
    ];
  }
  if ("error" in read) return [read.error];
  const { code, message, issues } = read.failure;
  const stage = code === "invalid_input" ? "validate" : "parse";
  const detail = issues ?? read.problem;
  return [{ stage, message, ...(detail === undefined ? {} : { detail }) }];
};

const parseStrictly = ({ id, tool, input }: RawCall, limits: JsonLimits | undefined): unknown => {
  const reading = parseArguments({ id, tool, input }, limits, false);
  return reading.ok ? freezeJson(reading.value) : undefined;
};

const unusableResult: HydrationResult = Object.freeze({
  success: false,
  errors: Object.freeze([
    {
      stage: "find",
      message: "Hydration requires a tool call with an id and a tool name, and the tool's spec.",
    } as const,
  ]),
  provenance: noProvenance,
});

interface CompiledSpec {
  readonly validate: Validator;
  readonly note: ValidatorNote | null;
  readonly fillsDefaults: boolean;
  readonly isPlain: boolean;
  readonly problem: HydrationError | undefined;
}

const compiledSpecs = new WeakMap<ToolSpec, CompiledSpec>();

const compiledSpecOf = (spec: ToolSpec): CompiledSpec => {
  const before = compiledSpecs.get(spec);
  if (before !== undefined) return before;
  const ready = compileSpec(spec);
  compiledSpecs.set(spec, ready);
  return ready;
};

const compileSpec = (spec: ToolSpec): CompiledSpec => {
  try {
    const validate =
      customValidatorOf(spec) ??
      Object.assign(compileSchema(spec.input), { compiledAt: "hydration" } as const);
    const note = spec.noSchemaMode === undefined ? toValidatorNote(validate) : null;
    const fillsDefaults = JSON.stringify(spec.input).includes('"default"');
    return { validate, note, fillsDefaults, isPlain: !fillsDefaults && note !== null, problem: undefined };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `The arguments of "${spec.name}" cannot be checked: ${why}`;
    return {
      validate: rejectAll,
      note: null,
      fillsDefaults: false,
      isPlain: false,
      problem: { stage: "validate", message },
    };
  }
};

const rejectAll: Validator = Object.assign(() => ({ ok: false, issues: [] }) as const, { engine: "none" });
