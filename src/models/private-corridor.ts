import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import { corridor, noScopes } from "../call/call.ts";
import { toHydrationResult } from "../call/hydration-result.ts";
import { registry } from "../catalog/registry.ts";
import { redactor } from "../json/redact.ts";
import { memoryLedger } from "../ledger/memory.ts";
import { guard } from "../policy/guard.ts";
import { policy } from "../policy/policy.ts";
import type { Reply } from "../words/reply.ts";
import type { HydrateWith } from "./tool-call.ts";

const settings = {
  defaultTimeoutMs: 30_000,
  maxTimeoutMs: 300_000,
  readsWithoutLedger: false,
  maxResultBytes: 1_048_576,
  fullSync: [],
  approvalsExpireMs: 0,
  json: {},
};

const nobodyListens = { on: () => () => {}, emit: () => {}, isHeard: () => false };

/**
 * A corridor for tools that no runtime has: whoever hands them over may call them, and what needs a person's
 * approval is refused, because there is nobody to ask. A Haft in place of the list has all the rest.
 */
export const privateCorridor: HydrateWith = (tools) => {
  const own = registry({ maxTools: Math.max(1, tools.length) });
  own.registerAll(tools);
  const masks = redactor({ secrets: () => [] });
  const ledger = memoryLedger({ redactor: masks, keep: 100 });
  const walks = corridor({
    registry: own,
    policy: guard(policy()),
    ledger,
    approvals: ledger.approvals,
    events: nobodyListens,
    redactor: masks,
    layers: [],
    newId: randomUUID,
    settings,
  });
  const principal = { agent: "toolCall", allow: ["*"] };
  const run = (effect: Effect.Effect<Reply>): Promise<Reply> => Effect.runPromise(effect);
  const ordered = own.ordered();
  return {
    list: ordered.map(({ wireName, tool }) => ({ wireName, spec: tool.spec })),
    hydrate: (calls, repair) => {
      const scope = { id: randomUUID(), agent: principal.agent };
      const common = { scope, principal, correlationId: undefined, env: undefined, repair };
      const hydrating = Effect.forEach(calls, (raw) => {
        const trip = { ...common, raw, entryId: randomUUID(), notes: [] };
        return Effect.map(walks.hydrate(trip, noScopes), (waiting) =>
          toHydrationResult({ trip, waiting, at: Date.now(), limits: settings.json, run }),
        );
      });
      return Effect.runPromise(hydrating);
    },
  };
};
