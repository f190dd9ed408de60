import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agent, Haft, tool } from "haft";
import { afterAll, describe, expect, it } from "vitest";
import { calls, says, scriptedModel } from "./kit/scripted-model.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-peers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const principal = { agent: "clerk", allow: ["*"] };
const none = { type: "object" } as const;

const counted = (name: string, ran: string[], needsPerson = false) =>
  tool({
    name,
    description: `Counts ${name}`,
    input: none,
    requiresApproval: needsPerson,
    run: () => {
      ran.push(name);
      return { ran: name };
    },
  });

/** Three ways in which widely used tool runtimes lose or repeat calls. */
describe.each(["memory", `sqlite:${join(folder, "peers.db")}`])("with the ledger %s", (ledger) => {
  it("a call next to a pending call runs once, also after the run resumes", async () => {
    const ran: string[] = [];
    const model = scriptedModel([calls(["free", {}], ["asked", {}]), says("Both are done.")]);
    const clerk = agent({ name: "clerk", instructions: "Do both.", model, tools: ["*"] });
    await using haft = await Haft.open({
      tools: [counted("free", ran), counted("asked", ran, true)],
      principal,
      ledger,
      approver: () => undefined,
    });
    const left = await haft.run(clerk, "Do both.");
    expect(ran).toEqual(["free"]);
    const [waiting] = left.pending;
    await haft.resume(waiting?.id ?? "", { kind: "allow" });
    const done = await haft.run(clerk, undefined, { resume: left.runId });
    expect(done).toMatchObject({ status: "done", content: "Both are done." });
    expect(ran).toEqual(["free", "asked"]);
  });

  it("when one of two calls is rejected, the other runs, and both are answered", async () => {
    const ran: string[] = [];
    const model = scriptedModel([calls(["free", {}, "1"], ["asked", {}, "2"]), says("One was refused.")]);
    const clerk = agent({ name: "clerk", instructions: "Do both.", model, tools: ["*"] });
    await using haft = await Haft.open({
      tools: [counted("free", ran), counted("asked", ran, true)],
      principal,
      ledger,
      approver: () => ({ kind: "deny", reason: "not today" }),
    });
    const done = await haft.run(clerk, "Do both.");
    expect(ran).toEqual(["free"]);
    const answers = done.context.flatMap((message) =>
      message.role === "tool" ? [[message.callId, message.ok]] : [],
    );
    expect(answers).toEqual([
      ["1", true],
      ["2", false],
    ]);
  });

  it("a result that breaks its schema is withheld and recorded, and the run continues", async () => {
    const liar = tool({
      name: "liar",
      description: "Promises a number",
      input: none,
      output: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const,
      run: () => ({ n: "seven" }) as never,
    });
    const model = scriptedModel([calls(["liar", {}]), says("It did not work.")]);
    const clerk = agent({ name: "clerk", instructions: "Ask.", model, tools: ["*"] });
    await using haft = await Haft.open({ tools: [liar], principal, ledger });
    const done = await haft.run(clerk, "Ask.");
    expect(done).toMatchObject({ status: "done", content: "It did not work." });
    expect(JSON.stringify(done.context)).not.toContain("seven");
    expect(await haft.log({ runId: done.runId, tool: "liar" })).toMatchObject([
      { ending: "failed", code: "invalid_output" },
    ]);
  });
});
