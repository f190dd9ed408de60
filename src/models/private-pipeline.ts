import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import { corridor } from "../call/corridor.ts";
import { toHydrationResult } from "../call/hydration-result.ts";
import { readRawCall } from "../call/raw-call.ts";
import { RunRecorder } from "../call/recorder.ts";
import { registry } from "../catalog/registry.ts";
import { redactor } from "../json/redact.ts";
import { memoryLedger } from "../ledger/memory.ts";
import { guard } from "../policy/guard.ts";
import { policy } from "../policy/policy.ts";
import type { ApprovalRequest } from "../words/approval.ts";
import type { CallRequest, RawCall } from "../words/call.ts";
import type { ToolError } from "../words/errors.ts";
import type { Failure } from "../words/failure.ts";
import { noLayers } from "../words/layer.ts";
import type { Reply } from "../words/reply.ts";
import type { HydrateWith } from "./tool-call.ts";

const settings = {
  defaultTimeoutMs: 30_000,
  maxTimeoutMs: 300_000,
  readsWithoutLedger: false,
  maxResultBytes: 1_048_576,
  maxMediaParts: 20,
  maxMediaBytes: 10_485_760,
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
  const calls = corridor({
    registry: own,
    runtime: own,
    policy: guard(policy()),
    ledger,
    approvals: ledger.approvals,
    events: nobodyListens,
    redactor: masks,
    layers: [],
    newId: randomUUID,
    isOpen: () => true,
    settings,
  });
  const principal = Object.freeze({ agent: "toolCall", allow: ["*"] });
  const run = (effect: Effect.Effect<Reply, ToolError>): Promise<Reply> => Effect.runPromise(effect);
  const askAgain = (waiting: ApprovalRequest): Effect.Effect<Reply, ToolError> => {
    const resuming = { principal, by: undefined, layers: undefined, env: undefined };
    return Effect.map(calls.askAgain(waiting, resuming), ({ reply }) => reply);
  };
  return {
    list: own.ordered().map(({ wireName, tool }) => ({ wireName, spec: tool.spec })),
    hydrate: (raws, repair) => {
      const scope = Object.freeze({ id: randomUUID(), agent: principal.agent, tally: new RunRecorder() });
      const seen = new Set<string>();
      const toRequest = (raw: RawCall): CallRequest =>
        Object.freeze({
          raw: readRawCall(raw, settings.json),
          entryId: randomUUID(),
          scope,
          layers: noLayers,
          principal,
          correlationId: undefined,
          env: undefined,
          repair,
        });
      const hydrating = Effect.forEach(raws, (raw) => {
        const request = toRequest(raw);
        const { id } = request.raw;
        const isRepeated = id !== "" && seen.has(id);
        seen.add(id);
        const call = isRepeated ? calls.refuse(request, repeated(request)) : calls.hydrate(request);
        return Effect.map(call, (hydrated) =>
          toHydrationResult({ call: hydrated, at: Date.now(), limits: settings.json, run, askAgain }),
        );
      });
      return Effect.runPromise(hydrating);
    },
  };
};

/** One id, one run, as in a turn. */
const repeated = ({ raw }: CallRequest): Failure => ({
  code: "unreadable_call",
  tool: raw.tool,
  message: "Another call of this reply has the same id; it is answered there.",
});
