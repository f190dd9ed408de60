import { expect, it } from "vitest";
import { createPolicyEngine } from "../../policy/policy.ts";
import { tool } from "../../tools/tool.ts";
import { toolRegistry } from "../tool-registry.ts";
import { offerCache } from "./offer-cache.ts";

const made = (name: string) => tool({ name, description: name, input: [], run: () => name });

it("has agrees with the whole offer and asks the policy only for the given tool", () => {
  const all = toolRegistry();
  for (const name of ["pay", "send", "look"]) all.register(made(name));
  const engine = createPolicyEngine();
  const asked: string[] = [];
  const watched = {
    ...engine,
    visible: (...[principal, one]: Parameters<typeof engine.visible>) => {
      asked.push(one.key);
      return engine.visible(principal, one);
    },
  };
  const { get, checkOffered } = offerCache({ registry: all, policy: watched });
  const clerk = Object.freeze({ agent: "clerk", allow: Object.freeze(["pay", "look"]) });
  expect([
    checkOffered(clerk, 0)("pay", "pay"),
    checkOffered(clerk, 0)("send", "send"),
    checkOffered(clerk, 0)("gone", "gone"),
  ]).toEqual([true, false, false]);
  expect([asked, checkOffered(undefined, 0)("pay", "pay"), checkOffered(clerk, 0)("pay", "other")]).toEqual([
    ["pay", "send"],
    false,
    false,
  ]);
  expect(get(clerk, 0).specs.map(({ name }) => name)).toEqual(["look", "pay"]);
  all.unregister("pay");
  all.register(made("wait"));
  expect([
    checkOffered(clerk, 0)("pay", "pay"),
    checkOffered(clerk, 0)("look", "look"),
    checkOffered(clerk, 0)("wait", "wait"),
  ]).toEqual([false, true, false]);
});
