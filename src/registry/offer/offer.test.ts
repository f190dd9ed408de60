import { describe, expect, it } from "vitest";
import { createPolicyEngine } from "../../policy/policy.ts";
import { tool } from "../../tools/tool.ts";
import type { Principal } from "../../types/principal.ts";
import type { AnyLayer, AnyTool } from "../../types/tool.ts";
import { toolRegistry } from "../tool-registry.ts";
import { isToolAvailable, type Offer, type OfferSource, toOffer, visibleTools } from "./offer.ts";
import { offerCache } from "./offer-cache.ts";

const plain = tool({
  name: "plain",
  description: "Does what its name says",
  input: { type: "object" },
  run: () => 1,
});
const named = (name: string, layers: readonly AnyLayer[] = []): AnyTool => ({
  ...plain,
  spec: { ...plain.spec, name },
  layers,
});

const breaker = (isAvailable: (tool: string, now: number) => boolean): AnyLayer =>
  Object.assign(((next) => next) as AnyLayer, { isAvailable });

const everyone: Principal = Object.freeze({ agent: "ada", allow: Object.freeze(["*"]) });
const keys = (offer: Offer) => offer.registrations.map((registration) => registration.key);

const offerSource = () => {
  const tools = toolRegistry();
  tools.register(named("time"));
  tools.register(named("read"), { origin: "project", namespace: "fs" });
  tools.register(named("get"), { origin: "org", namespace: "net" });
  return { registry: tools, policy: createPolicyEngine({}) };
};

interface OfferRequest extends OfferSource {
  readonly principal: Principal | undefined;
  readonly now: number;
}

const makeOffer = (request: OfferRequest): Offer => {
  const { principal, registry, now, isAvailable } = request;
  const registrations = visibleTools(request, principal).filter((one) =>
    isToolAvailable(one, now, isAvailable),
  );
  return toOffer(principal, registry.version, registrations);
};

describe("makeOffer", () => {
  it("contains what the principal may see, ordered by full name", () => {
    const source = offerSource();
    expect(keys(makeOffer({ ...source, principal: everyone, now: 0 }))).toEqual([
      "fs/read",
      "org/net/get",
      "time",
    ]);
    const reader: Principal = { agent: "bob", allow: ["**/read", "time"], deny: ["time"] };
    expect(keys(makeOffer({ ...source, principal: reader, now: 0 }))).toEqual(["fs/read"]);
  });

  it("is empty without a principal", () => {
    const offer = makeOffer({ ...offerSource(), principal: undefined, now: 0 });
    expect([offer.registrations, offer.specs, offer.byWireName.size]).toEqual([[], [], 0]);
  });

  it("shows a tool that is denied for some arguments and hides one that is always denied", () => {
    const { registry: tools } = offerSource();
    const rules = createPolicyEngine({
      rules: [
        { effect: "allow" },
        { effect: "deny", tools: ["fs/read"], when: { required: ["path"] } },
        { effect: "deny", tools: ["time"] },
      ],
    });
    const offer = makeOffer({ registry: tools, policy: rules, principal: everyone, now: 0 });
    expect(keys(offer)).toEqual(["fs/read", "org/net/get"]);
  });

  it("names every spec by its wire name and maps that name to its tool", () => {
    const offer = makeOffer({ ...offerSource(), principal: everyone, now: 0 });
    expect(offer.specs.map((spec) => spec.name)).toEqual(["fs__read", "org__net__get", "time"]);
    for (const [index, spec] of offer.specs.entries()) {
      expect(offer.byWireName.get(spec.name)).toBe(offer.registrations[index]);
    }
    expect(
      Object.isFrozen(offer) && Object.isFrozen(offer.registrations) && Object.isFrozen(offer.specs),
    ).toBe(true);
  });

  it("omits an internal tool whose name was taken by another", () => {
    const { registry: tools, policy: rules } = offerSource();
    tools.register(named("time"), { origin: "project", namespace: "clock", overrides: true });
    const offer = makeOffer({ registry: tools, policy: rules, principal: everyone, now: 0 });
    expect(keys(offer)).toEqual(["clock/time", "fs/read", "org/net/get"]);
  });

  it("omits a tool when a layer reports it as unavailable or throws", () => {
    const { registry: tools, policy: rules } = offerSource();
    tools.register(
      named("flaky", [breaker(() => true), breaker((key, now) => key === "flaky" && now >= 10)]),
    );
    tools.register(
      named("broken", [
        breaker(() => {
          throw new Error("no");
        }),
      ]),
    );
    const at = (now: number) => keys(makeOffer({ registry: tools, policy: rules, principal: everyone, now }));
    expect(at(9)).toEqual(["fs/read", "org/net/get", "time"]);
    expect(at(10)).toEqual(["flaky", "fs/read", "org/net/get", "time"]);
  });

  it("omits tools that isAvailable rejects", () => {
    const offer = makeOffer({
      ...offerSource(),
      principal: everyone,
      now: 0,
      isAvailable: ({ key }) => key !== "time",
    });
    expect(keys(offer)).toEqual(["fs/read", "org/net/get"]);
  });

  it("has a hash of its specs, which changes with a description", () => {
    const first = makeOffer({ ...offerSource(), principal: everyone, now: 0 });
    const second = makeOffer({ ...offerSource(), principal: { agent: "bob", allow: ["*"] }, now: 5 });
    expect(second.hash).toBe(first.hash);
    const { registry: tools, policy: rules } = offerSource();
    tools.unregister("time");
    const changed = named("time");
    tools.register({ ...changed, spec: { ...changed.spec, description: "Something else" } });
    expect(makeOffer({ registry: tools, policy: rules, principal: everyone, now: 0 }).hash).not.toBe(
      first.hash,
    );
  });
});

