import * as Effect from "effect/Effect";
import { type LedgerStore, type Principal, type Reply, tool } from "haft";
import { Approver, Corridor, memoryLedger, runtimeLayer, type ToolCorridor } from "haft/effect";
import { redactor } from "../../src/json/redact.ts";
import type { CallRequest } from "../../src/words/call.ts";
import { noLayers } from "../../src/words/layer.ts";
import { closing, opening, run } from "../contracts/ledger/rows.ts";

export const principal: Principal = { agent: "tester", allow: ["*"] };
export const row = { callId: "c1", runId: "run-1", input: "{}" } as const;

/** A call that an agent's run asks for again, because an earlier process may have made it. */
export const request = (name: string, more: Partial<CallRequest> = {}): CallRequest => ({
  raw: { id: "c1", tool: name, input: "{}" },
  entryId: "now",
  scope: { id: "run-1", agent: undefined, tally: { calls: 0, cost: 0, taints: [] } },
  layers: noLayers,
  principal,
  correlationId: undefined,
  env: undefined,
  ...more,
});

/** A ledger with calls of earlier processes in it, and runtimes over it that come later. */
export const earlierCalls = (change: (store: LedgerStore) => LedgerStore = (store) => store) => {
  const store = memoryLedger({ redactor: redactor() });
  const ran: string[] = [];
  const named = (name: string, idempotent: boolean, risk: "low" | "high" = "low") =>
    tool({
      name,
      description: `Does ${name}`,
      input: [],
      risk,
      annotations: { idempotent },
      run: () => {
        ran.push(name);
        return `did ${name}`;
      },
    });
  const tools = [named("pay", false), named("put", true), named("wipe", false, "high")];
  /** Each time another runtime over the same ledger, as another process would be. */
  const elsewhere = <A>(use: (corridor: ToolCorridor) => Effect.Effect<A>, own = tools): Promise<A> =>
    Effect.flatMap(Corridor, use).pipe(
      Effect.provideService(Approver, { ask: () => Effect.succeed(undefined) }),
      Effect.provide(runtimeLayer({ tools: own, principal, ledger: change(store) })),
      Effect.runPromise,
    );
  const recover = (name: string, more?: Partial<CallRequest>): Promise<Reply> =>
    elsewhere((corridor) => corridor.recover(request(name, more)));
  const left = async (...[entryId, more]: Parameters<typeof closing>): Promise<void> => {
    await run(store.open(opening(entryId, { ...row, tool: more?.tool ?? "pay" })));
    await run(store.close(closing(entryId, { tool: "pay", ...more })));
  };
  return { store, ran, elsewhere, recover, left };
};
