import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { checkFields } from "../base/json/check-fields.ts";
import { isResumable } from "../ledger/held-run-leases.ts";
import { hasSharedKey } from "../ledger/postgres-messaging/shared-store.ts";
import { currentCall } from "../pipeline/current-call.ts";
import { taintsReadBy } from "../pipeline/tools.ts";
import { type SharedRuntime, sharedRuntimes } from "../runtime/shared-runtime.ts";
import type { AgentResponse } from "../types/agent.ts";
import { type ApprovalRecord, hasOpenApproval } from "../types/approval.ts";
import { isModelKey } from "../types/call.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Fleet, FleetEvent, FleetRuns, WaitOptions } from "../types/fleet.ts";
import type { LedgerEntry } from "../types/ledger.ts";
import { type Principal, resolveActingPrincipal } from "../types/principal.ts";
import type { RunRecord } from "../types/run-store.ts";
import { connectFleet, type FleetConnection, type FleetOptions } from "./connect-fleet.ts";
import { runOrThrow, sharedServices } from "./fleet-services.ts";
import { isPostgresUrl } from "./open-queue.ts";
import { isSubmittedRun, queueJobIdOf } from "./run-id.ts";
import { runsQueue, ticksQueue } from "./run-jobs.ts";
import { runWakerLayer } from "./run-waker.ts";
import { type Submitter, submitRun } from "./submit-run.ts";
import { toFleetRunResponse } from "./to-fleet-run-response.ts";

const optionsOf = new WeakMap<FleetRuns, FleetOptions>();

/**
 * Connects a runtime to a fleet: it submits runs to workers and shares limits and circuit breakers with the
 * other processes. Use it as `Haft.open({ ledger: "postgres://…", fleet: fleet() })`.
 */
export const fleet = (options: FleetOptions = {}): Fleet => {
  checkFields("fleet", options, ["url", "schema", "shares", "connections"]);
  checkShares(options.shares);
  return {
    open: (runtime) => {
      const runs = openFleetRuns(runtime as SharedRuntime, options);
      optionsOf.set(runs, options);
      return runs;
    },
    services: (ledgerUrl) => {
      const url = options.url ?? ledgerUrl;
      if (!isPostgresUrl(url)) return Layer.empty;
      const waker = runWakerLayer({ url, schema: options.schema });
      return hasSharedKey() ? Layer.merge(waker, sharedServices({ url })) : waker;
    },
  };
};

export const fleetOf = (haft: object): { readonly shared: SharedRuntime; readonly options: FleetOptions } => {
  const shared = sharedRuntimes.get(haft);
  if (shared === undefined) throw fleetError("A worker needs a runtime from Haft.open.");
  const options = shared.fleet && optionsOf.get(shared.fleet);
  if (options !== undefined) return { shared, options };
  throw fleetError(
    'A worker needs a runtime of a fleet: Haft.open({ ledger: "postgres://…", fleet: fleet() }).',
  );
};

const openFleetRuns = (shared: SharedRuntime, options: FleetOptions): FleetRuns => {
  let connected: Promise<FleetConnection> | undefined;
  let isClosed = false;
  const connection = (): Promise<FleetConnection> => {
    if (isClosed) return Promise.reject(fleetError("This runtime was closed."));
    connected ??= connectFleet(shared, options).catch((error) => {
      connected = undefined;
      throw error;
    });
    return connected;
  };
  return {
    submit: async (given, agent, input, options) => {
      const submitter = submitterOf(shared, given);
      return submitRun(await connection(), submitter, agent, input, options);
    },
    wait: async (given, runId, options) => {
      const { principal } = submitterOf(shared, given);
      return waitForRun(await connection(), principal, runId, options);
    },
    follow: (given, runId, options) => {
      const { principal } = submitterOf(shared, given);
      return (async function* () {
        yield* followRun(await connection(), principal, runId, options);
      })();
    },
    cancel: async (given, runId, by) => {
      const { principal } = submitterOf(shared, given);
      return cancelFleetRun(await connection(), principal, runId, by);
    },
    close: async () => {
      isClosed = true;
      await connected?.then(
        (open) => open.close(),
        () => {},
      );
    },
  };
};

interface FleetRunView {
  readonly run: RunRecord;
  readonly approvals: readonly ApprovalRecord[];
  /** `rests`: waits for approval. `over`: has ended. */
  readonly state: "queued" | "running" | "rests" | "over";
}

/** Polling covers lost notices. */
const maxWaitPollMs = 5_000;
const minWaitPollMs = 50;
const notifiedWaitPollMs = 1_000;

/** Resolves when the run has ended or waits for approval. */
const waitForRun = async (
  connection: FleetConnection,
  caller: Principal | undefined,
  runId: string,
  options: WaitOptions,
): Promise<AgentResponse> => {
  checkFields("haft.wait", options, ["agent", "untilEnded", "signal"]);
  const { agent, untilEnded = false, signal } = options;
  const { ends } = connection;
  // The submitter needs no access check before the first read.
  let isOwn = isSubmittedBy(connection, caller, runId);
  let isNoticeExpected = isOwn && ends.isExpected(runId);
  let pauseMs = isNoticeExpected ? notifiedWaitPollMs : minWaitPollMs;
  let notice: "notified" | "late" = "late";
  for (;;) {
    const next = ends.next(runId, pauseMs, signal);
    const shouldRead =
      !isOwn || notice === "notified" || (!isNoticeExpected && (await connection.mayBeInactive(runId)));
    if (shouldRead) {
      const { run, approvals: questions, state } = await readFleetRun(connection, caller, runId);
      if (state === "over" || (state === "rests" && !untilEnded))
        return toFleetRunResponse(run, questions, agent);
      isOwn = true;
    }
    isNoticeExpected = false;
    notice = await next;
    pauseMs = Math.min(maxWaitPollMs, pauseMs * 2);
    signal?.throwIfAborted();
  }
};

