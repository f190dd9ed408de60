import * as Effect from "effect/Effect";
import { type LedgerStore, type Principal, type Reply, tool } from "haft";
import { Approver, memoryLedger, Pipeline, runtimeLayer, type ToolPipeline } from "haft/effect";
import { redactor } from "../../src/base/json/redact.ts";
import type { CallRequest } from "../../src/types/call.ts";
import { noLayerScopes } from "../../src/types/tool.ts";
import { createClosing, createOpening, runLedgerEffect } from "../contracts/ledger/ledger-fixtures.ts";

export const principal: Principal = { agent: "tester", allow: ["*"] };
export const earlierEntry = { callId: "c1", runId: "run-1", input: "{}" } as const;

/** A call that a resumed run makes again, because an earlier process may have made it. */
export const recoveryRequest = (name: string, more: Partial<CallRequest> = {}): CallRequest => ({
  raw: { id: "c1", tool: name, input: "{}" },
  entryId: "now",
  scope: { id: "run-1", agent: undefined, tally: { calls: 0, cost: 0, taints: [] } },
  layers: noLayerScopes,
  principal,
  correlationId: undefined,
  env: undefined,
  ...more,
});

/** A ledger with calls of earlier processes, and runtimes that open it later. */
export const createRecoveryScene = (change: (store: LedgerStore) => LedgerStore = (store) => store) => {
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
  /** Opens another runtime over the same ledger each time, as another process would. */
  const withNewRuntime = <A>(use: (pipeline: ToolPipeline) => Effect.Effect<A>, own = tools): Promise<A> =>
    Effect.flatMap(Pipeline, use).pipe(
      Effect.provideService(Approver, { ask: () => Effect.succeed(undefined) }),
      Effect.provide(runtimeLayer({ tools: own, principal, ledger: change(store) })),
      Effect.runPromise,
    );
  const recover = (name: string, more?: Partial<CallRequest>): Promise<Reply> =>
    withNewRuntime((pipeline) => pipeline.recover(recoveryRequest(name, more)));
  const recordCall = async (...[entryId, more]: Parameters<typeof createClosing>): Promise<void> => {
    await runLedgerEffect(store.open(createOpening(entryId, { ...earlierEntry, tool: more?.tool ?? "pay" })));
    await runLedgerEffect(store.close(createClosing(entryId, { tool: "pay", ...more })));
  };
  return { store, ran, elsewhere: withNewRuntime, recover, left: recordCall };
};
