import type { Decision } from "../../policy/policy.ts";
import type { AuthorizedCall, BoundCall } from "../../words/call.ts";
import type { AnyLayer } from "../../words/layer.ts";
import { failed, isOutcome, type Outcome } from "../../words/outcome.ts";
import type { House } from "../house.ts";
import { grant } from "./grant.ts";
import { denied, refusedByPerson } from "./refuse.ts";

/** A person must say yes to this call before it goes on. */
export interface Question {
  readonly kind: "question";
  readonly call: BoundCall;
  readonly reason: string;
  readonly approvers: readonly AnyLayer[];
}

/** Holds an edited input against the spec again; no edit reaches a tool unvalidated. */
export type Revise = (call: BoundCall, input: unknown) => BoundCall | Outcome;

export const isQuestion = (value: object): value is Question => "kind" in value;

export const decide = (house: House, call: BoundCall): Decision =>
  house.policy.decide({
    principal: call.principal,
    registration: call.registration,
    input: call.input,
    validated: call.validated,
    repaired: call.trip.provenance?.repaired === true,
    tally: call.trip.scope.tally,
  });

/** Asks policy, then the approval layers of run, agent and tool. Nobody waits here. */
export const authorize = (
  house: House,
  call: BoundCall,
  approvers: readonly AnyLayer[],
  revise: Revise,
): AuthorizedCall | Outcome | Question => {
  if (approvers.length > 0) return consult(house, call, approvers, revise);
  const decision = decide(house, call);
  if (decision.effect === "allow") return grant(call, decision, approvers);
  if (decision.effect === "deny") return denied(call, decision);
  return { kind: "question", call, reason: decision.reason, approvers };
};

/** A layer can only narrow: its `allow` objects to nothing and grants nothing that policy withholds. */
const consult = (
  house: House,
  asked: BoundCall,
  approvers: readonly AnyLayer[],
  revise: Revise,
): AuthorizedCall | Outcome | Question => {
  const heard = hear(asked, approvers, revise);
  if (isOutcome(heard)) return heard;
  const { call, reason } = heard;
  const decision = decide(house, call);
  if (decision.effect === "deny") return denied(call, decision);
  if (decision.effect === "approve") return { kind: "question", call, reason: decision.reason, approvers };
  return reason === undefined
    ? grant(call, decision, approvers)
    : { kind: "question", call, reason, approvers };
};

interface Heard {
  readonly call: BoundCall;
  /** Why a person must be asked, if a layer says so. */
  readonly reason: string | undefined;
}

/** What the approval layers say. An input that one of them edited is put before all the others. */
export const hear = (asked: BoundCall, approvers: readonly AnyLayer[], revise: Revise): Heard | Outcome => {
  let reason: string | undefined;
  for (const layer of approvers) {
    const answer = answerOf(layer, asked);
    if (isOutcome(answer)) return answer;
    if (answer === undefined || answer.kind === "allow") continue;
    if (answer.kind === "deny") return refusedByPerson(asked.registration.key, answer.reason);
    if (answer.kind === "ask") {
      reason ??= answer.reason ?? `${layer.label ?? "a layer"} asks for approval`;
      continue;
    }
    const revised = revise(asked, answer.input);
    if (isOutcome(revised)) return revised;
    const others = approvers.filter((other) => other !== layer);
    const heard = hear(revised, others, revise);
    return isOutcome(heard) ? heard : { call: heard.call, reason: reason ?? heard.reason };
  }
  return { call: asked, reason };
};

const answerOf = (layer: AnyLayer, call: BoundCall) => {
  try {
    return layer.approve?.({
      tool: call.registration.key,
      input: call.input,
      agent: call.principal.agent,
      env: call.trip.env,
    });
  } catch (cause) {
    return failed({
      code: "layer_broke",
      tool: call.registration.key,
      message: `The layer "${layer.label ?? "approval"}" broke while it was asked about "${call.registration.key}".`,
      detail: String(cause),
      cause,
    });
  }
};
