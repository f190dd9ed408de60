import type * as Effect from "effect/Effect";
import type { ApprovalDecision, ApprovalRequest } from "../../words/approval.ts";
import { type Principal, partyOf } from "../../words/principal.ts";
import { reviseInput } from "../1-hydrate/hydrate.ts";
import { consult, decide } from "../3-authorize/authorize.ts";
import { grant } from "../3-authorize/grant.ts";
import { denied, goneTool, refusedByPerson } from "../3-authorize/refuse.ts";
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
import { andThen, type Eventually, toEffect } from "../eventually.ts";

/**
 * A person's word as a grant or a refusal. Policy and the approval layers are asked once more: rights may have changed
 * since, and a person's yes answers whoever asks for one but overrules nobody who says no.
 */
export const applyDecision = (
  services: CallServices,
  question: UnansweredCall,
  answer: ApprovalDecision,
  request?: ApprovalRequest,
): Effect.Effect<GrantedCall | Stopped> => toEffect(apply(services, question, readDecision(answer), request));

const apply = (
  services: CallServices,
  { call, reason, approvers }: UnansweredCall,
  answer: ApprovalDecision,
  request: ApprovalRequest | undefined,
): Eventually<GrantedCall | Stopped> => {
  const { registration } = call;
  if (!isDecision(answer)) return stopped(call, refusedByPerson(registration.key, unreadable));
  if (isForNoSession(answer, call.principal)) {
    return stopped(call, refusedByPerson(registration.key, noSession));
  }
  if (answer.kind === "deny") return stopped(call, refusedByPerson(registration.key, answer.reason));
  if (registration.origin !== "agent" && services.registry.get(registration.key) !== registration) {
    return stopped(call, goneTool(registration.key));
  }
  const revise = (each: BoundCall, input: unknown) => reviseInput(services, each, input);
  const edited = answer.kind === "edit" ? revise(call, answer.input) : call;
  if (isStopped(edited)) return edited;
  const consulted = answerInside(services, edited, () => consult(edited, approvers, revise));
  if (isStopped(consulted)) return consulted;
  return andThen(decide(services, consulted.call), (decision) => {
    if (decision.effect === "deny") return stopped(consulted.call, denied(consulted.call, decision));
    const approved = { ...decision, reason: `approved by a person (${reason})` };
    const atOnce = request === undefined ? undefined : { request, decision: answer };
    return grant(consulted.call, approved, approvers, atOnce);
  });
};

const unreadable =
  'the answer could not be read: it is { kind: "allow" }, { kind: "deny", reason } or { kind: "edit", input }';

/** Each member is read once: what one look took for a no must not be a yes to the next. */
export const readDecision = (given: ApprovalDecision): ApprovalDecision => {
  try {
    const { kind, reason, input, always } = given as Readonly<Record<string, unknown>>;
    return Object.freeze({ kind, reason, input, always }) as ApprovalDecision;
  } catch {
    return Object.freeze({ kind: "unreadable" }) as never;
  }
};

const scopes: ReadonlySet<unknown> = new Set([undefined, "run", "session"]);

/** What is no clear yes is no yes. */
export const isDecision = (answer: unknown): answer is ApprovalDecision => {
  const { kind, always, input } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === "edit") return input !== undefined;
  return (kind === "allow" && scopes.has(always)) || kind === "deny";
};

/** A yes for all of a session's calls, where the caller has none. */
export const isForNoSession = (answer: ApprovalDecision, principal: Principal): boolean =>
  answer.kind === "allow" && answer.always === "session" && partyOf(principal).session === undefined;

export const noSession =
  'The caller has no session, so a yes cannot hold for it. Answer with always: "run", or without.';
