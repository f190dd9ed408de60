import { describe, expect, it } from "vitest";
import type { ApprovalRequest } from "../../types/approval.ts";
import type { Principal } from "../../types/principal.ts";
import {
  createConversationTaints,
  forgottenConversationSource,
  sharedConversationTaints,
} from "./conversation-taints.ts";
import { createWaitingCalls, maxEntriesPerOwner } from "./waiting-calls.ts";

const of = (tenant: string, user = "ada"): Principal => ({ agent: "client", user, tenant });
const victim = { principal: of("victim"), conversation: "one" };

const flood = (received: ReturnType<typeof createConversationTaints>, principal: Principal): void => {
  for (let count = 0; count <= maxEntriesPerOwner; count += 1) {
    void received.addTaints({ principal, conversation: String(count) }, ["read_page"]);
  }
};

describe("taints of conversations", () => {
  it("are kept when another tenant has many conversations", () => {
    const received = createConversationTaints(() => 0);
    void received.addTaints(victim, ["read_page"]);
    flood(received, of("attacker"));
    expect(received.taintsOf(victim)).toEqual(["read_page"]);
  });

  it("are replaced by a general taint when their own tenant evicts them, until they would have expired", () => {
    let now = 0;
    const received = createConversationTaints(() => now);
    void received.addTaints(victim, ["read_page"]);
    flood(received, of("victim", "eve"));
    expect(received.taintsOf(victim)).toEqual([forgottenConversationSource]);
    expect(received.taintsOf({ principal: of("other") })).toEqual([]);
    now = 3_600_001;
    expect(received.taintsOf(victim)).toEqual([]);
  });

  it("are evicted by current conversations of their tenant after earlier ones have expired", () => {
    let now = 0;
    const received = createConversationTaints(() => now);
    flood(received, of("victim", "eve"));
    now = 3_600_001;
    void received.addTaints(victim, ["read_page"]);
    flood(received, of("victim", "mallory"));
    now += 1;
    expect(received.taintsOf({ principal: of("victim"), conversation: "new" })).toEqual([
      forgottenConversationSource,
    ]);
  });
});

describe("pending calls of clients", () => {
  it("are kept when another tenant has many of them", () => {
    const waiting = createWaitingCalls();
    const request = { principal: of("victim"), tool: "pay", input: { id: 1 } };
    const approval = { id: "a-1" } as ApprovalRequest;
    void waiting.set(request, approval);
    for (let count = 0; count <= maxEntriesPerOwner; count += 1) {
      void waiting.set({ principal: of("attacker"), tool: "pay", input: { id: count } }, {
        id: `b-${count}`,
      } as ApprovalRequest);
    }
    expect(waiting.find(request)).toBe(approval);
    expect(waiting.find({ principal: of("attacker"), tool: "pay", input: { id: 0 } })).toBeUndefined();
    void waiting.delete("a-1");
    expect(waiting.find(request)).toBeUndefined();
  });
});

describe("taints of conversations that gateways share", () => {
  /** Gateways over one store, each with taints of its own. */
  const gateways = () => {
    const rows: { readonly caller: string; readonly gateway: number; readonly taint: string }[] = [];
    let reads = 0;
    const open = (gateway: number) =>
      sharedConversationTaints(
        {
          readOfOthers: async (caller) => {
            reads += 1;
            return rows
              .filter((row) => row.caller === caller && row.gateway !== gateway)
              .map((row) => row.taint);
          },
          add: async (caller, taints) => {
            for (const taint of taints) rows.push({ caller, gateway, taint });
          },
        },
        () => 0,
      );
    return { one: open(1), other: open(2), reads: () => reads };
  };
  const ada = of("acme");

  it("are those with which a new session of the caller starts at another gateway", async () => {
    const { one, other } = gateways();
    await one.addTaints({ principal: ada, conversation: "a" }, ["read_page"]);
    expect(await other.taintsOf({ principal: ada, conversation: "b" })).toEqual(["read_page"]);
    expect(await other.taintsOf({ principal: of("acme", "bob"), conversation: "c" })).toEqual([]);
  });

  it("do not change another session of the caller at the same gateway", async () => {
    const { one } = gateways();
    await one.addTaints({ principal: ada, conversation: "a" }, ["read_page"]);
    expect(await one.taintsOf({ principal: ada, conversation: "b" })).toEqual([]);
    expect(await one.taintsOf({ principal: ada, conversation: "a" })).toEqual(["read_page"]);
  });

  it("do not change a session that has started", async () => {
    const { one, other, reads } = gateways();
    expect(await other.taintsOf({ principal: ada, conversation: "b" })).toEqual([]);
    await one.addTaints({ principal: ada, conversation: "a" }, ["read_page"]);
    expect(await other.taintsOf({ principal: ada, conversation: "b" })).toEqual([]);
    expect(reads()).toBe(1);
  });

  it("hold for each request without a session, and for the requests that follow it elsewhere", async () => {
    const { one, other } = gateways();
    expect(await other.taintsOf({ principal: ada })).toEqual([]);
    await one.addTaints({ principal: ada }, ["read_page"]);
    expect(await other.taintsOf({ principal: ada })).toEqual(["read_page"]);
    await other.addTaints({ principal: ada }, []);
    expect(await one.taintsOf({ principal: ada })).toEqual(["read_page"]);
  });

  it("are read again after reading them failed", async () => {
    const answers = [Promise.reject(new Error("down")), Promise.resolve(["read_page"])];
    const received = sharedConversationTaints(
      { readOfOthers: () => answers.shift()!, add: async () => {} },
      () => 0,
    );
    const session = { principal: ada, conversation: "a" };
    await expect(received.taintsOf(session)).rejects.toThrow("down");
    expect(await received.taintsOf(session)).toEqual(["read_page"]);
  });
});
