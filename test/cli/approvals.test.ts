import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { redactor } from "../../src/base/json/redact.ts";
import { shellQuote } from "../../src/base/text/shell-quote.ts";
import { openDurableLedger } from "../../src/ledger/open-durable-ledger.ts";
import { haft } from "./haft.ts";
import { approval, minute, noon, record, recordWaiting, runId, seed } from "./seed.ts";

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
  it("lists pending requests with age, expiry, agent, tool, arguments and reason", async () => {
    const { code, out } = await haft(["approvals", "--ledger", await waiting()], { now });
    expect(code).toBe(0);
    const [head, ...rows] = out.trim().split("\n");
    expect(head).toMatch(/^ID +RUN +ASKED +EXPIRES +AGENT +TOOL +ARGUMENTS +WHY$/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(
      /^1f0c9a21 +4f3a9c-1 +9 min ago +in 24 h +guide +wipe_disk +\{"disk":"sd1"\} +critical risk$/,
    );
  });

  it("filters by status and run, and reports requests past their deadline as expired", async () => {
    const place = await waiting();
    const ids = async (...words: string[]) => {
      const { out } = await haft(["approvals", "--json", "--ledger", place, ...words], { now });
      return out === "" ? [] : lines(out).map(({ id }) => id);
    };
    expect(await ids("--status", "expired")).toEqual([third]);
    expect(await ids("--status", "all", "--run", runId(2))).toEqual([third]);
    expect(await ids("--status", "used")).toEqual([]);
    expect((await haft(["approvals", "--ledger", place, "--run", runId(2)], { now })).error).toContain(
      "There are no pending",
    );
  });

  it("shows one request in full", async () => {
    const place = await waiting();
    const { code, out } = await haft(["approvals", "1f0c9a21", "--ledger", place], { now, width: 40 });
    expect(code).toBe(0);
    expect(out).toContain(`wipe_disk ${first}\n`);
    expect(out).toContain('\n  {\n    "disk": "sd1"\n  }\n');
    for (const said of ["why         critical risk", "agent       guide", `run         ${runId(1)}`])
      expect(out).toContain(said);
    expect(out).toContain("expires     in 24 h, 2026-11-17T12:00:00Z");
    expect(out).toContain("answer      pending");
    const json = await haft(["approvals", first, "--json", "--ledger", place], { now });
    expect(JSON.parse(json.out)).toMatchObject({ id: first, status: "waiting" });
    const [unknown, short, several] = [
      await haft(["approvals", "ffffffff", "--ledger", place], { now }),
      await haft(["approvals", "1f0", "--ledger", place], { now }),
      await haft(["approvals", first, "--status", "all", "--ledger", place], { now }),
    ];
    expect([unknown.code, short.code, several.code]).toEqual([1, 1, 2]);
    expect(short.error).toContain("at least 4 characters");
  });

  it("truncates arguments to the terminal width, and not without a terminal", async () => {
    const long = { disk: "x".repeat(300) };
    const place = await seed((ledger) => recordWaiting(ledger, 1, { input: long }));
    const at = async (width: number) => (await haft(["approvals", "--ledger", place], { now, width })).out;
    expect(await at(Number.POSITIVE_INFINITY)).toContain(JSON.stringify(long));
    for (const width of [60, 80, 120, 160]) {
      const [head, row] = (await at(width)).split("\n");
      expect(row!.length).toBeLessThanOrEqual(width);
      expect(head).toMatch(/^ID +RUN .*ARGUMENTS/);
      expect(row).toMatch(/\{"disk":"x{10,}…/);
    }
  });

  it("follows new requests with -f", async () => {
    const place = await waiting();
    const stop = new AbortController();
    let waits = 0;
    const wait = async () => {
      waits++;
      if (waits === 2) stop.abort();
      if (waits !== 1) return;
      const ledger = await openDurableLedger(place, { redactor: redactor({}) });
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
  it("record the answer and print the next step", async () => {
    const place = await waiting();
    const yes = await haft(["approve", "1f0c9a21", "--by", "ada", "--ledger", place], { now });
    expect(yes.code).toBe(0);
    expect(yes.out).toBe(`approved ${first} wipe_disk {"disk":"sd1"}\n`);
    expect(yes.error).toContain("1 more of its calls are pending");
    const no = await haft(["deny", second, "--reason", "not that one", "--ledger", place], { now });
    expect(no.error).toContain(`haft resume ${runId(1)}`);
    const { out } = await haft(["approvals", "--status", "answered", "--json", "--ledger", place], { now });
    expect(lines(out)).toMatchObject([
      { id: first, decision: { kind: "allow" }, answeredBy: "ada", answeredAt: now },
      { id: second, decision: { kind: "deny", reason: "not that one" }, answeredBy: expect.any(String) },
    ]);
  });

  it("do not suggest making a denied call", async () => {
    const place = await waiting();
    await haft(["deny", second, "--ledger", place], { now });
    const { error } = await haft(["deny", first, "--ledger", place], { now });
    expect(error).toContain("The call does not run.");
    expect(error).not.toContain("To make the call");
    expect(error).not.toContain("haft resume");
  });

  it("accept one answer and report it to later commands", async () => {
    const place = await waiting();
    await haft(["deny", first, "--by", "ada", "--reason", "no", "--ledger", place], { now });
    const late = await haft(["approve", first, "--ledger", place], { now });
    expect([late.code, late.out]).toEqual([1, ""]);
    expect(late.error).toContain("denied (no) by ada 2026-11-16T12:10:00Z");
  });

  it("refuse expired and unknown requests", async () => {
    const place = await waiting();
    const [expired, unknown] = [
      await haft(["approve", third, "--ledger", place], { now }),
      await haft(["approve", "ffffffff", "--ledger", place], { now }),
    ];
    expect([expired.code, unknown.code]).toEqual([1, 1]);
    expect(expired.error).toContain("expired unanswered");
    expect(unknown.error).toContain('There is no approval request "ffffffff"');
  });

  it("refuse an ambiguous id and answer none of its matches", async () => {
    const place = await waiting();
    const { code, error } = await haft(["approve", "1f0c9a", "--ledger", place], { now });
    expect(code).toBe(2);
    expect(error).toContain(first);
    expect(lines((await haft(["approvals", "--json", "--ledger", place], { now })).out)).toHaveLength(2);
  });

  it("answer several requests at once, and all of a run", async () => {
    const place = await waiting();
    const both = await haft(["approve", first, "ffffffff", "--json", "--ledger", place], { now });
    expect(both.code).toBe(1);
    expect(lines(both.out)).toMatchObject([{ answered: true }, { answered: false }]);
    const rest = await haft(["deny", "--all", "--run", "4f3a9c-1", "--ledger", place], { now });
    expect([rest.code, rest.out]).toEqual([0, expect.stringContaining(second)]);
  });

  it("record edited arguments and a grant as given", async () => {
    const place = await waiting();
    await haft(["approve", first, "--edit", '{"disk":"sdz"}', "--ledger", place], { now });
    await haft(["approve", second, "--always", "run", "--ledger", place], { now });
    const { out } = await haft(["approvals", "--status", "answered", "--json", "--ledger", place], { now });
    expect(lines(out).map(({ decision }) => decision)).toEqual([
      { kind: "edit", input: { disk: "sdz" } },
      { kind: "allow", always: "run" },
    ]);
  });

  it("show edited arguments and say when they are validated", async () => {
    const place = await waiting();
    const edit = ["approve", first, "--edit", '{"disk":"sdz"}', "--ledger", place];
    const { out, error } = await haft(edit, { now });
    expect(out).toBe(`approved ${first} wipe_disk {"disk":"sdz"}\n`);
    expect(error).toContain("validated and authorized when the call resumes");
    const all = await haft(["approvals", "--status", "all", "--ledger", place], { now });
    expect(all.out).toContain('{"disk":"sdz"}');
    expect(all.out).not.toContain('{"disk":"sd1"}');
    const one = (await haft(["approvals", first, "--ledger", place], { now })).out;
    expect(one).toMatch(/"disk": "sdz".*requested.*"disk": "sd1"/s);
  });

  it("mask secrets in edited arguments", async () => {
    const place = await waiting();
    const edit = ["approve", first, "--edit", '{"disk":"sdz","password":"hunter2"}', "--ledger", place];
    const { code, out } = await haft(edit, { now });
    expect([code, out]).toEqual([0, expect.not.stringContaining("hunter2")]);
  });

  it("accept a session grant only for a caller with a session, and list it as used", async () => {
    const place = await waiting();
    const always = (id: string) => haft(["approve", id, "--always", "session", "--ledger", place], { now });
    const refused = await always(first);
    expect([refused.code, refused.error]).toEqual([2, expect.stringContaining("This caller has no session")]);
    expect(refused.error).toContain("--session");
    const ledger = await openDurableLedger(place, { redactor: redactor({}) });
    await recordWaiting(ledger, 4, { principal: { agent: "guide", session: "desk-1" } });
    const { id } = approval(4);
    await haft(["approve", id, "--always", "session", "--by", "ada", "--ledger", place], { now });
    await Effect.runPromise(ledger.approvals.take(id, now));
    await ledger.end();
    const used = await haft(["approvals", "--status", "used", "--ledger", place], { now });
    expect(used.out).toContain("approved for this session by ada");
  });

  it("print the next command with the given options, for a call and for a run", async () => {
    const place = await seed(async (ledger) => {
      await recordWaiting(ledger, 1);
      await recordWaiting(ledger, 2, { runId: runId(2) });
      const start = { agent: "guide", principal: { agent: "guide" }, messages: [], at: noon };
      await Effect.runPromise(ledger.runs.begin({ runId: runId(2), ...start }));
    });
    const [call, run] = [
      await haft(["approve", first, "--ledger", place], { now }),
      await haft(["approve", second, "--ledger", place], { now }),
    ];
    expect(call.error).toContain(
      `haft resume ${runId(1)} --ledger ${shellQuote(place)}; an MCP client calls it again. Add --tools FILE if wipe_disk is in a file`,
    );
    expect(run.error).toContain(
      `haft resume ${runId(2)} FILE --ledger ${shellQuote(place)}, where FILE has the agent guide`,
    );
  });

  it("suggest no file for a tool that comes from the configuration", async () => {
    const place = await seed((ledger) =>
      record(
        ledger,
        1,
        { tool: "files/write" },
        { ending: "pending", implementation: "mcp", approval: approval(1, { tool: "files/write" }) },
      ),
    );
    const { error } = await haft(["approve", first, "--ledger", place], { now });
    expect(error).toContain(`haft resume ${runId(1)} --ledger ${place}; an MCP client calls it again.`);
    expect(error).not.toContain("--tools FILE");
  });

  it.each([
    [["approve"], "requires ids"],
    [["approve", "--all"], "--all requires --run RUN"],
    [["deny", first, "--all", "--run", "x"], "requires ids"],
    [["approve", first, "--edit", "{disk:1}"], "--edit must be JSON"],
    [["approve", first, "--edit", "5"], "--edit must be a JSON object"],
    [["approve", first, "--edit", "[]"], "--edit must be a JSON object"],
    [["approve", first, second, "--edit", "{}"], "--edit applies to one call"],
    [["approve", first, "--always", "ever"], "--always must be one of run, session"],
  ])("refuse %j", async (words, message) => {
    const { code, error } = await haft([...words, "--ledger", await waiting()], { now });
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  });
});
