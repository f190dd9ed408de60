import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toolNamed } from "../../test/kit/tool-named.ts";
import type { AnyTool, Registration } from "../types/tool.ts";
import type { ToolPlace } from "./place.ts";
import { type ToolRegistry, toolRegistry } from "./tool-registry.ts";
import { workspace } from "./workspace.ts";

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

const keyOf = (tools: ToolRegistry, name: string) => {
  const resolution = tools.resolve(name);
  return resolution.ok ? resolution.registration.key : resolution.code;
};
const keys = (registrations: readonly Registration[]) =>
  registrations.map((registration) => registration.key);

describe("resolve", () => {
  it("resolves a full name and a wire name to one tool, whatever else is registered", () => {
    const tools = toolRegistry();
    tools.register(toolNamed("read"), project("fs", true));
    tools.register(toolNamed("read"), org("fs", true));
    expect(keyOf(tools, "fs/read")).toBe("fs/read");
    expect(keyOf(tools, "acme/fs/read")).toBe("acme/fs/read");
    expect(keyOf(tools, "fs__read")).toBe("fs/read");
    expect(keyOf(tools, "acme__fs__read")).toBe("acme/fs/read");
  });

  it("resolves a short name to the tool of the project, then of the organization, then to the internal one", () => {
    const tools = toolRegistry();
    tools.register(toolNamed("search"));
    expect(keyOf(tools, "search")).toBe("search");
    tools.registerWorkspace(workspace().toolbox("web").add(toolNamed("search")).build(), {
      origin: "org",
      org: "acme",
    });
    expect(keyOf(tools, "search")).toBe("acme/web/search");
    tools.registerWorkspace(workspace().toolbox("web").add(toolNamed("search")).build(), {
      origin: "project",
    });
    expect(keyOf(tools, "search")).toBe("web/search");
    tools.unregister("web/search");
    expect(keyOf(tools, "search")).toBe("acme/web/search");
    tools.unregister("acme/web/search");
    expect(keyOf(tools, "search")).toBe("search");
  });

  it("ignores a tool without overrides when a workspace has the name", () => {
    const tools = toolRegistry();
    const files = workspace().toolbox("files").add(toolNamed("read_file")).build();
    tools.registerWorkspace(files, { origin: "org", org: "acme" });
    tools.register(toolNamed("read_file"), project("evil"));
    expect(keyOf(tools, "read_file")).toBe("acme/files/read_file");
    tools.registerWorkspace(files, { origin: "project" });
    expect(keyOf(tools, "read_file")).toBe("files/read_file");
    expect(keyOf(tools, "evil/read_file")).toBe("evil/read_file");
  });

  it("does not let a tool without overrides replace an internal tool", () => {
    const tools = toolRegistry();
    tools.register(toolNamed("read_file"), project("evil"));
    expect(keyOf(tools, "read_file")).toBe("evil/read_file");
    tools.register(toolNamed("read_file"));
    expect(keyOf(tools, "read_file")).toBe("read_file");
    tools.register(toolNamed("read_file"), org("files", true));
    expect(keyOf(tools, "read_file")).toBe("acme/files/read_file");
    expect(keys(tools.ordered())).toEqual(["acme/files/read_file", "evil/read_file"]);
    expect(tools.size).toBe(3);
  });

  it("reports candidates when several tools of one origin have the short name", () => {
    const tools = toolRegistry();
    tools.register(toolNamed("search"), project("web"));
    tools.register(toolNamed("search"), project("docs"));
    tools.register(toolNamed("search"), org("wiki"));
    expect(tools.resolve("search")).toEqual({
      ok: false,
      code: "ambiguous_tool",
      candidates: ["docs/search", "web/search"],
    });
    expect(tools.get("search")).toBeUndefined();
    tools.unregister("web/search");
    expect(keyOf(tools, "search")).toBe("docs/search");
  });

  it("prefers a wire name to an equal short name", () => {
    const tools = toolRegistry();
    tools.register(toolNamed("fs__read"), project("odd"));
    expect(keyOf(tools, "fs__read")).toBe("odd/fs__read");
    tools.register(toolNamed("read"), project("fs"));
    expect(keyOf(tools, "fs__read")).toBe("fs/read");
    tools.unregister("fs/read");
    expect(keyOf(tools, "fs__read")).toBe("odd/fs__read");
  });

  it("reports names of Object members as unknown tools", () => {
    for (const name of ["constructor", "__proto__", "toString", "", "/"]) {
      expect(toolRegistry().resolve(name)).toMatchObject({ ok: false, code: "unknown_tool" });
    }
  });

  it("agrees with a fresh registry after any registrations and removals", () => {
    const places: readonly ToolPlace[] = [
      { origin: "internal" },
      project("a", true),
      project("b"),
      org("a", true),
      org("b"),
    ];
    const steps = fc.array(
      fc.tuple(fc.constantFrom("x", "y", "a__x"), fc.constantFrom(...places), fc.boolean()),
      {
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const tools = toolRegistry({ allowDuplicateNames: true });
        const present = new Map<string, { readonly tool: AnyTool; readonly place: ToolPlace }>();
        for (const [name, wanted, stays] of all) {
          const place = name === "a__x" && wanted.origin === "internal" ? org("b") : wanted;
          const { key, tool: made } = tools.register(toolNamed(name), place);
          present.delete(key);
          present.set(key, { tool: made, place });
          if (stays) continue;
          tools.unregister(key);
          present.delete(key);
        }
        const again = toolRegistry();
        for (const { tool: made, place } of present.values()) again.register(made, place);
        const every = ["x", "y", "a__x", "b__x", "acme__a__x", ...present.keys()];
        expect(every.map((name) => tools.resolve(name))).toEqual(every.map((name) => again.resolve(name)));
        expect(keys(tools.ordered())).toEqual(keys(again.ordered()));
        expect(tools.size).toBe(again.size);
      }),
      { numRuns: 500 },
    );
  });
});
