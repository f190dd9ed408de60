import { maskParts } from "../../json/mask-parts.ts";
import { readPart } from "../../json/read-part.ts";
import type { Redactor } from "../../json/redact.ts";
import type { ContentPart } from "../../words/content.ts";
import { type Failure, isFailure } from "../../words/failure.ts";
import {
  type Flow,
  failed,
  final,
  handoff,
  joinTaints,
  type Outcome,
  rewrite,
  succeeded,
  taintsOf,
  type Value,
  withTaints,
} from "../../words/outcome.ts";
import { plainJson } from "./plain-json.ts";
import type { TapedOutcome } from "./tape.ts";

/** What goes on the tape. A result that is no JSON is taped as the failure that the corridor makes of it. */
export const toTaped = (outcome: Outcome, tool: string, redactor: Redactor): TapedOutcome =>
  withTapedTaints(untainted(outcome, tool, redactor), taintsOf(outcome));

/** The same on tape, with these tools among those whose words are in it. */
export const withTapedTaints = (taped: TapedOutcome, more: readonly string[]): TapedOutcome => {
  const taints = joinTaints(taped.taints ?? [], more);
  return taints.length === 0 ? taped : { ...taped, taints };
};

const untainted = (outcome: Outcome, tool: string, redactor: Redactor): TapedOutcome => {
  if (outcome._tag === "value") {
    const taped = tapedValue(outcome.value, outcome.flow, tool, redactor);
    const { parts } = outcome;
    return parts === undefined || taped.kind === "failure"
      ? taped
      : { ...taped, ...tapedParts(parts, redactor) };
  }
  if (outcome._tag === "failure") return tapedFailure(outcome.failure, redactor);
  return tapedFailure({ code: "approval_required", tool, message: "A person must approve it." }, redactor);
};

export const tapedFailure = (failure: Failure, redactor: Redactor): TapedOutcome => {
  const { cause: _, approval: __, ...rest } = failure;
  return { kind: "failure", failure: redactor.value(rest) as Failure };
};

/** Members keep the order the tool gave them, so that a model is told the same text again. */
const tapedValue = (value: unknown, flow: Flow, tool: string, redactor: Redactor): TapedOutcome => {
  const plain = plainJson(value);
  if (plain.ok) {
    const own = plain.value === undefined ? {} : { value: redactor.value(plain.value) };
    return { kind: "value", ...own, flow: tapedFlow(flow, redactor) };
  }
  const message = `The result of "${tool}" breaks its promise: ${plain.problem.message}`;
  return tapedFailure({ code: "invalid_output", tool, ran: true, message }, redactor);
};

/** What is no part is refused by the corridor, played or not. */
const tapedParts = (
  parts: readonly ContentPart[],
  redactor: Redactor,
): { readonly parts?: readonly ContentPart[] } =>
  parts.every((part) => readPart(part).ok) ? { parts: maskParts(parts, redactor) } : {};

const tapedFlow = (flow: Flow, redactor: Redactor): Flow => {
  if (flow.kind === "handoff") return { kind: "handoff", agent: flow.agent };
  if (flow.kind !== "rewrite") return { kind: flow.kind };
  const original = plainJson(flow.original);
  return { kind: "rewrite", original: original.ok ? redactor.value(original.value) : "[not JSON]" };
};

/** A new one each time: whoever changes its value changes nobody else's. */
export const toOutcome = (taped: TapedOutcome): Outcome => withTaints(toUntainted(taped), taped.taints ?? []);

const toUntainted = (taped: TapedOutcome): Outcome => {
  if (taped.kind === "failure") return failed(structuredClone(taped.failure));
  const { value, flow, parts } = structuredClone(taped);
  const outcome = toValue(value, flow);
  return parts === undefined ? outcome : { ...outcome, parts };
};

const toValue = (value: unknown, flow: Flow): Value => {
  if (flow.kind === "final") return final(value);
  if (flow.kind === "rewrite") return rewrite(value, flow.original);
  return flow.kind === "handoff" ? { ...handoff(flow.agent), value } : succeeded(value);
};

/** Why something read from a file is no outcome, or nothing. */
export const outcomeProblem = (outcome: unknown): string | undefined => {
  const { kind, flow, failure, taints, parts } = (outcome ?? {}) as {
    readonly taints?: unknown;
    readonly parts?: unknown;
    readonly kind?: unknown;
    readonly flow?: { readonly kind?: unknown; readonly agent?: unknown };
    readonly failure?: unknown;
  };
  if (taints !== undefined && !isNames(taints)) return "has `taints` that are no list of names";
  if (kind === "failure") return isFailure(failure) ? undefined : "has a failure of an unknown code";
  if (kind !== "value") return 'has an outcome whose kind is neither "value" nor "failure"';
  if (!flows.has(flow?.kind)) return "has a value without a known flow";
  if (parts !== undefined && !areParts(parts))
    return "has `parts` that are no pictures, sounds, files or texts";
  return flow?.kind === "handoff" && typeof flow.agent !== "string" ? "hands over to nobody" : undefined;
};

const areParts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => readPart(each).ok);

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const flows: ReadonlySet<unknown> = new Set<Flow["kind"]>(["continue", "rewrite", "final", "handoff"]);
