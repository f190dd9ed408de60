import { Haft, tool } from "haft";
import { expect, it } from "vitest";

const principal = { agent: "tester", session: "one", allow: ["*"] };
const any = { type: "object" } as const;

it("a row of the ledger has these members, whatever the outcome", async () => {
  const work = tool({ name: "work", description: "Works", input: any, run: () => "done" });
  const ask = tool({ name: "ask", description: "Asks", input: any, requiresApproval: true, run: () => 1 });
  const haft = await Haft.open({ tools: [work, ask], principal, approver: () => undefined });
  await haft.turn([
    { id: "1", tool: "work", input: '{"a":1}' },
    { id: "2", tool: "nobody", input: "{}" },
    { id: "3", tool: "ask", input: "{}" },
  ]);
  const rows = await haft.log();
  for (const row of rows) {
    expect(Object.keys(row).sort()).toEqual([
      "agent",
      "at",
      "attempts",
      "callId",
      "claimsNotRun",
      "code",
      "correlationId",
      "cost",
      "decision",
      "definition",
      "durationMs",
      "ending",
      "entryId",
      "epoch",
      "flow",
      "handoff",
      "implementation",
      "input",
      "inputHash",
      "key",
      "layers",
      "message",
      "notes",
      "operator",
      "original",
      "parentId",
      "provenance",
      "ran",
      "ranWith",
      "result",
      "ruleIds",
      "runId",
      "session",
      "taints",
      "tenant",
      "tool",
      "user",
    ]);
  }
  expect(rows).toMatchObject([
    {
      callId: "1",
      tool: "work",
      ending: "executed",
      agent: "tester",
      session: "one",
      input: '{"a":1}',
      // SHA-256 of the received arguments.
      inputHash: "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862",
      result: '"done"',
      flow: "continue",
      notes: [],
      // SHA-256 of the canonical arguments, which are the same here.
      attempts: [
        {
          number: 1,
          startedAt: expect.any(Number),
          inputHash: "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862",
          ending: "ended",
          ran: true,
        },
      ],
    },
    { callId: "2", ending: "failed", code: "unknown_tool", attempts: [] },
    { callId: "3", ending: "pending" },
  ]);
});
