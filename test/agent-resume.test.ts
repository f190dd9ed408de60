import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agent, Haft, handoff, type Message, type Model, tool } from "haft";
import { calls, says, scriptedModel } from "haft/testing";
import { afterAll, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };
const note = tool({ name: "note", description: "Notes", input: [], run: () => "noted" });
const wipe = tool({ name: "wipe", description: "Wipes", input: [], risk: "high", run: () => "wiped" });
const folder = mkdtempSync(join(tmpdir(), "haft-resume-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("a resumed run reports the calls it made before and after, and none of the given conversation", async () => {
  const model = scriptedModel([
    calls(["note", {}, "n1"]),
    calls(["wipe", {}, "w1"]),
    calls(["note", {}, "n2"]),
    says("Done."),
  ]);
  const helper = agent({ name: "helper", instructions: "Help.", model, tools: [note, wipe] });
  const context: readonly Message[] = [
    { role: "user", content: "Before" },
    { role: "assistant", content: "", calls: [{ id: "old", tool: "note", input: "{}" }] },
    { role: "tool", callId: "old", tool: "note", content: "noted", ok: true },
    { role: "assistant", content: "Noted." },
  ];
  await using haft = await Haft.open({
    principal,
    approver: () => undefined,
    ledger: `sqlite:${join(folder, "resume.db")}`,
  });
  const waiting = await haft.run(helper, "Go", { context });
  expect(waiting.status).toBe("pending");
  await haft.resume(waiting.pending[0]!.id, { kind: "allow" });
  const done = await haft.run(helper, undefined, { resume: waiting.runId });
  expect(done.status).toBe("done");
  expect(done.toolsUsed.map(({ callId, ok }) => [callId, ok])).toEqual([
    ["n1", true],
    ["w1", true],
    ["n2", true],
  ]);
});

it("an unknown handoff target is reported with the allowed targets", async () => {
  const lose = tool({ name: "lose", description: "Hands over", input: [], run: () => handoff("stranger") });
  const expert = agent({ name: "expert", instructions: "Know.", model: scriptedModel([]) });
  const model = scriptedModel([calls(["lose", {}]), says("I stay.")]);
  const helper = agent({ name: "helper", instructions: "Help.", model, tools: [lose], handoffs: [expert] });
  await using haft = await Haft.open({ principal });
  const response = await haft.run(helper, "Go");
  expect(response).toMatchObject({ agent: "helper", content: "I stay." });
  expect(response.toolsUsed[0]?.error).toBe(
    'Error: "helper" cannot hand off to "stranger". It may hand off to "expert".',
  );
});

it("a streaming model receives a signal that aborts when the run is cancelled", async () => {
  const asked = Promise.withResolvers<AbortSignal | undefined>();
  const model: Model = {
    id: "slow/model",
    generate: () => Promise.reject(new Error("not streamed")),
    async *stream(_, options) {
      asked.resolve(options?.signal);
      yield { kind: "text", text: "Wait" };
      await new Promise((_, reject) => {
        options?.signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      });
    },
  };
  await using haft = await Haft.open({ principal });
  const stop = new AbortController();
  const stream = haft.stream(agent({ name: "helper", instructions: "Help.", model }), "Go", {
    signal: stop.signal,
  });
  const reading = (async () => {
    for await (const _ of stream);
  })().catch(() => {});
  const signal = await asked.promise;
  expect(signal?.aborted).toBe(false);
  stop.abort();
  await reading;
  expect(signal?.aborted).toBe(true);
});
