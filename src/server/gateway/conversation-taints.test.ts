import { describe, expect, it } from "vitest";
import type { ApprovalRequest } from "../../types/approval.ts";
import type { Principal } from "../../types/principal.ts";
import { createConversationTaints, forgottenConversationSource } from "./conversation-taints.ts";
import { maxEntriesPerOwner } from "./owner-map.ts";
import { createWaitingCalls } from "./waiting-calls.ts";

const of = (tenant: string, user = "ada"): Principal => ({ agent: "client", user, tenant });
const victim = { principal: of("victim"), conversation: "one" };

const flood = (heard: ReturnType<typeof createConversationTaints>, principal: Principal): void => {
  for (let count = 0; count <= maxEntriesPerOwner; count += 1) {
    void heard.addTaints({ principal, conversation: String(count) }, ["read_page"]);
  }
};

describe("taints of conversations", () => {
  it("are kept when another tenant has many conversations", () => {
    const heard = createConversationTaints(() => 0);
    void heard.addTaints(victim, ["read_page"]);
    flood(heard, of("attacker"));
    expect(heard.taintsOf(victim)).toEqual(["read_page"]);
  });

  it("are replaced by a general taint when their own tenant evicts them, until they would have expired", () => {
    let now = 0;
    const heard = createConversationTaints(() => now);
    void heard.addTaints(victim, ["read_page"]);
    flood(heard, of("victim", "eve"));
    expect(heard.taintsOf(victim)).toEqual([forgottenConversationSource]);
    expect(heard.taintsOf({ principal: of("other") })).toEqual([]);
    now = 3_600_001;
    expect(heard.taintsOf(victim)).toEqual([]);
  });

  it("are evicted by current conversations of their tenant after earlier ones have expired", () => {
    let now = 0;
    const heard = createConversationTaints(() => now);
    flood(heard, of("victim", "eve"));
    now = 3_600_001;
    void heard.addTaints(victim, ["read_page"]);
    flood(heard, of("victim", "mallory"));
    now += 1;
    expect(heard.taintsOf({ principal: of("victim"), conversation: "new" })).toEqual([
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