const isSubmittedBy = (
  { submitters }: FleetConnection,
  caller: Principal | undefined,
  runId: string,
): boolean => {
  const submitter = submitters.get(runId);
  return (
    submitter !== undefined && caller !== undefined && resolveActingPrincipal(submitter, caller) !== undefined
  );
};

/** Callers can only see their own runs and runs delegated to them. */
const readFleetRun = async (
  { ledger, shared, queue }: FleetConnection,
  caller: Principal | undefined,
  runId: string,
): Promise<FleetRunView> => {
  const run = isSubmittedRun(runId) ? await runOrThrow(shared, ledger.runs.find(runId)) : undefined;
  if (
    run?.principal === undefined ||
    caller === undefined ||
    resolveActingPrincipal(run.principal, caller) === undefined
  ) {
    throw new ConfigurationError("invalid_config", `This caller has no run "${runId}" in the fleet.`);
  }
  if (run.status === "running") {
    return { run, approvals: [], state: run.isHeld === true || run.turns > 0 ? "running" : "queued" };
  }
  if (!isResumable(run.status)) return { run, approvals: [], state: "over" };
  // A failed run may be retried: it is over when no job is left.
  if (run.status === "failed") {
    const jobs = await queue.sql(`SELECT 1 FROM ${queue.schema}.job WHERE name = $1 AND id = $2::uuid`, [
      runsQueue,
      queueJobIdOf(runId),
    ]);
    return { run, approvals: [], state: jobs.length > 0 ? "running" : "over" };
  }
  const asked = await runOrThrow(shared, ledger.approvals.list({ runId }));
  const questions = asked.filter(
    ({ status, expiresAt }) => status === "waiting" && (expiresAt === undefined || expiresAt > Date.now()),
  );
  const isWaiting = hasOpenApproval(questions, Date.now());
  const isAnswered = asked.some(({ status }) => status === "answered");
  return { run, approvals: questions, state: isWaiting && !isAnswered ? "rests" : "running" };
};

/** A worker that runs it stops at its next write or heartbeat. */
const cancelFleetRun = async (
  { ledger, shared, jobs, queue }: FleetConnection,
  caller: Principal | undefined,
  runId: string,
  by: string | undefined,
) => {
  const result = await runOrThrow(
    shared,
    Effect.gen(function* () {
      const run = yield* ledger.runs.find(runId);
      const isOwn =
        run?.principal !== undefined &&
        caller !== undefined &&
        resolveActingPrincipal(run.principal, caller) !== undefined;
      return isOwn ? yield* ledger.runs.cancel(runId, by ?? caller.agent, Date.now()) : "unknown";
    }),
  );
  if (result !== "given-up") return result;
  // A remaining job does nothing.
  if (isSubmittedRun(runId)) await jobs.drop(runId).catch(() => {});
  else await queue.boss.unschedule(ticksQueue, runId).catch(() => {});
  return result;
};

/** Inside a tool, the tool's caller submits, with the taints that the tool has read. */
const submitterOf = ({ tools }: SharedRuntime, caller: Principal | undefined): Submitter => {
  const call = currentCall();
  if (call === undefined || !tools.isOwn(call)) return { principal: caller, taints: [] };
  return { principal: caller ?? call.principal, taints: taintsReadBy(call) };
};

const checkShares = (shares: FleetOptions["shares"] = {}): void => {
  for (const [tenant, share] of Object.entries(shares)) {
    if (typeof share === "number" && share >= 0.01 && share <= 1_000) continue;
    throw fleetError(`The share of "${tenant}" must be a number from 0.01 to 1,000.`);
  }
};

const fleetError = (message: string): ConfigurationError => new ConfigurationError("invalid_config", message);

const pollIntervalMs = 250;

async function* followRun(
  connection: FleetConnection,
  caller: Principal | undefined,
  runId: string,
  options: { readonly signal?: AbortSignal },
): AsyncGenerator<FleetEvent> {
  checkFields("haft.follow", options, ["signal"]);
  const { signal } = options;
  const calls = new CallEventTracker();
  let lastState = "";
  for (;;) {
    signal?.throwIfAborted();
    const notice = connection.ends.next(runId, pollIntervalMs, signal);
    const { run, approvals: questions, state } = await readFleetRun(connection, caller, runId);
    yield* calls.events(await runOrThrow(connection.shared, connection.ledger.entries({ runId })));
    const currentState = `${state} ${run.turns}`;
    if (state === "over") {
      yield { kind: "done", response: toFleetRunResponse(run, [], undefined) };
      return;
    }
    if (state === "rests" && lastState !== currentState) {
      yield { kind: "pending", response: toFleetRunResponse(run, questions, undefined) };
    } else if (state !== "rests" && lastState.split(" ")[0] !== state) yield { kind: state, runId };
    lastState = currentState;
    await notice;
  }
}

class CallEventTracker {
  readonly #knownEndings = new Map<string, LedgerEntry["ending"]>();

  *events(entries: readonly LedgerEntry[]): Generator<FleetEvent> {
    for (const { entryId, callId, tool, ending } of entries) {
      if (isModelKey(tool)) continue;
      const before = this.#knownEndings.get(entryId);
      this.#knownEndings.set(entryId, ending);
      if (before === undefined) yield { kind: "call-start", callId, tool };
      const isOver = ending === "executed" || ending === "failed" || ending === "unknown";
      if (isOver && before !== ending) yield { kind: "call-end", callId, tool, ok: ending === "executed" };
    }
  }
}
