import { type EventMap, Haft, tool, workspace } from "haft";
import { expect, it } from "vitest";

const secret = "canary-9c0e-do-not-print";
const principal = { agent: "tester", session: "s", allow: ["**"] };
const credentials = { values: { key: secret } };

it("names the full tool name and the caller in an event", async () => {
  const work = tool({ name: "work", description: "Works", input: [], run: () => 1 });
  const project = workspace().toolbox("box").add(work).build();
  const haft = await Haft.open({ project, principal });
  const received: EventMap["tools.executed"][] = [];
  haft.on("tools.executed", (event) => received.push(event));
  await haft.turn([{ id: "1", tool: "work", input: "{}" }]);
  expect(received).toMatchObject([{ toolName: "box/work", callId: "1", agentId: "tester", sessionId: "s" }]);
});

it("masks secrets in the event of an unknown tool, and names no caller when there is none", async () => {
  const haft = await Haft.open({ credentials });
  const received: EventMap["tools.failed"][] = [];
  haft.on("tools.failed", (event) => received.push(event));
  await haft.turn([{ id: `id ${secret}`, tool: `name ${secret}`, input: "{}" }]);
  expect(received).toMatchObject([{ success: false, agentId: undefined, sessionId: undefined }]);
  expect(received[0]?.toolName).toMatch(/^name /);
  expect(received[0]?.callId).toMatch(/^id /);
  expect(JSON.stringify(received)).not.toContain(secret);
});

it("masks secrets in the approval request of a pending event", async () => {
  const ask = tool({
    name: "ask",
    description: "Asks",
    input: { type: "object", properties: { text: { type: "string" } } },
    requiresApproval: true,
    run: () => 1,
  });
  const haft = await Haft.open({ tools: [ask], principal, credentials, approver: () => undefined });
  const received: EventMap["tools.pending"][] = [];
  haft.on("tools.pending", (event) => received.push(event));
  const call = { id: `id ${secret}`, tool: "ask", input: JSON.stringify({ text: `say ${secret}` }) };
  const [reply] = await haft.turn([call]);
  expect(received).toMatchObject([
    {
      toolName: "ask",
      approval: {
        id: reply?.pending?.id,
        tool: "ask",
        callId: expect.stringMatching(/^id /),
        input: { text: expect.stringMatching(/^say /) },
      },
    },
  ]);
  expect(JSON.stringify(received)).not.toContain(secret);
});
