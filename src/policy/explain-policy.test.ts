import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { Principal } from "../types/principal.ts";
import { explainPolicy } from "./explain.ts";
import { explainDecision } from "./explanation.ts";
import { guardPolicy } from "./guard-policy.ts";
import { narrow, type PolicyOptions } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";

const send = testRegistration("mail/send");
const ada: Principal = { agent: "ada", user: "u1", allow: ["*"] };
const options: PolicyOptions = {
  rules: [
    { id: "all", effect: "allow", reason: "they are ours" },
    { id: "bobs", effect: "deny", agents: ["bob"] },
    { id: "files", effect: "deny", tools: ["fs/*"] },
    { id: "calm", effect: "deny", spent: { calls: 5 }, when: { required: ["cc"] } },
  ],
  rights: { users: { u1: { allow: ["mail/*"] } } },
};
const helper = narrow(ada, { agent: "helper", deny: ["fs/*"] });

describe("explainPolicy", () => {
  it("reports the decision of each principal, the coverage of each permission and the match of each rule", () => {
    const request = {
      principal: helper,
      registration: send,
      input: {},
      tally: { calls: 7, cost: 0, taints: [] },
    };
    const reported = explainPolicy(options, request);
    expect(reported).toMatchObject({ effect: "allow", ruleIds: ["all"], tool: "mail/send" });
    expect(reported.links.map(({ agent, effect, rules }) => ({ agent, effect, rules }))).toEqual([
      { agent: "helper", effect: "allow", rules: ["all", "calm"] },
      { agent: "ada", effect: "allow", rules: ["all", "calm"] },
    ]);
    expect(reported.links[1]?.rights).toEqual([
      { who: '"ada"', refusal: undefined },
      { who: 'user "u1"', refusal: undefined },
    ]);
    expect(reported.rules.map(({ conditions: _, ...rule }) => rule)).toEqual([
      { id: "all", effect: "allow", concerns: true, covers: true, met: true, unmet: [] },
      { id: "bobs", effect: "deny", concerns: false, covers: true, met: true, unmet: [] },
      { id: "files", effect: "deny", concerns: true, covers: false, met: true, unmet: [] },
      { id: "calm", effect: "deny", concerns: true, covers: true, met: false, unmet: ["when"] },
    ]);
    expect(reported.rules.at(-1)?.conditions).toEqual([
      { field: "spent", words: "the run has made at least 5 calls", met: true },
      { field: "when", words: "input.cc is given", met: false },
    ]);
  });

  it("returns readable text", () => {
    const reported = explainPolicy(options, { principal: helper, registration: testRegistration("fs/read") });
    expect(reported.text.split("\n")).toEqual([
      '"helper" may not call fs/read: the deny list of "helper" covers fs/read; neither the allow list nor a toolkit of user "u1" covers fs/read.',
      "caller: user u1, allow *, toolkits nothing, deny fs/*",
      'within "ada": user u1, allow *, toolkits nothing, deny nothing',
      "tool: fs/read (project), risk low, source function",
      'own right, "helper": deny, the deny list of "helper" covers fs/read',
      '  right of "helper": the deny list of "helper" covers fs/read',
      '  right of user "u1": neither the allow list nor a toolkit of user "u1" covers fs/read',
      'within, "ada": deny, neither the allow list nor a toolkit of user "u1" covers fs/read',
      '  right of "ada": covers it',
      '  right of user "u1": neither the allow list nor a toolkit of user "u1" covers fs/read',
      "rule all (allow): fits",
      "rule bobs (deny): is not about this caller",
      "rule files (deny): fits",
      "rule calm (deny): fits, if its conditions are met: spent (the run has made at least 5 calls) and when (input.cc is given)",
    ]);
  });

  it("returns the best possible decision without an input and leaves conditions open", () => {
    const reported = explainPolicy(options, { principal: ada, registration: send });
    expect(reported.effect).toBe("allow");
    expect(reported.rules.at(-1)).toMatchObject({ id: "calm", met: undefined, unmet: [] });
    expect(
      explainPolicy(options, { principal: ada, registration: send, input: {}, validated: false }),
    ).toMatchObject({
      effect: "allow",
      rules: expect.arrayContaining([expect.objectContaining({ id: "calm", met: false, unmet: ["spent"] })]),
    });
  });

  it("returns the best possible decision for a run without an input", () => {
    const sink = testRegistration("mail/send", { tags: ["sink"] });
    const tally = { calls: 1, cost: 0, taints: ["web/fetch"] };
    const reported = explainPolicy(options, { principal: ada, registration: sink, tally });
    expect(reported).toMatchObject({ effect: "approve", reason: expect.stringContaining("web/fetch") });
    expect(reported.rules.at(-1)).toMatchObject({ id: "calm", met: false, unmet: ["spent"] });
    const spent = explainPolicy(options, {
      principal: ada,
      registration: send,
      tally: { ...tally, calls: 9 },
    });
    expect(spent.rules.at(-1)).toMatchObject({ id: "calm", met: undefined, unmet: [] });
  });

  it("explains denials without a principal, for an unknown user and for a cyclic delegation", () => {
    expect(explainPolicy(options, { principal: undefined, registration: send })).toMatchObject({
      effect: "deny",
      links: [],
      text: expect.stringContaining("Calls of mail/send require a principal"),
    });
    const stranger = explainPolicy(options, { principal: { ...ada, user: "u9" }, registration: send });
    expect(stranger.links[0]?.rights).toEqual([
      { who: '"ada"', refusal: 'no right is defined for user "u9"' },
    ]);
    const circle: { agent: string; within?: Principal } = { agent: "ada" };
    circle.within = circle;
    expect(explainPolicy(options, { principal: circle, registration: send })).toMatchObject({
      effect: "deny",
      links: [],
      reason: expect.stringContaining("has a cycle"),
    });
  });
});

it("guardPolicy keeps explain of an engine and adds none when it is missing", async () => {
  const request = { principal: ada, registration: send };
  const reported = await guardPolicy(createPolicyEngine(options)).explain?.(request);
  expect(reported).toEqual(explainPolicy(options, request));
  expect(
    guardPolicy({ decide: createPolicyEngine().decide, visible: createPolicyEngine().visible }),
  ).not.toHaveProperty("explain");
});

it("explainDecision names all delegators", () => {
  const text = explainDecision(createPolicyEngine(options).visible(helper, send), helper, send);
  expect(text).toContain('within "ada": user u1, allow *, toolkits nothing, deny nothing');
});

it("explainDecision treats an empty list like a missing one", () => {
  const caller: Principal = { agent: "ada", roles: [], allow: [], toolkits: [] };
  const text = explainDecision(createPolicyEngine().visible(caller, send), caller, send);
  expect(text).toContain("caller: allow nothing, toolkits nothing, deny nothing");
});
