import { copyJson } from "../../base/json/copy-json.ts";
import type { JsonReading } from "../../base/json/json-problem.ts";
import { isStringList, stringifyValue } from "../../base/json/json-value.ts";
import { maskParts } from "../../base/json/mask-parts.ts";
import { readJson } from "../../base/json/read-json.ts";
import { readPart } from "../../base/json/read-part.ts";
import type { Redactor } from "../../base/json/redact.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import { type Failure, isFailure } from "../../types/failure.ts";
import type { ContentPart } from "../../types/message.ts";
import {
  type Flow,
  failed,
  final,
  handoff,
  joinTaints,
  type Outcome,
  rewrite,
  succeeded,
  taintsOfOutcome,
  type ValueOutcome,
  withTaints,
} from "../../types/outcome.ts";
import { cassetteJsonLimits, type RecordedOutcome } from "./cassette-file.ts";
import type { CassetteCall, ParsedCassetteOptions } from "./cassette-options.ts";
import { hashWithoutIgnored } from "./ignored-arguments.ts";

/** A result that is not JSON is recorded as the failure that the pipeline makes of it. */
export const recordOutcome = (outcome: Outcome, tool: string, redactor: Redactor): RecordedOutcome =>
  withRecordedTaints(toRecordedWithoutTaints(outcome, tool, redactor), taintsOfOutcome(outcome));

export const withRecordedTaints = (recorded: RecordedOutcome, more: readonly string[]): RecordedOutcome => {
  const taints = joinTaints(recorded.taints ?? [], more);
  return taints.length === 0 ? recorded : { ...recorded, taints };
};

const toRecordedWithoutTaints = (outcome: Outcome, tool: string, redactor: Redactor): RecordedOutcome => {
  if (outcome._tag === "value") {
    const recorded = recordedValue(outcome.value, outcome.flow, tool, redactor);
    const { parts } = outcome;
    return parts === undefined || recorded.kind === "failure"
      ? recorded
      : { ...recorded, ...recordedParts(parts, redactor) };
  }
  if (outcome._tag === "failure") return recordedFailure(outcome.failure, redactor);
  return recordedFailure({ code: "approval_required", tool, message: "A person must approve it." }, redactor);
};

export const recordedFailure = (failure: Failure, redactor: Redactor): RecordedOutcome => {
  const { cause: _, approval: __, ...rest } = failure;
  return { kind: "failure", failure: redactor.value(rest) as Failure };
};

/** Keeps the order of members, so that a model reads the same text in a replay. */
const recordedValue = (value: unknown, flow: Flow, tool: string, redactor: Redactor): RecordedOutcome => {
  const plain = toCassetteJson(value);
  if (plain.ok) {
    const own = plain.value === undefined ? {} : { value: redactor.value(plain.value) };
    return { kind: "value", ...own, flow: recordedFlow(flow, redactor) };
  }
  const message = `The result of "${tool}" is invalid: ${plain.problem.message}`;
  return recordedFailure({ code: "invalid_output", tool, ran: true, message }, redactor);
};

/** A date becomes text, as for a model. Fails if information would be lost. */
export const toCassetteJson = (value: unknown): JsonReading => {
  if (value === undefined) return { ok: true, value };
  const copy = copyJson(value, cassetteJsonLimits);
  if (copy.ok) return copy;
  try {
    const text = JSON.stringify(value, rejectLossyValue);
    return text === undefined ? copy : copyJson(JSON.parse(text), cassetteJsonLimits);
  } catch {
    return copy;
  }
};

/** Checks the member itself too, because `written` is the result of its `toJSON`. */
function rejectLossyValue(this: unknown, key: string, written: unknown): unknown {
  if (isLossyInJson((this as Record<string, unknown>)[key]) || isLossyInJson(written))
    throw new TypeError("not JSON");
  return written;
}

const isLossyInJson = (value: unknown): boolean =>
  typeof value === "function" ||
  typeof value === "symbol" ||
  (typeof value === "number" && !Number.isFinite(value)) ||
  value instanceof Map ||
  value instanceof Set ||
  value instanceof Promise ||
  value instanceof RegExp ||
  value instanceof Error ||
  value instanceof ArrayBuffer ||
  ArrayBuffer.isView(value);

/** The pipeline refuses invalid parts in any case. */
const recordedParts = (
  parts: readonly ContentPart[],
  redactor: Redactor,
): { readonly parts?: readonly ContentPart[] } =>
  parts.every((part) => readPart(part).ok) ? { parts: maskParts(parts, redactor) } : {};

const recordedFlow = (flow: Flow, redactor: Redactor): Flow => {
  if (flow.kind === "handoff") return { kind: "handoff", agent: flow.agent };
  if (flow.kind !== "rewrite") return { kind: flow.kind };
  const original = toCassetteJson(flow.original);
  return { kind: "rewrite", original: original.ok ? redactor.value(original.value) : "[not JSON]" };
};

/** A copy, because the caller may change the value. */
export const replayOutcome = (recorded: RecordedOutcome): Outcome =>
  withTaints(toOutcomeWithoutTaints(recorded), recorded.taints ?? []);

const toOutcomeWithoutTaints = (recorded: RecordedOutcome): Outcome => {
  if (recorded.kind === "failure") return failed(structuredClone(recorded.failure));
  const { value, flow, parts } = structuredClone(recorded);
  const outcome = toValueOutcome(value, flow);
  return parts === undefined ? outcome : { ...outcome, parts };
};

const toValueOutcome = (value: unknown, flow: Flow): ValueOutcome => {
  if (flow.kind === "final") return final(value);
  if (flow.kind === "rewrite") return rewrite(value, flow.original);
  return flow.kind === "handoff" ? { ...handoff(flow.agent), value } : succeeded(value);
};

export const outcomeProblem = (outcome: unknown): string | undefined => {
  const { kind, flow, failure, taints, parts } = (outcome ?? {}) as {
    readonly taints?: unknown;
    readonly parts?: unknown;
    readonly kind?: unknown;
    readonly flow?: { readonly kind?: unknown; readonly agent?: unknown };
    readonly failure?: unknown;
  };
  if (taints !== undefined && !isStringList(taints)) return "has `taints` that are not a list of names";
  if (kind === "failure") return isFailure(failure) ? undefined : "has a failure with an unknown code";
  if (kind !== "value") return 'has an outcome whose kind is neither "value" nor "failure"';
  if (!flowKinds.has(flow?.kind)) return "has a value without a known flow";
  if (parts !== undefined && !areParts(parts))
    return "has `parts` that are not text, image, audio or file parts";
  return flow?.kind === "handoff" && typeof flow.agent !== "string"
    ? "has a handoff without an agent"
    : undefined;
};

const areParts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => readPart(each).ok);

const flowKinds: ReadonlySet<unknown> = new Set<Flow["kind"]>(["continue", "rewrite", "final", "handoff"]);

export const toCassetteCall = (call: AuthorizedCall, { steps }: ParsedCassetteOptions): CassetteCall => {
  const given = argumentsAsJson(call);
  return {
    tool: call.registration.key,
    callId: call.request.raw.id,
    arguments: given,
    argumentsHash: hashWithoutIgnored(given, steps),
  };
};

/** A schema may convert the arguments to something that is not JSON. */
const argumentsAsJson = ({ input, request }: AuthorizedCall): unknown => {
  const own = toCassetteJson(input);
  if (own.ok) return own.value ?? null;
  const text = stringifyValue(request.raw.input);
  const reading = readJson(text, cassetteJsonLimits);
  return reading.ok ? reading.value : text;
};
