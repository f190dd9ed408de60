import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Layer from "effect/Layer";
import { ConfigurationError, Haft, type HaftOptions, type PolicyProblem, type Rule, tool } from "haft";
import { runtimeLayer } from "haft/effect";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createPolicyEngine } from "../src/policy/policy.ts";
import { startToyHttp } from "./kit/mcp/toy-http.ts";
import { waitFor } from "./kit/wait-for.ts";

const refund = tool({
  name: "refund",
  description: "Refunds an order",
  input: { type: "object", properties: { euros: { type: "number" } }, required: ["euros"] },
  run: () => "done",
});
const principal = { agent: "clerk", allow: ["*"] };
const allow: Rule = { effect: "allow" };
const misspelled: Rule = { id: "typo", effect: "approve", tools: ["refnd"] };
const unknownKeyword: Rule = {
  id: "big",
  effect: "approve",
  tools: ["refund"],
  when: { properties: { euros: { minimun: 500 } } },
};

/** A runtime and the problems that its listener received. */
const opened = async (options: Partial<HaftOptions>) => {
  const received: PolicyProblem[] = [];
  const haft = await Haft.open({
    tools: [refund],
    principal,
    ...options,
    on: { "policy.problem": (problem) => received.push(problem) },
  } as HaftOptions);
  return { haft, received };
};

const refusal = async (options: Partial<HaftOptions>): Promise<unknown> =>
  opened(options).catch((error) => error);

describe("Haft.open", () => {
  it("reports a rule that matches no tool, with a suggestion", async () => {
    const { haft, received } = await opened({ policy: { rules: [allow, misspelled] } });
    expect(received).toEqual([
      {
        code: "unknown_tool",
        severity: "warning",
        ruleId: "typo",
        place: "/policy/rules/1/tools/0",
        message: 'Rule "typo": rules[1].tools[0] "refnd" matches no tool.',
        suggestion: 'Did you mean "refund"?',
      },
    ]);
    expect(haft.checkPolicy()).toEqual(received);
    await haft.close();
  });

  it("emits a process warning if there is no listener", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const haft = await Haft.open({ tools: [refund], principal, policy: { rules: [allow, misspelled] } });
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'Policy: Rule "typo": rules[1].tools[0] "refnd" matches no tool. Did you mean "refund"?',
      "HaftWarning",
    );
    warn.mockRestore();
    await haft.close();
  });

  it("refuses an unknown keyword of a condition", async () => {
    const error = await refusal({ policy: { rules: [unknownKeyword] } });
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      code: "invalid_config",
      message:
        'Rule "big": rules[0].when.properties.euros.minimun is not a JSON Schema keyword, so it would be ignored. Did you mean "minimum"?',
    });
    expect(() => createPolicyEngine({ rules: [unknownKeyword] })).toThrow(ConfigurationError);
  });

  it("refuses warnings in strict mode", async () => {
    const error = await refusal({ policy: { rules: [allow, misspelled], strict: true } });
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain('Did you mean "refund"?');
    const { haft } = await opened({ policy: { rules: [allow], strict: true } });
    await haft.close();
  });

  it("checks the options that a policy engine was made from", async () => {
    const { haft, received } = await opened({ policy: createPolicyEngine({ rules: [allow, misspelled] }) });
    expect(received).toMatchObject([{ ruleId: "typo" }]);
    await haft.close();
  });

  it("reports unknown tools of a connecting server only after it has failed", async () => {
    const rules: readonly Rule[] = [allow, { id: "server", effect: "approve", tools: ["shop/pay"] }];
    let fail = (): void => {};
    const blocked = new Promise<void>((done) => {
      fail = done;
    });
    const { haft, received } = await opened({
      policy: { rules },
      mcp: {
        servers: { shop: { url: "http://127.0.0.1:1/mcp", headers: { key: { secret: "slow" } } } },
        waitMs: 0,
        lock: false,
      },
      credentials: () => blocked.then(() => undefined),
    });
    expect(received).toEqual([]);
    fail();
    await waitFor(() => expect(received).toMatchObject([{ ruleId: "server", code: "unknown_tool" }]));
    await haft.close();
  });
});

