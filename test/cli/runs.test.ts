import * as Effect from "effect/Effect";
import { Haft, tool } from "haft";
import { agent } from "haft/agent";
import { scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";
import { haft } from "./haft.ts";
import { approval, closing, entryId, minute, noon, opening, runId, seed } from "./seed.ts";

const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** A run with a pending call, a finished run, and a single call. */
const place = () =>
  seed(async (ledger) => {
    const run = Effect.runPromise;
    const begin = (count: number) =>
      run(
        ledger.runs.begin({
          runId: runId(count),
          agent: "guide",
          principal: { agent: "guide" },
          messages: [{ role: "user", content: "Hi" }],
          at: noon,
        }),
      );
    const epoch = await begin(1);
    await run(ledger.open(opening(1, { epoch })));
    await run(
      ledger.close(closing(1, { ending: "pending", result: undefined, epoch, approval: approval(1) })),
    );
    await run(ledger.runs.end({ runId: runId(1), epoch, status: "pending", at: noon }));
    const other = await begin(2);
    await run(ledger.runs.end({ runId: runId(2), epoch: other, status: "done", at: noon }));
    await run(ledger.open(opening(3, { runId: runId(3) })));
    await run(
      ledger.close(
        closing(3, {
          ending: "pending",
          result: undefined,
          approval: approval(3, { runId: runId(3), entryId: entryId(3) }),
        }),
      ),
    );
  });

describe("haft runs", () => {
  it("lists runs and their status, as a table and as JSON", async () => {
    const ledger = await place();
    const table = await haft(["runs", "--ledger", ledger]);
    expect(table.code).toBe(0);
    expect(table.out).toMatch(/STATUS/);
    expect(table.out).toMatch(/pending/);
    const json = await haft(["runs", "--json", "--ledger", ledger]);
    expect(lines(json.out).map(({ status }) => status)).toEqual(["pending", "done"]);
    expect((await haft(["runs", "more", "--ledger", ledger])).code).toBe(2);
  });
});

describe("haft runs give-up", () => {
  it("says after an answer that the run can be resumed, and no longer that approval is needed", async () => {
    const ledger = await place();
    const why = async () => (await haft(["runs", "--ledger", ledger], { now: noon })).out;
    const calls = async () => (await haft(["log", "--ledger", ledger], { now: noon })).out;
    expect(await why()).toContain("Needs approval of wipe_disk: haft approvals --run 4f3a9c-1");
    expect(await calls()).not.toContain("approved");
    await haft(["approve", approval(1).id, "--by", "ada", "--ledger", ledger], { now: noon });
    expect(await why()).toContain("Its approvals are answered: haft resume 4f3a9c-1 resumes it");
    expect(await why()).not.toContain("Needs approval");
    expect(await calls()).toMatch(/4f3a9c-1 .*pending .*approved by ada .*not run yet/);
    const listed = await haft(["approvals", "--ledger", ledger], { now: noon });
    expect(listed.out).not.toContain("4f3a9c-1 ");
    const [, answered] = (await haft(["approvals", "--status", "answered", "--ledger", ledger])).out.split(
      "\n",
    );
    expect(answered).toContain("approved by ada");
  });

  it("says that a run can be resumed after its approval expired", async () => {
    const ledger = await place();
    const { out } = await haft(["runs", "--ledger", ledger], { now: noon + 48 * 60 * minute });
    expect(out).toContain("Its approvals expired: haft resume 4f3a9c-1 resumes it");
  });

  it("ends a pending run, voids its approval request, ends its call, and keeps the chain valid", async () => {
    const ledger = await place();
    const gave = await haft(["runs", "give-up", runId(1), "--by", "ada", "--ledger", ledger]);
    expect([gave.code, gave.out]).toEqual([0, expect.stringContaining("was cancelled")]);
    const [run] = lines((await haft(["runs", "--json", "--ledger", ledger])).out);
    expect(run).toMatchObject({ status: "stopped", reason: expect.stringContaining("ada") });
    const [entry] = lines((await haft(["log", "--json", "--ledger", ledger])).out);
    expect(entry).toMatchObject({ ending: "failed", code: "not_answered" });
    const late = await haft(["approve", approval(1).id, "--ledger", ledger]);
    expect(late.code).not.toBe(0);
    expect((await haft(["log", "--verify", "--ledger", ledger])).code).toBe(0);
  });

  it("explains why a run cannot be cancelled", async () => {
    const ledger = await place();
    const again = await haft(["runs", "give-up", runId(2), runId(3), "--json", "--ledger", ledger]);
    expect(again.code).toBe(1);
    expect(lines(again.out).map(({ cameTo }) => cameTo)).toEqual(["ended", "unknown"]);
    const said = await haft(["runs", "give-up", runId(2), "--ledger", ledger]);
    expect(said.error).toContain("has ended already");
    expect((await haft(["runs", "give-up", "--ledger", ledger])).code).toBe(2);
    const unknown = await haft(["runs", "give-up", "run-nobody", "--ledger", ledger]);
    expect([unknown.code, unknown.error]).toEqual([1, expect.stringContaining("There is no run")]);
  });
});

describe("haft.giveUp", () => {
  it("ends the caller's own run and no other caller's", async () => {
    const ask = tool({ name: "ask", description: "Asks", input: [], requiresApproval: true, run: () => 1 });
    const owner = { agent: "owner", allow: ["*"] };
    const runtime = await Haft.open({ tools: [ask], principal: owner, approver: () => undefined });
    const guide = agent({ name: "guide", instructions: "Guide.", tools: ["ask"] });
    const model = scriptedModel([{ calls: [{ id: "1", tool: "ask", input: "{}" }] }]);
    const { runId: id, status } = await runtime.run(guide, "Hi", { model });
    expect(status).toBe("pending");
    expect(await runtime.as({ agent: "stranger", allow: ["*"] }).giveUp(id)).toBe("unknown");
    expect(await runtime.giveUp(id)).toBe("given-up");
    expect(await runtime.giveUp(id)).toBe("ended");
    expect((await runtime.runs())[0]).toMatchObject({ runId: id, status: "stopped" });
    await expect(runtime.run(guide, undefined, { resume: id, model })).rejects.toThrow();
    await runtime.close();
  });
});
