import { describe, expect, it } from "vitest";
import { formats } from "../models/dialects/formats.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import { Tool } from "./decorator.ts";
import { tool } from "./tool.ts";
import { definitionHash } from "./tool-definition.ts";

const plain = { name: "save", description: "Saves", input: [], run: () => "saved" } as const;
const meta = { "acme.com/owner": { team: "billing", pages: ["#billing"] }, "acme.com/tier": 2 } as const;

describe("tool metadata", () => {
  it("is copied into the spec and frozen", () => {
    const given = { "acme.com/owner": { team: "billing" } };
    const { spec } = tool({ ...plain, meta: given });
    given["acme.com/owner"].team = "another";
    expect(spec.meta).toEqual({ "acme.com/owner": { team: "billing" } });
    expect(Object.isFrozen(spec.meta?.["acme.com/owner"])).toBe(true);
    expect(tool(plain).spec).not.toHaveProperty("meta");
  });

  it("changes the definition hash", () => {
    const hashes = [plain, { ...plain, meta }, { ...plain, meta: { ...meta, "acme.com/tier": 3 } }].map(
      (each) => definitionHash(tool(each).spec),
    );
    expect(new Set(hashes).size).toBe(3);
  });

  it("is sent to MCP clients as _meta and to no model", () => {
    const { spec } = tool({ ...plain, meta });
    const list = [{ wireName: "save", spec }];
    expect(formats.mcp(list).tools[0]?._meta).toEqual(meta);
    expect(formats.mcp([{ wireName: "save", spec: tool(plain).spec }]).tools[0]).not.toHaveProperty("_meta");
    for (const format of ["openai", "openai-responses", "anthropic", "ollama", "gemini"] as const) {
      expect(JSON.stringify(formats[format](list).tools)).not.toContain("billing");
    }
  });

  it("is in the class definition and survives renaming and layers", () => {
    const Save = Tool({ name: "save", description: "Saves", input: [], meta })(
      class {
        run() {
          return "saved";
        }
      },
    ) as unknown as { readonly getDefinition: () => unknown };
    expect(Save.getDefinition()).toMatchObject({ meta });
    expect(
      tool({ ...plain, meta })
        .withName("store")
        .layer().spec.meta,
    ).toEqual(meta);
  });

  it.each([
    ["a name without a namespace", { owner: "billing" }],
    ["an empty namespace", { "/owner": "billing" }],
    ["an empty name", { "acme.com/": "billing" }],
    ["a name with spaces", { "acme.com/the owner": "billing" }],
    ["a value that is not JSON", { "acme.com/owner": () => "billing" }],
    ["NaN", { "acme.com/tier": Number.NaN }],
    ["an oversized value", { "acme.com/text": "x".repeat(20_000) }],
    ["a list", ["acme.com/owner"]],
  ])("rejects %s with an explanation", (_, bad) => {
    const define = () => tool({ ...plain, meta: bad as never });
    expect(define).toThrow(ToolDefinitionError);
    expect(define).toThrow(/`meta`.*"acme.com\/owner".*JSON.*16,384 characters/);
  });
});
