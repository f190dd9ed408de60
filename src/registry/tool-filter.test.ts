import { expect, it } from "vitest";
import { tool } from "../tools/tool.ts";
import type { ToolFilter } from "./place.ts";
import { toolRegistry } from "./tool-registry.ts";
import { workspace } from "./workspace.ts";

const named = (name: string, more: object) =>
  tool({ name, description: name, input: { type: "object" }, run: () => 1, ...more } as never);

const tools = toolRegistry();
tools.register(named("find", { category: "search", tags: ["web", "text"] }));
tools.register(named("wipe", { category: "file", risk: "high", tags: ["disk"], source: "plugin" }));
tools.registerWorkspace(
  workspace()
    .toolbox("ops")
    .add(named("deploy", { category: "code", risk: "critical" }))
    .build(),
  { origin: "project" },
);

it.each<[ToolFilter, readonly string[]]>([
  [{}, ["find", "ops/deploy", "wipe"]],
  [{ category: "search" }, ["find"]],
  [{ category: ["search", "code"] }, ["find", "ops/deploy"]],
  [{ risk: ["high", "critical"] }, ["ops/deploy", "wipe"]],
  [{ source: "plugin" }, ["wipe"]],
  [{ tags: ["text", "disk"] }, ["find", "wipe"]],
  [{ namespace: "ops" }, ["ops/deploy"]],
  [{ origin: "internal" }, ["find", "wipe"]],
  [{ origin: "internal", risk: "high" }, ["wipe"]],
  [{ category: "data" }, []],
])("list with filter %j returns %j", (filter, keys) => {
  expect(tools.list(filter).map(({ key }) => key)).toEqual(keys);
});
