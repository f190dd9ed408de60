import { agent, type Message, type Reply } from "haft";
import { expect, it } from "vitest";
import { correctHandoff, findNextStep } from "./run-progress.ts";

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

it("uses the answer to the earlier call when two answers end a turn", () => {
  const toEditor = answer("a", { flow: { kind: "handoff", agent: "editor" } });
  const toWriter = answer("b", { flow: { kind: "handoff", agent: "writer" } });
  expect(findNextStep([asked, toEditor, toWriter], agentOf).agent).toBe(editor);
  expect(findNextStep([asked, toWriter, toEditor], agentOf).agent).toBe(editor);
});

it("ignores a turn that is followed by a message", () => {
  const last = answer("b", { flow: { kind: "final" }, content: '"done"' });
  expect(findNextStep([asked, answer("a", {}), last], agentOf)).toEqual({
    final: { text: "done", json: '"done"' },
  });
  expect(findNextStep([asked, answer("a", {}), last, { role: "user", content: "More?" }], agentOf)).toEqual(
    {},
  );
});

it("returns a final answer that is not JSON as text", () => {
  const last = answer("b", { flow: { kind: "final" }, content: "cut off {" });
  expect(findNextStep([asked, answer("a", {}), last], agentOf)).toEqual({
    final: { text: "cut off {", json: "cut off {" },
  });
});

it("fails a handoff to an agent that is not a target and continues the run", () => {
  const reply = {
    id: "a",
    ok: true,
    text: "",
    value: 1,
    flow: { kind: "handoff", agent: "writer" },
  } as Reply;
  expect(correctHandoff("desk", [writer!], reply)).toBe(reply);
  expect(correctHandoff("desk", [editor!], reply)).toEqual({
    id: "a",
    ok: false,
    text: 'Error: "desk" cannot hand off to "writer". It may hand off to "editor".',
    flow: { kind: "continue" },
  });
  expect(correctHandoff("desk", [], reply).text).toContain("It has no agents to hand off to.");
});
