import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InboundMessages, invalidResponse } from "./inbound-messages.ts";

const scene = () => {
  const delivered: JSONRPCMessage[] = [];
  const reported: string[] = [];
  let now = 0;
  const intake = new InboundMessages({
    deliver: (message) => delivered.push(message),
    trouble: (message) => reported.push(message),
    now: () => now,
  });
  const ask = (id: string | number) => intake.trackRequest({ jsonrpc: "2.0", id, method: "tools/call" });
  return {
    intake,
    delivered,
    reported,
    ask,
    pass: (ms: number) => {
      now += ms;
    },
  };
};

describe("responses", () => {
  it("are delivered once for a pending request", () => {
    const { intake, delivered, ask } = scene();
    ask(1);
    expect(intake.accept({ jsonrpc: "2.0", id: 1, result: { a: 1 }, extra: true })).toBe(true);
    expect(intake.accept({ jsonrpc: "2.0", id: 1, result: { a: 2 } })).toBe(true);
    expect(intake.accept({ jsonrpc: "2.0", id: 2, result: {} })).toBe(true);
    expect(delivered).toEqual([{ jsonrpc: "2.0", id: 1, result: { a: 1 } }]);
  });

  it("are dropped for a cancelled request", () => {
    const { intake, delivered, ask } = scene();
    ask(1);
    intake.trackRequest({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    intake.accept({ jsonrpc: "2.0", id: 1, result: {} });
    expect(delivered).toEqual([]);
    expect(intake.pendingIds.size).toBe(0);
  });

  it("without a request are reported at a decreasing rate", () => {
    const { intake, reported } = scene();
    for (let i = 0; i < 5_000; i++) intake.accept({ jsonrpc: "2.0", id: i, result: {} });
    expect(reported).toHaveLength(4);
  });

  it.each([
    { result: null },
    { result: "text" },
    { result: [] },
    { error: "text" },
    { result: {}, error: { code: 1, message: "" } },
  ])("with neither result nor error are replaced by an error (%j)", (odd) => {
    const { intake, delivered, ask } = scene();
    ask(7);
    intake.accept({ jsonrpc: "2.0", id: 7, ...odd });
    expect((delivered[0] as { error: { data: unknown } }).error.data).toBe(invalidResponse);
  });

  it("are delivered after the notification that came before them", async () => {
    const { intake, delivered, ask } = scene();
    ask(1);
    intake.accept({ jsonrpc: "2.0", method: "notifications/progress" });
    intake.accept({ jsonrpc: "2.0", id: 1, result: {} });
    expect(delivered).toHaveLength(1);
    await Promise.resolve();
    await Promise.resolve();
    expect(delivered).toHaveLength(2);
  });

  it("of a batch are delivered one by one", () => {
    const { intake, delivered, ask } = scene();
    ask(1);
    ask(2);
    expect(intake.accept([1, 2].map((id) => ({ jsonrpc: "2.0", id, result: {} })))).toBe(true);
    expect(delivered).toHaveLength(2);
  });
});

describe("notifications and requests of the server", () => {
  it("are delivered up to a rate limit, dropped above it, and delivered again later", () => {
    const { intake, delivered, reported, pass } = scene();
    const send = (count: number) => {
      for (let i = 0; i < count; i++) intake.accept({ jsonrpc: "2.0", method: "notifications/message" });
    };
    send(20_000);
    expect(delivered).toHaveLength(5_000);
    expect(reported).toHaveLength(1);
    pass(1_000);
    send(20_000);
    expect(delivered).toHaveLength(7_000);
    expect(reported).toHaveLength(1);
    pass(60_000);
    send(20_000);
    expect(delivered).toHaveLength(12_000);
    expect(reported).toHaveLength(2);
  });
});

it("accept does not throw for any value and delivers only messages", () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const { intake, delivered } = scene();
      if (!intake.accept(value)) expect(delivered).toEqual([]);
    }),
  );
});
