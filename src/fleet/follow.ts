import { isModelQuestion } from "../call/execute.ts";
import { checkFields } from "../json/check-fields.ts";
import type { FleetEvent } from "../words/fleet.ts";
import type { LedgerEntry } from "../words/ledger.ts";
import type { Principal } from "../words/principal.ts";
import { ask } from "./ask.ts";
import type { Connection } from "./connect.ts";
import { toResponse } from "./read-response.ts";
import { look } from "./wait.ts";

const everyMs = 250;

/** What the ledger tells of a run while it goes on elsewhere, until it is over. */
export async function* followRun(
  connection: Connection,
  caller: Principal | undefined,
  runId: string,
  options: { readonly signal?: AbortSignal },
): AsyncGenerator<FleetEvent> {
  checkFields("haft.follow", options, ["signal"]);
  const { signal } = options;
  const calls = new CallEvents();
  let told = "";
  for (;;) {
    signal?.throwIfAborted();
    const heard = connection.ends.next(runId, everyMs, signal);
    const { run, questions, state } = await look(connection, caller, runId);
    yield* calls.tell(await ask(connection.shared, connection.ledger.entries({ runId })));
    const word = `${state} ${run.turns}`;
    if (state === "over") {
      yield { kind: "done", response: toResponse(run, [], undefined) };
      return;
    }
    if (state === "rests" && told !== word) {
      yield { kind: "pending", response: toResponse(run, questions, undefined) };
    } else if (state !== "rests" && told.split(" ")[0] !== state) yield { kind: state, runId };
    told = word;
    await heard;
  }
}

/** Each call once when it begins and once when it has ended. */
class CallEvents {
  readonly #known = new Map<string, LedgerEntry["ending"]>();

  *tell(entries: readonly LedgerEntry[]): Generator<FleetEvent> {
    for (const { entryId, callId, tool, ending } of entries) {
      if (isModelQuestion(tool)) continue;
      const before = this.#known.get(entryId);
      this.#known.set(entryId, ending);
      if (before === undefined) yield { kind: "call-start", callId, tool };
      const isOver = ending === "executed" || ending === "failed" || ending === "unknown";
      if (isOver && before !== ending) yield { kind: "call-end", callId, tool, ok: ending === "executed" };
    }
  }
}
