import { describe, expect, it } from "vitest";
import { tool } from "../tools/tool.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { EventBus } from "../types/event.ts";
import type { AnyTool, Category, Registration, Risk } from "../types/tool.ts";
import type { ToolPlace } from "./place.ts";
import { toolRegistry } from "./tool-registry.ts";

interface Traits {
  readonly category?: Category;
  readonly risk?: Risk;
  readonly tags?: readonly string[];
}

const plain = tool({
  name: "plain",
  description: "Does what its name says",
  input: { type: "object" },
  run: () => 1,
});
const named = (name: string, traits: Traits = {}): AnyTool => ({
  ...plain,
  spec: { ...plain.spec, name, ...traits },
});

const project = (namespace: string, overrides = false): ToolPlace => ({
  origin: "project",
  namespace,
  overrides,
});
const org = (namespace: string, overrides = false): ToolPlace => ({
  origin: "org",
  org: "acme",
  namespace,
  overrides,
});

const keys = (registrations: readonly Registration[]) =>
  registrations.map((registration) => registration.key);

const recorder = () => {
  const events: { readonly name: string; readonly event: unknown }[] = [];
  const bus: EventBus = {
    on: () => () => undefined,
    emit: (name, event) => void events.push({ name, event }),
    isHeard: () => true,
  };
  const of = (name: string) => events.filter((each) => each.name === name).map((each) => each.event);
  return { bus, events, of };
};

describe("full names", () => {
  it("have the form tool, namespace/tool or org/namespace/tool by origin", () => {
    const tools = toolRegistry();
    expect(tools.register(named("read"))).toMatchObject({
      key: "read",
      wireName: "read",
      origin: "internal",
    });
    expect(tools.register(named("read"), project("fs"))).toMatchObject({
      key: "fs/read",
      wireName: "fs__read",
    });
    expect(tools.register(named("read"), org("fs"))).toMatchObject({ key: "acme/fs/read", origin: "org" });
    expect(tools.register(named("read"), { origin: "org", namespace: "fs" }).key).toBe("org/fs/read");
    expect(tools.size).toBe(4);
  });

  it.each([
    [{ origin: "project" }, "refused_name"],
    [{ origin: "project", namespace: "a/b" }, "refused_name"],
    [{ origin: "org", namespace: "fs", org: "" }, "refused_name"],
    [{ origin: "internal", namespace: "fs" }, "invalid_config"],
    [{ origin: "project", namespace: "fs", org: "acme" }, "invalid_config"],
  ] satisfies [ToolPlace, string][])("reject the place %j", (place, code) => {
    expect(() => toolRegistry().register(named("read"), place)).toThrow(expect.objectContaining({ code }));
  });
});

