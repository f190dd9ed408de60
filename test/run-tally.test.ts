import type { Message } from "haft";
import { memoryLedger } from "haft/effect";
import { describe, expect, it } from "vitest";
import { unknownCalls } from "../src/call/recorder.ts";
import { loadRunTally, taintsIn } from "../src/call/run-tally.ts";
import { hashText } from "../src/json/hash.ts";
import { hashInput } from "../src/json/hash-input.ts";
import { redactor } from "../src/json/redact.ts";
import type { Closing, LedgerStore, Opening } from "../src/words/ledger.ts";
import { closing, opening, run } from "./contracts/ledger/rows.ts";

const world = async (...rows: readonly (Partial<Closing> & Partial<Pick<Opening, "input" | "runId">>)[]) => {
  const store: LedgerStore = memoryLedger({ redactor: redactor() });
  for (const [at, { input = "{}", runId = "run-1", ...more }] of rows.entries()) {
    await run(store.open(opening(`e${at}`, { input, runId, tool: more.tool ?? "pay" })));
    await run(store.close(closing(`e${at}`, { tool: "pay", ...more })));
  }
  return store;
};

const attempt = { number: 1, startedAt: 1, inputHash: "as it ran", ending: "unknown", ran: true } as const;
const messages: readonly Message[] = [
  { role: "user", content: "Go" },
  { role: "tool", callId: "1", tool: "page", content: "read", ok: true, taints: ["page"] },
  { role: "tool", callId: "2", tool: "look", content: "seen", ok: true },
];

describe("what a run had come to when it was left", () => {
  it("counts the calls that ran, and neither questions to a model nor calls of other runs", async () => {
    const store = await world(
      { ran: true },
      { ran: true },
      { ran: false },
      {},
      { ran: true, tool: "model:some/model" },
      { ran: true, runId: "run-2", cost: 100 },
    );
    expect((await run(loadRunTally(store, "run-1"))).calls).toBe(2);
  });

  it("adds up what everything cost", async () => {
    const store = await world({ cost: 3 }, {}, { cost: 4, tool: "model:some/model" });
    expect((await run(loadRunTally(store, "run-1"))).cost).toBe(7);
  });

  it("has whose untrusted words are in its conversation, its entries, and what it is given besides", async () => {
    const store = await world({ taints: ["mail"] }, {}, { taints: ["page"] });
    const begin = { runId: "run-1", agent: "a", principal: undefined, messages, at: 1 };
    await run(store.runs!.begin(begin));
    expect((await run(loadRunTally(store, "run-1", ["given"]))).taints).toEqual(["given", "page", "mail"]);
    expect((await run(loadRunTally(store, "run-1"))).taints).toEqual(["page", "mail"]);
  });

  it("has no taints, no cost and no calls where nothing happened", async () => {
    const { calls, cost, taints } = await run(loadRunTally(await world(), "run-1"));
    expect({ calls, cost, taints }).toEqual({ calls: 0, cost: 0, taints: [] });
  });

  it("knows no calls as unknown whose ends are known", async () => {
    const attempts = [{ ...attempt, ending: "ended" as const }];
    const store = await world({ attempts }, { ending: "failed", code: "failed" });
    expect(unknownCalls(await run(loadRunTally(store, "run-1")))).toBeUndefined();
  });

  it("knows an attempt that never answered by what its code got, however its call ended", async () => {
    const tally = await run(loadRunTally(await world({ attempts: [attempt] }), "run-1"));
    expect([...unknownCalls(tally)!]).toEqual(["pay\nas it ran"]);
  });

  it("knows a call that was under way by its text and by what the text says", async () => {
    const input = '{ "b": 1, "a": 2 }';
    const store = await world({ ending: "unknown", input, result: undefined });
    expect([...unknownCalls(await run(loadRunTally(store, "run-1")))!]).toEqual([
      `pay\ntext ${hashText(input)}`,
      `pay\n${hashInput({ a: 2, b: 1 })}`,
    ]);
  });

  it.each([
    ["cannot be read", "{", (store: LedgerStore) => store],
    ["is no longer kept", "{}", ({ recall: _, ...store }: LedgerStore) => store],
  ])("knows a call whose text %s by the hash of the text alone", async (_, input, change) => {
    const store = change(await world({ ending: "unknown", input, result: undefined }));
    expect([...unknownCalls(await run(loadRunTally(store, "run-1")))!]).toEqual([
      `pay\ntext ${hashText(input)}`,
    ]);
  });

  it("is told by the entries alone where a ledger keeps no runs", async () => {
    const { runs: _, ...store } = await world({ taints: ["mail"], ran: true });
    expect(await run(loadRunTally(store, "run-1"))).toMatchObject({ calls: 1, taints: ["mail"] });
  });
});

it("a conversation is tainted by what tools said, and by nothing else in it", () => {
  expect(taintsIn(messages)).toEqual(["page"]);
  expect(taintsIn([{ role: "user", content: "x", taints: ["user"] } as never])).toEqual([]);
});
