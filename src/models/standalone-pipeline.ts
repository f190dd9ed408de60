import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import { credentials } from "../base/credentials/credentials.ts";
import { redactor } from "../base/json/redact.ts";
import { memoryLedger } from "../ledger/memory.ts";
import { readRawCall } from "../pipeline/current-call.ts";
import { toHydrationResult } from "../pipeline/hydration-result.ts";
import { createPipeline } from "../pipeline/pipeline.ts";
import { RunRecorder } from "../pipeline/recorder.ts";
import { guardPolicy } from "../policy/guard-policy.ts";
import { createPolicyEngine } from "../policy/policy.ts";
import { toolRegistry } from "../registry/tool-registry.ts";
import type { ApprovalRequest } from "../types/approval.ts";
import type { CallRequest, RawCall } from "../types/call.ts";
import type { ToolError } from "../types/errors.ts";
import type { Failure } from "../types/failure.ts";
import type { Reply } from "../types/outcome.ts";
import { noLayerScopes } from "../types/tool.ts";
import type { CreateHydrator } from "./tool-caller.ts";

const privateSettings = {
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

const silentEvents = { on: () => () => {}, emit: () => {}, isHeard: () => false };

/**
 * A call pipeline for tools without a runtime. Calls that require approval are refused, because there is no
 * approver.
 */
export const standalonePipeline: CreateHydrator = (tools) => {
  const own = toolRegistry({ maxTools: Math.max(1, tools.length) });
  own.registerAll(tools);
  const masks = redactor({ secrets: () => [] });
  const ledger = memoryLedger({ redactor: masks, keep: 100 });
  const calls = createPipeline({
    registry: own,
    runtime: own,
    policy: guardPolicy(createPolicyEngine()),
    ledger,
    approvals: ledger.approvals,
    events: silentEvents,
    redactor: masks,
    secret: credentials({}).secret,
    layers: [],
    newId: randomUUID,
    isOpen: () => true,
    settings: privateSettings,
  });
  const principal = Object.freeze({ agent: "toolCall", allow: ["*"] });
  const run = (effect: Effect.Effect<Reply, ToolError>): Promise<Reply> => Effect.runPromise(effect);
  const requestApprovalAgain = (waiting: ApprovalRequest): Effect.Effect<Reply, ToolError> => {
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
          raw: readRawCall(raw, privateSettings.json),
          entryId: randomUUID(),
          scope,
          layers: noLayerScopes,
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
        const call = isRepeated
          ? calls.refuse(request, repeatedCallFailure(request))
          : calls.hydrate(request);
        return Effect.map(call, (hydrated) =>
          toHydrationResult({
            call: hydrated,
            at: Date.now(),
            limits: privateSettings.json,
            run,
            askAgain: requestApprovalAgain,
          }),
        );
      });
      return Effect.runPromise(hydrating);
    },
  };
};

const repeatedCallFailure = ({ raw }: CallRequest): Failure => ({
  code: "unreadable_call",
  tool: raw.tool,
  message: "Another call in this reply has the same id. See the reply to that call.",
});
