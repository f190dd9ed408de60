import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { readSecret } from "../../base/credentials/credentials.ts";
import { redactor } from "../../base/json/redact.ts";
import { thrownMessage } from "../../base/text/thrown-message.ts";
import { withCallContextAsync } from "../../pipeline/current-call.ts";
import { guardPolicy } from "../../policy/guard-policy.ts";
import { taintSourceOf } from "../../policy/taint.ts";
import type { SharedRuntime } from "../../runtime/shared-runtime.ts";
import { definitionHash } from "../../tools/definition-hash.ts";
import { type CallContext, CurrentCall, type RunningCall } from "../../types/call.ts";
import { ToolError } from "../../types/errors.ts";
import type { FailureCode } from "../../types/failures.ts";
import { noLayerScopes } from "../../types/layer.ts";
import { isOutcome, joinTaints, taintsOfOutcome } from "../../types/outcome.ts";
import type { AnyTool, Registration } from "../../types/tool.ts";
import type { ClaimedPoolJob, PoolJob, PoolResult } from "./pool-jobs.ts";

export interface PoolJobContext {
  readonly shared: Pick<SharedRuntime, "ledger" | "policy" | "tools" | "credentials">;
  readonly tools: readonly AnyTool[];
  readonly signal: AbortSignal;
  /** Whether the caller lets this process begin with it, which it says once. */
  readonly mayBegin: (caller: string, id: string) => Promise<boolean>;
}

/** The gate once more, where the code is: nothing runs that the ledger, the definition and the policy do not bear out. */
export const runPoolJob = async (context: PoolJobContext, claimed: ClaimedPoolJob): Promise<PoolResult> => {
  let authorized: AuthorizedPoolJob | PoolResult;
  try {
    authorized = await authorizePoolJob(context, claimed);
  } catch (error) {
    return refusedResult("failed", `The pool could not begin with the call: ${thrownMessage(error)}`);
  }
  if ("kind" in authorized) return authorized;
  try {
    return await executePoolJob(context, authorized);
  } catch (error) {
    return unreportableResult(authorized.job, error);
  }
};

/** Its code was started, and what came of it cannot be told. */
const unreportableResult = ({ tool }: Pick<PoolJob, "tool">, error: unknown): PoolResult => ({
  kind: "failed",
  failure: { code: "failed", message: `What came of "${tool}" cannot be told: ${thrownMessage(error)}` },
  notes: [],
  cost: 0,
});

/** A call that may run here. */
interface AuthorizedPoolJob {
  readonly job: PoolJob;
  readonly tool: AnyTool;
  readonly input: unknown;
}

/** Nothing of the tool's code is started here, so whatever goes wrong is a refusal. */
const authorizePoolJob = async (
  site: PoolJobContext,
  { id, job, caller }: ClaimedPoolJob,
): Promise<AuthorizedPoolJob | PoolResult> => {
  if (job === undefined) return refusedResult("call_over", "It was not sent by somebody who has the key.");
  const named = site.tools.filter(({ spec }) => spec.name === shortToolName(job.tool));
  if (named.length === 0) {
    return refusedResult("not_bound", `This process of the pool has no tool "${job.tool}".`);
  }
  const tool = named.find(({ spec }) => definitionHash(spec) === job.definition);
  if (tool === undefined) {
    const message = `"${job.tool}" is defined otherwise in its pool. Bring both to the same definition.`;
    return refusedResult("definition_changed", message);
  }
  const objection = await policyRefusal(site, job, tool);
  if (objection !== undefined) return objection;
  const valid = tool.input(job.input);
  if (!valid.ok)
    return refusedResult("invalid_input", `The arguments of "${job.tool}" are not valid in its pool.`);
  // The last thing before it runs: nobody would hear of one whose caller is gone, or has done with it.
  if (!(await site.mayBegin(caller, id))) {
    return refusedResult(
      "call_over",
      `Its caller has ended, or lets nobody begin with "${job.tool}" any more.`,
    );
  }
  return { job, tool, input: valid.value };
};

/** The last segment: namespaces are the caller's. */
const shortToolName = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

const refusedResult = (code: FailureCode, message: string): PoolResult => ({
  kind: "refused",
  failure: { code, message },
  notes: [],
  cost: 0,
});

