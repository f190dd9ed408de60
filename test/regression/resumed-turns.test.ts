import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agent, final, Haft, handoff, type Message, type Principal, Tool, tool, workspace } from "haft";
import { validateConversation } from "haft/agent";
import { calls, type ScriptLine, says, scriptedModel } from "haft/testing";
import { afterAll, describe, expect, it } from "vitest";

const principal: Principal = { agent: "tester", allow: ["*"] };
const folder = mkdtempSync(join(tmpdir(), "haft-lead-on-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const world = (lines: readonly ScriptLine[], others: readonly ScriptLine[] = []) => {
  const runs = { wipe: 0, leave: 0, finish: 0 };
  // So that the parallel call is pending before the turn ends.
  const asked = Promise.withResolvers<void>();
  const wipe = tool({ name: "wipe", description: "Wipes", input: [], risk: "high", run: () => ++runs.wipe });
  const leave = tool({
    name: "leave",
    description: "Hands over",
    input: [],
    run: async () => {
      await asked.promise;
      runs.leave++;
      return handoff("second");
    },
  });
  const finish = tool({
    name: "finish",
    description: "Ends it",
    input: [],
    run: async () => {
      await asked.promise;
      runs.finish++;
      return final("the final word");
    },
  });
  const model = scriptedModel(lines);
  const otherModel = scriptedModel(others);
  const second = agent({ name: "second", instructions: "Go on.", model: otherModel });
  const first = agent({
    name: "first",
    instructions: "Begin.",
    model,
    tools: [wipe, leave, finish],
    handoffs: [second],
  });
  const approver = (): undefined => {
    asked.resolve();
  };
  return { runs, model, otherModel, first, approver };
};

const answersPerId = (context: readonly Message[]): readonly number[] => {
  const ids = context.flatMap((one) => (one.role === "tool" ? [one.callId] : []));
  return [...new Set(ids)].map((id) => ids.filter((other) => other === id).length);
};

describe("a run whose turn has a pending call", () => {
  const orders = [
    ["before", [["wipe", {}] as const], []],
    ["after", [], [["wipe", {}] as const]],
  ] as const;

  for (const [where, ahead, behind] of orders) {
    for (const answer of ["allow", "deny"] as const) {
      it(`${where} a handoff is pending, and after "${answer}" the other agent answers once`, async () => {
        const { runs, model, otherModel, first, approver } = world(
          [calls(...ahead, ["leave", {}], ...behind), says("the first agent spoke")],
          [says("the second agent spoke")],
        );
        const haft = await Haft.open({ principal, approver });
        const waiting = await haft.run(first, "Go");
        expect(waiting).toMatchObject({ status: "pending", pending: [{ tool: "wipe" }] });
        expect(otherModel.requests).toHaveLength(0);
        const reply = await haft.resume(waiting.pending[0]!.id, { kind: answer });
        const done = await haft.run(first, undefined, { context: waiting.context, replies: [reply] });
        expect(done).toMatchObject({ status: "done", agent: "second", content: "the second agent spoke" });
        expect([model.requests.length, otherModel.requests.length]).toEqual([1, 1]);
        expect(runs).toMatchObject({ wipe: answer === "allow" ? 1 : 0, leave: 1 });
        expect(answersPerId(done.context)).toEqual([1, 1]);
        expect(validateConversation(done.context)).toEqual([]);
      });

      it(`${where} a final answer is pending, and after "${answer}" the run ends with it once`, async () => {
        const { runs, model, first, approver } = world([
          calls(...ahead, ["finish", {}], ...behind),
          says("the model was asked again"),
        ]);
        const haft = await Haft.open({ principal, approver });
        const waiting = await haft.run(first, "Go");
        expect(waiting).toMatchObject({ status: "pending", pending: [{ tool: "wipe" }] });
        const reply = await haft.resume(waiting.pending[0]!.id, { kind: answer });
        const done = await haft.run(first, undefined, { context: waiting.context, replies: [reply] });
        expect(done).toMatchObject({ status: "done", content: "the final word", pending: [] });
        expect(model.requests).toHaveLength(1);
        expect(runs).toMatchObject({ wipe: answer === "allow" ? 1 : 0, finish: 1 });
        expect(answersPerId(done.context)).toEqual([1, 1]);
        expect(validateConversation(done.context)).toEqual([]);
      });
    }
  }

  it("next to a handoff is resumed from a durable ledger by the other agent, once", async () => {
    const { runs, otherModel, first, approver } = world(
      [calls(["wipe", {}], ["leave", {}]), says("the first agent spoke")],
      [says("the second agent spoke")],
    );
    await using haft = await Haft.open({
      principal,
      approver,
      ledger: `sqlite:${join(folder, "handoff.db")}`,
    });
    const waiting = await haft.run(first, "Go");
    expect(waiting.status).toBe("pending");
    await haft.resume(waiting.pending[0]!.id, { kind: "allow" });
    const done = await haft.run(first, undefined, { resume: waiting.runId });
    expect(done).toMatchObject({ status: "done", agent: "second", content: "the second agent spoke" });
    expect(otherModel.requests).toHaveLength(1);
    expect(runs).toMatchObject({ wipe: 1, leave: 1 });
    expect(answersPerId(done.context)).toEqual([1, 1]);
  });

  it("next to a final answer is resumed from a durable ledger with that answer, and ends", async () => {
    const { runs, model, first, approver } = world([
      calls(["finish", {}], ["wipe", {}]),
      says("asked again"),
    ]);
    await using haft = await Haft.open({ principal, approver, ledger: `sqlite:${join(folder, "final.db")}` });
    const waiting = await haft.run(first, "Go");
    expect(waiting).toMatchObject({ status: "pending", pending: [{ tool: "wipe" }] });
    await haft.resume(waiting.pending[0]!.id, { kind: "allow" });
    const done = await haft.run(first, undefined, { resume: waiting.runId });
    expect(done).toMatchObject({ status: "done", content: "the final word" });
    expect(answersPerId(done.context)).toEqual([1, 1]);
    await expect(haft.run(first, undefined, { resume: waiting.runId })).rejects.toThrow(/is done/);
    expect(runs).toMatchObject({ wipe: 1, finish: 1 });
    expect(model.requests).toHaveLength(1);
  });

  it("waits for two approvals, and then follows the handoff", async () => {
    const { runs, otherModel, first, approver } = world(
      [calls(["wipe", {}], ["leave", {}], ["wipe", {}]), says("the first agent spoke")],
      [says("the second agent spoke")],
    );
    const haft = await Haft.open({ principal, approver });
    const waiting = await haft.run(first, "Go");
    expect(waiting.pending).toHaveLength(2);
    const replies = [];
    for (const { id } of waiting.pending) replies.push(await haft.resume(id, { kind: "allow" }));
    const done = await haft.run(first, undefined, { context: waiting.context, replies });
    expect(done).toMatchObject({ status: "done", agent: "second" });
    expect([runs.wipe, otherModel.requests.length]).toEqual([2, 1]);
    expect(answersPerId(done.context)).toEqual([1, 1, 1]);
  });
});

describe("a toolbox of a workspace", () => {
  const Note = Tool({
    name: "note",
    description: "Saves a note",
    parameters: { title: { type: "string" }, required: ["title"] },
  })(
    class {
      readonly title: string;
      constructor({ title }: { readonly title: string }) {
        this.title = title;
      }
      run(): string {
        return `saved ${this.title}`;
      }
    },
  );

  it("accepts a class that @Tool made a tool", async () => {
    const project = workspace()
      .toolbox("notes")
      .add(Note as never)
      .build();
    const haft = await Haft.open({ project, principal: { agent: "tester", allow: ["**"] } });
    const [reply] = await haft.turn([{ id: "1", tool: "notes/note", input: '{"title":"one"}' }]);
    expect(reply).toMatchObject({ ok: true, value: "saved one" });
  });

  it("refuses values that are not tools, with a reason", () => {
    for (const nonsense of [class Plain {}, {}, null, undefined, "note"]) {
      expect(() =>
        workspace()
          .toolbox("notes")
          .add(nonsense as never),
      ).toThrow(
        expect.objectContaining({ code: expect.any(String), message: expect.stringContaining("tool") }),
      );
    }
  });
});
