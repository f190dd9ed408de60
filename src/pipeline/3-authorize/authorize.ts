import * as Effect from "effect/Effect";
import { hashInput, hashText } from "../../base/json/canonical-json.ts";
import { stringifyValue } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import { type Decision, makeDecision } from "../../policy/decide-case.ts";
import type { ApprovalAnswer, ImmediateApproval } from "../../types/approval.ts";
import { type AuthorizedCall, type Permit, type RunCounters, sealCall } from "../../types/call.ts";
import { failed } from "../../types/outcome.ts";
import { type AnyLayer, isIdempotent, type RegisteredName, type Registration } from "../../types/tool.ts";
import {
  type BoundCall,
  type CallAwaitingApproval,
  type CallServices,
  isStopped,
  type PermittedCall,
  type StoppedCall,
  stopCall,
} from "../call-state.ts";
import { withCallContext } from "../current-call.ts";
import { deferEffect, flatMapMaybe, loadOnDemand, type MaybeEffect } from "../maybe-effect.ts";
import { callFingerprint, callTextFingerprint, leaveRunPlan, unknownCallsOf } from "../recorder.ts";
import { approvalDeniedOutcome, deniedOutcome } from "./refusal-outcomes.ts";

export type InputReviser = (call: BoundCall, input: unknown) => BoundCall | StoppedCall;

export type AuthorizationResult = PermittedCall | CallAwaitingApproval | StoppedCall;

/** Stage 3: asks the approval layers of run, agent and tool, then policy. Does not wait for approval. */
export const authorizeCall = (
  services: CallServices,
  asked: BoundCall,
  approvers: readonly AnyLayer[],
  revise: InputReviser,
): MaybeEffect<AuthorizationResult> => {
  const consulted =
    approvers.length === 0
      ? { call: asked, reason: undefined }
      : withCallContext(services, asked, () => consultApprovers(asked, approvers, revise));
  if (isStopped(consulted)) return consulted;
  const { call, reason } = consulted;
  return flatMapMaybe(decidePolicy(services, call), (decision) => {
    if (decision.effect === "deny") return stopCall(call, deniedOutcome(call, decision));
    if (decision.leavesPlan === true) leaveRunPlan(call.request.scope.tally);
    const approvalReason = decision.effect === "approve" ? decision.reason : reason;
    return flatMapMaybe(findReasonOfRepeat(services, call), (repeatReason): AuthorizationResult => {
      if (repeatReason !== undefined)
        return { kind: "question", call, reason: approvalReason ?? repeatReason, approvers, isNew: true };
      if (approvalReason === undefined) return issuePermit(call, decision, approvers);
      return { kind: "question", call, reason: approvalReason, approvers, isNew: isUntrusted(call) };
    });
  });
};

interface HumanApproval {
  readonly atOnce: ImmediateApproval | undefined;
}

/** Holds the authorized call in a private field, which a copy lacks. */
class SealedPermit implements Permit {
  readonly #call: PermittedCall;
  readonly input: unknown;
  readonly decision: string;
  readonly ruleIds: readonly string[];

  constructor(
    call: BoundCall,
    approvers: readonly AnyLayer[],
    { reason, ruleIds }: Decision,
    approval: HumanApproval | undefined,
  ) {
    this.#call = toPermittedCall(call, this, approvers, approval);
    this.input = call.input;
    this.decision = reason;
    this.ruleIds = ruleIds;
    Object.freeze(this);
  }

  static callOf(grant: unknown): PermittedCall | undefined {
    return grant instanceof SealedPermit ? grant.#call : undefined;
  }
}

export const permittedCallOf = SealedPermit.callOf;

export const issuePermit = (
  call: BoundCall,
  decision: Decision,
  approvers: readonly AnyLayer[],
  approval?: HumanApproval,
): PermittedCall => permittedCallOf(new SealedPermit(call, approvers, decision, approval))!;

const toPermittedCall = (
  call: BoundCall,
  permit: Permit,
  approvers: readonly AnyLayer[],
  approval: HumanApproval | undefined,
): PermittedCall => ({
  request: call.request,
  parent: call.parent,
  onReply: call.onReply,
  recorder: call.recorder,
  principal: call.principal,
  clock: call.clock,
  startedAt: call.startedAt,
  ledgerError: call.ledgerError,
  registration: call.registration,
  provenance: call.provenance,
  spec: call.spec,
  input: call.input,
  transformed: call.transformed,
  isRevised: call.isRevised,
  validated: call.validated,
  run: call.run,
  grant: permit,
  approvers,
  approved: approval?.atOnce,
  isApproved: approval !== undefined,
});

export const toAuthorizedCall = (call: PermittedCall): AuthorizedCall =>
  sealCall({
    request: call.request,
    principal: call.principal,
    registration: registeredNameOf(call.registration),
    spec: call.spec,
    input: call.input,
    env: call.request.env,
    implementation: call.registration.tool.implementation._tag,
    grant: call.grant,
    recorder: call.recorder,
  });

const registeredNames = new WeakMap<Registration, RegisteredName>();

/** Omits the tool, with which a layer could bypass the gate. */
const registeredNameOf = (registration: Registration): RegisteredName => {
  const before = registeredNames.get(registration);
  if (before !== undefined) return before;
  const { key, wireName, origin } = registration;
  const name = Object.freeze({ key, wireName, origin });
  registeredNames.set(registration, name);
  return name;
};

