import * as Effect from "effect/Effect";
import type { LedgerError } from "../../words/errors.ts";
import type { Message } from "../../words/message.ts";
import type { RunBook, RunRecord, RunSummary } from "../../words/run-book.ts";
import { mayGoOn } from "../may-go-on.ts";
import { unavailable } from "../refusals.ts";

interface HeldRun {
  record: RunRecord;
  isHeld: boolean;
}

/** Runs that live as long as their process; of those that ended the last ones are kept. */
export const memoryRuns = (keep: number): RunBook => {
  const runs = new Map<string, HeldRun>();

  const change = (
    runId: string,
    next: (run: RunRecord) => RunRecord,
    isHeld = true,
  ): Effect.Effect<void, LedgerError> =>
    Effect.suspend(() => {
      const run = runs.get(runId);
      if (run === undefined) return Effect.fail(unavailable(`There is no run "${runId}".`));
      return Effect.try({
        try: () => {
          run.record = next(run.record);
          run.isHeld = isHeld && run.isHeld;
        },
        catch: (error) => error as LedgerError,
      });
    });
  const makeRoom = (): void => {
    if (runs.size < keep) return;
    for (const [runId, { record }] of runs) {
      if (record.status === "running" || record.status === "pending") continue;
      runs.delete(runId);
      return;
    }
  };

  return {
    begin: ({ runId, agent, principal, messages, at }) =>
      Effect.suspend(() => {
        if (runs.has(runId)) return Effect.fail(unavailable(`The run "${runId}" was begun before.`));
        makeRoom();
        const usage = { inputTokens: 0, outputTokens: 0 };
        const times = { startedAt: at, updatedAt: at };
        const given = messages.length;
        const record = { runId, agent, principal, status: "running" as const, turns: 0, usage, given };
        runs.set(runId, { record: { ...record, ...times, messages: [...messages] }, isHeld: true });
        return Effect.void;
      }),
    add: ({ runId, messages, turns, usage, agent, at }) =>
      change(runId, (run) => ({
        ...run,
        turns,
        usage,
        agent,
        updatedAt: at,
        messages: [...run.messages, ...messages],
      })),
    amend: (runId, messages, at) =>
      change(runId, (run) => ({ ...run, updatedAt: at, messages: amended(run, messages) })),
    end: ({ runId, status, reason, at }) =>
      change(
        runId,
        ({ reason: _, ...run }) => ({
          ...run,
          status,
          ...(reason === undefined ? {} : { reason }),
          updatedAt: at,
          messages: mayGoOn(status) ? run.messages : [],
        }),
        false,
      ),
    find: (runId) =>
      Effect.sync(() => {
        const run = runs.get(runId);
        return run === undefined ? undefined : { ...run.record, isHeld: run.isHeld };
      }),
    list: ({ status, limit } = {}) =>
      Effect.sync(() => {
        const all = [...runs.values()].map(toSummary).reverse();
        return all.filter((run) => status === undefined || run.status === status).slice(0, limit);
      }),
    claim: (runId, at) =>
      Effect.sync(() => {
        const run = runs.get(runId);
        if (run === undefined || run.isHeld || run.record.status === "done") return false;
        const { reason: _, ...record } = run.record;
        run.record = { ...record, status: "running", updatedAt: at };
        run.isHeld = true;
        return true;
      }),
  };
};

const toSummary = ({ record, isHeld }: HeldRun): RunSummary => {
  const { messages: _, given: __, ...summary } = record;
  return { ...summary, isHeld };
};

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
