import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { agent, Haft, type LedgerStore, tool } from "haft";
import { memoryLedger } from "haft/effect";
import { calls, says, scriptedModel } from "haft/testing";
import { afterAll, describe, expect, it } from "vitest";
import { redactor } from "../../src/base/json/redact.ts";
import { openDurableLedger } from "../../src/ledger/open-durable-ledger.ts";

const day = 86_400_000;

/** A clock that is ahead of the others by this much. */
const ahead = (ms: number): Clock.Clock => {
  const at = Date.UTC(2026, 0, 1) + ms;
  const nanos = BigInt(at) * 1_000_000n;
  return {
    currentTimeMillisUnsafe: () => at,
    currentTimeMillis: Effect.succeed(at),
    currentTimeNanosUnsafe: () => nanos,
    currentTimeNanos: Effect.succeed(nanos),
    monotonicTimeNanosUnsafe: () => nanos,
    monotonicTimeNanos: Effect.succeed(nanos),
    sleep: () => Effect.never,
  };
};

const stores: LedgerStore[] = [];
afterAll(async () => {
  for (const store of stores) await store.end?.();
});

const ledgers: Readonly<Record<string, () => Promise<LedgerStore>>> = {
  memory: async () => memoryLedger({ redactor: redactor() }),
  SQLite: () => openDurableLedger("sqlite::memory:", { redactor: redactor() }),
};

describe.each(Object.entries(ledgers))("an answer at the wrong time (%s)", (_, open) => {
  const scene = async (change: (store: LedgerStore) => LedgerStore = (store) => store) => {
    const store = await open();
    stores.push(store);
    const ledger = change(store);
    const paid: string[] = [];
    const pay = tool({
      name: "pay",
      description: "Needs a person",
      input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] } as const,
      requiresApproval: true,
      run: async ({ to }) => {
        paid.push(to);
        return { paid: to };
      },
    });
    const model = scriptedModel([calls(["pay", { to: "ada" }]), says("done")]);
    const clerk = agent({ name: "clerk", instructions: "Pay.", model, tools: ["pay"] });
    const runtime = (ms: number) =>
      Haft.open({
        tools: [pay],
        ledger,
        services: Layer.succeed(Clock.Clock, ahead(ms)),
        principal: { agent: "clerk", allow: ["*"] },
        approver: () => undefined,
      });
    return { clerk, paid, runtime };
  };

  it.each(["the runtime that asked", "another runtime"])(
    "does not leave the call pending if it is too late, once the run is resumed by %s",
    async (who) => {
      const { clerk, paid, runtime } = await scene();
      const first = await runtime(0);
      const other = await runtime(2 * day);
      const { runId, pending } = await first.run(clerk, "pay ada");
      const [question] = pending;
      await expect(other.resume(question?.id ?? "", { kind: "allow" })).rejects.toMatchObject({
        code: "approval_expired",
      });
      const resuming = who === "another runtime" ? other : first;
      const response = await resuming.run(clerk, undefined, { resume: runId });
      expect(response.status).toBe("done");
      expect(response.toolsUsed).toMatchObject([{ name: "pay", ok: false }]);
      expect(paid).toEqual([]);
      const [entry] = await first.log({ tool: "pay" });
      expect(entry).toMatchObject({ ending: "failed", code: "approval_expired", ran: false });
    },
  );

  it("is stored and not used without a claim, while another runtime holds the run", async () => {
    let isHeldElsewhere = false;
    const { clerk, paid, runtime } = await scene((store) => ({
      ...store,
      runs: {
        ...store.runs!,
        claim: (runId, at) => (isHeldElsewhere ? Effect.succeed(undefined) : store.runs!.claim(runId, at)),
      },
    }));
    const haft = await runtime(0);
    const { runId, pending } = await haft.run(clerk, "pay ada");
    isHeldElsewhere = true;
    const reply = await haft.resume(pending[0]?.id ?? "", { kind: "allow" });
    expect(reply.text).toMatch(/The call runs when its run .* is resumed/);
    expect(paid).toEqual([]);
    isHeldElsewhere = false;
    expect(await haft.run(clerk, undefined, { resume: runId })).toMatchObject({ status: "done" });
    expect(paid).toEqual(["ada"]);
  });
});