describe("ToolRegistry rejects", () => {
  it("a second tool of the same full name unless duplicates are allowed", () => {
    const strict = toolRegistry();
    strict.register(named("read"));
    expect(() => strict.register(named("read"))).toThrow(
      expect.objectContaining({ code: "duplicate_tool", toolName: "read" }),
    );
    const { bus, events } = recorder();
    const lax = toolRegistry({ allowDuplicateNames: true, maxTools: 1, events: bus });
    lax.register(named("read", { risk: "low" }));
    const { version } = lax;
    lax.register(named("read", { risk: "high" }));
    expect(lax.get("read")?.tool.spec.risk).toBe("high");
    expect(lax.size).toBe(1);
    expect(lax.version).not.toBe(version);
    expect(events.map((each) => each.name)).toEqual([
      "tools.registered",
      "tools.unregistered",
      "tools.registered",
    ]);
  });

  it("a lookalike name in the same or a lookalike namespace", () => {
    const tools = toolRegistry({ allowDuplicateNames: true });
    tools.register(named("search"), project("github"));
    const twins = [
      () => tools.register(named("Search"), project("github")),
      () => tools.register(named("search"), project("g1thub")),
    ];
    for (const lookalike of twins) {
      expect(lookalike).toThrow(expect.objectContaining({ code: "refused_name" }));
      expect(lookalike).toThrow(/"github\/search"/);
    }
    expect(tools.register(named("Search"), project("gitlab")).key).toBe("gitlab/Search");
    tools.unregister("github/search");
    expect(tools.register(named("Search"), project("github")).key).toBe("github/Search");
  });

  it("a full name that equals the wire name of another tool", () => {
    const first = toolRegistry();
    first.register(named("read"), project("fs"));
    expect(() => first.register(named("fs__read"))).toThrow(
      expect.objectContaining({ code: "refused_name" }),
    );
    const second = toolRegistry();
    second.register(named("fs__read"));
    expect(() => second.register(named("read"), project("fs"))).toThrow(/"fs\/read".*"fs__read"/);
  });

  it("tools above the limit, which is a thousand by default", () => {
    const tools = toolRegistry();
    tools.registerAll(
      Array.from({ length: 1_000 }, (_, index) => named(`t${index}`)),
      project("many"),
    );
    expect(() => tools.register(named("more"))).toThrow(expect.objectContaining({ code: "too_many_tools" }));
    tools.unregister("many/t7");
    expect(tools.register(named("more")).key).toBe("more");
  });

  it("a batch as a whole when one tool is invalid", () => {
    const { bus, events } = recorder();
    const tools = toolRegistry({ events: bus, maxTools: 4 });
    tools.register(named("taken"));
    const { version } = tools;
    events.length = 0;
    for (const last of ["taken", "Fresh", "a/b"]) {
      expect(() => tools.registerAll([named("fresh"), named(last)])).toThrow();
    }
    expect(() => tools.registerAll(["a", "b", "c", "d"].map((name) => named(name)))).toThrow(
      "its limit of 4",
    );
    expect(tools.size).toBe(1);
    expect(tools.version).toBe(version);
    expect(tools.get("fresh")).toBeUndefined();
    expect(events).toEqual([]);
  });

  it("an invalid place with a ConfigurationError", () => {
    expect(() => toolRegistry().register(named("read"), { origin: "internal", org: "acme" })).toThrow(
      ConfigurationError,
    );
  });
});

describe("ToolRegistry list", () => {
  const tools = toolRegistry();
  tools.register(named("b", { category: "file", risk: "high", tags: ["x"] }));
  tools.register(named("a", { category: "http", tags: ["x", "y"] }), project("net"));
  tools.register(named("Z", { category: "http" }), org("net"));

  it("is ordered by full name in code unit order", () => {
    expect(keys(tools.list())).toEqual(["acme/net/Z", "b", "net/a"]);
    expect(tools.ordered()).toBe(tools.ordered());
  });

  it.each([
    [{ category: "http" }, ["acme/net/Z", "net/a"]],
    [{ category: ["http", "file"], risk: "low" }, ["acme/net/Z", "net/a"]],
    [{ tags: ["y", "z"] }, ["net/a"]],
    [{ namespace: "net" }, ["acme/net/Z", "net/a"]],
    [{ namespace: "net", origin: "project" }, ["net/a"]],
    [{ origin: ["internal"] }, ["b"]],
    [{ source: "mcp" }, []],
    [{}, ["acme/net/Z", "b", "net/a"]],
  ] as const)("with the filter %j returns %j", (filter, expected) => {
    expect(keys(tools.list(filter))).toEqual(expected);
  });

  it("onChange reports the tool under each full name until it is unsubscribed", () => {
    const all = toolRegistry({ allowDuplicateNames: true });
    const received: unknown[] = [];
    const leave = all.onChange((key, registration) => received.push([key, registration?.tool.spec.name]));
    all.register(named("one"));
    all.register(named("one"));
    all.register(named("two"), { origin: "project", namespace: "shop" });
    all.unregister("shop/two");
    leave();
    all.unregister("one");
    expect(received).toEqual([
      ["one", "one"],
      ["one", undefined],
      ["one", "one"],
      ["shop/two", "two"],
      ["shop/two", undefined],
    ]);
  });

  it("version changes with every change and only then", () => {
    const fresh = toolRegistry();
    const versions = new Set([fresh.version]);
    fresh.register(named("a"));
    versions.add(fresh.version);
    fresh.unregister("a");
    versions.add(fresh.version);
    fresh.unregister("a");
    fresh.resolve("a");
    fresh.list();
    versions.add(fresh.version);
    expect(versions.size).toBe(3);
  });
});
