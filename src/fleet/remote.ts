import * as Effect from "effect/Effect";
import { runningCallOf } from "../pipeline/pipeline.ts";
import { taintsReadBy } from "../pipeline/tools.ts";
import { definitionHash } from "../tools/definition-hash.ts";
import type { CallContext } from "../types/call.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import { failed, type Outcome, succeeded } from "../types/outcome.ts";
import { isIdempotent, isReadOnly, type ToolSpec } from "../types/spec.ts";
import type { Implementation } from "../types/tool.ts";
import { CallPools, type CallPoolsStore, type PoolCallResult } from "./pool/call-pools.ts";

export const remoteKind = "remote";

/**
 * Runs a tool in other processes, those of the pool: `tool({ …, implementation: remote("gpu") })`. The
 * caller's process authorizes and records the call; one process of the pool authorizes it again and runs it
 * once.
 */
export const remote = (pool: string): Implementation => {
  if (!isPoolName(pool)) {
    const message = 'The name of a pool consists of letters, digits and . : / _ -, such as remote("gpu").';
    throw new ToolDefinitionError("invalid_definition", message);
  }
  return Object.freeze({
    _tag: remoteKind,
    provesNotRun: true,
    bind: (spec: ToolSpec) => (input: unknown, context: CallContext) =>
      Effect.withFiber((fiber) => {
        const pools = fiber.getRef(CallPools);
        if (pools === undefined) return Effect.succeed(noPoolsOutcome(context.tool));
        return Effect.promise(() => callPool(pools, pool, spec, input, context));
      }),
  });
};

export const isPoolName = (pool: unknown): pool is string =>
  typeof pool === "string" && /^[\w.:/-]{1,100}$/.test(pool);

const callPool = async (
  pools: CallPoolsStore,
  pool: string,
  spec: ToolSpec,
  input: unknown,
  context: CallContext,
): Promise<Outcome> => {
  const { tool, callId, principal, idempotencyKey, signal } = context;
  const call = runningCallOf(context);
  if (call === undefined) return noPoolsOutcome(tool);
  const { entryId } = call.request;
  const mayRepeat = isReadOnly(spec) || isIdempotent(spec);
  const definition = definitionHash(spec);
  const taints = taintsReadBy(call);
  const job = { entryId, callId, tool, definition, input, principal, idempotencyKey, mayRepeat, taints };
  return toPoolOutcome(await pools.call(pool, job, signal), pool, context);
};

const toPoolOutcome = (answer: PoolCallResult, pool: string, { tool, note, cost }: CallContext): Outcome => {
  if (answer.kind === "withdrawn") {
    const message = `No process of the pool "${pool}" had started the call of "${tool}" when it was cancelled.`;
    return failed({ code: "cancelled", tool, ran: false, message });
  }
  if (answer.kind === "unreached") {
    const message = `The pool "${pool}" of "${tool}" cannot be reached from here: ${answer.why}`;
    return failed({ code: "not_bound", tool, ran: false, message });
  }
  if (answer.kind === "lost") {
    note(`lost with ${answer.worker} of the pool ${pool}`);
    const message = `The process that ran "${tool}" ended before it answered. The call may have run: check whether it took effect before you request it again.`;
    return failed({ code: "outcome_unknown", tool, ran: true, message });
  }
  const { result, worker } = answer;
  note(`ran at ${worker} of the pool ${pool}`);
  for (const text of result.notes) note(text);
  if (result.cost !== 0) cost(result.cost);
  const { taints = [] } = result;
  if (result.kind === "value") return succeeded(result.value, taints);
  const failure = result.failure ?? { code: "failed" as const, message: `The tool "${tool}" failed.` };
  return failed({ ...failure, tool, ran: result.kind === "failed" }, taints);
};

const noPoolsOutcome = (tool: string): Outcome =>
  failed({
    code: "not_bound",
    tool,
    ran: false,
    message: `"${tool}" runs in a pool, and this runtime is not connected to a fleet. Open it with Haft.open({ ledger: "postgres://…", fleet: fleet() }), fleet of haft/fleet, and set HAFT_LEDGER_KEY.`,
  });
