import * as Effect from "effect/Effect";
import { Haft, LedgerError, tool } from "haft";
import { describe, expect, it } from "vitest";
import { redactor } from "../../base/json/redact.ts";
import { memoryLedger } from "../../ledger/memory.ts";
import type { LedgerStore } from "../../types/ledger.ts";

const principal = { agent: "tester", allow: ["*"] };
const lost = () => Effect.fail(new LedgerError("claim_lost", "another process has the run"));
const full = () => Effect.fail(new LedgerError("ledger_unavailable", "disk full"));

/** Makes one call while parts of the ledger fail. */
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

describe("ledger that cannot write", () => {
  it("reports the reason to operators when it fails, dies or throws", async () => {
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

  it("stops a high-risk call whose start is not recorded, and runs other calls", async () => {
    const { ran, failure } = await callWith({ intend: full }, { risk: "high" });
    expect([ran, failure?.code, failure?.ran]).toEqual([0, "ledger_unavailable", false]);
    expect(await callWith({ intend: full })).toMatchObject({ ran: 1, ok: true });
  });

  it("does not record the start of a high-risk call whose entry was not opened", async () => {
    let asked = 0;
    const intend = () => Effect.sync(() => void asked++);
    const options = { risk: "high", readsWithoutLedger: true, ...read } as const;
    await callWith({ open: full, intend }, options);
    expect(asked).toBe(0);
  });

  it("withholds the result of a call that ran and reports ran: true", async () => {
    const { ran, failure, text } = await callWith({ close: full });
    expect([ran, failure?.code, failure?.ran]).toEqual([1, "ledger_unavailable", true]);
    expect(text).toContain("Do not call it again for the same purpose");
  });

  it("returns the result of a read only when readsWithoutLedger is set", async () => {
    expect(await callWith({ close: full }, read)).toMatchObject({ ran: 1, ok: false });
    expect(await callWith({ close: full }, { readsWithoutLedger: true, ...read })).toMatchObject({
      ran: 1,
      ok: true,
    });
    expect(await callWith({ close: full }, { readsWithoutLedger: true })).toMatchObject({ ok: false });
  });
});

describe("run that another process has claimed", () => {
  it("makes no further call, even for a read with readsWithoutLedger", async () => {
    const { ran, failure } = await callWith({ open: lost }, { readsWithoutLedger: true, ...read });
    expect(ran).toBe(0);
    expect(failure).toMatchObject({
      code: "claim_lost",
      tool: "work",
      ran: false,
      message: "another process has the run",
    });
  });

  it("withholds the result of a call that ran before the claim was lost", async () => {
    const { ran, failure } = await callWith({ close: lost }, { readsWithoutLedger: true, ...read });
    expect([ran, failure?.code, failure?.ran]).toEqual([1, "claim_lost", true]);
  });
});
