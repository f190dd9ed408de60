import { describe, expect, it } from "vitest";
import { redactor } from "../../src/json/redact.ts";
import { openLedger } from "../../src/ledger/open-ledger.ts";
import { haft } from "./haft.ts";
import { approval, minute, noon, recordWaiting, runId, seed } from "./seed.ts";

const now = noon + 10 * minute;
const [first, second, third] = [1, 2, 3].map((count) => approval(count).id) as [string, string, string];

const waiting = () =>
  seed(async (ledger) => {
    await recordWaiting(ledger, 1);
    await recordWaiting(ledger, 2);
    await recordWaiting(ledger, 3, { runId: runId(2), expiresAt: now - 1 });
  });

const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("haft approvals", () => {
  it("lists what waits: since when, until when, who wants to do what, and why", async () => {
    const { code, out } = await haft(["approvals", "--ledger", await waiting()], { now });
    expect(code).toBe(0);
    const [head, ...rows] = out.trim().split("\n");
    expect(head).toMatch(/^ID +ASKED +EXPIRES +AGENT +TOOL +ARGUMENTS +WHY$/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(
      /^1f0c9a21 +9 min ago +in 24 h +guide +wipe_disk +\{"disk":"sd1"\} +critical risk$/,
    );
  });

  it("lists by status and run; what expired by the clock alone is expired", async () => {
    const place = await waiting();
    const ids = async (...words: string[]) => {
      const { out } = await haft(["approvals", "--json", "--ledger", place, ...words], { now });
      return out === "" ? [] : lines(out).map(({ id }) => id);
    };
    expect(await ids("--status", "expired")).toEqual([third]);
    expect(await ids("--status", "all", "--run", runId(2))).toEqual([third]);
    expect(await ids("--status", "used")).toEqual([]);
    expect((await haft(["approvals", "--ledger", place, "--run", runId(2)], { now })).error).toContain(
      "Nothing waits",
    );
  });

  it("follows questions as they come", async () => {
    const place = await waiting();
    const stop = new AbortController();
    let waits = 0;
    const wait = async () => {
      waits++;
      if (waits === 2) stop.abort();
      if (waits !== 1) return;
      const ledger = await openLedger(place, { redactor: redactor({}) });
      await recordWaiting(ledger, 4);
      await ledger.end();
    };
    const { code, out } = await haft(["approvals", "-f", "--json", "--ledger", place], {
      now,
      wait,
      signal: stop.signal,
    });
    expect(code).toBe(0);
    expect(lines(out).map(({ id }) => id)).toEqual([first, second, approval(4).id]);
  });
});

describe("haft approve and haft deny", () => {
  it("record who said what, and say what comes next", async () => {
    const place = await waiting();
    const yes = await haft(["approve", "1f0c9a21", "--by", "ada", "--ledger", place], { now });
    expect(yes.code).toBe(0);
    expect(yes.out).toBe(`approved ${first} wipe_disk {"disk":"sd1"}\n`);
    expect(yes.error).toContain("1 more of its calls wait");
    const no = await haft(["deny", second, "--reason", "not that one", "--ledger", place], { now });
    expect(no.error).toContain(`haft resume ${runId(1)}`);
    const { out } = await haft(["approvals", "--status", "answered", "--json", "--ledger", place], { now });
    expect(lines(out)).toMatchObject([
      { id: first, decision: { kind: "allow" }, answeredBy: "ada", answeredAt: now },
      { id: second, decision: { kind: "deny", reason: "not that one" }, answeredBy: expect.any(String) },
    ]);
  });

  it("answer once: who comes later hears who was faster", async () => {
    const place = await waiting();
    await haft(["deny", first, "--by", "ada", "--reason", "no", "--ledger", place], { now });
    const late = await haft(["approve", first, "--ledger", place], { now });
    expect([late.code, late.out]).toEqual([1, ""]);
    expect(late.error).toContain("denied (no) by ada 2026-11-16T12:10:00Z");
  });

  it("count for nothing when the time is up or nobody asked", async () => {
    const place = await waiting();
    const [expired, unknown] = [
      await haft(["approve", third, "--ledger", place], { now }),
      await haft(["approve", "ffffffff", "--ledger", place], { now }),
    ];
    expect([expired.code, unknown.code]).toEqual([1, 1]);
    expect(expired.error).toContain("expired unanswered");
    expect(unknown.error).toContain('Nobody asked "ffffffff"');
  });

  it("do not guess which of several is meant, and answer none of them", async () => {
    const place = await waiting();
    const { code, error } = await haft(["approve", "1f0c9a", "--ledger", place], { now });
    expect(code).toBe(2);
    expect(error).toContain(first);
    expect(lines((await haft(["approvals", "--json", "--ledger", place], { now })).out)).toHaveLength(2);
  });

  it("answer several at once, and all of a run", async () => {
    const place = await waiting();
    const both = await haft(["approve", first, "ffffffff", "--json", "--ledger", place], { now });
    expect(both.code).toBe(1);
    expect(lines(both.out)).toMatchObject([{ answered: true }, { answered: false }]);
    const rest = await haft(["deny", "--all", "--run", "4f3a9c-1", "--ledger", place], { now });
    expect([rest.code, rest.out]).toEqual([0, expect.stringContaining(second)]);
  });

  it("keep other arguments and a lasting yes as they were given", async () => {
    const place = await waiting();
    await haft(["approve", first, "--edit", '{"disk":"sdz"}', "--ledger", place], { now });
    await haft(["approve", second, "--always", "run", "--ledger", place], { now });
    const { out } = await haft(["approvals", "--status", "answered", "--json", "--ledger", place], { now });
    expect(lines(out).map(({ decision }) => decision)).toEqual([
      { kind: "edit", input: { disk: "sdz" } },
      { kind: "allow", always: "run" },
    ]);
  });

  it.each([
    [["approve"], "takes ids"],
    [["approve", "--all"], "--all and --run"],
    [["deny", first, "--all", "--run", "x"], "takes ids"],
    [["approve", first, "--edit", "{disk:1}"], "--edit takes JSON"],
    [["approve", first, second, "--edit", "{}"], "--edit is about one call"],
    [["approve", first, "--always", "ever"], "--always takes run, session"],
  ])("refuse %j", async (words, message) => {
    const { code, error } = await haft([...words, "--ledger", await waiting()], { now });
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  });
});
