import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import type { LedgerEntry, LedgerQuery } from "../../../types/ledger.ts";
import type { RunQuery, RunSummary } from "../../../types/run-store.ts";
import { questionHistory } from "./question-history.ts";
import { usageReader } from "./usage-reader.ts";

/** A ledger of generated runs that counts reads. */
const bookOf = (count: number) => {
  const runs: string[] = [];
  const read: string[] = [];
  const limits: (number | undefined)[] = [];
  const add = (more: number) => {
    for (let i = 0; i < more; i++) runs.unshift(`run-${runs.length}`);
  };
  add(count);
  return {
    add,
    read,
    limits,
    runs: async ({ limit }: RunQuery = {}) => {
      limits.push(limit);
      return runs.slice(0, limit).map((runId) => ({ runId, status: "done" }) as RunSummary);
    },
    log: async ({ runId }: LedgerQuery = {}) => {
      read.push(runId!);
      const input = JSON.stringify({ messages: 2, last: { role: "user", content: `parcel ${runId}` } });
      const rows = [
        { runId, tool: "model:x", ending: "executed", input },
        { runId, tool: "find", ending: "executed", input: "{}" },
      ];
      return rows as unknown as readonly LedgerEntry[];
    },
  };
};

it("reads each run once and later only a short list", async () => {
  const book = bookOf(300);
  const past = questionHistory(1_000);
  const look = usageReader(book, past, 1_000);
  await Effect.runPromise(look);
  expect([past.size, book.read.length]).toEqual([300, 300]);
  book.limits.length = 0;
  book.add(3);
  await Effect.runPromise(look);
  expect(book.limits).toEqual([64]);
  expect(book.read.slice(300)).toEqual(["run-300", "run-301", "run-302"]);
});

it("reads at most the limit and keeps the newest", async () => {
  const book = bookOf(500);
  const past = questionHistory(100);
  const look = usageReader(book, past, 100);
  await Effect.runPromise(look);
  expect([past.size, book.read.length, Math.max(...book.limits.map(Number))]).toEqual([100, 100, 100]);
  book.add(150);
  await Effect.runPromise(look);
  expect([past.size, book.read.length]).toEqual([100, 200]);
  expect(past.like("parcel run")[0]?.text).toBe("parcel run-649");
});

it("adds new runs once for concurrent reads", async () => {
  const book = bookOf(40);
  const past = questionHistory(100);
  const look = usageReader(book, past, 100);
  await Promise.all([look, look, look].map((each) => Effect.runPromise(each)));
  expect([past.size, book.read.length]).toEqual([40, 40]);
});

it("continues after an interruption", async () => {
  const book = bookOf(100);
  const past = questionHistory(100);
  const stop = new AbortController();
  const log = book.log;
  const breaking = {
    runs: book.runs,
    log: (query?: LedgerQuery) => {
      if (book.read.length === 50) stop.abort();
      return log(query);
    },
  };
  const look = usageReader(breaking, past, 100);
  await expect(Effect.runPromise(look, { signal: stop.signal })).rejects.toThrow();
  expect(past.size).toBe(32);
  await Effect.runPromise(look);
  expect(past.size).toBe(100);
  expect(new Set(book.read.filter((runId, at) => book.read.indexOf(runId) !== at)).size).toBeLessThan(32);
});

it("ignores runs and entries that it did not ask for", async () => {
  const book = bookOf(1);
  const runs = async () => [...(await book.runs()), { runId: "run-9", status: "failed" } as RunSummary];
  const foreign = { runId: "run-7", tool: "other", ending: "executed", input: "{}" } as LedgerEntry;
  const log = async (query?: LedgerQuery) => [...(await book.log(query)), foreign];
  const past = questionHistory(10);
  await Effect.runPromise(usageReader({ runs, log }, past, 10));
  expect([past.size, book.read]).toEqual([1, ["run-0"]]);
  expect(past.like("parcel run")[0]?.tools).toEqual(["find"]);
});
