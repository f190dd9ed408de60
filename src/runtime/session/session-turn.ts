import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { addRunTaints } from "../../call/recorder.ts";
import type { EarlierCall } from "../../call/recover.ts";
import { declineAll, sessionQuestion, sessionTurn } from "../../call/session-calls.ts";
import type { SessionStep } from "../../call/tools-service.ts";
import type { ApprovalRequest } from "../../words/approval.ts";
import type { RawCall, RunScope, RunTally } from "../../words/call.ts";
import type { ToolError } from "../../words/errors.ts";
import type { EventBus } from "../../words/event.ts";
import { noLayers } from "../../words/layer.ts";
import type { Reply } from "../../words/reply.ts";
import type { Shared } from "../shared.ts";
import { readCall, type SessionCall } from "./session-call.ts";
import { duringTurn, type LiveSession, type SessionClaim, type Unclaimed } from "./session-claim.ts";
import type { ReadSession } from "./session-options.ts";
import { patienceOf, readScope, toToolError, unclaimedScope, withBudget } from "./session-scope.ts";

/** What a call of a foreign loop tells while it goes on. */
export interface SessionProgress {
  readonly callId: string;
  readonly tool: string;
  readonly update: unknown;
}

/** How the calls of one model message are made. */
export interface SessionTurnOptions {
  readonly signal?: AbortSignal | undefined;
  /** How many run at once. Unless set: all of them. */
  readonly maxConcurrency?: number | undefined;
  readonly env?: unknown;
  /** Hears what the tools tell while they run. */
  readonly onProgress?: ((progress: SessionProgress) => void) | undefined;
}

/** All calls of one model message. Whatever becomes of a call is in its reply. */
export const turnOf = (
  shared: Shared,
  session: ReadSession,
  live: LiveSession,
  given: readonly RawCall[],
  options: SessionTurnOptions,
): Effect.Effect<readonly Reply[]> => {
  const read = given.map(readCall);
  const readBefore = whatWasRead(live);
  const { waitMs } = session;
  const { signal } = options;
  const made = duringTurn(shared.ledger, live, { waitMs, signal }, (claim) =>
    makeCalls(shared, session, live, claim, read, readBefore, options),
  );
  return Effect.catch(made, (unclaimed: Unclaimed) =>
    shared.tools.inSession(
      read.map(({ call }) => call),
      stepOf(session, unclaimedScope(shared, session), undefined, options),
      (corridor, requests, parent) => declineAll(corridor, requests, unclaimed, parent),
    ),
  );
};

/** Makes each call once. A request for a call that already runs in this process waits for it and returns the same result. */
const makeCalls = (
  { tools, events }: Shared,
  session: ReadSession,
  live: LiveSession,
  claim: SessionClaim,
  calls: readonly SessionCall[],
  readBefore: WhatWasRead,
  options: SessionTurnOptions,
): Effect.Effect<readonly Reply[], Unclaimed> => {
  const keys = calls.map(({ key }) => key);
  return live.locks.hold(keys, options.signal, () => {
    const atFirst = readBefore(claim.scope.tally);
    const judged = new Map<RawCall, readonly string[]>();
    const repeated = new Set<RawCall>();
    for (const { call, key } of calls) {
      judged.set(call, live.judged.get(key) ?? atFirst);
      live.judged.delete(key);
      if (live.made.has(key)) repeated.add(call);
    }
    const isNew = live.isAllKnown && calls.every(({ call }) => !live.seen.has(call.id));
    for (const { call } of calls) see(live, call);
    const all = calls.map(({ call }) => call);
    const stopTelling = tellProgress(events, session.runId, all, options.onProgress);
    const step = { ...stepOf(session, claim.scope, claim.lost.signal, options), judged, repeated };
    return Effect.onExit(makeThem(tools, all, step, isNew), (exit) =>
      Effect.sync(() => {
        stopTelling();
        const unmade = Exit.isSuccess(exit) ? exit.value.filter(isUnmade).map(({ id }) => id) : [];
        for (const { call, key } of calls) if (!unmade.includes(call.id)) live.made.add(key);
      }),
    );
  });
};

const see = ({ seen }: LiveSession, { id, tool }: RawCall): void => {
  const tools = seen.get(id);
  if (tools?.includes(tool) !== true) seen.set(id, tools === undefined ? [tool] : [...tools, tool]);
};

