import { existsSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fixture } from "../../cli/haft.ts";
import { start } from "./start.ts";

const agent = fixture("refund.ts");

/** A temporary folder in which the default ledger is created. */
const place = async () => {
  const cwd = await mkdtemp(join(tmpdir(), "haft-process-"));
  const counter = join(cwd, "counter.txt");
  return {
    cwd,
    counter,
    haft: (...words: string[]) => start(words, { env: { COUNTER: counter }, cwd }).ended,
    ran: async () => (existsSync(counter) ? (await readFile(counter, "utf8")).trim().split("\n") : []),
  };
};

it("a run requested, approved and resumed by three processes executes the tool once", async () => {
  const { cwd, haft, ran } = await place();
  const asked = await haft("run", agent, "Refund order 7");
  expect([asked.code, await ran()]).toEqual([3, []]);
  expect(asked.error).not.toContain("✗");
  expect(await readFile(join(cwd, ".haft/.gitignore"), "utf8")).toBe("*\n");
  const [, runId] = /haft resume (\S+)/.exec(asked.error) ?? [];
  const early = await haft("resume", runId!, agent);
  expect([early.code, early.error]).toEqual([
    3,
    expect.stringContaining("still has pending approval requests"),
  ]);

  const [request] = (await haft("approvals", "--json")).out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(request).toMatchObject({ runId, tool: "refund_order", input: { order: 7 }, status: "waiting" });
  expect((await haft("approve", request.id.slice(0, 8), "--by", "ada")).code).toBe(0);
  expect(await ran()).toEqual([]);

  const done = await haft("resume", runId!, agent);
  expect([done.code, done.out]).toEqual([0, expect.stringContaining("order 7 refunded")]);
  expect(await ran()).toEqual(["7"]);
  const again = await haft("resume", runId!, agent);
  expect([again.code, again.error, await ran()]).toEqual([1, expect.stringContaining("is done"), ["7"]]);

  expect((await haft("log", "--verify")).code).toBe(0);
  const shown = (await haft("log", "--tool", "refund_order", "--json")).out;
  expect(JSON.parse(shown)).toMatchObject({ ending: "executed", runId });
  const way = await haft("log", JSON.parse(shown).entryId);
  expect(way.out).toContain("approved by ada");
});

it("haft call becomes pending, and runs once after approval", async () => {
  const { haft, ran } = await place();
  const asked = await haft("call", "refund_order", '{"order":8}', "--tools", agent, "--json");
  expect(asked.code).toBe(3);
  const { pending } = JSON.parse(asked.out);
  expect((await haft("deny", pending.id)).code).toBe(0);
  const denied = await haft("resume", pending.runId, "--tools", agent);
  expect([denied.code, await ran()]).toEqual([1, []]);

  const other = JSON.parse((await haft("call", "refund_order", '{"order":9}', "-t", agent, "--json")).out);
  await haft("approve", other.pending.id);
  const made = await haft("resume", other.pending.runId, "-t", agent);
  expect([made.code, made.out, await ran()]).toEqual([0, "order 9 refunded\n", ["9"]]);
  expect((await haft("resume", other.pending.runId, "-t", agent)).code).toBe(1);
  expect(await ran()).toEqual(["9"]);
});

it("a run whose process was killed resumes without repeating the interrupted call", async () => {
  const { cwd, counter, haft, ran } = await place();
  const letter = fixture("letter.ts");
  const { child, ended } = start(["run", letter, "Send letter 5"], {
    cwd,
    env: { COUNTER: counter, HANG: "1" },
  });
  child.stderr.on("data", (text) => {
    if (String(text).includes("under way")) child.kill("SIGKILL");
  });
  expect((await ended).code).toBe(null);
  const [run] = (await haft("runs", "--json")).out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(run).toMatchObject({ agent: "postman", status: "running" });
  const unknown = await haft("log", "--tool", "send_letter");
  expect(unknown.out).toMatch(/send_letter +unknown +its process ended during the call/);
  const { code } = await haft("resume", run.runId, letter);
  expect([code, await ran()]).toEqual([0, ["5"]]);
  expect((await haft("log", "--verify")).code).toBe(0);
});

it("Ctrl-C ends haft log -f with exit code 0", async () => {
  const { cwd, haft } = await place();
  await haft("run", agent, "Hello");
  const { child, ended } = start(["log", "-f"], { cwd });
  child.stdout.once("data", () => child.kill("SIGINT"));
  expect((await ended).code).toBe(0);
});
