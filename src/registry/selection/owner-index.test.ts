import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { toolNamed } from "../../../test/kit/tool-named.ts";
import { toolRegistry } from "../tool-registry.ts";
import { indexOf, registryIndexOf } from "./owner-index.ts";
import * as toolIndexes from "./tool-index.ts";

const everything = { limit: 1_000 };
const keysIn = (index: toolIndexes.ToolIndex, query: string): readonly string[] =>
  index
    .search(query, everything)
    .map(({ key }) => key)
    .sort();

describe("index of a registry", () => {
  it("is the same object and follows the registry", () => {
    const tools = toolRegistry();
    tools.register(toolNamed("bake_bread"));
    const index = registryIndexOf(tools);
    expect(keysIn(index, "bake bread")).toEqual(["bake_bread"]);
    tools.register(toolNamed("bake_cake"));
    expect(registryIndexOf(tools)).toBe(index);
    expect(keysIn(index, "bake")).toEqual(["bake_bread", "bake_cake"]);
    tools.unregister("bake_bread");
    expect(keysIn(registryIndexOf(tools), "bake")).toEqual(["bake_cake"]);
    expect(registryIndexOf(tools).size).toBe(1);
    expect(registryIndexOf(toolRegistry()).size).toBe(0);
  });

  it("finds a tool by its namespace", () => {
    const tools = toolRegistry();
    tools.register(toolNamed("create_issue"), { origin: "project", namespace: "github" });
    const [hit] = registryIndexOf(tools).search("github", everything);
    expect(hit).toMatchObject({ key: "github/create_issue", spec: { name: "github__create_issue" } });
  });

  it("applies only what has changed", () => {
    const adding = vi.fn();
    const removing = vi.fn();
    const made = vi.spyOn(toolIndexes, "toolIndex").mockReturnValue({
      size: 0,
      add: adding,
      remove: removing,
      search: () => [],
    });
    const tools = toolRegistry({ allowDuplicateNames: true });
    tools.registerAll([toolNamed("one"), toolNamed("two"), toolNamed("three")]);
    registryIndexOf(tools);
    expect(adding).toHaveBeenCalledTimes(3);
    registryIndexOf(tools);
    tools.register(toolNamed("two"));
    tools.unregister("three");
    tools.register(toolNamed("four"));
    tools.unregister("four");
    registryIndexOf(tools);
    expect(adding.mock.calls.slice(3).map(([key]) => key)).toEqual(["two"]);
    expect(removing.mock.calls.map(([key]) => key)).toEqual(["three"]);
    made.mockRestore();
  });

  it("has the keys of the registry after random changes", () => {
    const change = fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.boolean(), fc.boolean());
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const tools = toolRegistry({ allowDuplicateNames: true });
        for (const [letter, isAdded, isLooked] of changes) {
          const name = `bake_${letter.repeat(3)}`;
          if (isAdded) tools.register(toolNamed(name));
          else tools.unregister(name);
          if (isLooked) registryIndexOf(tools);
        }
        expect(keysIn(registryIndexOf(tools), "bake")).toEqual(tools.list().map(({ key }) => key));
      }),
    );
  });
});

describe("index of an agent", () => {
  const desk = {};
  const found = (index: toolIndexes.ToolIndex) => keysIn(index, "bake");

  it("is kept, and updated when the tools change", () => {
    const tools = toolRegistry({ allowDuplicateNames: true });
    const listed = () => tools.ordered().map((one) => [one.wireName, one] as const);
    tools.registerAll([toolNamed("bake_bread"), toolNamed("bake_cake")]);
    const first = indexOf(desk, tools.ordered(), listed);
    expect(found(first)).toEqual(["bake_bread", "bake_cake"]);
    tools.unregister("bake_bread");
    tools.register(toolNamed("bake_tart"));
    const next = indexOf(desk, tools.ordered(), listed);
    expect(next).toBe(first);
    expect(found(next)).toEqual(["bake_cake", "bake_tart"]);
    expect(next.size).toBe(2);
  });

  it("is its own", () => {
    expect(indexOf({}, 1, () => [])).not.toBe(indexOf(desk, 1, () => []));
  });
});