/** The entries of this run whose effect is unknown, and that this call repeats. */
export const findRepeatedEntries = ({ request, registration, spec, input }: BoundCall): readonly string[] => {
  const unknown = unknownCallsOf(request.scope.tally);
  if (unknown === undefined || isIdempotent(spec)) return [];
  const text = stringifyValue(request.raw.input);
  const reading = readJson(text);
  const hashes = [hashInput(input), ...(reading.ok ? [hashInput(reading.value)] : [])];
  const found = [registration.key, request.raw.tool]
    .flatMap((tool) => [
      ...hashes.map((hash) => callFingerprint(tool, hash)),
      callTextFingerprint(tool, hashText(text)),
    ])
    .flatMap((fingerprint) => [...(unknown.get(fingerprint) ?? [])]);
  return [...new Set(found)];
};

const findReasonOfRepeat = (services: CallServices, call: BoundCall): MaybeEffect<string | undefined> => {
  const repeated = findRepeatedEntries(call);
  if (repeated.length === 0) return undefined;
  return deferEffect(
    Effect.flatMap(repeatReasonModule, ({ findRepeatReason }) => findRepeatReason(services, call, repeated)),
  );
};

const repeatReasonModule = loadOnDemand(() => import("./find-repeat-reason.ts"));

/** A policy engine may be asynchronous; an error or a timeout denies. */
export const decidePolicy = ({ policy, settings }: CallServices, call: BoundCall): MaybeEffect<Decision> => {
  call.recorder.markDecision();
  const budgetReason = findExceededBudget(call);
  if (budgetReason !== undefined) return makeDecision("deny", budgetReason);
  const decided = policy.decide({
    principal: call.principal,
    registration: call.registration,
    input: call.input,
    validated: call.validated,
    repaired: call.provenance.repaired,
    tally: countersOf(call),
  });
  if (!Effect.isEffect(decided)) return decided;
  const millis = settings.defaultTimeoutMs;
  const inTime = Effect.timeoutOrElse(decided, {
    duration: millis,
    orElse: () => Effect.succeed(makeDecision("deny", `the policy did not answer within ${millis} ms`)),
  });
  return deferEffect(inTime);
};

export const findExceededBudget = ({ request, spec, recorder }: BoundCall): string | undefined => {
  const { budget, tally } = request.scope;
  // A resumed call was already counted when it first started.
  if (budget === undefined || recorder.hasRun) return undefined;
  if (budget.calls !== undefined && tally.calls >= budget.calls) {
    return `the budget of ${budget.calls} calls is used up`;
  }
  const { cost } = budget;
  const left = cost === undefined ? undefined : cost - tally.cost;
  const isTooExpensive = left !== undefined && (spec.maxCost === undefined ? left <= 0 : spec.maxCost > left);
  return isTooExpensive ? `only ${left} of the budget of ${cost} is left` : undefined;
};

const countersOf = ({ request: { readBefore, scope } }: BoundCall): RunCounters => {
  if (readBefore === undefined) return scope.tally;
  const { calls, cost, lineage } = scope.tally;
  return { calls, cost, taints: readBefore, lineage };
};

interface ConsultationResult {
  readonly call: BoundCall;
  readonly reason: string | undefined;
}

/**
 * A layer can only restrict: `allow` does not override policy. An edited input is passed to all other layers.
 */
export const consultApprovers = (
  asked: BoundCall,
  approvers: readonly AnyLayer[],
  revise: InputReviser,
): ConsultationResult | StoppedCall => {
  let reason: string | undefined;
  for (const layer of approvers) {
    const answer = readApproverAnswer(layer, asked);
    if (answer === undefined) continue;
    if (isStopped(answer)) return answer;
    if (answer.kind === "allow") continue;
    if (answer.kind === "deny")
      return stopCall(asked, approvalDeniedOutcome(asked.registration.key, answer.reason));
    if (answer.kind === "ask") {
      reason ??= answer.reason ?? `${layer.label ?? "a layer"} requires approval`;
      continue;
    }
    const revised = revise(asked, answer.input);
    if (isStopped(revised)) return revised;
    const others = approvers.filter((other) => other !== layer);
    const consulted = consultApprovers(revised, others, revise);
    return isStopped(consulted) ? consulted : { call: consulted.call, reason: reason ?? consulted.reason };
  }
  return { call: asked, reason };
};

const answerKinds: ReadonlySet<unknown> = new Set<ApprovalAnswer["kind"]>(["allow", "deny", "edit", "ask"]);

/** Only undefined means no opinion; an invalid answer, such as a promise, stops the call. */
const readApproverAnswer = (layer: AnyLayer, call: BoundCall): ApprovalAnswer | StoppedCall | undefined => {
  const { key } = call.registration;
  try {
    const answer = layer.approve?.({
      tool: key,
      input: call.input,
      agent: call.principal.agent,
      env: call.request.env,
    });
    if (answer === undefined || answerKinds.has(answer.kind)) return answer;
    throw new TypeError("it must return { kind: allow | deny | edit | ask } or undefined, without a promise");
  } catch (cause) {
    return stopCall(
      call,
      failed({
        code: "layer_broke",
        tool: key,
        message: `The layer "${layer.label ?? "approval"}" failed while it decided about "${key}".`,
        detail: String(cause),
        cause,
      }),
    );
  }
};

/** Existing grants do not cover calls after untrusted content was read, or with repaired arguments. */
const isUntrusted = (call: BoundCall): boolean =>
  call.provenance.repaired || countersOf(call).taints.length > 0;
