import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { redactor } from "../../src/base/json/redact.ts";
import { openDurableLedger } from "../../src/ledger/open-durable-ledger.ts";
import { fixture, haft } from "./haft.ts";
import { closing, entryId, opening, seed } from "./seed.ts";

const operator = { answers: [] };
const claim = (count: number) =>
  ({
    key: "7",
    effect: { scope: "tenant", retentionMs: 1e9 },
    entryId: entryId(count),
    tool: "pay",
    inputHash: "h",
    agent: "guide",
    user: undefined,
    tenant: undefined,
    at: Date.now(),
  }) as const;

/** A call whose process ended while it ran; closing the ledger marks it as unknown. */
const unknownCall = () =>
  seed(async (ledger) => {
    await Effect.runPromise(ledger.open(opening(1, { tool: "pay", input: '{"order":"7"}' })));
    await Effect.runPromise(ledger.reserve(claim(1)));
    await Effect.runPromise(ledger.open(opening(2)));
    await Effect.runPromise(ledger.close(closing(2)));
  });

const rowsOf = async (place: string) => {
  const ledger = await openDurableLedger(place, { redactor: redactor({}) });
  const [entry] = await Effect.runPromise(ledger.entries({ entryId: entryId(1) }));
  const { ok } = await Effect.runPromise(ledger.verify());
  await ledger.end();
  return { entry, ok };
};

describe("haft settle", () => {
  it("records that a call took effect, with its result, author and reason", async () => {
    const place = await unknownCall();
    const words = ["settle", "4f3a9c-1", "--took-effect", "--result", '{"receipt":"r-7"}', "--by", "grace"];
    const ran = await haft([...words, "--reason", "in the bank's list", "--ledger", place], operator);
    expect([ran.code, ran.out]).toEqual([0, `${entryId(1)} pay took effect, settled by grace\n`]);
    const shown = await haft(["log", entryId(1), "--ledger", place]);
    expect(shown.out).toContain("settled by grace: it took effect (in the bank's list)");
    const { entry, ok } = await rowsOf(place);
    expect(entry).toMatchObject({
      ending: "executed",
      result: '{"receipt":"r-7"}',
      settlement: { tookEffect: true, by: "grace", reason: "in the bank's list" },
    });
    expect(ok).toBe(true);
  });

  it("records that a call did not take effect, also as JSON, and refuses to settle it again", async () => {
    const place = await unknownCall();
    const ran = await haft(["settle", entryId(1), "--did-not", "--json", "--ledger", place], operator);
    expect(JSON.parse(ran.out)).toMatchObject({ ending: "failed", settlement: { tookEffect: false } });
    const again = await haft(["settle", entryId(1), "--took-effect", "--ledger", place], operator);
    expect([again.code, again.error]).toEqual([1, expect.stringContaining("it was settled before")]);
  });

  it("calls the tool's reconcile when no finding is given", async () => {
    const place = await unknownCall();
    const words = ["settle", "4f3a9c-1", "--tools", fixture("reconciled.ts"), "--ledger", place];
    const ran = await haft(words, operator);
    expect([ran.code, ran.out]).toEqual([0, `${entryId(1)} pay took effect, settled by reconcile\n`]);
    expect((await rowsOf(place)).entry).toMatchObject({ result: '{"receipt":"found 7"}' });
  });

  it("refuses known calls, missing calls and contradicting options", async () => {
    const place = await unknownCall();
    const errorOf = async (...words: readonly string[]) => {
      const { code, error } = await haft(["settle", ...words, "--ledger", place], operator);
      return [code, error];
    };
    expect(await errorOf(entryId(2), "--did-not")).toEqual([
      1,
      expect.stringContaining("its outcome is known"),
    ]);
    expect(await errorOf("ffffff-9", "--did-not")).toEqual([
      1,
      expect.stringContaining("is not in the ledger"),
    ]);
    expect(await errorOf(entryId(1), "--did-not", "--took-effect")).toEqual([
      2,
      expect.stringContaining("Use only one of"),
    ]);
    expect(await errorOf(entryId(1), "--did-not", "--result", "1")).toEqual([
      2,
      expect.stringContaining("--took-effect"),
    ]);
    expect(await errorOf(entryId(1), "--took-effect", "--result", "{")).toEqual([
      2,
      expect.stringContaining("must be JSON"),
    ]);
    expect(await errorOf()).toEqual([2, expect.stringContaining("requires one call")]);
  });

  it("needs an operator at a terminal", async () => {
    const place = await unknownCall();
    const settle = ["settle", entryId(1), "--did-not", "--ledger", place];
    const { code, error } = await haft(settle, { isOperator: false });
    expect([code, error]).toEqual([6, expect.stringContaining("Run it at a terminal")]);
    expect((await rowsOf(place)).entry).toMatchObject({ ending: "unknown" });
  });
});

describe("a call that could not run", () => {
  it("is printed with its reason and recorded as not run", async () => {
    const place = await seed(async () => {});
    const tools = ["--tools", fixture("secret-needed.ts"), "--ledger", place];
    const { code, error } = await haft(["call", "send", "{}", ...tools]);
    expect([code, error]).toEqual([1, expect.stringContaining("HAFT_TEST_SECRET_THAT_NOBODY_SET")]);
    expect(error).not.toContain("Continue without it");
    const log = await haft(["log", "--json", "--ledger", place]);
    expect(JSON.parse(log.out.trim())).toMatchObject({ code: "secret_missing", ran: false });
  });
});
