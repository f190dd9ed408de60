import * as Effect from "effect/Effect";
import { Haft, LedgerError, tool } from "haft";
import { describe, expect, it } from "vitest";
import { redactor } from "../../base/json/redact.ts";
import { memoryLedger } from "../../ledger/memory.ts";
import type { LedgerStore } from "../../types/ledger.ts";

const principal = { agent: "tester", allow: ["*"] };
const lost = () => Effect.fail(new LedgerError("claim_lost", "another process has the run"));
const full = () => Effect.fail(new LedgerError("ledger_unavailable", "disk full"));

/** One call of a tool while a part of the ledger does not work. */
const callWith = async (
  broken: Partial<LedgerStore>,
  {
    readsWithoutLedger = false,
    ...more
  }: { readonly readsWithoutLedger?: boolean; readonly risk?: "high" } & {
    readonly annotations?: { readonly readOnly: boolean };
  } = {},
) => {
  let ran = 0;
  const work = tool({ name: "work", description: "Works", input: [], run: () => ++ran, ...more });
  const haft = await Haft.open({
    tools: [work],
    principal,
    approver: () => ({ kind: "allow" }),
    ledger: { ...memoryLedger({ redactor: redactor() }), ...broken },
    config: { ledger: { readsWithoutLedger } },
  });
  const [reply] = await haft.turn([{ id: "1", tool: "work", input: "{}" }]);
  return { ran, ok: reply?.ok, failure: reply?.failure, text: reply?.text };
};
const read = { annotations: { readOnly: true } };

describe("a ledger that cannot write", () => {
  it("says why to operators, whether it fails, dies or throws", async () => {
    const ways: readonly [LedgerStore["open"], string][] = [
      [full, "disk full"],
      [() => Effect.die(new Error("no connection")), "no connection"],
      [() => Effect.die("gone"), "gone"],
      [() => Effect.die(Object.create(null)), "something that cannot be put into words"],
      [
        () => {
          throw new Error("not even begun");
        },
        "not even begun",
      ],
    ];
    for (const [open, detail] of ways) {
      const { ran, failure, text } = await callWith({ open });
      expect(failure).toMatchObject({ code: "ledger_unavailable", tool: "work", ran: false, detail });
      expect(text).toContain("cannot run because calls cannot be recorded right now");
      expect(ran).toBe(0);
    }
  });

  it("stops a risky call whose start is not on disk, and lets another one run", async () => {
    const { ran, failure } = await callWith({ intend: full }, { risk: "high" });
    expect([ran, failure?.code, failure?.ran]).toEqual([0, "ledger_unavailable", false]);
    expect(await callWith({ intend: full })).toMatchObject({ ran: 1, ok: true });
  });

  it("lets a risky call that could not be opened fail for that, without asking for its start", async () => {
    let asked = 0;
    const intend = () => Effect.sync(() => void asked++);
    const options = { risk: "high", readsWithoutLedger: true, ...read } as const;
    await callWith({ open: full, intend }, options);
    expect(asked).toBe(0);
  });

  it("keeps back what ran, and says that it ran", async () => {
    const { ran, failure, text } = await callWith({ close: full });
    expect([ran, failure?.code, failure?.ran]).toEqual([1, "ledger_unavailable", true]);
    expect(text).toContain("Do not call it again for the same purpose");
  });

  it("releases a read only where the operator said so", async () => {
    expect(await callWith({ close: full }, read)).toMatchObject({ ran: 1, ok: false });
    expect(await callWith({ close: full }, { readsWithoutLedger: true, ...read })).toMatchObject({
      ran: 1,
      ok: true,
    });
    expect(await callWith({ close: full }, { readsWithoutLedger: true })).toMatchObject({ ok: false });
  });
});

describe("a run that another process has taken over", () => {
  it("makes no call any more, not even a read that may go without the ledger", async () => {
    const { ran, failure } = await callWith({ open: lost }, { readsWithoutLedger: true, ...read });
    expect(ran).toBe(0);
    expect(failure).toMatchObject({
      code: "claim_lost",
      tool: "work",
      ran: false,
      message: "another process has the run",
    });
  });

  it("does not release what came of a call that ran", async () => {
    const { ran, failure } = await callWith({ close: lost }, { readsWithoutLedger: true, ...read });
    expect([ran, failure?.code, failure?.ran]).toEqual([1, "claim_lost", true]);
  });
});
