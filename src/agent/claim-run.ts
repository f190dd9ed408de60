import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { RunRecorder } from "../pipeline/recorder.ts";
import { loadRunCounters } from "../pipeline/run-counters.ts";
import { type Agent, handoffsOf } from "../types/agent.ts";
import {
  ConfigurationError,
  type LedgerError,
  type ToolError,
  ToolIdempotencyError,
} from "../types/errors.ts";
import type { LedgerStore } from "../types/ledger.ts";
import type { Message } from "../types/message.ts";
import { type Principal, resolveActingPrincipal } from "../types/principal.ts";
import { type RunRecord, type RunStore, runKindRulesOf } from "../types/run-store.ts";
import type { RunProgress } from "./run-progress.ts";
import type { StopPolicy } from "./stop-policies.ts";

export interface ResumableRun {
  readonly record: RunRecord;
  readonly agent: Agent;
  readonly principal: Principal | undefined;
}

/** Finds a run to resume. Callers see only their own runs and runs delegated to them. */
export const findResumableRun = (
  { runs }: LedgerStore,
  runId: string,
  agent: Agent,
  principal: Principal | undefined,
): Effect.Effect<ResumableRun, ToolError> =>
  Effect.gen(function* () {
    if (runs === undefined)
      return yield* failInvalidConfig("This ledger does not store runs, so they cannot be resumed.");
    const { resumedBy, resumer, noun } = runKindRulesOf(runId);
    // A job may be resumed by hand too.
    if (resumedBy !== "caller" && resumedBy !== "worker") {
      return yield* failInvalidConfig(`"${runId}" is a ${noun}. It is resumed by ${resumer}.`);
    }
    const record = yield* runs.find(runId);
    const acting = record === undefined ? undefined : resumingPrincipal(record, principal);
    if (record === undefined || acting === undefined) {
      return yield* failInvalidConfig(
        `This caller has no run "${runId}" in this ledger. List runs with haft.runs() or the command haft runs.`,
      );
    }
    if (record.status === "done")
      return yield* failInvalidConfig(`The run "${runId}" is done, so it cannot be resumed.`);
    if (record.messages.length === 0) return yield* failInvalidConfig(missingTextsMessage(record));
    const next = findAgentByName(agent, record.agent);
    if (next !== undefined) return { record, agent: next, principal: acting.principal };
    return yield* failInvalidConfig(
      `The run "${runId}" belongs to the agent "${record.agent}", and "${agent.name}" has no handoff to it.`,
    );
  });

export interface ClaimedRun {
  readonly record: RunRecord;
  readonly epoch: number;
  readonly tally: RunRecorder;
}

/** Reads the run again, because another process may have changed it before the claim. */
export const claimRun = (
  ledger: LedgerStore,
  runId: string,
  taints: readonly string[],
  clock: Clock.Clock,
): Effect.Effect<ClaimedRun, ToolError> =>
  Effect.gen(function* () {
    const { runs } = ledger;
    const epoch = yield* runs?.claim(runId, clock.currentTimeMillisUnsafe()) ?? noResult;
    const record = epoch === undefined ? undefined : yield* runs?.find(runId) ?? noResult;
    if (epoch === undefined || record === undefined) return yield* Effect.fail(runOwnedElsewhereError(runId));
    return { record, epoch, tally: yield* loadRunCounters(ledger, runId, { taints }) };
  });

const noResult = Effect.succeed(undefined);

const resumingPrincipal = (
  { principal: asked }: RunRecord,
  now: Principal | undefined,
): { readonly principal: Principal | undefined } | undefined => {
  if (asked === undefined || now === undefined) return asked === now ? { principal: now } : undefined;
  const principal = resolveActingPrincipal(asked, now);
  return principal === undefined ? undefined : { principal };
};

const failInvalidConfig = (message: string) => Effect.fail(new ConfigurationError("invalid_config", message));

const runOwnedElsewhereError = (runId: string): ToolIdempotencyError =>
  new ToolIdempotencyError(
    "still_running",
    `The run "${runId}" is running in another process, or was ended there.`,
  );

const missingTextsMessage = ({ runId, status }: RunRecord): string =>
  status === "pending" || status === "running"
    ? `The ledger has no exact texts of the run "${runId}", so it cannot be resumed. Set HAFT_LEDGER_KEY before a run starts: the texts are encrypted with it.`
    : `The run "${runId}" has ended (${status}), and its texts are no longer stored.`;

export const findAgentByName = (agent: Agent, name: string, seen = new Set<Agent>()): Agent | undefined => {
  if (agent.name === name) return agent;
  if (seen.has(agent)) return undefined;
  seen.add(agent);
  for (const each of handoffsOf(agent)) {
    const found = findAgentByName(each, name, seen);
    if (found !== undefined) return found;
  }
  return undefined;
};

export interface RunWriter {
  readonly keep: (progress: RunProgress) => Effect.Effect<void, LedgerError>;
}

/** `kept` is already stored; `onKept` receives the conversation after each write. */
export const runWriter = (
  runs: RunStore,
  { runId, epoch }: { readonly runId: string; readonly epoch: number },
  kept: readonly Message[],
  clock: Clock.Clock,
  onKept?: (messages: readonly Message[]) => Effect.Effect<void, LedgerError>,
): RunWriter => {
  let known: readonly Message[] = kept;
  return {
    keep: ({ messages, turns, usage, agent }) =>
      Effect.suspend(() => {
        const at = clock.currentTimeMillisUnsafe();
        const fresh = messages.slice(known.length);
        const changed = messages.filter((message, index) => index < known.length && message !== known[index]);
        known = [...messages];
        const amended =
          changed.length === 0 ? Effect.void : runs.amend({ runId, epoch, messages: changed, at });
        // Steps may be batched with the run's next write, unless `onKept` needs them stored.
        const isSoon = onKept === undefined;
        const step = { runId, epoch, messages: fresh, turns, usage, agent: agent.name, at, isSoon };
        const written = fresh.length === 0 ? amended : Effect.andThen(amended, runs.add(step));
        return onKept === undefined ? written : Effect.andThen(written, onKept(known));
      }),
  };
};

interface RunStopSignal {
  readonly signal: AbortSignal;
  readonly stopReason: () => string | undefined;
}

export const runStopSignal = (
  stop: readonly StopPolicy[],
  signal: AbortSignal,
): Effect.Effect<RunStopSignal> => {
  const withinMs = Math.min(...stop.map((policy) => policy.withinMs ?? Number.POSITIVE_INFINITY));
  if (withinMs === Number.POSITIVE_INFINITY) return Effect.succeed({ signal, stopReason: () => undefined });
  return Effect.gen(function* () {
    const controller = new AbortController();
    yield* Effect.forkChild(
      Effect.andThen(
        Effect.sleep(withinMs),
        Effect.sync(() => controller.abort()),
      ),
    );
    const stopReason = () => (signal.aborted ? undefined : `The run took its ${withinMs} milliseconds.`);
    return { signal: AbortSignal.any([signal, controller.signal]), stopReason };
  });
};
