import { copyJson } from "../../json/copy-json.ts";
import { freezeJson } from "../../json/freeze-json.ts";
import type { JsonLimits } from "../../json/limits.ts";
import type { JsonReading } from "../../json/problem.ts";
import { readJson } from "../../json/read-json.ts";
import { toText } from "../../json/to-text.ts";
import { withoutMinusZero } from "../../json/without-minus-zero.ts";
import type { RawCall } from "../../words/call.ts";
import type { Change, HydrationError, HydrationResult, Mender, RepairMode } from "../../words/hydration.ts";
import type { Issue } from "../../words/json.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { Validation } from "../../words/validator.ts";
import { isCutOff } from "./cut-off.ts";
import { type Ready, readyOf } from "./ready.ts";
import { repair } from "./repair/repair.ts";
import { cutOff, cutText, invalidArguments, unreadableArguments } from "./sentences.ts";
import { withoutNulls } from "./without-nulls.ts";

export interface HydrateOptions<Mode extends RepairMode = RepairMode> {
  readonly repair?: Mode;
  /** Who is asked, once, when `repair` is `model`. */
  readonly mender?: Mender;
  readonly limits?: JsonLimits;
  /** A pure function has no clock: without this, the provenance names no time. */
  readonly now?: () => number;
}

/** Asking a model takes time; nothing else here does. */
export type Hydrated<Mode extends RepairMode> = Mode extends "model"
  ? Promise<HydrationResult>
  : HydrationResult;

/**
 * Arguments read and held against a spec: all of stage 1 that needs no runtime. Mends only if told to, never
 * what was cut off, and never throws. What it gives was authorized by nobody: it is a value, not a call. A value
 * that was fine as it came is the caller's own and not frozen; the corridor freezes what it reads itself.
 */
export const hydrate = <Mode extends RepairMode = "off">(
  raw: RawCall,
  spec: ToolSpec,
  options: HydrateOptions<Mode> = {},
): Hydrated<Mode> => {
  try {
    const at = options.now?.();
    const ready = readyOf(spec);
    const quick = hydrateQuickly(raw, spec, ready, options.limits, at);
    if (quick !== undefined && options.repair !== "model") return quick as Hydrated<Mode>;
    const hydrating: Hydrating = { raw, spec, options, at, ready };
    const strict = readStrictly(hydrating);
    if (options.repair === "model") return mendByModel(hydrating, strict) as Hydrated<Mode>;
    const read = options.repair === "deterministic" ? mendByRules(hydrating, strict) : strict;
    return toResult(hydrating, read) as Hydrated<Mode>;
  } catch {
    return (options?.repair === "model" ? Promise.resolve(unusable) : unusable) as Hydrated<Mode>;
  }
};

/** Not a call, not a spec, or one whose members throw: none of it is looked at again. */
const unusable: HydrationResult = Object.freeze({
  success: false,
  errors: Object.freeze([
    {
      stage: "find",
      message:
        "This cannot be hydrated: it takes a tool call, with an id and a tool name, and the tool's spec.",
    } as const,
  ]),
  provenance: Object.freeze({
    providerToolId: "",
    callId: "",
    originalRawArgs: undefined,
    validator: null,
    repaired: false,
    changes: Object.freeze([]),
  }),
});

/** Most calls are a text that is fine as it came, and this is all that happens to them; any other is undefined. */
const hydrateQuickly = (
  raw: RawCall,
  spec: ToolSpec,
  ready: Ready,
  limits: JsonLimits | undefined,
  at: number | undefined,
): HydrationResult | undefined => {
  const { id, tool, input } = raw;
  if (!ready.isPlain || typeof input !== "string" || typeof id !== "string" || typeof tool !== "string")
    return undefined;
  if (input === "" || id === "" || tool === "" || raw.providerExecuted === true) return undefined;
  if (raw.nulls !== undefined || (raw.finish !== undefined && raw.finish !== "complete")) return undefined;
  const reading = readJson(input, limits);
  if (!reading.ok || !isArguments(reading.value)) return undefined;
  const validation = ready.validate(reading.value);
  if (!validation.ok) return undefined;
  const { value } = validation;
  return {
    success: true,
    errors: none,
    provenance: {
      providerToolId: tool,
      callId: id,
      tool: spec.name,
      originalRawArgs: input,
      parsed: value,
      validated: value,
      validator: ready.note,
      at,
      repaired: false,
      changes: none,
    },
  };
};

interface Hydrating {
  readonly raw: RawCall;
  readonly spec: ToolSpec;
  readonly options: HydrateOptions;
  readonly at: number | undefined;
  readonly ready: Ready;
}

interface Read {
  readonly error: HydrationError | undefined;
  /** What a lenient tool gets in spite of the error. */
  readonly isUsable: boolean;
  readonly isMendable: boolean;
  readonly parsed: unknown;
  readonly value: unknown;
  readonly changes: readonly Change[];
}

const none: readonly never[] = Object.freeze([]);

const readStrictly = (hydrating: Hydrating): Read => {
  const refusal = refusalOf(hydrating);
  if (refusal !== undefined) return unread(refusal, false);
  return judge(hydrating, hydrating.raw.input, true);
};

