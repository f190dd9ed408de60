import type { Message } from "haft";
import { memoryLedger } from "haft/effect";
import { describe, expect, it } from "vitest";
import { hashInput, hashText } from "../src/base/json/canonical-json.ts";
import { redactor } from "../src/base/json/redact.ts";
import { unknownCallsOf } from "../src/pipeline/recorder.ts";
import { loadRunCounters } from "../src/pipeline/run-counters.ts";
import { collectConversationTaints } from "../src/policy/taint.ts";
import type { EntryClosing, EntryOpening, LedgerStore } from "../src/types/ledger.ts";
import { createClosing, createOpening, runLedgerEffect } from "./contracts/ledger/ledger-fixtures.ts";

const world = async (
  ...rows: readonly (Partial<EntryClosing> & Partial<Pick<EntryOpening, "input" | "runId">>)[]
) => {
  const store: LedgerStore = memoryLedger({ redactor: redactor() });
  for (const [at, { input = "{}", runId = "run-1", ...more }] of rows.entries()) {
    await runLedgerEffect(store.open(createOpening(`e${at}`, { input, runId, tool: more.tool ?? "pay" })));
    await runLedgerEffect(store.close(createClosing(`e${at}`, { tool: "pay", ...more })));
  }
  return store;
};

const attempt = { number: 1, startedAt: 1, inputHash: "as it ran", ending: "unknown", ran: true } as const;
const messages: readonly Message[] = [
  { role: "user", content: "Go" },
  { role: "tool", callId: "1", tool: "page", content: "read", ok: true, taints: ["page"] },
  { role: "tool", callId: "2", tool: "look", content: "seen", ok: true },
];

describe("the counters of a run that is resumed", () => {
  it("count the calls that ran, without model calls and calls of other runs", async () => {
    const store = await world(
      { ran: true },
      { ran: true },
      { ran: false },
      {},
      { ran: true, tool: "model:some/model" },
      { ran: true, runId: "run-2", cost: 100 },
    );
    expect((await runLedgerEffect(loadRunCounters(store, "run-1"))).calls).toBe(2);
  });

  it("add up all costs", async () => {
    const store = await world({ cost: 3 }, {}, { cost: 4, tool: "model:some/model" });
    expect((await runLedgerEffect(loadRunCounters(store, "run-1"))).cost).toBe(7);
  });

  it("have the taints of the conversation, of the entries and of the options", async () => {
    const store = await world({ taints: ["mail"] }, {}, { taints: ["page"] });
    const begin = { runId: "run-1", agent: "a", principal: undefined, messages, at: 1 };
    await runLedgerEffect(store.runs!.begin(begin));
    expect((await runLedgerEffect(loadRunCounters(store, "run-1", { taints: ["given"] }))).taints).toEqual([
      "given",
      "page",
      "mail",
    ]);
    expect((await runLedgerEffect(loadRunCounters(store, "run-1"))).taints).toEqual(["page", "mail"]);
  });

  it("are zero when nothing happened", async () => {
    const { calls, cost, taints } = await runLedgerEffect(loadRunCounters(await world(), "run-1"));
    expect({ calls, cost, taints }).toEqual({ calls: 0, cost: 0, taints: [] });
  });

  it("have no unknown calls if all outcomes are known", async () => {
    const attempts = [{ ...attempt, ending: "ended" as const }];
    const store = await world({ attempts }, { ending: "failed", code: "failed" });
    expect(unknownCallsOf(await runLedgerEffect(loadRunCounters(store, "run-1")))).toBeUndefined();
  });

  it("have an attempt without an outcome by the hash of its input, whatever the ending of its call", async () => {
    const tally = await runLedgerEffect(loadRunCounters(await world({ attempts: [attempt] }), "run-1"));
    expect([...unknownCallsOf(tally)!.keys()]).toEqual(["pay\nas it ran"]);
  });

  it("have a call with an unknown ending by the hash of its text and the hash of its input", async () => {
    const input = '{ "b": 1, "a": 2 }';
    const store = await world({ ending: "unknown", input, result: undefined });
    expect([...unknownCallsOf(await runLedgerEffect(loadRunCounters(store, "run-1")))!.keys()]).toEqual([
      `pay\ntext ${hashText(input)}`,
      `pay\n${hashInput({ a: 2, b: 1 })}`,
    ]);
  });

  it.each([
    ["cannot be read", "{", (store: LedgerStore) => store],
    ["is no longer kept", "{}", ({ recall: _, ...store }: LedgerStore) => store],
  ])("have a call whose text %s by the hash of its text only", async (_, input, change) => {
    const store = change(await world({ ending: "unknown", input, result: undefined }));
    expect([...unknownCallsOf(await runLedgerEffect(loadRunCounters(store, "run-1")))!.keys()]).toEqual([
      `pay\ntext ${hashText(input)}`,
    ]);
  });

  it("have a call that was settled as having taken effect, and none that was settled as not", async () => {
    const store = await world(
      { ending: "unknown", result: undefined },
      { ending: "unknown", result: undefined },
    );
    await runLedgerEffect(store.settle!({ entryId: "e0", tookEffect: true, by: "grace" }));
    await runLedgerEffect(store.settle!({ entryId: "e1", tookEffect: false, by: "grace" }));
    const unknown = unknownCallsOf(await runLedgerEffect(loadRunCounters(store, "run-1")));
    expect(unknown).toEqual(
      new Map([
        [`pay\ntext ${hashText("{}")}`, new Set(["e0"])],
        [`pay\n${hashInput({})}`, new Set(["e0"])],
      ]),
    );
  });

  it("are loaded from the entries alone if the ledger keeps no runs", async () => {
    const { runs: _, ...store } = await world({ taints: ["mail"], ran: true });
    expect(await runLedgerEffect(loadRunCounters(store, "run-1"))).toMatchObject({
      calls: 1,
      taints: ["mail"],
    });
  });
});

it("a conversation is tainted only by tool messages", () => {
  expect(collectConversationTaints(messages)).toEqual(["page"]);
  expect(collectConversationTaints([{ role: "user", content: "x", taints: ["user"] } as never])).toEqual([]);
});
