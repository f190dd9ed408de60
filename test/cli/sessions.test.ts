import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { Haft, tool } from "haft";
import { describe, expect, it } from "vitest";
import { redactor } from "../../src/base/json/redact.ts";
import { shellQuote } from "../../src/base/text/shell-quote.ts";
import { openDurableLedger } from "../../src/ledger/open-durable-ledger.ts";
import { haft } from "./haft.ts";

const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const pay = tool({
  name: "pay",
  description: "Pays",
  input: [{ name: "amount", type: "number", description: "How much" }],
  requiresApproval: true,
  run: ({ amount }) => `paid ${amount}`,
});
const look = tool({ name: "look", description: "Looks", input: [], run: () => "seen" });

const open = (ledger: string) =>
  Haft.open({ tools: [pay, look], principal: { agent: "clerk", allow: ["*"] }, ledger });

type Open = Awaited<ReturnType<typeof open>>;

/** Does the work in a runtime that is closed before the command line reads its ledger. */
const inLoop = async <A>(place: string, work: (runtime: Open) => Promise<A>): Promise<A> => {
  const runtime = await open(place);
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
};

const call = (id: string, name: string, input: object = {}) => ({
  id,
  tool: name,
  input: JSON.stringify(input),
});

/** A session with pending payments, another session, and a call without a session. */
const place = async (payments = 1) => {
  const ledger = `sqlite:${join(await mkdtemp(join(tmpdir(), "haft-sessions-")), "ledger.db")}`;
  await inLoop(ledger, async (runtime) => {
    const asked = Array.from({ length: payments }, (_, i) => call(`p${i + 1}`, "pay", { amount: i + 1 }));
    await runtime.session({ id: "chat-7" }).turn([call("l1", "look"), ...asked]);
    await runtime.session({ id: "chat-8" }).turn([call("l2", "look")]);
    await runtime.call("look", {});
  });
  const found = lines((await haft(["runs", "--json", "--ledger", ledger])).out);
  const runOf = (session: string): string =>
    found.find(({ principal }) => principal.session === session).runId;
  const asked = lines((await haft(["approvals", "--json", "--ledger", ledger])).out).map(({ id }) => id);
  return { ledger, runId: runOf("chat-7"), other: runOf("chat-8"), asked: asked as readonly string[] };
};

/** The run id as a table shows it. */
const short = (runId: string): string => runId.slice(0, "session-".length + 8);

describe("calls of a session", () => {
  it("are found by the session id, as a table and as JSON, also with other filters", async () => {
    const { ledger } = await place();
    const ids = async (...words: string[]) =>
      lines((await haft(["log", "--json", "--ledger", ledger, ...words])).out).map(({ callId }) => callId);
    expect(await ids("--session", "chat-7")).toEqual(["l1", "p1"]);
    expect(await ids("--session", "chat-7", "--tool", "look")).toEqual(["l1"]);
    expect(await ids("--session", "chat-8")).toEqual(["l2"]);
    expect(await ids("--session", "chat")).toEqual([]);
    const table = await haft(["log", "--session", "chat-8", "--ledger", ledger]);
    expect(table.out.trim().split("\n")).toHaveLength(2);
  });

  it("are followed as they end, without calls of other sessions", async () => {
    const { ledger } = await place();
    const stop = new AbortController();
    let waits = 0;
    const wait = async () => {
      waits++;
      if (waits === 3) stop.abort();
      if (waits !== 1) return;
      await inLoop(ledger, async (runtime) => {
        await runtime.session({ id: "chat-8" }).turn([call("l3", "look")]);
        await runtime.session({ id: "chat-7" }).turn([call("l4", "look")]);
        await runtime.call("look", {});
      });
    };
    const words = ["log", "-f", "--json", "--session", "chat-8", "--ledger", ledger];
    const { code, out } = await haft(words, { wait, signal: stop.signal });
    expect([code, lines(out).map(({ callId }) => callId)]).toEqual([0, ["l2", "l3"]]);
  });

  it("are found by haft.log", async () => {
    const { ledger } = await place();
    const found = await inLoop(ledger, (runtime) => runtime.log({ session: "chat-7" }));
    expect(found.map(({ callId, session }) => [callId, session])).toEqual([
      ["l1", "chat-7"],
      ["p1", "chat-7"],
    ]);
  });
});

