import * as Effect from "effect/Effect";
import { type Decision, decision } from "../../policy/judge.ts";
import type { ApprovalAnswer } from "../../words/approval.ts";
import type { RunTally } from "../../words/call.ts";
import type { AnyLayer } from "../../words/layer.ts";
import { failed } from "../../words/outcome.ts";
import type { CallServices } from "../call-services.ts";
import {
  type BoundCall,
  type GrantedCall,
  isStopped,
  type Stopped,
  stopped,
  type UnansweredCall,
} from "../call-state.ts";
import { answerInside } from "../current-call.ts";
import { andThen, type Eventually, later } from "../eventually.ts";
import { grant } from "./grant.ts";
import { overBudget } from "./over-budget.ts";
import { denied, refusedByPerson } from "./refuse.ts";
import { repeatsUnknown } from "./repeats-unknown.ts";

/** Holds an edited input against the spec again; no edit reaches a tool unvalidated. */
export type Revise = (call: BoundCall, input: unknown) => BoundCall | Stopped;

export type Authorized = GrantedCall | UnansweredCall | Stopped;

/** Asks the approval layers of run, agent and tool, then policy. Nobody waits for a person here. */
export const authorize = (
  services: CallServices,
  asked: BoundCall,
  approvers: readonly AnyLayer[],
  revise: Revise,
): Eventually<Authorized> => {
  const consulted =
    approvers.length === 0
      ? { call: asked, reason: undefined }
      : answerInside(services, asked, () => consult(asked, approvers, revise));
  if (isStopped(consulted)) return consulted;
  const { call, reason } = consulted;
  return andThen(decide(services, call), (decision) => {
    if (decision.effect === "deny") return stopped(call, denied(call, decision));
    const why = decision.effect === "approve" ? decision.reason : reason;
    if (repeatsUnknown(call)) {
      return { kind: "question", call, reason: why ?? repeated, approvers, isNew: true } as const;
    }
    if (why === undefined) return grant(call, decision, approvers);
    return { kind: "question", call, reason: why, approvers, isNew: isDoubtful(call) } as const;
  });
};

/** A decision, or an Effect of one: an engine may ask somebody else. What breaks, or does not answer in time, denies. */
export const decide = ({ policy, settings }: CallServices, call: BoundCall): Eventually<Decision> => {
  const spent = overBudget(call);
  if (spent !== undefined) return decision("deny", spent);
  const decided = policy.decide({
    principal: call.principal,
    registration: call.registration,
    input: call.input,
    validated: call.validated,
    repaired: call.provenance.repaired,
    tally: tallyOf(call),
  });
  if (!Effect.isEffect(decided)) return decided;
  const millis = settings.defaultTimeoutMs;
  const inTime = Effect.timeoutOrElse(decided, {
    duration: millis,
    orElse: () => Effect.succeed(decision("deny", `the policy did not answer within ${millis} ms`)),
  });
  return later(inTime);
};

/** What the run has come to, and what had been read when the model asked for this call. */
const tallyOf = ({ request: { readBefore, scope } }: BoundCall): RunTally => {
  if (readBefore === undefined) return scope.tally;
  const { calls, cost } = scope.tally;
  return { calls, cost, taints: readBefore };
};

interface Consulted {
  readonly call: BoundCall;
  /** Why a person must be asked, if a layer says so. */
  readonly reason: string | undefined;
}

/**
 * What the approval layers say. A layer can only narrow: its `allow` grants nothing that policy withholds. An input
 * that one of them edited is put before all the others.
 */
export const consult = (
  asked: BoundCall,
  approvers: readonly AnyLayer[],
  revise: Revise,
): Consulted | Stopped => {
  let reason: string | undefined;
  for (const layer of approvers) {
    const answer = answerOf(layer, asked);
    if (answer === undefined) continue;
    if (isStopped(answer)) return answer;
    if (answer.kind === "allow") continue;
    if (answer.kind === "deny") return stopped(asked, refusedByPerson(asked.registration.key, answer.reason));
    if (answer.kind === "ask") {
      reason ??= answer.reason ?? `${layer.label ?? "a layer"} asks for approval`;
      continue;
    }
    const revised = revise(asked, answer.input);
    if (isStopped(revised)) return revised;
    const others = approvers.filter((other) => other !== layer);
    const consulted = consult(revised, others, revise);
    return isStopped(consulted) ? consulted : { call: consulted.call, reason: reason ?? consulted.reason };
  }
  return { call: asked, reason };
};

const kinds: ReadonlySet<unknown> = new Set<ApprovalAnswer["kind"]>(["allow", "deny", "edit", "ask"]);

/** A layer that answers with a promise or a word of its own has not answered: only silence leaves it to the others. */
const answerOf = (layer: AnyLayer, call: BoundCall): ApprovalAnswer | Stopped | undefined => {
  const { key } = call.registration;
  try {
    const answer = layer.approve?.({
      tool: key,
      input: call.input,
      agent: call.principal.agent,
      env: call.request.env,
    });
    if (answer === undefined || kinds.has(answer.kind)) return answer;
    throw new TypeError("it has to answer at once, with { kind: allow | deny | edit | ask } or with nothing");
  } catch (cause) {
    return stopped(
      call,
      failed({
        code: "layer_broke",
        tool: key,
        message: `The layer "${layer.label ?? "approval"}" broke while it was asked about "${key}".`,
        detail: String(cause),
        cause,
      }),
    );
  }
};

const repeated = "the same call was made in this run, and nobody knows whether it took effect";

/** A yes for all calls like this one was given without knowing of words from outside, or of a repair. */
const isDoubtful = (call: BoundCall): boolean => call.provenance.repaired || tallyOf(call).taints.length > 0;
