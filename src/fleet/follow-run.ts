import { checkFields } from "../base/json/check-fields.ts";
import { isModelKey } from "../pipeline/execute.ts";
import type { FleetEvent } from "../types/fleet.ts";
import type { LedgerEntry } from "../types/ledger.ts";
import type { Principal } from "../types/principal.ts";
import type { FleetConnection } from "./connect-fleet.ts";
import { runOrThrow } from "./run-or-throw.ts";
import { toFleetRunResponse } from "./to-fleet-run-response.ts";
import { readFleetRun } from "./wait-for-run.ts";

const pollIntervalMs = 250;

export async function* followRun(
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
