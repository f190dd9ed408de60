import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json/json-value.ts";
import { fromOpenApi, type OpenApiOptions } from "./from-openapi.ts";

const risks = async (paths: JsonObject, override: OpenApiOptions["override"]) => {
  const document = { openapi: "3.1.0", servers: [{ url: "https://api.example" }], paths };
  const { tools } = await fromOpenApi(document, { override: override! });
  return tools.map(({ spec }) => `${spec.name} ${spec.risk}`);
};

describe("OpenAPI override", () => {
  it("by method and path applies to that operation even when another has it as its id", async () => {
    const paths = { "/b": { post: { operationId: "GET /a" } }, "/a": { get: { operationId: "one" } } };
    expect(await risks(paths, { "GET /a": { risk: "high" } })).toEqual(["GET_a medium", "one high"]);
  });

  it("by an ambiguous id is rejected with the alternative names", async () => {
    const paths = { "/a": { get: { operationId: "same" } }, "/b": { get: { operationId: "same" } } };
    await expect(risks(paths, { same: { risk: "high" } })).rejects.toThrow(
      'is the id of 2 operations. Identify each by method and path: "GET /a", "GET /b"',
    );
    expect(await risks(paths, { "GET /b": { risk: "high" } })).toEqual(["same low", "same_2 high"]);
  });

  it("by id and by method and path are merged, and the latter wins", async () => {
    const paths = { "/a": { get: { operationId: "one" } } };
    const both = { one: { risk: "high", name: "first" }, "GET /a": { name: "second" } } as const;
    expect(await risks(paths, both)).toEqual(["second high"]);
  });

  it("can set a key", async () => {
    const document = {
      openapi: "3.1.0",
      servers: [{ url: "https://api.example" }],
      paths: { "/pay/{order}": { post: { operationId: "pay" } } },
    };
    const key = ({ order }: { readonly order: string }) => order;
    const { tools } = await fromOpenApi(document, { override: { pay: { key } } });
    expect(tools[0]?.key?.of({ order: "A-17" })).toBe("A-17");
  });

  it("for an unknown operation is rejected", async () => {
    const paths = { "/a": { get: { operationId: "one" } } };
    await expect(risks(paths, { two: { risk: "high" } })).rejects.toThrow(
      '`override` names "two", but no operation',
    );
  });
});
