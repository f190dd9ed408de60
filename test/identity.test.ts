import * as Effect from "effect/Effect";
import { Haft, type LedgerStore, type PolicyEngine, type Principal, tool } from "haft";
import { memoryLedger } from "haft/effect";
import { describe, expect, it } from "vitest";
import { redactor } from "../src/base/json/redact.ts";

const principal: Principal = { agent: "clerk", session: "monday", user: "ada", tenant: "shop", allow: ["*"] };
const none = { type: "object" } as const;

describe("an identity service", () => {
  it("decides before each call, and every call is recorded with its caller and outcome", async () => {
    const order: string[] = [];
    const allowed = {
      effect: "allow",
      ruleIds: ["house-rule"],
      reason: "the identity service says so",
    } as const;
    const denied = { ...allowed, effect: "deny" } as const;
    const policy: PolicyEngine = {
      visible: () => allowed,
      decide: ({ registration }) => {
        order.push(`asked about ${registration.key}`);
        return registration.key === "forbidden" ? denied : allowed;
      },
    };
    const memory = memoryLedger({ redactor: redactor() });
    const audited: string[] = [];
    const ledger: LedgerStore = {
      ...memory,
      close: (closing) => {
        audited.push(`${closing.tool} ${closing.ending}`);
        return memory.close(closing);
      },
    };
    const named = (name: string, run: () => unknown) =>
      tool({
        name,
        description: name,
        input: none,
        run: () => {
          order.push(`${name} runs`);
          return run();
        },
      });
    const haft = await Haft.open({
      tools: [
        named("works", () => 1),
        named("fails", () => {
          throw new Error("no");
        }),
        named("forbidden", () => 1),
      ],
      principal,
      policy,
      ledger,
    });
    for (const toolName of ["works", "fails", "forbidden"]) {
      const parties = { agentId: "clerk", sessionId: "monday", correlationId: "request-7" };
      await haft.execute({ toolName, arguments: {}, ...parties });
    }
    expect(order).toEqual([
      "asked about works",
      "works runs",
      "asked about fails",
      "fails runs",
      "asked about forbidden",
    ]);
    expect(audited).toEqual(["works executed", "fails failed", "forbidden failed"]);
    const rows = await haft.log();
    for (const row of rows) {
      expect(row).toMatchObject({
        agent: "clerk",
        session: "monday",
        user: "ada",
        tenant: "shop",
        correlationId: "request-7",
        durationMs: expect.any(Number),
      });
    }
    expect(rows.map(({ tool: name, ruleIds }) => [name, ruleIds])).toEqual([
      ["works", ["house-rule"]],
      ["fails", ["house-rule"]],
      ["forbidden", ["house-rule"]],
    ]);
  });

  it("is used with a ledger that syncs the start of high-risk calls, and not of others", async () => {
    const steps: string[] = [];
    const memory = memoryLedger({ redactor: redactor() });
    const ledger: LedgerStore = {
      ...memory,
      intend: ({ tool: name, full }) => {
        steps.push(`${name} is synced: ${full}`);
        return Effect.void;
      },
    };
    const tools = (["low", "medium", "high", "critical"] as const).map((risk) =>
      tool({ name: risk, description: risk, input: none, risk, run: () => void steps.push(`${risk} runs`) }),
    );
    const rules = [{ effect: "allow", tools: ["*"], waivesApproval: true }] as const;
    const haft = await Haft.open({ tools, principal, policy: { rules }, ledger });
    for (const { spec } of tools) await haft.call(spec.name, {});
    expect(steps).toEqual([
      "low runs",
      "medium runs",
      "high is synced: true",
      "high runs",
      "critical is synced: true",
      "critical runs",
    ]);
  });

  it("is used with a ledger that cannot sync, which prevents a high-risk call", async () => {
    let ran = 0;
    const memory = memoryLedger({ redactor: redactor() });
    const ledger: LedgerStore = { ...memory, intend: () => Effect.die(new Error("the disk is gone")) };
    const risky = tool({ name: "risky", description: "x", input: none, risk: "high", run: () => ++ran });
    const rules = [{ effect: "allow", tools: ["*"], waivesApproval: true }] as const;
    const haft = await Haft.open({ tools: [risky], principal, policy: { rules }, ledger });
    await expect(haft.call("risky", {})).rejects.toMatchObject({ code: "ledger_unavailable" });
    expect(ran).toBe(0);
  });
});