/** Not even on record: it was not begun. */
const isUnmade = ({ failure }: Reply): boolean =>
  (failure?.code === "ledger_unavailable" || failure?.code === "claim_lost") && failure.ran !== true;

/** What the model reads next has the words of these replies in it. */
const makeThem = (
  tools: Shared["tools"],
  calls: readonly RawCall[],
  step: SessionStep,
  isNew: boolean,
): Effect.Effect<readonly Reply[]> =>
  tools.inSession(calls, step, (corridor, requests, parent) => {
    const { maxConcurrency, signal, lost } = step;
    const limits = { maxConcurrency, signal, lost, parent };
    return Effect.map(sessionTurn(corridor, requests, isNew, limits), (all) => {
      for (const { taints } of all) if (taints !== undefined) addRunTaints(step.scope.tally, taints);
      return all;
    });
  });

/** Gives back how to stop telling. */
const tellProgress = (
  events: EventBus,
  runId: string,
  calls: readonly RawCall[],
  tell: SessionTurnOptions["onProgress"],
): (() => void) => {
  if (tell === undefined) return () => {};
  const ids = new Set(calls.map(({ id }) => id));
  return events.on("tools.progress", ({ runId: of, callId, toolName: tool, update }) => {
    if (of === runId && ids.has(callId)) tell({ callId, tool, update });
  });
};

/** The question that must be answered before this call runs, on record from now on. Nothing runs. */
export const questionOf = (
  shared: Shared,
  session: ReadSession,
  live: LiveSession,
  given: RawCall,
): Effect.Effect<ApprovalRequest | undefined, ToolError> => {
  const { call, key } = readCall(given);
  const wasRead = whatWasRead(live);
  const asked = duringTurn(shared.ledger, live, patienceOf(session), ({ scope, lost }) =>
    live.locks.hold([key], undefined, () => {
      const readBefore = wasRead(scope.tally);
      const isNew = live.isAllKnown && !live.seen.has(call.id);
      const step = { ...stepOf(session, scope, lost.signal, {}), judged: new Map([[call, readBefore]]) };
      const asking = shared.tools.inSession([call], step, (corridor, [request], parent) =>
        sessionQuestion(corridor, request!, isNew, parent),
      );
      return Effect.tap(asking, (question) =>
        Effect.sync(() => {
          if (question === undefined) remember(live.judged, key, readBefore);
          // On record from now on.
          else see(live, call);
        }),
      );
    }),
  );
  return Effect.mapError(asked, toToolError);
};

/** What had been read of a session when somebody asked for a call, once it is known what the session has come to. */
type WhatWasRead = (now: RunTally) => readonly string[];

/**
 * Taken when a call is asked for: from then on it is what it is, and whatever other calls of its message read while it waits
 * its turn is not why it is made. Where another process went on with the session meanwhile, only its ledger knows.
 */
const whatWasRead = (live: LiveSession): WhatWasRead => {
  const { tally } = live;
  const taints = tally?.taints ?? none;
  return (now) => ((tally === undefined ? live.isAllKnown : tally === now) ? taints : now.taints);
};

const none: readonly string[] = Object.freeze([]);

/** A loop that asks and never calls is not remembered for ever. */
const mostJudged = 1_000;

const remember = (judged: LiveSession["judged"], key: string, taints: readonly string[]): void => {
  judged.set(key, taints);
  if (judged.size > mostJudged) judged.delete(judged.keys().next().value as string);
};

/** How a call stands: never asked for, waiting for a person, or settled. */
export type CallStanding = EarlierCall["kind"];

/** The same call is known by its id, its tool and its arguments. Nothing is written, and nothing runs. */
export const standingOf = (
  { tools }: Shared,
  session: ReadSession,
  given: RawCall,
): Effect.Effect<CallStanding, ToolError> =>
  tools.inSession(
    [readCall(given).call],
    stepOf(session, readScope(session), undefined, {}),
    (corridor, [request]) => Effect.map(corridor.earlier(request!), ({ kind }) => kind),
  );

const stepOf = (
  session: ReadSession,
  scope: RunScope,
  lost: AbortSignal | undefined,
  { signal, maxConcurrency, env }: SessionTurnOptions,
): SessionStep => ({
  scope: withBudget(session, scope),
  layers: noLayers,
  shown: undefined,
  principal: session.principal,
  env,
  ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
  ...(signal === undefined ? {} : { signal }),
  lost,
});
