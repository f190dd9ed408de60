import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { type Agent, handoffsOf } from "../words/agent.ts";
import type { RunTally } from "../words/call.ts";
import { ConfigurationError, type ToolError, ToolIdempotencyError } from "../words/errors.ts";
import type { LedgerStore } from "../words/ledger.ts";
import { isSameParty, type Principal } from "../words/principal.ts";
import type { RunRecord } from "../words/run-book.ts";

/** A run as it was left, which nobody else goes on with now. */
export interface ClaimedRun {
  readonly record: RunRecord;
  /** Who speaks next. */
  readonly agent: Agent;
  readonly spent: Pick<RunTally, "calls" | "cost">;
}

/** To anybody but its own caller a run does not exist. */
export const claimRun = (
  ledger: LedgerStore,
  runId: string,
  agent: Agent,
  principal: Principal | undefined,
  clock: Clock.Clock,
): Effect.Effect<ClaimedRun, ToolError> =>
  Effect.gen(function* () {
    const { runs } = ledger;
    if (runs === undefined) return yield* refuse("This ledger keeps no runs, so none can be resumed.");
    const record = yield* runs.find(runId);
    if (record === undefined || !isSameParty(record.principal, principal)) {
      return yield* refuse(`There is no run "${runId}" in this ledger.`);
    }
    if (record.status === "done")
      return yield* refuse(`The run "${runId}" is done; there is nothing to resume.`);
    if (record.messages.length === 0) return yield* refuse(withoutTexts(record));
    const next = agentNamed(agent, record.agent);
    if (next === undefined) {
      return yield* refuse(
        `The run "${runId}" is the agent "${record.agent}"'s; "${agent.name}" does not hand over to it.`,
      );
    }
    const claimed = yield* runs.claim(runId, clock.currentTimeMillisUnsafe());
    if (!claimed) return yield* Effect.fail(goingOn(runId));
    const entries = yield* ledger.entries({ runId });
    const calls = entries.filter(({ tool, ran }) => ran === true && !tool.startsWith("model:"));
    const cost = entries.reduce((sum, entry) => sum + (entry.cost ?? 0), 0);
    return { record, agent: next, spent: { calls: calls.length, cost } };
  });

const refuse = (message: string) => Effect.fail(new ConfigurationError("invalid_config", message));

const goingOn = (runId: string): ToolIdempotencyError =>
  new ToolIdempotencyError("still_running", `The run "${runId}" is going on in another process.`);

const withoutTexts = ({ runId, status }: RunRecord): string =>
  status === "pending" || status === "running"
    ? `The ledger kept no exact texts of the run "${runId}", so nobody can go on with it. Set HAFT_LEDGER_KEY before a run starts: they are sealed with it.`
    : `The run "${runId}" is over (${status}), and its texts are no longer kept.`;

const agentNamed = (agent: Agent, name: string, seen = new Set<Agent>()): Agent | undefined => {
  if (agent.name === name) return agent;
  if (seen.has(agent)) return undefined;
  seen.add(agent);
  for (const each of handoffsOf(agent)) {
    const found = agentNamed(each, name, seen);
    if (found !== undefined) return found;
  }
  return undefined;
};