const policyRefusal = async (
  { shared: { ledger, policy } }: PoolJobContext,
  { entryId, tool: key, principal, input }: PoolJob,
  tool: AnyTool,
): Promise<PoolResult | undefined> => {
  const [entry] = await Effect.runPromise(ledger.entries({ entryId }));
  if (entry === undefined || entry.ending !== "open" || entry.agent !== principal.agent) {
    return refusedResult(
      "call_over",
      `The ledger of this pool has no call of "${key}" under way that this could be.`,
    );
  }
  const registration: Registration = { key, wireName: tool.spec.name, origin: "internal", tool };
  const decisionOrEffect = guardPolicy(policy).decide({ principal, registration, input, validated: true });
  const decided = Effect.isEffect(decisionOrEffect)
    ? await Effect.runPromise(decisionOrEffect)
    : decisionOrEffect;
  // A person who had to be asked was asked by the caller: the entry is open because of the answer.
  return decided.effect === "deny"
    ? refusedResult("denied", `"${key}" is not allowed where it would run.`)
    : undefined;
};

/** From here on the code may have run, whatever comes of it. */
const executePoolJob = async (
  { shared, signal }: PoolJobContext,
  { job, tool, input }: AuthorizedPoolJob,
): Promise<PoolResult> => {
  const { callId, tool: key, principal, idempotencyKey } = job;
  const notes: string[] = [];
  let cost = 0;
  const context: CallContext = {
    callId,
    tool: key,
    signal,
    principal,
    idempotencyKey,
    env: undefined,
    progress: () => {},
    note: (text) => void notes.push(text),
    cost: (amount) => {
      cost += amount;
    },
    secret: (name) => readSecret(shared.credentials.secret, name),
  };
  const inside = toRunningCall(job);
  const code = Effect.suspend(() => {
    const started = tool.implementation.bind(tool.spec)(input, context);
    return Effect.isEffect(started)
      ? (started as Effect.Effect<unknown, unknown>)
      : Effect.tryPromise({ try: async () => started, catch: (error) => error });
  });
  const callServices = Context.add(shared.tools.context, CurrentCall, inside);
  const exit = await withCallContextAsync(inside, () =>
    Effect.runPromiseExit(Effect.provideContext(code, callServices), { signal }),
  );
  // Secrets of this process are known to no other, so they are masked before anything leaves it.
  const masking = redactor({ secrets: shared.credentials.known });
  // The caller sees a remote tool: only here is it known whether the code is an HTTP request or a foreign server.
  const own = taintSourceOf({ key, wireName: tool.spec.name, origin: "internal", tool });
  const read = joinTaints(own === undefined ? [] : [own], inside.recorder.taints);
  const taints =
    Exit.isSuccess(exit) && isOutcome(exit.value) ? joinTaints(read, taintsOfOutcome(exit.value)) : read;
  const end = (result: Pick<PoolResult, "kind" | "value" | "failure">): PoolResult =>
    masking.value({ ...result, notes, cost, taints }) as PoolResult;
  if (!Exit.isSuccess(exit)) return end({ kind: "failed", failure: toPoolFailure(exit.cause, key) });
  const { value } = exit;
  if (!isOutcome(value)) return end({ kind: "value", value });
  if (value._tag === "value") return end({ kind: "value", value: value.value });
  const { code: named, message } =
    value._tag === "failure" ? value.failure : { code: "failed" as const, message: "It waits for a person." };
  return end({ kind: "failed", failure: { code: named, message } });
};

/**
 * The call as nested calls of its code see it. It belongs to another runtime, so nested calls are runs of their own, which
 * inherit the taint of the caller's run and add theirs to the result.
 */
const toRunningCall = ({
  entryId,
  callId,
  tool,
  input,
  principal,
  taints: readBefore = [],
}: PoolJob): RunningCall => {
  let read: readonly string[] = [];
  return {
    runtime: {},
    request: {
      raw: { id: callId, tool, input },
      entryId,
      scope: { id: entryId, agent: principal.agent, tally: { calls: 0, cost: 0, taints: readBefore } },
      layers: noLayerScopes,
      principal,
      correlationId: undefined,
      env: undefined,
    },
    principal,
    recorder: {
      attempts: [],
      cost: undefined,
      get taints() {
        return read;
      },
      note: () => {},
    },
    addTaints: (taints) => {
      read = joinTaints(read, taints);
    },
    journal: undefined,
  };
};

const toPoolFailure = (cause: Cause.Cause<unknown>, key: string): NonNullable<PoolResult["failure"]> => {
  if (Cause.hasInterruptsOnly(cause)) {
    return { code: "cancelled", message: `The call of "${key}" was cancelled.` };
  }
  const error = Cause.squash(cause);
  if (ToolError.is(error)) {
    const { code, message, retryable, retryAfterMs } = error.failure;
    return {
      code,
      message,
      ...(retryable === undefined ? {} : { retryable }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
  }
  return { code: "failed", message: `The tool "${key}" failed: ${thrownMessage(error)}` };
};
