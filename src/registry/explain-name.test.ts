import { describe, expect, it } from "vitest";
import { toolNamed } from "../../test/kit/tool-named.ts";
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

describe("explain", () => {
  const tools = toolRegistry();
  tools.register(toolNamed("search"));
  tools.register(toolNamed("search"), org("web", true));
  tools.register(toolNamed("search"), project("web", true));
  tools.register(toolNamed("get"), project("web"));
  tools.register(toolNamed("get"), project("net"));

  it("reports the tool that a short name resolves to, its origin and what it shadows", () => {
    expect(tools.explain("search")).toEqual({
      name: "search",
      answers: "web/search",
      origin: "project",
      shadows: ["acme/web/search", "search"],
      shadowedBy: undefined,
      candidates: ["web/search", "acme/web/search", "search"],
    });
  });

  it("reports the tool that shadows the short name of a full name", () => {
    expect(tools.explain("acme/web/search")).toMatchObject({
      answers: "acme/web/search",
      origin: "org",
      shadows: [],
      shadowedBy: "web/search",
      candidates: ["acme/web/search"],
    });
  });

  it("lists candidates of an ambiguous name and none of an unknown one", () => {
    expect(tools.explain("get")).toMatchObject({ answers: undefined, candidates: ["web/get", "net/get"] });
    expect(tools.explain("nope")).toMatchObject({ answers: undefined, origin: undefined, candidates: [] });
  });
});
