import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { redactor } from "../../json/redact.ts";
import type { Decision } from "../../policy/judge.ts";
import type { Shared } from "../../runtime/shared.ts";
import { textOfThrown } from "../../text/thrown-text.ts";
import { definitionHash } from "../../tool/definition-hash.ts";
import type { CallContext } from "../../words/call.ts";
import { ToolError } from "../../words/errors.ts";
import type { FailureCode } from "../../words/failures.ts";
import { isOutcome } from "../../words/outcome.ts";
import type { AnyTool, Registration } from "../../words/tool.ts";
import type { ClaimedJob, PoolJob, PoolResult } from "./pool-jobs.ts";

export interface PoolSite {
  readonly shared: Pick<Shared, "ledger" | "policy" | "tools" | "credentials">;
  readonly tools: readonly AnyTool[];
  readonly signal: AbortSignal;
  /** Whether the caller lets this process begin with it, which it says once. */
  readonly mayBegin: (caller: string, id: string) => Promise<boolean>;
}

/** The gate once more, where the code is: nothing runs that the ledger, the definition and the policy do not bear out. */
export const runJob = async (site: PoolSite, claimed: ClaimedJob): Promise<PoolResult> => {
  let cleared: ClearedJob | PoolResult;
  try {
    cleared = await clear(site, claimed);
  } catch (error) {
    return refused("failed", `The pool could not begin with the call: ${textOfThrown(error)}`);
  }
  if ("kind" in cleared) return cleared;
  try {
    return await run(site, cleared);
  } catch (error) {
    return broken(cleared.job, error);
  }
};

/** Its code was started, and what came of it cannot be told. */
const broken = ({ tool }: Pick<PoolJob, "tool">, error: unknown): PoolResult => ({
  kind: "failed",
  failure: { code: "failed", message: `What came of "${tool}" cannot be told: ${textOfThrown(error)}` },
  notes: [],
  cost: 0,
});

/** A call that may run here. */
interface ClearedJob {
  readonly job: PoolJob;
  readonly tool: AnyTool;
  readonly input: unknown;
}

/** Nothing of the tool's code is started here, so whatever goes wrong is a refusal. */
const clear = async (site: PoolSite, { id, job, caller }: ClaimedJob): Promise<ClearedJob | PoolResult> => {
  if (job === undefined) return refused("call_over", "It was not sent by somebody who has the key.");
  const named = site.tools.filter(({ spec }) => spec.name === nameOf(job.tool));
  if (named.length === 0) {
    return refused("not_bound", `This process of the pool has no tool "${job.tool}".`);
  }
  const tool = named.find(({ spec }) => definitionHash(spec) === job.definition);
  if (tool === undefined) {
    const message = `"${job.tool}" is defined otherwise in its pool. Bring both to the same definition.`;
    return refused("definition_changed", message);
  }
  const objection = await objectionTo(site, job, tool);
  if (objection !== undefined) return objection;
  const valid = tool.input(job.input);
  if (!valid.ok) return refused("invalid_input", `The arguments of "${job.tool}" are not valid in its pool.`);
  // The last thing before it runs: nobody would hear of one whose caller is gone, or has done with it.
  if (!(await site.mayBegin(caller, id))) {
    return refused("call_over", `Its caller has ended, or lets nobody begin with "${job.tool}" any more.`);
  }
  return { job, tool, input: valid.value };
};

/** The last segment: namespaces are the caller's. */
const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

const refused = (code: FailureCode, message: string): PoolResult => ({
  kind: "refused",
  failure: { code, message },
  notes: [],
  cost: 0,
});

const objectionTo = async (
  { shared: { ledger, policy } }: PoolSite,
  { entryId, tool: key, principal, input }: PoolJob,
  tool: AnyTool,
): Promise<PoolResult | undefined> => {
  const [entry] = await Effect.runPromise(ledger.entries({ entryId }));
  if (entry === undefined || entry.ending !== "open" || entry.agent !== principal.agent) {
    return refused(
      "call_over",
      `The ledger of this pool has no call of "${key}" under way that this could be.`,
    );
  }
  const registration: Registration = { key, wireName: tool.spec.name, origin: "internal", tool };
  const asked = policy.decide({ principal, registration, input, validated: true });
  const decided: Decision = Effect.isEffect(asked)
    ? await Effect.runPromise(Effect.orElseSucceed(asked, () => denial))
    : asked;
  // A person who had to be asked was asked by the caller: the entry is open because of the answer.
  return decided.effect === "deny"
    ? refused("denied", `"${key}" is not allowed where it would run.`)
    : undefined;
};

const denial = { effect: "deny", reason: "the policy did not answer" } as Decision;

/** From here on the code may have run, whatever comes of it. */
const run = async ({ shared, signal }: PoolSite, { job, tool, input }: ClearedJob): Promise<PoolResult> => {
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
  };
  const code = Effect.suspend(() => {
    const started = tool.implementation.bind(tool.spec)(input, context);
    return Effect.isEffect(started)
      ? (started as Effect.Effect<unknown, unknown>)
      : Effect.tryPromise({ try: async () => started, catch: (error) => error });
  });
  const exit = await Effect.runPromiseExit(Effect.provideContext(code, shared.tools.context), { signal });
  // Secrets of this process are known to no other, so they are masked before anything leaves it.
  const masking = redactor({ secrets: shared.credentials.known });
  const end = (result: Pick<PoolResult, "kind" | "value" | "failure">): PoolResult =>
    masking.value({ ...result, notes, cost }) as PoolResult;
  if (!Exit.isSuccess(exit)) return end({ kind: "failed", failure: failureOf(exit.cause, key) });
  const { value } = exit;
  if (!isOutcome(value)) return end({ kind: "value", value });
  if (value._tag === "value") return end({ kind: "value", value: value.value });
  const { code: named, message } =
    value._tag === "failure" ? value.failure : { code: "failed" as const, message: "It waits for a person." };
  return end({ kind: "failed", failure: { code: named, message } });
};

const failureOf = (cause: Cause.Cause<unknown>, key: string): NonNullable<PoolResult["failure"]> => {
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
  return { code: "failed", message: `The tool "${key}" failed: ${textOfThrown(error)}` };
};
