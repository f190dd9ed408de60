import * as Effect from "effect/Effect";
import type { RunStatus } from "../../types/agent.ts";
import type { LedgerError } from "../../types/errors.ts";
import type { Message } from "../../types/message.ts";
import {
  type RunRecord,
  type RunStep,
  type RunStore,
  type RunSummary,
  runKindOf,
} from "../../types/run-store.ts";
import { cancelledCallClosing, cancelledRunReason, isResumable } from "../held-run-leases.ts";
import { leaseLostError, ledgerUnavailable } from "../ledger-errors.ts";
import { isFinalEnding } from "../settled-closing.ts";
import type { MemoryState } from "./memory-row.ts";

export const createMemoryRuns = (state: MemoryState, keep: number): Omit<RunStore, "watch"> => {
  const { claims, held: heldLeases } = state;
  const runs = new Map<string, RunRecord>();

  const change = (
    { runId, epoch }: Pick<RunStep, "runId" | "epoch">,
    next: (run: RunRecord) => RunRecord,
  ): Effect.Effect<void, LedgerError> =>
    Effect.suspend(() => {
      const run = runs.get(runId);
      const stale = checkLease(state, runId, epoch);
      if (run === undefined || stale !== undefined) return Effect.fail(stale ?? leaseLostError(runId));
      return Effect.try({
        try: () => {
          runs.set(runId, next(run));
        },
        catch: (error) => error as LedgerError,
      });
    });
  const takeOver = (runId: string, isHeld: boolean): number => {
    const epoch = (claims.get(runId)?.epoch ?? 0) + 1;
    claims.set(runId, { epoch, isHeld });
    heldLeases.lose(runId, epoch - 1);
    if (isHeld) heldLeases.hold(runId, epoch);
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
  const withLeaseState = (run: RunRecord): RunRecord => ({
    ...run,
    isHeld: claims.get(run.runId)?.isHeld === true,
  });

  return {
    begin: ({ runId, agent, principal, messages, queued, at }) =>
      Effect.suspend(() => {
        if (runs.has(runId)) return Effect.fail(ledgerUnavailable(`The run "${runId}" already exists.`));
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
        messages: replaceMessages(run, amendment.messages),
      })),
    end: (end) =>
      Effect.map(
        change(end, (run) => toEndedRun(run, end.status, end.reason, end.at)),
        () => {
          claims.set(end.runId, { epoch: end.epoch, isHeld: false });
          heldLeases.release(end.runId, end.epoch);
        },
      ),
    cancel: (runId, by, at) =>
      Effect.sync(() => {
        const run = runs.get(runId);
        if (run === undefined) return "unknown";
        if (!isResumable(run.status)) return "ended";
        const reason = state.redactor.text(cancelledRunReason(runId, by));
        runs.set(runId, toEndedRun(run, "stopped", reason, at));
        takeOver(runId, false);
        endOpenCalls(state, runId);
        return "given-up";
      }),
    find: (runId) =>
      Effect.sync(() => {
        const run = runs.get(runId);
        return run === undefined ? undefined : withLeaseState(run);
      }),
    list: ({ status, agent, before, limit } = {}) =>
      Effect.sync(() => {
        const all = [...runs.values()].map((run) => toSummary(withLeaseState(run))).reverse();
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
        if (run === undefined || claims.get(runId)?.isHeld === true || !isResumable(run.status))
          return undefined;
        const { reason: _, ...record } = run;
        runs.set(runId, { ...record, status: "running", updatedAt: at });
        return takeOver(runId, true);
      }),
  };
};

export interface MemoryRunLease {
  epoch: number;
  isHeld: boolean;
}

/** A refused lease is also marked as lost. */
export const checkLease = (
  { claims, held }: MemoryState,
  runId: string,
  epoch: number | undefined,
  isClosing = false,
): LedgerError | undefined => {
  if (epoch === undefined) return undefined;
  const claim = claims.get(runId);
  // A call's outcome may be written after its run has ended.
  if (claim?.epoch === epoch && (claim.isHeld || isClosing)) return undefined;
  held.lose(runId, epoch);
  return leaseLostError(runId);
};

const toEndedRun = (
  { reason: _, ...run }: RunRecord,
  status: RunStatus,
  reason: string | undefined,
  at: number,
): RunRecord => ({
  ...run,
  status,
  ...(reason === undefined ? {} : { reason }),
  updatedAt: at,
  messages: isResumable(status) || runKindOf(run.runId) === "job" ? run.messages : [],
});

const endOpenCalls = (state: MemoryState, runId: string): void => {
  for (const row of state.rows.values()) {
    if (row.opening.runId !== runId || isFinalEnding(row.ending)) continue;
    if (row.ending === "open") state.lose(row);
    else state.end(row, cancelledCallClosing(runId, row.opening.entryId, row.closing?.ran));
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

/** Newest first, pending messages before others. */
const replaceMessages = ({ runId, messages }: RunRecord, answers: readonly Message[]): readonly Message[] => {
  const all = [...messages];
  for (const answer of answers) {
    const callId = answer.role === "tool" ? answer.callId : undefined;
    const isAbout = (each: Message): boolean => each.role === "tool" && each.callId === callId;
    const pending = all.findLastIndex((each) => isAbout(each) && "pending" in each);
    const place = pending >= 0 ? pending : all.findLastIndex(isAbout);
    if (place < 0) {
      throw ledgerUnavailable(
        `The run "${runId}" has no message about the call "${callId}" that could be replaced.`,
      );
    }
    all[place] = answer;
  }
  return all;
};
