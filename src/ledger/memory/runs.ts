import * as Effect from "effect/Effect";
import type { RunStatus } from "../../words/agent.ts";
import type { LedgerError } from "../../words/errors.ts";
import type { Message } from "../../words/message.ts";
import {
  isJobRun,
  type RunBook,
  type RunRecord,
  type RunStep,
  type RunSummary,
} from "../../words/run-book.ts";
import { givenUpClosing, givenUpReason } from "../given-up.ts";
import { isEnded } from "../is-ended.ts";
import { mayGoOn } from "../may-go-on.ts";
import { claimLost, unavailable } from "../refusals.ts";
import { refuseStale } from "./claims.ts";
import type { MemoryState } from "./row.ts";

/** Runs that live as long as their process; of those that ended the last ones are kept. */
export const memoryRuns = (state: MemoryState, keep: number): Omit<RunBook, "watch"> => {
  const { claims, held } = state;
  const runs = new Map<string, RunRecord>();

  const change = (
    { runId, epoch }: Pick<RunStep, "runId" | "epoch">,
    next: (run: RunRecord) => RunRecord,
  ): Effect.Effect<void, LedgerError> =>
    Effect.suspend(() => {
      const run = runs.get(runId);
      const stale = refuseStale(state, runId, epoch);
      if (run === undefined || stale !== undefined) return Effect.fail(stale ?? claimLost(runId));
      return Effect.try({
        try: () => {
          runs.set(runId, next(run));
        },
        catch: (error) => error as LedgerError,
      });
    });
  /** Whoever goes on has the next epoch, and older ones count for nothing. */
  const takeOver = (runId: string, isHeld: boolean): number => {
    const epoch = (claims.get(runId)?.epoch ?? 0) + 1;
    claims.set(runId, { epoch, isHeld });
    held.lose(runId, epoch - 1);
    if (isHeld) held.hold(runId, epoch);
    return epoch;
  };
  const makeRoom = (): void => {
    if (runs.size < keep) return;
    for (const [runId, { status }] of runs) {
      if (status === "running" || status === "pending") continue;
      runs.delete(runId);
      claims.delete(runId);
      return;
    }
  };
  const shown = (run: RunRecord): RunRecord => ({ ...run, isHeld: claims.get(run.runId)?.isHeld === true });

  return {
    begin: ({ runId, agent, principal, messages, queued, at }) =>
      Effect.suspend(() => {
        if (runs.has(runId)) return Effect.fail(unavailable(`The run "${runId}" was begun before.`));
        makeRoom();
        const usage = { inputTokens: 0, outputTokens: 0 };
        const times = { startedAt: at, updatedAt: at };
        const given = messages.length;
        const record = { runId, agent, principal, status: "running" as const, turns: 0, usage, given };
        const origin = { firstAgent: agent, ...(queued === undefined ? {} : { queued }) };
        runs.set(runId, { ...record, ...times, ...origin, messages: [...messages] });
        return Effect.succeed(takeOver(runId, queued === undefined));
      }),
    add: (step) =>
      change(step, (run) => ({
        ...run,
        turns: step.turns,
        usage: step.usage,
        agent: step.agent,
        updatedAt: step.at,
        messages: [...run.messages, ...step.messages],
      })),
    amend: (amendment) =>
      change(amendment, (run) => ({
        ...run,
        updatedAt: amendment.at,
        messages: amended(run, amendment.messages),
      })),
    end: (end) =>
      Effect.map(
        change(end, (run) => ended(run, end.status, end.reason, end.at)),
        () => {
          claims.set(end.runId, { epoch: end.epoch, isHeld: false });
          held.release(end.runId, end.epoch);
        },
      ),
    giveUp: (runId, by, at) =>
      Effect.sync(() => {
        const run = runs.get(runId);
        if (run === undefined) return "unknown";
        if (!mayGoOn(run.status)) return "ended";
        const reason = state.redactor.text(givenUpReason(runId, by));
        runs.set(runId, ended(run, "stopped", reason, at));
        takeOver(runId, false);
        endCalls(state, runId);
        return "given-up";
      }),
    find: (runId) =>
      Effect.sync(() => {
        const run = runs.get(runId);
        return run === undefined ? undefined : shown(run);
      }),
    list: ({ status, agent, before, limit } = {}) =>
      Effect.sync(() => {
        const all = [...runs.values()].map((run) => toSummary(shown(run))).reverse();
        const from = before === undefined ? 0 : all.findIndex(({ runId }) => runId === before) + 1;
        if (before !== undefined && from === 0) return [];
        return all
          .slice(from)
          .filter((run) => status === undefined || run.status === status)
          .filter((run) => agent === undefined || run.agent === agent)
          .slice(0, limit);
      }),
    claim: (runId, at) =>
      Effect.sync(() => {
        const run = runs.get(runId);
        if (run === undefined || claims.get(runId)?.isHeld === true || !mayGoOn(run.status)) return undefined;
        const { reason: _, ...record } = run;
        runs.set(runId, { ...record, status: "running", updatedAt: at });
        return takeOver(runId, true);
      }),
  };
};

const ended = (
  { reason: _, ...run }: RunRecord,
  status: RunStatus,
  reason: string | undefined,
  at: number,
): RunRecord => ({
  ...run,
  status,
  ...(reason === undefined ? {} : { reason }),
  updatedAt: at,
  messages: mayGoOn(status) || isJobRun(run.runId) ? run.messages : [],
});

/** Nobody goes on with what a run left that was given up. */
const endCalls = (state: MemoryState, runId: string): void => {
  for (const row of state.rows.values()) {
    if (row.opening.runId !== runId || isEnded(row.ending)) continue;
    if (row.ending === "open") state.lose(row);
    else state.end(row, givenUpClosing(runId, row.opening.entryId, row.closing?.ran));
  }
  for (const record of state.asked.values()) {
    const isOpen = record.status === "waiting" || record.status === "answered";
    if (record.runId === runId && isOpen) state.asked.set(record.id, { ...record, status: "void" });
  }
};

const toSummary = ({
  messages: _,
  given: _given,
  firstAgent: _agent,
  queued: _queued,
  ...summary
}: RunRecord): RunSummary => summary;

/** Each takes the place of the newest message about the same call, of a pending one first. */
const amended = ({ runId, messages }: RunRecord, answers: readonly Message[]): readonly Message[] => {
  const all = [...messages];
  for (const answer of answers) {
    const callId = answer.role === "tool" ? answer.callId : undefined;
    const isAbout = (each: Message): boolean => each.role === "tool" && each.callId === callId;
    const pending = all.findLastIndex((each) => isAbout(each) && "pending" in each);
    const place = pending >= 0 ? pending : all.findLastIndex(isAbout);
    if (place < 0) {
      throw unavailable(
        `The run "${runId}" has no message about the call "${callId}" that could be replaced.`,
      );
    }
    all[place] = answer;
  }
  return all;
};
