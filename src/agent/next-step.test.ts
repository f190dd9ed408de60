import { agent, type Message } from "haft";
import { expect, it } from "vitest";
import { follow } from "./next-step.ts";

const [editor, writer] = ["editor", "writer"].map((name) => agent({ name, instructions: "Go on." }));
const agentOf = (name: string) => [editor!, writer!].find((each) => each.name === name);
const answer = (callId: string, more: object): Message => ({
  role: "tool",
  callId,
  tool: "t",
  content: "null",
  ok: true,
  ...more,
});
const asked: Message = {
  role: "assistant",
  content: "",
  calls: ["a", "b"].map((id) => ({ id, tool: "t", input: "{}" })),
};

it("of two answers that end a turn the one to the earlier call counts, whichever came first", () => {
  const toEditor = answer("a", { flow: { kind: "handoff", agent: "editor" } });
  const toWriter = answer("b", { flow: { kind: "handoff", agent: "writer" } });
  expect(follow([asked, toEditor, toWriter], agentOf).agent).toBe(editor);
  expect(follow([asked, toWriter, toEditor], agentOf).agent).toBe(editor);
});

it("a turn leads on until somebody speaks", () => {
  const last = answer("b", { flow: { kind: "final" }, content: '"done"' });
  expect(follow([asked, answer("a", {}), last], agentOf)).toEqual({ final: "done" });
  expect(follow([asked, answer("a", {}), last, { role: "user", content: "More?" }], agentOf)).toEqual({});
});
