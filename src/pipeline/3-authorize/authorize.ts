import * as Effect from "effect/Effect";
import { type Decision, makeDecision } from "../../policy/decide-case.ts";
import type { ApprovalAnswer } from "../../types/approval.ts";
import type { RunCounters } from "../../types/call.ts";
import type { AnyLayer } from "../../types/layer.ts";
import { failed } from "../../types/outcome.ts";
import type { CallServices } from "../call-services.ts";
import {
  type BoundCall,
  type CallAwaitingApproval,
  isStopped,
  type PermittedCall,
  type StoppedCall,
  stopCall,
} from "../call-state.ts";
import { withCallContext } from "../current-call.ts";
import { deferEffect, flatMapMaybe, type MaybeEffect } from "../maybe-effect.ts";
import { markDecision } from "../recorder.ts";
import { findExceededBudget } from "./find-exceeded-budget.ts";
import { findRepeatReason } from "./find-repeat-reason.ts";
import { findRepeatedEntries } from "./find-repeated-entries.ts";
import { issuePermit } from "./issue-permit.ts";
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
    const approvalReason = decision.effect === "approve" ? decision.reason : reason;
    return flatMapMaybe(findReasonOfRepeat(services, call), (repeatReason): AuthorizationResult => {
      if (repeatReason !== undefined)
        return { kind: "question", call, reason: approvalReason ?? repeatReason, approvers, isNew: true };
      if (approvalReason === undefined) return issuePermit(call, decision, approvers);
      return { kind: "question", call, reason: approvalReason, approvers, isNew: isUntrusted(call) };
    });
  });
};

const findReasonOfRepeat = (services: CallServices, call: BoundCall): MaybeEffect<string | undefined> => {
  const repeated = findRepeatedEntries(call);
  return repeated.length === 0 ? undefined : deferEffect(findRepeatReason(services, call, repeated));
};

/** A policy engine may be asynchronous; an error or a timeout denies. */
export const decidePolicy = ({ policy, settings }: CallServices, call: BoundCall): MaybeEffect<Decision> => {
  markDecision(call.recorder);
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

const countersOf = ({ request: { readBefore, scope } }: BoundCall): RunCounters => {
  if (readBefore === undefined) return scope.tally;
  const { calls, cost } = scope.tally;
  return { calls, cost, taints: readBefore };
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
