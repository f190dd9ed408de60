import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import * as Effect from "effect/Effect";
import { describe, expect, it, vi } from "vitest";
import { redactor } from "../../src/base/json/redact.ts";
import { openDurableLedger } from "../../src/ledger/open-durable-ledger.ts";
import { fixture, haft } from "./haft.ts";
import { entryId, minute, noon, record, recordWaiting, runId, seed } from "./seed.ts";

const usage = { inputTokens: 10, outputTokens: 5 };

const three = () =>
  seed(async (ledger) => {
    await record(ledger, 1, {}, { ruleIds: ["readers"], definition: "d1", implementation: "function" });
    await record(
      ledger,
      2,
      { tool: "send_mail", agent: "clerk", session: "chat-7", runId: runId(2) },
      {
        ending: "failed",
        code: "failed",
        message: "no \u001b[2Jroute",
        result: undefined,
      },
    );
    await recordWaiting(ledger, 3);
  });

const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("haft log", () => {
  it("lists the newest calls with their results, the newest last", async () => {
    const { code, out } = await haft(["log", "--ledger", await three()]);
    expect(code).toBe(0);
    const [head, ...rows] = out.trim().split("\n");
    expect(head).toMatch(/^TIME +ENTRY +AGENT +TOOL +ENDING +MS +OUTCOME$/);
    expect(rows.map((row) => row.split(/ {2,}/)[1])).toEqual(["4f3a9c-1", "4f3a9c-2", "4f3a9c-3"]);
    expect(rows[0]).toContain(
      '2026-11-16T12:01:00Z  4f3a9c-1  guide       get_weather       executed     12.5  {"celsius":21}',
    );
    expect(rows[1]).toContain("failed: no");
    expect(rows[2]).toContain("pending");
  });

  it("filters by tool, agent, session, ending, run, time and limit", async () => {
    const place = await three();
    const ids = async (...words: string[]) => {
      const { out } = await haft(["log", "--ledger", place, "--json", ...words], { now: noon + 4 * minute });
      return out === "" ? [] : lines(out).map(({ entryId: id }) => id);
    };
    expect(await ids("--tool", "send_mail")).toEqual([entryId(2)]);
    expect(await ids("--agent", "guide")).toEqual([entryId(1), entryId(3)]);
    expect(await ids("--session", "chat-7")).toEqual([entryId(2)]);
    expect(await ids("--ending", "pending")).toEqual([entryId(3)]);
    expect(await ids("--run", runId(2))).toEqual([entryId(2)]);
    expect(await ids("--since", "2m")).toEqual([entryId(2), entryId(3)]);
    expect(await ids("--until", "2026-11-16T12:01:30Z")).toEqual([entryId(1)]);
    expect(await ids("--limit", "1")).toEqual([entryId(3)]);
    expect(await ids("--tool", "nothing")).toEqual([]);
  });

  it("shows one call with all its stages, found by entry, call or id prefix", async () => {
    const place = await three();
    for (const typed of [entryId(1), "4f3a9c-1", "call-1"]) {
      const { code, out } = await haft(["log", typed, "--ledger", place]);
      expect(code).toBe(0);
      for (const said of ["1 hydrate", "readers", "definition d1", "8 reply", "opened", "closed", runId(1)])
        expect(out).toContain(said);
    }
    const waiting = await haft(["log", "call-3", "--ledger", place]);
    expect(waiting.out).toContain(
      "pending (approval 1f0c9a23, requested 2026-11-16T12:03:00Z because critical risk)",
    );
    expect(waiting.out).not.toContain("5 run");
    const whole = await haft(["log", "call-3", "--ledger", place, "--json"]);
    expect(JSON.parse(whole.out)).toMatchObject({
      entry: { entryId: entryId(3) },
      approvals: [{ tool: "wipe_disk" }],
      rows: expect.arrayContaining([expect.objectContaining({ hash: expect.any(String) })]),
    });
  });

  it("lists the candidates of an ambiguous id, and reports an unknown id", async () => {
    const place = await three();
    const [several, none] = await Promise.all([
      haft(["log", "entry-4f3a", "--ledger", place]),
      haft(["log", "entry-0000", "--ledger", place]),
    ]);
    expect([several.code, several.out]).toEqual([1, ""]);
    expect(several.error).toContain("4f3a9c-2");
    expect(none.code).toBe(1);
    expect(none.error).toContain('No call "entry-0000"');
  });

  it("strips control characters from ledger content", async () => {
    const { out } = await haft(["log", "--ledger", await three()]);
    expect(out).not.toContain("\u001b");
  });

  it("follows calls as they end, once each, until Ctrl-C", async () => {
    const place = await three();
    const stop = new AbortController();
    let waits = 0;
    const wait = async () => {
      waits++;
      if (waits === 3) stop.abort();
      if (waits !== 1) return;
      const ledger = await openDurableLedger(place, { redactor: redactor({}) });
      await record(ledger, 4);
      await record(ledger, 5, { tool: "send_mail" });
      await ledger.end();
    };
    const followed = await haft(["log", "-f", "--json", "--tool", "get_weather", "--ledger", place], {
      wait,
      signal: stop.signal,
    });
    expect(followed.code).toBe(0);
    expect(lines(followed.out).map(({ entryId: id }) => id)).toEqual([entryId(1), entryId(4)]);
  });

  it("verifies the chain and a noted head", async () => {
    const place = await three();
    const whole = await haft(["log", "--verify", "--json", "--ledger", place]);
    const { ok, rows, head } = JSON.parse(whole.out);
    expect([whole.code, ok]).toEqual([0, true]);
    const reported = await haft(["log", "--verify", "--expect", head.hash, "--ledger", place]);
    expect(reported.out).toContain(`ok\n${rows} rows verified`);
    const other = await haft(["log", "--verify", "--expect", "f".repeat(64), "--ledger", place]);
    expect(other.code).toBe(1);
  });

  it("reports a key next to the ledger, and that only --expect detects rows deleted from the end", async () => {
    const place = await three();
    const whole = await haft(["log", "--verify", "--ledger", place]);
    expect(whole).toMatchObject({ code: 0, out: expect.stringContaining(".key, next to the ledger") });
    expect(whole.out).toContain("verify with --expect");
    const { keyFile, head } = JSON.parse((await haft(["log", "--verify", "--json", "--ledger", place])).out);
    expect(keyFile).toBe(`${place.slice("sqlite:".length)}.key`);
    const noted = await haft(["log", "--verify", "--expect", head.hash, "--ledger", place]);
    expect(noted.out).not.toContain("verify with --expect");
    vi.stubEnv("HAFT_LEDGER_KEY", readFileSync(keyFile, "utf8").trim());
    const own = await haft(["log", "--verify", "--ledger", place]);
    vi.unstubAllEnvs();
    expect(own).toMatchObject({ code: 0, out: expect.not.stringContaining("next to the ledger") });
  });

  it("names keys by their ids, and reports a missing key without calling the chain broken", async () => {
    const place = await three();
    const whole = await haft(["log", "--verify", "--ledger", place]);
    expect(whole.out).toMatch(/\n\d+ rows with a MAC of the key [0-9a-f]{8} \(1 to \d+\)\n/);
    const env = { HAFT_LEDGER_KEY: "ab".repeat(32) };
    const before = process.env.HAFT_LEDGER_KEY;
    process.env.HAFT_LEDGER_KEY = env.HAFT_LEDGER_KEY;
    const other = await haft(["log", "--verify", "--ledger", place], { env }).finally(() => {
      if (before === undefined) delete process.env.HAFT_LEDGER_KEY;
      else process.env.HAFT_LEDGER_KEY = before;
    });
    expect(other.code).toBe(1);
    expect(other.out).toMatch(
      /^not proved: \d+ rows were sealed with the key [0-9a-f]{8}, which is not available\n/,
    );
    expect(other.out).not.toContain("broken");
    expect((await haft(["log", "--verify", "--keyed-from", "1", "--ledger", place])).code).toBe(0);
  });

  it("names the first changed row and exits with 1", async () => {
    const place = await three();
    const database = new DatabaseSync(place.slice("sqlite:".length));
    database.exec("drop trigger haft_records_fixed");
    database.exec("update haft_records set body = replace(body, 'Oslo', 'Rome') where body like '%Oslo%'");
    database.close();
    const { code, out } = await haft(["log", "--verify", "--ledger", place]);
    expect(code).toBe(1);
    expect(out).toMatch(/^broken at row 1: /);
  });

  it("exports every row of the chain with its hash, to a file or standard output", async () => {
    const place = await three();
    const file = `${place.slice("sqlite:".length)}.jsonl`;
    const [piped, written] = await Promise.all([
      haft(["log", "--export", "-", "--ledger", place]),
      haft(["log", "--export", file, "--ledger", place]),
    ]);
    expect([piped.code, written.code]).toEqual([0, 0]);
    expect(await readFile(file, "utf8")).toBe(piped.out);
    const rows = lines(piped.out);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
    expect(rows[0]).toMatchObject({ kind: "opened", hash: expect.any(String) });
  });

  it("prunes old entries only after confirmation", async () => {
    const place = await three();
    const now = noon + 40 * 24 * 60 * minute;
    const words = ["log", "--prune", "30d", "--ledger", place];
    expect((await haft(words, { now })).code).toBe(2);
    const no = await haft(words, { now, answers: ["n"] });
    expect([no.code, no.error]).toEqual([1, expect.stringContaining("Nothing was deleted.")]);
    const yes = await haft([...words, "--yes"], { now });
    expect(yes.code).toBe(0);
    expect(yes.out).toMatch(/^Dropped 2 entries/);
    expect((await haft(["log", "--verify", "--ledger", place])).code).toBe(0);
    expect(lines((await haft(["log", "--json", "--ledger", place])).out)).toHaveLength(1);
  });

  it("stops pruning at Ctrl-C and leaves a ledger that verifies", async () => {
    const place = await three();
    const stop = new AbortController();
    stop.abort();
    const now = noon + 40 * 24 * 60 * minute;
    const stopped = await haft(["log", "--prune", "30d", "--yes", "--ledger", place], {
      now,
      signal: stop.signal,
    });
    expect(stopped.code).toBe(1);
    expect(stopped.out).toContain("stopped before it finished");
    expect((await haft(["log", "--verify", "--ledger", place])).code).toBe(0);
  });

  it("lists runs with their status", async () => {
    const place = await seed(async (ledger) => {
      const begin = (count: number, agent: string) =>
        Effect.runPromise(
          ledger.runs.begin({
            runId: runId(count),
            agent,
            principal: { agent },
            messages: [{ role: "user", content: "Hi" }],
            at: noon + count * minute,
          }),
        );
      await begin(1, "guide");
      await begin(2, "clerk");
      await Effect.runPromise(
        ledger.runs.add({
          runId: runId(1),
          epoch: 1,
          messages: [],
          turns: 2,
          usage,
          agent: "guide",
          at: noon,
        }),
      );
      await Effect.runPromise(ledger.runs.end({ runId: runId(1), epoch: 1, status: "pending", at: noon }));
    });
    const alive = await openDurableLedger(place, { redactor: redactor({}) });
    const start = { agent: "guide", principal: { agent: "guide" }, messages: [], at: noon + 3 * minute };
    await Effect.runPromise(alive.runs.begin({ runId: runId(3), ...start }));
    const { out } = await haft(["runs", "--ledger", place]);
    expect(out).toMatch(/4f3a9c-1 +guide +pending +2 +15/);
    expect(out).toMatch(/4f3a9c-2 +clerk +left/);
    expect(out).toMatch(/4f3a9c-3 +guide +running/);
    await alive.end();
    const clerk = await haft(["runs", "--json", "--agent", "clerk", "--ledger", place]);
    expect(lines(clerk.out)).toMatchObject([{ runId: runId(2) }]);
  });

  it.each([
    [["--verify", "--expect", "9b1c…"], "--expect must be the 64 hexadecimal digits"],
    [["--runs"], "haft runs lists runs."],
    [["--verify", "--tool", "x"], "--tool has no effect on --verify."],
    [["-n", "-1"], '--limit must be a whole number of at least 1, not "-1"'],
    [["--limit", "-1"], '--limit must be a whole number of at least 1, not "-1"'],
    [["4f3"], "at least 4 characters"],
    [["--export", "/nowhere/at/all.jsonl"], "/nowhere/at/all.jsonl cannot be used: it does not exist"],
  ])("explains what is wrong with %j", async (words, message) => {
    const { error } = await haft(["log", "--ledger", await three(), ...words]);
    expect(error).toContain(message);
    expect(error).not.toContain("ENOENT");
  });

  it("lists runs since and until a time", async () => {
    const place = await seed(async (ledger) => {
      for (const count of [1, 2, 3]) {
        const start = { agent: "guide", principal: undefined, messages: [], at: noon + count * minute };
        await Effect.runPromise(ledger.runs.begin({ runId: runId(count), ...start }));
      }
    });
    const ids = async (...words: string[]) =>
      lines((await haft(["runs", "--json", "--ledger", place, ...words])).out).map(({ runId: id }) => id);
    expect(await ids("--since", "2026-11-16T12:02:00Z")).toEqual([runId(2), runId(3)]);
    expect(await ids("--until", "2026-11-16T12:02:00Z", "-n", "1")).toEqual([runId(2)]);
  });

  it("waits with -f for a ledger that does not exist yet, until Ctrl-C", async () => {
    const place = `${await three()}.later`;
    const stop = new AbortController();
    let waits = 0;
    const wait = async () => {
      waits++;
      if (waits === 1) {
        const ledger = await openDurableLedger(place, { redactor: redactor({}) });
        await record(ledger, 7);
        await ledger.end();
      } else stop.abort();
    };
    const words = ["log", "-f", "--json", "--ledger", place];
    const followed = await haft(words, { wait, signal: stop.signal });
    expect([followed.code, followed.error]).toEqual([
      0,
      expect.stringContaining("does not exist yet; waiting"),
    ]);
    expect(lines(followed.out)).toMatchObject([{ entryId: entryId(7) }]);
    const never = await haft([...words.slice(0, -1), `${place}.never`], { signal: stop.signal });
    expect([never.code, never.out]).toEqual([0, ""]);
  });

  it("refuses a folder as a ledger", async () => {
    for (const words of [["log"], ["call", "get_time", "-t", fixture("weather.ts")]]) {
      const { code, error } = await haft([...words, "--ledger", "sqlite:/tmp"]);
      expect([code, error]).toEqual([2, expect.stringContaining("/tmp is a folder")]);
    }
  });

  it("refuses options that exclude each other, and creates no ledger when it only reads", async () => {
    const place = "sqlite:/nowhere/ledger.db";
    for (const words of [
      ["--verify", "-f"],
      ["x", "-f"],
      ["--expect", "aa"],
      ["--verify", "--expect", "9b1c"],
      ["--verify", "--tool", "x"],
      ["--verify", "--session", "x"],
      ["4f3a9c-1", "--session", "x"],
      ["--export", "-", "--since", "2d"],
      ["--prune", "30d", "--yes", "--agent", "x"],
      ["4f3a9c-1", "--run", "x"],
      ["-n", "-1"],
      ["-n", "0"],
      ["--yes"],
      ["--since", "soon"],
    ]) {
      expect((await haft(["log", "--ledger", await three(), ...words])).code).toBe(2);
    }
    for (const words of [
      ["log"],
      ["approvals"],
      ["approve", "abcd"],
      ["resume", "abcd"],
      ["replay", "abcd"],
    ]) {
      const { code, error } = await haft(words, { env: { HAFT_LEDGER: place } });
      expect([code, error]).toEqual([1, expect.stringContaining(`${place} does not exist`)]);
    }
    expect((await haft(["log"])).error).toContain("in memory");
  });
});
