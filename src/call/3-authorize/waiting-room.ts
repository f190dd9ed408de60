import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { definitionHash } from "../../define/definition-hash.ts";
import { type ApprovalDecision, type ApprovalRequest, Approver } from "../../words/approval.ts";
import type { AuthorizedCall, BoundCall } from "../../words/call.ts";
import { failed, isOutcome, type Outcome, pending } from "../../words/outcome.ts";
import type { House } from "../house.ts";
import { decide, hear, type Question, type Revise } from "./authorize.ts";
import { grant } from "./grant.ts";
import { denied, needsPerson, refusedByPerson } from "./refuse.ts";

interface Waiting<Walk> {
  readonly question: Question;
  readonly walk: Walk;
}

/** Where questions to a person are put, and calls of this process stay until the answer comes. */
export const waitingRoom = <Walk>(house: House, revise: Revise) => {
  const seats = new Map<string, Waiting<Walk>>();

  /** A person's word as a grant or a refusal. Policy is asked once more: rights may have changed since. */
  const settle = (
    question: Question,
    answer: ApprovalDecision,
    request?: ApprovalRequest,
  ): AuthorizedCall | Outcome => {
    if (!isDecision(answer)) return refusedByPerson(question.call.registration.key, unreadableAnswer);
    if (answer.kind === "deny") return refusedByPerson(question.call.registration.key, answer.reason);
    const { registration } = question.call;
    if (registration.origin !== "agent" && house.registry.get(registration.key) !== registration) {
      return gone(question.call);
    }
    const edited = answer.kind === "edit" ? revise(question.call, answer.input) : question.call;
    if (isOutcome(edited)) return edited;
    // A person's yes answers whoever asks for one, but overrules nobody who says no.
    const heard = hear(edited, question.approvers, revise);
    if (isOutcome(heard)) return heard;
    const decision = decide(house, heard.call);
    if (decision.effect === "deny") return denied(heard.call, decision);
    const approved = { ...decision, reason: `approved by a person (${question.reason})` };
    const atOnce = request === undefined ? undefined : { request, decision: answer };
    return grant(heard.call, approved, question.approvers, atOnce);
  };

  /** What was said before of all calls like this one counts; else a person is asked. */
  const ask = (question: Question, walk: Walk): Effect.Effect<AuthorizedCall | Outcome> =>
    Effect.withFiber((fiber) => {
      const desk = fiber.getRef(Approver);
      const { call, reason } = question;
      const { isDurable } = house.approvals;
      if (desk === undefined && !isDurable) return Effect.succeed(needsPerson(call, reason));
      const at = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
      return Effect.flatMap(isDoubtful(call) ? nobody : standing(call, at), (before) => {
        if (before !== undefined) return Effect.succeed(settleBy(before, question));
        if (seats.size >= most && !isDurable) return Effect.succeed(needsPerson(call, reason));
        const request = toRequest(house, question, at);
        return Effect.map(desk === undefined ? later : desk.ask(request), (answer) => {
          if (answer !== undefined) return settle(question, answer, request);
          if (seats.size < most) seats.set(request.id, { question, walk });
          return pending(request);
        });
      });
    });

  const settleBy = (before: string, question: Question): AuthorizedCall | Outcome => {
    question.call.trip.notes.push(`approval: ${before} holds for this call too`);
    return settle(question, { kind: "allow" });
  };

  /** A book that cannot be read says nothing: then a person is asked. */
  const standing = ({ registration, spec, principal, trip }: BoundCall, at: number) => {
    const call = {
      tool: registration.key,
      definition: definitionHash(spec),
      runId: trip.scope.id,
      principal,
      at,
    };
    return Effect.match(house.approvals.standing(call), {
      onSuccess: (record) => record?.id,
      onFailure: () => undefined,
    });
  };

  /** The call that waits in this process under an id, if it does. It waits no longer. */
  const leave = (id: string): Waiting<Walk> | undefined => {
    const seat = seats.get(id);
    seats.delete(id);
    return seat;
  };

  return { ask, settle, leave, has: (id: string): boolean => seats.has(id) };
};

/** So many may wait in memory at once; whoever comes then is refused, or waits in the ledger alone. */
const most = 10_000;

const later = Effect.succeed(undefined);
const nobody = Effect.succeed(undefined);

/** A yes for all calls like this one was given without knowing of words from outside, or of a repair. */
const isDoubtful = ({ trip }: BoundCall): boolean =>
  trip.provenance?.repaired === true || (trip.scope.tally?.taints.length ?? 0) > 0;

const toRequest = ({ newId, settings }: House, { call, reason }: Question, at: number): ApprovalRequest => ({
  id: newId(),
  callId: call.trip.raw.id,
  runId: call.trip.scope.id,
  tool: call.registration.key,
  principal: call.principal,
  input: call.input,
  reason,
  askedAt: at,
  expiresAt: at + settings.approvalsExpireMs,
});

const gone = ({ registration }: BoundCall): Outcome =>
  failed({
    code: "unknown_tool",
    tool: registration.key,
    message: `The tool "${registration.key}" is not there any more.`,
  });

const unreadableAnswer =
  'the answer could not be read: it is { kind: "allow" }, { kind: "deny", reason } or { kind: "edit", input }';

const scopes: ReadonlySet<unknown> = new Set([undefined, "run", "session"]);

/** What is no clear yes is no yes. */
export const isDecision = (answer: unknown): answer is ApprovalDecision => {
  const { kind, always } = (answer ?? {}) as { readonly kind?: unknown; readonly always?: unknown };
  return (kind === "allow" && scopes.has(always)) || kind === "deny" || kind === "edit";
};
