import { expect, it } from "vitest";
import type { AgentResponse } from "../../types/agent.ts";
import { type FinishedRun, measureRun } from "./measure-run.ts";
import type { Measure } from "./options.ts";

const response: AgentResponse = {
  content: "Forty-two.",
  toolsUsed: [],
  status: "done",
  agent: "helper",
  context: [],
  pending: [],
  usage: { inputTokens: 3, outputTokens: 1 },
  turns: 1,
  runId: "run",
};
const planned = { arm: { name: "a", library: {} }, input: { id: "1", input: "Go" }, repetition: 1 };
const measured = (end: FinishedRun, measure?: Measure) => measureRun(planned as never, end, measure);
const came = (more: Partial<AgentResponse> = {}): FinishedRun => ({
  kind: "response",
  response: { ...response, ...more },
  latencyMs: 12,
});

it("has a reason only for a failed run", async () => {
  expect(await measured(came())).not.toHaveProperty("reason");
  const right = () => ({ success: true });
  const stopped = came({ status: "stopped", reason: "The model returned an empty reply." });
  expect(await measured(stopped, right)).not.toHaveProperty("reason");
  expect(await measured(stopped)).toMatchObject({
    success: false,
    reason: "The model returned an empty reply.",
  });
  const wrong = () => ({ success: false });
  expect(await measured(came(), wrong)).toMatchObject({
    success: false,
    reason: "the measure returned success: false",
  });
});

it("fails a run when success is not a boolean", async () => {
  const record = await measured(came(), () => ({ success: "yes" }) as never);
  expect(record).toMatchObject({
    success: false,
    reason: "The measure function failed: `success` is not true or false.",
  });
});

it("turns any thrown value into a reason", async () => {
  const unreadable = {
    toString: () => {
      throw new Error("no");
    },
  };
  const reasonFor = async (error: unknown) => (await measured({ kind: "thrown", error })).reason;
  expect(await reasonFor(unreadable)).toBe("It threw a value that cannot be read.");
  expect(await reasonFor(new Error(""))).toBe("It threw an error without a message.");
  expect(await reasonFor("down")).toBe("down");
});
