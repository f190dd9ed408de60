import { describe, expect, it } from "vitest";
import { toolNamed } from "../../test/kit/tool-named.ts";
import type { EventBus } from "../types/event.ts";
import type { ToolPlace } from "./place.ts";
import { toolRegistry } from "./tool-registry.ts";

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

describe("registry events", () => {
  it("are emitted once after each registration and removal", () => {
    const { bus, of } = recorder();
    const tools = toolRegistry({ events: bus });
    tools.register(toolNamed("read"), project("fs"));
    expect(tools.unregister("fs/read")).toBe(true);
    expect(tools.unregister("fs/read")).toBe(false);
    expect(of("tools.registered")).toEqual([{ toolName: "fs/read", origin: "project" }]);
    expect(of("tools.unregistered")).toEqual([{ toolName: "fs/read", origin: "project" }]);
  });

  it("warn once about each shadowed tool in any order", () => {
    const places: readonly ToolPlace[] = [{ origin: "internal" }, org("web", true), project("web", true)];
    const orders = [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
      [1, 0, 2],
    ];
    for (const order of orders) {
      const { bus, of } = recorder();
      const tools = toolRegistry({ events: bus });
      for (const index of order) tools.register(toolNamed("search"), places[index] as ToolPlace);
      const warnings = of("tools.overridden") as { readonly name: string; readonly shadowed: string }[];
      expect(warnings.map((warning) => warning.shadowed).sort()).toEqual(["acme/web/search", "search"]);
      expect(new Set(warnings.map((warning) => warning.name))).toEqual(new Set(["search"]));
    }
  });

  it("report a tool as shadowed when an internal tool has its short name", () => {
    const { bus, of } = recorder();
    const tools = toolRegistry({ events: bus });
    tools.register(toolNamed("read"), project("evil"));
    tools.register(toolNamed("read"));
    tools.register(toolNamed("read"), project("worse"));
    expect(of("tools.overridden")).toEqual([
      { name: "read", toolName: "read", shadowed: "evil/read" },
      { name: "read", toolName: "read", shadowed: "worse/read" },
    ]);
  });

  it("are emitted after the whole batch is registered", () => {
    const sizes: number[] = [];
    const bus: EventBus = {
      on: () => () => undefined,
      emit: () => void sizes.push(tools.size),
      isHeard: () => true,
    };
    const tools = toolRegistry({ events: bus });
    tools.registerAll([toolNamed("a"), toolNamed("b")]);
    expect(sizes).toEqual([2, 2]);
  });
});
