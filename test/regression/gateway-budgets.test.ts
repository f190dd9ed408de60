import { Haft, type Rule, tool } from "haft";
import { afterEach, expect, it } from "vitest";
import { createConversationCounters } from "../../src/server/gateway/conversation-taints.ts";
import { openRuntimeBackend } from "../../src/server/gateway/runtime-backend.ts";
import type { Principal } from "../../src/types/principal.ts";

const open: Haft[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((haft) => haft.close()));
});

const principal: Principal = { agent: "client", allow: ["*"] };
const rules: readonly Rule[] = [
  { effect: "allow" },
  { effect: "deny", tools: ["note"], spent: { calls: 2 } },
];

const scene = async () => {
  const conversationCounters = createConversationCounters(Date.now);
  let runs = 0;
  let count = 0;
  const serve = async () => {
    const note = tool({ name: "note", description: "Notes", input: { type: "object" }, run: () => ++runs });
    const haft = await Haft.open({ tools: [note], principal, policy: { rules } });
    open.push(haft as Haft);
    const options = { info: { name: "g", version: "1" }, conversationCounters };
    const served = await openRuntimeBackend(haft as Haft, options);
    return (conversation?: string, by = principal) =>
      served.call({
        id: `call-${count++}`,
        tool: "note",
        input: {},
        principal: by,
        conversation,
        caller: {},
        signal: new AbortController().signal,
      });
  };
  return { serve, runs: () => runs };
};

it("a client's calls of one session count together, one by one and in parallel", async () => {
  const { serve, runs } = await scene();
  const call = await serve();
  for (let made = 0; made < 5; made++) await call("a");
  expect(runs()).toBe(2);
  await Promise.all(Array.from({ length: 5 }, () => call("b")));
  expect(runs()).toBe(4);
});

it("calls without a session count for their caller", async () => {
  const { serve, runs } = await scene();
  const call = await serve();
  for (let made = 0; made < 4; made++) await call(undefined);
  for (let made = 0; made < 4; made++) await call(undefined, { ...principal, user: "ada" });
  expect(runs()).toBe(4);
});

it("a reloaded configuration keeps the counters", async () => {
  const { serve, runs } = await scene();
  for (let made = 0; made < 3; made++) await (await serve())("a");
  expect(runs()).toBe(2);
});