/** Providers send an empty text, or null, for a call without arguments. */
const readArguments = (input: unknown, limits: JsonLimits | undefined): JsonReading => {
  if (typeof input === "string") return readJson(input === "" ? "{}" : input, limits);
  const copy = copyJson(input === undefined || input === null ? {} : input, limits);
  return copy.ok ? { ok: true, value: withoutMinusZero(copy.value) } : copy;
};

/** Arguments are named, whatever a spec may say of other values. */
const isArguments = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const notNamed: Validation = Object.freeze({
  ok: false,
  issues: [{ pointer: "", message: "Expected an object with named arguments", expected: "object" }],
});

const judge = (hydrating: Hydrating, input: unknown, isMendable: boolean): Read => {
  const { raw, spec, ready, options } = hydrating;
  const reading = readArguments(input, options.limits);
  if (!reading.ok) {
    const message = unreadableArguments(spec.name, reading.problem.message);
    return unread({ stage: "parse", message, detail: reading.problem }, isMendable);
  }
  if (raw.nulls !== undefined) withoutNulls(reading.value, raw.nulls);
  const judged = ready.validate(reading.value);
  const validation = judged.ok && !isArguments(reading.value) ? notNamed : judged;
  // A validator fills defaults into the value itself; what came is then read once more.
  const isShared = raw.nulls === undefined && !ready.fillsDefaults;
  const parsed = isShared ? reading.value : readAgain(input, options.limits);
  const value = freezeJson(validation.ok ? validation.value : reading.value);
  if (validation.ok) return { error: undefined, isUsable: true, isMendable, parsed, value, changes: none };
  const error = invalid(spec, validation.issues);
  return { error, isUsable: spec.validate === "lenient", isMendable, parsed, value, changes: none };
};

const readAgain = (input: unknown, limits: JsonLimits | undefined): unknown => {
  const reading = readArguments(input, limits);
  return reading.ok ? freezeJson(reading.value) : undefined;
};

const unread = (error: HydrationError, isMendable: boolean): Read => ({
  error,
  isUsable: false,
  isMendable,
  parsed: undefined,
  value: undefined,
  changes: none,
});

const invalid = (spec: ToolSpec, issues: readonly Issue[]): HydrationError => ({
  stage: "validate",
  message: invalidArguments(spec.name, issues),
  detail: issues,
});

const refusalOf = ({ raw, spec, ready }: Hydrating): HydrationError | undefined => {
  if (typeof raw.id !== "string" || raw.id === "" || typeof raw.tool !== "string" || raw.tool === "") {
    const message = "This is not a tool call: it needs an id and a tool name, both non-empty strings.";
    return { stage: "find", message };
  }
  if (raw.providerExecuted === true) {
    return { stage: "find", message: `The provider runs "${raw.tool}" itself; nobody else may.` };
  }
  if (isCutOff(raw.finish)) {
    return { stage: "parse", message: cutOff(spec.name) };
  }
  return ready.problem;
};

const mendByRules = ({ raw, spec, ready, options }: Hydrating, strict: Read): Read => {
  if (strict.error === undefined || !strict.isMendable) return strict;
  const { input, nulls } = raw;
  const mended = repair({
    ...(typeof input === "string" ? { text: input } : { value: input }),
    schema: spec.input,
    tool: spec.name,
    validate: ready.validate,
    nulls,
    limits: options.limits,
  });
  if (!mended.ok) return strict;
  const changes = Object.freeze(mended.changes);
  return { ...strict, error: undefined, isUsable: true, value: freezeJson(mended.value), changes };
};

const mendByModel = async (hydrating: Hydrating, strict: Read): Promise<HydrationResult> => {
  const { mender } = hydrating.options;
  if (strict.error === undefined || !strict.isMendable || mender === undefined) {
    return toResult(hydrating, strict);
  }
  const { spec, raw } = hydrating;
  const text = toText(raw.input ?? {});
  let answer: unknown;
  try {
    answer = await mender({ spec, text, problem: strict.error.message });
  } catch {
    return toResult(hydrating, strict);
  }
  if (typeof answer !== "string" || answer === "") return toResult(hydrating, strict);
  const mended = judge(hydrating, answer, false);
  if (mended.error !== undefined) return toResult(hydrating, strict);
  const change: Change = { stage: "model", pointer: "", from: cutText(text), to: cutText(answer) };
  return toResult(hydrating, { ...mended, parsed: strict.parsed, changes: Object.freeze([change]) });
};

const toResult = ({ raw, spec, at, ready }: Hydrating, read: Read): HydrationResult => {
  const { error, isUsable, parsed, value, changes } = read;
  return {
    success: isUsable,
    errors: error === undefined ? none : [error],
    provenance: {
      providerToolId: raw.tool,
      callId: raw.id,
      tool: spec.name,
      originalRawArgs: raw.input,
      ...(parsed === undefined ? {} : { parsed }),
      ...(isUsable ? { validated: value } : {}),
      validator: ready.note,
      at,
      repaired: changes.length > 0,
      changes,
      ...(spec.noSchemaMode === undefined ? {} : { noSchemaMode: spec.noSchemaMode }),
    },
  };
};
