import { agent, type Message, type Reply } from "haft";
import { expect, it } from "vitest";
import { correctHandoff, findNextStep } from "./next-step.ts";

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
  expect(findNextStep([asked, toEditor, toWriter], agentOf).agent).toBe(editor);
  expect(findNextStep([asked, toWriter, toEditor], agentOf).agent).toBe(editor);
});

it("a turn leads on until somebody speaks", () => {
  const last = answer("b", { flow: { kind: "final" }, content: '"done"' });
  expect(findNextStep([asked, answer("a", {}), last], agentOf)).toEqual({
    final: { text: "done", json: '"done"' },
  });
  expect(findNextStep([asked, answer("a", {}), last, { role: "user", content: "More?" }], agentOf)).toEqual(
    {},
  );
});

it("a final answer that is no JSON is told as it stands", () => {
  const last = answer("b", { flow: { kind: "final" }, content: "cut off {" });
  expect(findNextStep([asked, answer("a", {}), last], agentOf)).toEqual({
    final: { text: "cut off {", json: "cut off {" },
  });
});

it("a handoff to one who is not among the targets fails, and lets the run go on", () => {
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
    text: 'Error: "desk" cannot hand over to "writer". It may hand over to "editor".',
    flow: { kind: "continue" },
  });
  expect(correctHandoff("desk", [], reply).text).toContain("It may hand over to nobody.");
});
