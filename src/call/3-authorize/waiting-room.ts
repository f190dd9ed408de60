import * as Effect from "effect/Effect";
import { type ApprovalDecision, Approver } from "../../words/approval.ts";
import type { AuthorizedCall, BoundCall } from "../../words/call.ts";
import { ToolApprovalError } from "../../words/errors.ts";
import { failed, isOutcome, type Outcome, pending } from "../../words/outcome.ts";
import type { Principal } from "../../words/principal.ts";
import type { House } from "../house.ts";
import { decide, hear, type Question, type Revise } from "./authorize.ts";
import { grant } from "./grant.ts";
import { denied, needsPerson, refusedByPerson } from "./refuse.ts";

interface Waiting<Walk> {
  readonly question: Question;
  readonly walk: Walk;
}

/** Where questions to a person are put, and calls stay until the answer comes. */
export const waitingRoom = <Walk>(house: House, revise: Revise) => {
  const seats = new Map<string, Waiting<Walk>>();

  /** A person's word as a grant or a refusal. Policy is asked once more: rights may have changed since. */
  const settle = (question: Question, answer: ApprovalDecision): AuthorizedCall | Outcome => {
    if (!isDecision(answer)) return refusedByPerson(question.call, unreadableAnswer);
    if (answer.kind === "deny") return refusedByPerson(question.call, answer.reason);
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
    if (decision.effect === "deny") return denied(heard.call, decision.reason);
    const approved = { ...decision, reason: `approved by a person (${question.reason})` };
    return grant(heard.call, approved, question.approvers);
  };

  const ask = (question: Question, walk: Walk): Effect.Effect<AuthorizedCall | Outcome> =>
    Effect.withFiber((fiber) => {
      const desk = fiber.getRef(Approver);
      const { call, reason } = question;
      if (desk === undefined || seats.size >= most) return Effect.succeed(needsPerson(call, reason));
      const request = {
        id: house.newId(),
        callId: call.trip.raw.id,
        tool: call.registration.key,
        principal: call.principal,
        input: call.input,
        reason,
      };
      return Effect.map(desk.ask(request), (answer) => {
        if (answer !== undefined) return settle(question, answer);
        seats.set(request.id, { question, walk });
        return pending(request);
      });
    });

  /** Taken once, by its own caller and for a readable answer only; to anybody else the id does not exist. */
  const take = (
    id: string,
    answer: ApprovalDecision,
    principal: Principal | undefined,
  ): Effect.Effect<Waiting<Walk>, ToolApprovalError> =>
    Effect.suspend(() => {
      if (!isDecision(answer)) return Effect.fail(unreadable());
      const seat = seats.get(id);
      if (seat === undefined || !isSame(seat.question.call.principal, principal))
        return Effect.fail(unknownApproval(id));
      seats.delete(id);
      return Effect.succeed(seat);
    });

  /** A call whose waiting could not be written down waits no longer. */
  const leave = (id: string): void => {
    seats.delete(id);
  };

  return { ask, take, settle, leave };
};

/** So many may wait at once; whoever comes then is refused, or memory would grow with every question. */
const most = 10_000;

const gone = ({ registration }: BoundCall): Outcome =>
  failed({
    code: "unknown_tool",
    tool: registration.key,
    message: `The tool "${registration.key}" is not there any more.`,
  });

const unreadableAnswer =
  'the answer could not be read: it is { kind: "allow" }, { kind: "deny", reason } or { kind: "edit", input }';

/** What is no clear yes is no yes. */
const isDecision = (answer: unknown): answer is ApprovalDecision => {
  const kind = (answer as Partial<ApprovalDecision> | null | undefined)?.kind;
  return kind === "allow" || kind === "deny" || kind === "edit";
};

const unreadable = (): ToolApprovalError =>
  new ToolApprovalError(
    "unreadable_decision",
    'An approval is answered with { kind: "allow" }, { kind: "deny", reason } or { kind: "edit", input }.',
  );

const isSame = (asked: Principal, now: Principal | undefined): boolean =>
  now !== undefined &&
  asked.agent === now.agent &&
  asked.session === now.session &&
  asked.user === now.user &&
  asked.tenant === now.tenant;

const unknownApproval = (id: string): ToolApprovalError =>
  new ToolApprovalError("unknown_approval", `No call waits for the approval "${id}".`);
