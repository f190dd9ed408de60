import * as Effect from "effect/Effect";
import { agent, Haft, type Message, ModelError, tool } from "haft";
import { validateConversation } from "haft/agent";
import { calls, type ScriptLine, says, scriptedModel } from "haft/testing";
import { expect, it } from "vitest";
import { redactor } from "../base/json/redact.ts";
import { memoryLedger } from "../ledger/memory.ts";

const principal = { agent: "tester", allow: ["*"] };

const world = async (lines: readonly ScriptLine[]) => {
  let paid = 0;
  const pay = tool({ name: "pay", description: "Pays", input: [], risk: "high", run: () => ++paid });
  let noted = 0;
  const note = tool({ name: "note", description: "Notes", input: [], run: () => `note ${++noted}` });
  const model = scriptedModel(lines);
  const ledger = memoryLedger({ redactor: redactor() });
  const haft = await Haft.open({ principal, ledger, approver: () => undefined });
  const clerk = agent({ name: "clerk", instructions: "Pay.", model, tools: [pay, note] });
  const resume = (runId: string) => haft.run(clerk, undefined, { resume: runId });
  /** Records a run whose process ended before the run did. */
  const leave = async (given: readonly Message[], said: readonly Message[]): Promise<string> => {
    const { runs } = ledger;
    const [runId, at, usage] = ["run-left", 0, { inputTokens: 0, outputTokens: 0 }] as const;
    await Effect.runPromise(
      Effect.gen(function* () {
        const epoch = yield* runs.begin({ runId, agent: "clerk", principal, messages: given, at });
        yield* runs.add({ runId, epoch, messages: said, turns: 1, usage, agent: "clerk", at });
        yield* runs.end({ runId, epoch, status: "failed", at });
      }),
    );
    return runId;
  };
  const onRecord = async (runId: string) => (await Effect.runPromise(ledger.runs.find(runId)))!.messages;
  return { haft, clerk, model, leave, resume, onRecord, paid: () => paid };
};

it("asks a model again that has failed, and does not reuse an earlier answer", async () => {
  const { haft, clerk, model, resume } = await world([
    new ModelError("model_unauthorized", "no key"),
    says("Still here."),
  ]);
  const context: readonly Message[] = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Good morning." },
  ];
  const failure = await haft.run(clerk, "Are you there?", { context }).catch((error) => error);
  const done = await resume(failure.response.runId);
  expect(done).toMatchObject({ status: "done", content: "Still here.", turns: 1 });
  expect(model.requests.at(-1)?.messages.at(-1)).toEqual({ role: "user", content: "Are you there?" });
});

it("returns a recorded last message without asking the model", async () => {
  const { model, leave, resume } = await world([]);
  const runId = await leave([{ role: "user", content: "Go" }], [{ role: "assistant", content: "Paid." }]);
  expect(await resume(runId)).toMatchObject({ status: "done", content: "Paid.", toolsUsed: [], turns: 1 });
  expect(model.requests).toHaveLength(0);
});

it("makes only the calls without an answer", async () => {
  const { model, leave, resume } = await world([says("Noted.")]);
  const asked: Message = {
    role: "assistant",
    content: "",
    calls: ["1", "2"].map((id) => ({ id, tool: "note", input: "{}" })),
    agent: "clerk",
  };
  const first: Message = { role: "tool", callId: "1", tool: "note", content: '"before"', ok: true };
  const runId = await leave([{ role: "user", content: "Go" }], [asked, first]);
  const done = await resume(runId);
  expect(done.toolsUsed.map(({ callId, result }) => [callId, result])).toEqual([
    ["1", "before"],
    ["2", "note 1"],
  ]);
  expect(model.requests[0]?.messages.slice(2)).toEqual([
    asked,
    first,
    { role: "tool", callId: "2", tool: "note", content: "note 1", isText: true, ok: true },
  ]);
});

it("keeps a string result that looks like JSON", async () => {
  const { leave, resume } = await world([says("Noted.")]);
  const calls = [{ id: "1", tool: "note", input: "{}" }];
  const answered: Message = {
    role: "tool",
    callId: "1",
    tool: "note",
    content: "42",
    isText: true,
    ok: true,
  };
  const runId = await leave(
    [{ role: "user", content: "Go" }],
    [{ role: "assistant", content: "", calls, agent: "clerk" }, answered],
  );
  expect((await resume(runId)).toolsUsed).toMatchObject([{ callId: "1", result: "42" }]);
});

it("emits no turn before the model is asked when all calls have answers", async () => {
  const { haft, clerk, leave } = await world([says("Noted.")]);
  const calls = [{ id: "1", tool: "note", input: "{}" }];
  const runId = await leave(
    [{ role: "user", content: "Go" }],
    [
      { role: "assistant", content: "", calls, agent: "clerk" },
      { role: "tool", callId: "1", tool: "note", content: '"before"', ok: true },
    ],
  );
  const kinds: string[] = [];
  for await (const { kind } of haft.stream(clerk, undefined, { resume: runId })) kinds.push(kind);
  expect(kinds).toEqual(["text", "usage", "turn", "done"]);
});

it("reports a repeated call once, however often its run is resumed", async () => {
  const { haft, clerk, resume, paid } = await world([
    calls(["pay", {}, "same"], ["pay", {}, "same"]),
    calls(["pay", {}, "other"]),
    says("Paid."),
  ]);
  const waiting = await haft.run(clerk, "Go");
  await haft.resume(waiting.pending[0]!.id, { kind: "allow" });
  const more = await resume(waiting.runId);
  await haft.resume(more.pending[0]!.id, { kind: "allow" });
  const done = await resume(waiting.runId);
  expect(paid()).toBe(2);
  expect(done.toolsUsed.map(({ callId, ok }) => [callId, ok])).toEqual([
    ["same", true],
    ["other", true],
  ]);
  expect(done.context.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "tool",
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(validateConversation(done.context)).toEqual([]);
});

it("replaces the pending message on record with the answer", async () => {
  const { haft, clerk, resume, onRecord } = await world([
    calls(["pay", {}, "1"]),
    calls(["pay", {}, "2"]),
    says("Paid."),
  ]);
  const waiting = await haft.run(clerk, "Go");
  expect((await onRecord(waiting.runId)).at(-1)).toMatchObject({ callId: "1", pending: expect.any(String) });
  await haft.resume(waiting.pending[0]!.id, { kind: "allow" });
  const more = await resume(waiting.runId);
  expect(await onRecord(waiting.runId)).toEqual(more.context);
  expect(more.context[2]).toEqual({ role: "tool", callId: "1", tool: "pay", content: "1", ok: true });
});
