import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { RunRecorder } from "../call/recorder.ts";
import { loadRunTally } from "../call/run-tally.ts";
import { type Agent, handoffsOf } from "../words/agent.ts";
import { ConfigurationError, type ToolError, ToolIdempotencyError } from "../words/errors.ts";
import type { LedgerStore } from "../words/ledger.ts";
import { actingFor, type Principal } from "../words/principal.ts";
import { isChatRun, isScheduleRun, isSessionRun, type RunRecord } from "../words/run-book.ts";

/** A run as it was left, and who goes on with it. */
export interface LeftRun {
  readonly record: RunRecord;
  /** Who speaks next. */
  readonly agent: Agent;
  /** Its caller, with the rights of now, and no more than what the run was lent. */
  readonly principal: Principal | undefined;
}

/** To anybody but its own caller, or whoever lent that its right, a run does not exist. */
export const findRun = (
  { runs }: LedgerStore,
  runId: string,
  agent: Agent,
  principal: Principal | undefined,
): Effect.Effect<LeftRun, ToolError> =>
  Effect.gen(function* () {
    if (runs === undefined) return yield* refuse("This ledger keeps no runs, so none can be resumed.");
    if (isSessionRun(runId)) {
      return yield* refuse(`"${runId}" is a session: only the loop that drives it goes on with it.`);
    }
    if (isChatRun(runId)) {
      return yield* refuse(`"${runId}" is a chat: only the handler of its page goes on with it.`);
    }
    if (isScheduleRun(runId)) {
      return yield* refuse(
        `"${runId}" is a schedule: workers submit a run of their own each time that it is due.`,
      );
    }
    const record = yield* runs.find(runId);
    const acting = record === undefined ? undefined : actorOf(record, principal);
    if (record === undefined || acting === undefined) {
      return yield* refuse(`There is no run "${runId}" in this ledger.`);
    }
    if (record.status === "done")
      return yield* refuse(`The run "${runId}" is done; there is nothing to resume.`);
    if (record.messages.length === 0) return yield* refuse(withoutTexts(record));
    const next = agentNamed(agent, record.agent);
    if (next !== undefined) return { record, agent: next, principal: acting.principal };
    return yield* refuse(
      `The run "${runId}" is the agent "${record.agent}"'s; "${agent.name}" does not hand over to it.`,
    );
  });

/** A run that is this process's from now on. */
export interface ClaimedRun {
  readonly record: RunRecord;
  readonly epoch: number;
  readonly tally: RunRecorder;
}

/** Takes the run, and reads it once more: until then another process may have gone on with it. */
export const claimRun = (
  ledger: LedgerStore,
  runId: string,
  taints: readonly string[],
  clock: Clock.Clock,
): Effect.Effect<ClaimedRun, ToolError> =>
  Effect.gen(function* () {
    const { runs } = ledger;
    const epoch = yield* runs?.claim(runId, clock.currentTimeMillisUnsafe()) ?? nothing;
    const record = epoch === undefined ? undefined : yield* runs?.find(runId) ?? nothing;
    if (epoch === undefined || record === undefined) return yield* Effect.fail(goingOn(runId));
    return { record, epoch, tally: yield* loadRunTally(ledger, runId, taints) };
  });

const nothing = Effect.succeed(undefined);

const actorOf = (
  { principal: asked }: RunRecord,
  now: Principal | undefined,
): { readonly principal: Principal | undefined } | undefined => {
  if (asked === undefined || now === undefined) return asked === now ? { principal: now } : undefined;
  const principal = actingFor(asked, now);
  return principal === undefined ? undefined : { principal };
};

const refuse = (message: string) => Effect.fail(new ConfigurationError("invalid_config", message));

const goingOn = (runId: string): ToolIdempotencyError =>
  new ToolIdempotencyError(
    "still_running",
    `The run "${runId}" is going on in another process, or was ended there.`,
  );

const withoutTexts = ({ runId, status }: RunRecord): string =>
  status === "pending" || status === "running"
    ? `The ledger kept no exact texts of the run "${runId}", so nobody can go on with it. Set HAFT_LEDGER_KEY before a run starts: they are sealed with it.`
    : `The run "${runId}" is over (${status}), and its texts are no longer kept.`;

export const agentNamed = (agent: Agent, name: string, seen = new Set<Agent>()): Agent | undefined => {
  if (agent.name === name) return agent;
  if (seen.has(agent)) return undefined;
  seen.add(agent);
  for (const each of handoffsOf(agent)) {
    const found = agentNamed(each, name, seen);
    if (found !== undefined) return found;
  }
  return undefined;
};
