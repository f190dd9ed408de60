import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { named } from "../../test/kit/named.ts";
import { registry } from "../catalog/registry.ts";
import * as toolIndexes from "../selection/tool-index.ts";
import { indexOf } from "./live-index.ts";

const everything = { limit: 1_000 };
const keysIn = (index: toolIndexes.ToolIndex, query: string): readonly string[] =>
  index
    .search(query, everything)
    .map(({ key }) => key)
    .sort();

describe("the index of a registry", () => {
  it("is one, and has what the registry has", () => {
    const tools = registry();
    tools.register(named("bake_bread"));
    const index = indexOf(tools);
    expect(keysIn(index, "bake bread")).toEqual(["bake_bread"]);
    tools.register(named("bake_cake"));
    expect(indexOf(tools)).toBe(index);
    expect(keysIn(index, "bake")).toEqual(["bake_bread", "bake_cake"]);
    tools.unregister("bake_bread");
    expect(keysIn(indexOf(tools), "bake")).toEqual(["bake_cake"]);
    expect(indexOf(tools).size).toBe(1);
    expect(indexOf(registry()).size).toBe(0);
  });

  it("finds a tool by its namespace too, since models know it under that name", () => {
    const tools = registry();
    tools.register(named("create_issue"), { origin: "project", namespace: "github" });
    const [hit] = indexOf(tools).search("github", everything);
    expect(hit).toMatchObject({ key: "github/create_issue", spec: { name: "github__create_issue" } });
  });

  it("takes over what changed, and touches nothing else", () => {
    const adding = vi.fn();
    const removing = vi.fn();
    const made = vi.spyOn(toolIndexes, "toolIndex").mockReturnValue({
      size: 0,
      add: adding,
      remove: removing,
      search: () => [],
    });
    const tools = registry({ allowDuplicateNames: true });
    tools.registerAll([named("one"), named("two"), named("three")]);
    indexOf(tools);
    expect(adding).toHaveBeenCalledTimes(3);
    indexOf(tools);
    tools.register(named("two"));
    tools.unregister("three");
    tools.register(named("four"));
    tools.unregister("four");
    indexOf(tools);
    expect(adding.mock.calls.slice(3).map(([key]) => key)).toEqual(["two"]);
    expect(removing.mock.calls.map(([key]) => key)).toEqual(["three", "four"]);
    made.mockRestore();
  });

  it("has the keys of the registry after any changes", () => {
    const change = fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.boolean(), fc.boolean());
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const tools = registry({ allowDuplicateNames: true });
        for (const [letter, isAdded, isLooked] of changes) {
          const name = `bake_${letter.repeat(3)}`;
          if (isAdded) tools.register(named(name));
          else tools.unregister(name);
          if (isLooked) indexOf(tools);
        }
        expect(keysIn(indexOf(tools), "bake")).toEqual(tools.list().map(({ key }) => key));
      }),
    );
  });
});