describe("the settings of an MCP server", () => {
  it("are reported when they name a tool that the server does not have", async () => {
    const toy = await startToyHttp();
    onTestFinished(toy.stop);
    const settings = {
      terms: { ecoh: { requiresApproval: true }, "s*": { risk: "high" }, read_resource: { risk: "low" } },
      include: ["echo", "slow", "aks"],
      exclude: ["lgo", "slow"],
    } as const;
    const mcp = { servers: { shop: { url: toy.url, ...settings } }, lock: false } as const;
    const { haft, received } = await opened({ mcp });
    onTestFinished(() => haft.close());
    expect(received).toMatchObject([
      { place: "/mcp/servers/shop/terms/ecoh", suggestion: 'Did you mean "echo"?' },
      { place: "/mcp/servers/shop/include/2", suggestion: 'Did you mean "ask"?' },
      { place: "/mcp/servers/shop/exclude/0", suggestion: 'Did you mean "log"?' },
    ]);
    expect(received.map(({ message }) => message)).toEqual([
      "mcp.servers.shop.terms.ecoh matches no tool of the server.",
      'mcp.servers.shop.include[2] "aks" matches no tool of the server.',
      'mcp.servers.shop.exclude[0] "lgo" matches no tool of the server.',
    ]);
    expect(haft.checkPolicy()).toEqual(received);
    expect(await refusal({ mcp, policy: { strict: true } })).toBeInstanceOf(ConfigurationError);
  });
});

describe("a change of the tools", () => {
  it("reports a rule that loses its last tool, once", async () => {
    const rules: readonly Rule[] = [allow, { id: "big", effect: "approve", tools: ["refund"] }];
    const other = refund.withName("look");
    const { haft, received } = await opened({ tools: [refund, other], policy: { rules } });
    haft.unregister("refund");
    await waitFor(() =>
      expect(received).toMatchObject([{ ruleId: "big", place: "/policy/rules/1/tools/0" }]),
    );
    haft.register(refund.withName("third"));
    await waitFor(() => expect(haft.list()).toHaveLength(2));
    expect(haft.checkPolicy()).toHaveLength(1);
    haft.register(refund);
    expect(haft.checkPolicy()).toEqual([]);
    await haft.close();
    expect(received).toHaveLength(1);
  });

  it("checks once after many tools were registered", async () => {
    vi.useFakeTimers();
    try {
      const { haft, received } = await opened({ policy: { rules: [allow, misspelled] } });
      expect(received).toHaveLength(1);
      expect(vi.getTimerCount()).toBe(0);
      for (let index = 0; index < 900; index++) haft.register(refund.withName(`tool_${index}`));
      expect(vi.getTimerCount()).toBe(1);
      vi.runAllTimers();
      expect(vi.getTimerCount()).toBe(0);
      expect(received).toHaveLength(1);
      haft.register(refund.withName("refnd"));
      vi.runAllTimers();
      haft.unregister("refnd");
      vi.runAllTimers();
      // A problem that was fixed and comes back is reported again.
      expect(received).toHaveLength(2);
      await haft.close();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("runtimeLayer", () => {
  const failureOf = async (rules: readonly Rule[], strict = false) => {
    const layer = runtimeLayer({ tools: [refund], principal, policy: { rules, strict } });
    return Effect.runPromiseExit(Effect.scoped(Layer.build(layer)));
  };

  it("refuses an unknown keyword, and warnings in strict mode, with a typed failure", async () => {
    for (const exit of [await failureOf([unknownKeyword]), await failureOf([allow, misspelled], true)]) {
      expect(Exit.findErrorOption(exit)).toMatchObject({ value: { _tag: "ConfigurationError" } });
    }
    expect(Exit.isSuccess(await failureOf([allow, misspelled]))).toBe(true);
  });
});