describe("offerCache", () => {
  it("returns the same offer while nothing changes, also for an equal principal", () => {
    const cache = offerCache(offerSource());
    const first = cache.get(everyone, 0);
    expect(cache.get(everyone, 1)).toBe(first);
    expect(cache.get({ agent: "ada", allow: ["*"] }, 1)).toBe(first);
    expect(cache.get({ agent: "bob", allow: ["*"] }, 1)).not.toBe(first);
    expect(cache.get(undefined, 1)).toBe(cache.get(undefined, 2));
  });

  it("reflects registered and removed tools", () => {
    const source = offerSource();
    const cache = offerCache(source);
    cache.get(everyone, 0);
    cache.get(undefined, 0);
    source.registry.register(named("new"));
    expect(keys(cache.get(everyone, 0))).toContain("new");
    expect(cache.get(undefined, 0).version).toBe(source.registry.version);
    source.registry.unregister("new");
    expect(keys(cache.get(everyone, 0))).not.toContain("new");
  });

  it("reflects availability changes and asks only the affected tool", () => {
    const source = offerSource();
    let works = true;
    let asked = 0;
    source.registry.register(
      named("flaky", [
        breaker(() => {
          asked++;
          return works;
        }),
      ]),
    );
    const cache = offerCache(source);
    const before = cache.get(everyone, 0);
    expect(keys(before)).toContain("flaky");
    asked = 0;
    expect(cache.get(everyone, 0)).toBe(before);
    expect(asked).toBe(1);
    works = false;
    expect(keys(cache.get(everyone, 0))).not.toContain("flaky");
    works = true;
    expect(keys(cache.get(everyone, 0))).toContain("flaky");
  });

  it("applies a mutation of the principal immediately", () => {
    const cache = offerCache(offerSource());
    const allow = ["time", "fs/*"];
    const caller: Principal = { agent: "ada", allow };
    expect(keys(cache.get(caller, 0))).toEqual(["fs/read", "time"]);
    allow.pop();
    expect(keys(cache.get(caller, 0))).toEqual(["time"]);
  });

  it("does not confuse principals with additional fields", () => {
    const cache = offerCache(offerSource());
    const odd = () => ({ agent: "ada", allow: ["*"], clearance: Math.random() }) as Principal;
    expect(cache.get(odd(), 0)).not.toBe(cache.get(odd(), 0));
  });

  it("caches a limited number of equal principals", () => {
    const source = offerSource();
    let asked = 0;
    const counting = {
      ...source.policy,
      visible: (...given: Parameters<typeof source.policy.visible>) => {
        asked++;
        return source.policy.visible(...given);
      },
    };
    const cache = offerCache({ registry: source.registry, policy: counting }, 2);
    const caller = (agent: string): Principal => ({ agent, allow: ["*"] });
    for (const agent of ["a", "b", "a", "c"]) cache.get(caller(agent), 0);
    asked = 0;
    cache.get(caller("a"), 0);
    expect(asked).toBe(0);
    cache.get(caller("b"), 0);
    expect(asked).toBe(3);
  });
});
