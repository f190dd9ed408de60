// Features around an agent run: late binding, layers, stop conditions, approvals, and a failing model.
//#region tools
import assert from "node:assert/strict";
//#endregion
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
//#region tools
import { agent, Haft, type Model, ModelError, tool } from "haft";
import { timeBudget, tokenBudget, toolCalled } from "haft/agent";
import { tap, timeout } from "haft/layers";
import { offline } from "haft/models";
import { z } from "zod";

//#endregion

// A temporary folder for files of this example.
const folder = mkdtempSync(join(tmpdir(), "haft-agent-run-"));
process.chdir(folder);

//#region tools
const find = tool({
  name: "find_order",
  description: "Finds an order",
  input: z.object({ order: z.string() }),
  annotations: { readOnly: true },
  run: ({ order }) => ({ order, state: "on its way" }),
});

const cancel = tool({
  name: "cancel_order",
  description: "Permanently cancels an order",
  input: z.object({ order: z.string() }),
  risk: "high",
  run: ({ order }) => `${order} is cancelled`,
});
//#endregion

//#region agent
const shop = agent({
  name: "shop",
  instructions: "You help with orders.",
  model: "offline", // or "openai/gpt-5", "anthropic/…", "ollama/…", "gemini/…", or a model as a value
  tools: [find.spec, cancel.spec], // specs of the tools; their code is bound when the agent runs
});
//#endregion

//#region library
const haft = await Haft.open({
  principal: { agent: "shop", allow: ["*_order"] },
  ledger: "sqlite:./haft.db",
});
const library = { find_order: find, cancel_order: cancel };
const found = await haft.run(shop, 'Find order "A-17"', { library });
const pretended = await haft.run(shop, 'Find order "A-17"', {
  library: { ...library, find_order: () => ({ state: "pretended" }) },
});
//#endregion
assert.match(found.content, /on its way/);
assert.match(pretended.content, /pretended/);
await assert.rejects(haft.run(shop, "Find it"), { code: "not_bound" });

//#region layers
const seen: string[] = [];
const watched = agent({
  ...shop,
  modelLayers: [timeout("30 seconds"), tap({ before: () => void seen.push("model") })],
}).layer(timeout("5 seconds"), tap({ before: (call) => void seen.push(call.spec.name) }));
await haft.run(watched, 'Find order "A-17"', { library });
assert.deepEqual(seen, ["model", "find_order", "model"]);
//#endregion

//#region stop
const stopped = await haft.run(shop, 'Find order "A-17"', {
  library,
  maxTurns: 5,
  stop: [toolCalled("find_order"), tokenBudget(10_000), timeBudget("1 minute")],
});
assert.equal(stopped.status, "stopped");
assert.equal(stopped.reason, 'The tool "find_order" was called.');
//#endregion

//#region approval
const waiting = await haft.run(shop, 'Cancel order "A-17"', { library });
assert.equal(waiting.status, "pending");
// …and once an approver has agreed, in any process:
for (const { id } of waiting.pending) await haft.resume(id, { kind: "allow" }, { by: "grace" });
const done = await haft.run(shop, undefined, { library, resume: waiting.runId });
assert.equal(done.content, "(offline planner) cancel_order answered: A-17 is cancelled");
//#endregion

//#region memory
const brief = await Haft.open({
  principal: { agent: "shop", allow: ["*_order"] },
  approver: () => undefined, // approvals are answered later
});
const asked = await brief.run(shop, 'Cancel order "A-17"', { library });
const replies = await Promise.all(asked.pending.map(({ id }) => brief.resume(id, { kind: "allow" })));
const answered = await brief.run(shop, undefined, { library, context: asked.context, replies });
assert.equal(answered.content, done.content);
//#endregion

//#region keep
const planner = offline();
const tired: Model = {
  ...planner,
  generate: async (request) => {
    const isSecond = request.messages.some(({ role }) => role === "tool");
    if (isSecond) throw new ModelError("model_unauthorized", "the key was withdrawn");
    return planner.generate(request);
  },
};
const error = await haft.run(shop, 'Find order "A-17"', { library, model: tired }).catch((thrown) => thrown);
assert.ok(error instanceof ModelError);
assert.equal(error.code, "model_unauthorized");
const kept = error.response; // the conversation so far: finished calls are not repeated
const rescued = await haft.run(shop, undefined, { library, context: kept?.context ?? [] });
assert.match(rescued.content, /on its way/);
assert.equal(rescued.toolsUsed.length, 0);
//#endregion
await Promise.all([haft.close(), brief.close()]);
rmSync(folder, { recursive: true });
console.log(done.content);