describe("a session in the list of runs", () => {
  it("is shown with its id, status and reason", async () => {
    const { ledger, runId, other } = await place();
    await haft(["runs", "give-up", other, "--by", "ada", "--ledger", ledger]);
    const { out } = await haft(["runs", "--ledger", ledger]);
    expect(out).toMatch(new RegExp(`${short(runId)} +clerk +pending .*session "chat-7", between two turns`));
    expect(out).toMatch(
      new RegExp(`${short(other)} +clerk +stopped .*session "chat-8": The session was ended by ada\\.`),
    );
  });

  it("is found by its id, and so are runs of agents that it called", async () => {
    const { ledger, runId } = await place();
    const delegated = { agent: "guide", within: { agent: "clerk", session: "chat-7" } };
    const store = await openDurableLedger(ledger, { redactor: redactor({}) });
    const start = { agent: "guide", messages: [], at: Date.now() };
    await Effect.runPromise(store.runs.begin({ runId: "run-of-agent", principal: delegated, ...start }));
    await Effect.runPromise(store.runs.begin({ runId: "run-of-nobody", principal: undefined, ...start }));
    await store.end();
    const ids = async (session: string) =>
      lines((await haft(["runs", "--json", "--session", session, "--ledger", ledger])).out).map(
        (run) => run.runId,
      );
    expect(await ids("chat-7")).toEqual([runId, "run-of-agent"]);
    expect(await ids("chat")).toEqual([]);
  });

  it("can be named by its shortened run id, also in a narrow terminal", async () => {
    const { ledger, runId } = await place();
    const { out } = await haft(["runs", "--ledger", ledger], { width: 80 });
    expect(out).toMatch(new RegExp(`${short(runId)} +clerk +pending .*session "chat-7"`));
    const calls = await haft(["log", "--run", short(runId), "--json", "--ledger", ledger]);
    expect(lines(calls.out).map(({ callId }) => callId)).toEqual(["l1", "p1"]);
  });

  it("ends with runs give-up, which voids its approval request and fails later calls of its loop", async () => {
    const { ledger, runId, asked } = await place();
    const gave = await haft(["runs", "give-up", runId, "--ledger", ledger]);
    expect([gave.code, gave.out]).toEqual([0, expect.stringContaining("was cancelled")]);
    expect((await haft(["approve", asked[0]!, "--ledger", ledger])).code).toBe(1);
    const [reply] = await inLoop(ledger, (runtime) =>
      runtime.session({ id: "chat-7" }).turn([call("l9", "look")]),
    );
    expect(reply).toMatchObject({ ok: false, text: expect.stringContaining("has ended") });
    expect((await haft(["log", "--verify", "--ledger", ledger])).code).toBe(0);
  });
});

describe("an answer to a call of a session", () => {
  it("is used by the loop that drives the session, and the command line says so", async () => {
    const { ledger, asked } = await place();
    const yes = await haft(["approve", asked[0]!, "--ledger", ledger]);
    expect(yes.code).toBe(0);
    expect(yes.error).toContain('The call runs when the process that drives the session "chat-7" continues.');
    expect(yes.error).not.toContain("haft resume");
    const [reply] = await inLoop(ledger, (runtime) =>
      runtime.session({ id: "chat-7" }).turn([call("p1", "pay", { amount: 1 })]),
    );
    expect(reply).toMatchObject({ ok: true, text: expect.stringContaining("paid 1") });
  });

  it("that denies the call makes no call, and the command line says so", async () => {
    const { ledger, asked } = await place();
    const no = await haft(["deny", asked[0]!, "--ledger", ledger]);
    expect(no.error).toContain(
      'The call does not run; the process that drives the session "chat-7" gets the denial when it continues.',
    );
    expect(no.error).not.toContain("haft resume");
  });

  it("leaves other requests pending and prints how to list them", async () => {
    const { ledger, runId, asked } = await place(2);
    const one = await haft(["approve", asked[0]!, "--ledger", ledger]);
    expect(one.error).toContain(
      `1 more of its calls are pending: haft approvals --run ${runId} --ledger ${shellQuote(ledger)}`,
    );
    expect(one.error).toContain('the process that drives the session "chat-7"');
    const rest = await haft(["approve", "--all", "--run", runId, "--ledger", ledger]);
    expect([rest.code, rest.error]).toEqual([0, expect.not.stringContaining("haft resume")]);
  });
});

describe("resuming a session from the command line", () => {
  it.each([
    ["is pending", false],
    ["was answered", true],
  ])("is refused when a call of it %s", async (_, isAnswered) => {
    const { ledger, runId, asked } = await place();
    if (isAnswered) await haft(["approve", asked[0]!, "--ledger", ledger]);
    for (const more of [[], ["agent.ts"], ["--json"]]) {
      const { code, out, error } = await haft(["resume", runId, ...more, "--ledger", ledger]);
      expect([code, out]).toEqual([2, ""]);
      expect(error).toContain(
        `${runId} is the session "chat-7": only the process that drives it can resume it.`,
      );
    }
  });

  it("reports that the session has ended", async () => {
    const { ledger, runId, other } = await place();
    await haft(["runs", "give-up", runId, "--by", "ada", "--ledger", ledger]);
    await inLoop(ledger, (runtime) => runtime.session({ id: "chat-8" }).end());
    const [given, ended] = [
      await haft(["resume", runId, "--ledger", ledger]),
      await haft(["resume", other, "--ledger", ledger]),
    ];
    expect([given.code, given.error]).toEqual([
      1,
      expect.stringContaining("was stopped (The session was ended by ada.)"),
    ]);
    expect([ended.code, ended.error]).toEqual([
      1,
      expect.stringContaining("was stopped (The session was ended by clerk.)"),
    ]);
  });

  it("is also refused by replay, with the reason", async () => {
    const { ledger, runId } = await place();
    const { code, error } = await haft(["replay", runId, "--ledger", ledger]);
    expect([code, error]).toEqual([
      1,
      expect.stringContaining(
        `${runId} is the session "chat-7". The process that drives it holds the conversation`,
      ),
    ]);
  });
});
