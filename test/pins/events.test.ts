import { type EventMap, type EventName, Haft, tool } from "haft";
import { expect, it } from "vitest";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => {};

type Pinned =
  | "tools.started"
  | "tools.executed"
  | "tools.failed"
  | "tools.pending"
  | "tools.progress"
  | "tools.registered"
  | "tools.unregistered"
  | "tools.overridden"
  | "tools.idle-layer"
  | "tools.undescribed"
  | "tools.unannotated"
  | "tools.search-fallback"
  | "tools.mcp-connected"
  | "tools.mcp-disconnected"
  | "policy.problem";

const principal = { agent: "tester", session: "one", allow: ["*"] };
const any = { type: "object" } as const;

it("the bus carries these events and no others", () => {
  holds<Equal<EventName, Pinned>>();
  holds<Equal<EventMap["tools.failed"]["success"], false>>();
  holds<Equal<EventMap["tools.executed"]["success"], true>>();
});

it("each event has these members", async () => {
  const received = new Map<string, readonly string[]>();
  const work = tool({
    name: "work",
    description: "Reports and answers",
    input: any,
    run: (_, { progress }) => {
      progress(1);
      return "done";
    },
  });
  const ask = tool({ name: "ask", description: "Asks", input: any, requiresApproval: true, run: () => 1 });
  const haft = await Haft.open({ tools: [ask], principal, approver: () => undefined });
  const names: readonly EventName[] = [
    "tools.started",
    "tools.executed",
    "tools.failed",
    "tools.pending",
    "tools.progress",
    "tools.registered",
    "tools.unregistered",
    "tools.overridden",
  ];
  for (const name of names) haft.on(name, (event) => received.set(name, Object.keys(event).sort()));
  haft.register(work);
  haft.register(work, { origin: "project", namespace: "mine", overrides: true });
  await haft.turn([
    { id: "1", tool: "work", input: "{}" },
    { id: "2", tool: "nobody", input: "{}" },
    { id: "3", tool: "ask", input: "{}" },
  ]);
  haft.unregister("mine/work");
  const ofCall = ["agentId", "callId", "entryId", "runId", "sessionId", "toolName"];
  expect(Object.fromEntries(received)).toEqual({
    "tools.started": ofCall,
    "tools.executed": [...ofCall, "executionTimeMs", "success"].sort(),
    "tools.failed": [...ofCall, "executionTimeMs", "success", "code", "message"].sort(),
    "tools.pending": [...ofCall, "approval"].sort(),
    "tools.progress": [...ofCall, "taints", "update"].sort(),
    "tools.registered": ["origin", "toolName"],
    "tools.unregistered": ["origin", "toolName"],
    "tools.overridden": ["name", "shadowed", "toolName"],
  });
});

it("a successful call emits its events in this order", async () => {
  const order: string[] = [];
  const work = tool({
    name: "work",
    description: "Reports and answers",
    input: any,
    run: (_, { progress }) => {
      progress(1);
      return "done";
    },
  });
  const haft = await Haft.open({ tools: [work], principal });
  for (const name of ["tools.executed", "tools.progress", "tools.started"] as const) {
    haft.on(name, () => order.push(name));
  }
  await haft.call("work", {});
  expect(order).toEqual(["tools.started", "tools.progress", "tools.executed"]);
});
