import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { redactor } from "../base/json/redact.ts";
import { memoryLedger } from "../ledger/memory.ts";
import { openRunLease, withRunLease } from "./run-lease.ts";

const runId = "run-1";

const begun = async () => {
  const { runs } = memoryLedger({ redactor: redactor() });
  const start = { runId, agent: "clerk", principal: undefined, messages: [], at: 0 };
  const epoch = await Effect.runPromise(runs.begin(start));
  const find = () => Effect.runPromise(runs.find(runId));
  return { runs, epoch, find };
};

it("records the end that the exit of the body asks for", async () => {
  const { runs, epoch, find } = await begun();
  const lease = {
    runId,
    claim: Effect.succeed(epoch),
    endOf: (exit: { readonly _tag: string }) => ({ status: "pending", reason: exit._tag }) as const,
  };
  await Effect.runPromise(Effect.flip(withRunLease(runs, lease, () => Effect.fail("no"))));
  expect(await find()).toMatchObject({ status: "pending", reason: "Failure", isHeld: false });
});

it("is released when the body is interrupted", async () => {
  const { runs, epoch, find } = await begun();
  const lease = {
    runId,
    claim: Effect.succeed(epoch),
    endOf: () => ({ status: "cancelled", reason: "stopped" }) as const,
  };
  const stop = new AbortController();
  const running = Effect.runPromise(
    withRunLease(runs, lease, () =>
      Effect.andThen(
        Effect.sync(() => stop.abort()),
        Effect.never,
      ),
    ),
    { signal: stop.signal },
  );
  await expect(running).rejects.toThrow();
  expect(await find()).toMatchObject({ status: "cancelled", reason: "stopped" });
});

it("signals a lost lease, and then records nothing", async () => {
  const { runs, epoch, find } = await begun();
  const lease = openRunLease(runs, runId, epoch);
  await Effect.runPromise(runs.cancel(runId, "ada", 1));
  expect(lease.lost.aborted).toBe(true);
  await Effect.runPromise(lease.release({ status: "done" }));
  expect(await find()).toMatchObject({ status: "stopped" });
});

it("leaves the run as it is without an end", async () => {
  const { runs, epoch, find } = await begun();
  await Effect.runPromise(openRunLease(runs, runId, epoch).release(undefined));
  expect(await find()).toMatchObject({ status: "running", isHeld: true });
});

it("fails with claim_lost if the lease was lost before the end was recorded", async () => {
  const { runs, epoch } = await begun();
  const lease = {
    runId,
    claim: Effect.succeed(epoch),
    endOf: () => ({ status: "done" }) as const,
  };
  const ended = withRunLease(runs, lease, () => Effect.as(runs.cancel(runId, "ada", 1), "answer"));
  expect(await Effect.runPromise(Effect.flip(ended))).toMatchObject({ code: "claim_lost" });
});
