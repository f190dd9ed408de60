import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json/json-value.ts";
import { fromOpenApi } from "./from-openapi.ts";

const around = (schema: unknown): JsonObject => ({
  openapi: "3.0.3",
  servers: [{ url: "https://api.example" }],
  paths: {
    "/a": { post: { operationId: "a", requestBody: { content: { "application/json": { schema } } } } },
  },
});

const bodyOf = async (document: unknown) => {
  const { tools, losses } = await fromOpenApi(document);
  const { body } = tools[0]!.spec.input.properties as { readonly body: JsonObject };
  return { body, losses };
};

describe("hostile OpenAPI document", () => {
  it("with YAML aliases that double on every line is read in proportion to its text", async () => {
    const lines = ["s0: &s0 {type: string}"];
    for (let level = 1; level <= 40; level++) {
      const both = `a: *s${level - 1}, b: *s${level - 1}`;
      lines.push(`s${level}: &s${level} {type: object, properties: {${both}}}`);
    }
    const head = 'openapi: "3.0.0"\nservers: [{url: "https://api.example"}]\n';
    const tail = "paths: {/a: {post: {requestBody: {content: {application/json: {schema: *s40}}}}}}\n";
    const { body, losses } = await bodyOf(`${head}${lines.join("\n")}\n${tail}`);
    expect(body.type).toBe("object");
    expect(losses.some(({ what }) => what.includes("any value is accepted"))).toBe(true);
  });

  it("with too many aliases is rejected", async () => {
    const many = `x: &x 1\ny: [${Array.from({ length: 20_000 }, () => "*x").join(",")}]\nopenapi: 3.0.0\n`;
    await expect(fromOpenApi(many)).rejects.toThrow("cannot be read as YAML");
  });

  it("with deep nesting is rejected", async () => {
    await expect(fromOpenApi(`openapi: 3.0.0\npaths: ${"[".repeat(50_000)}`)).rejects.toThrow(
      "cannot be read as YAML",
    );
  });

  it("with cyclic objects is left open where they repeat", async () => {
    const node: Record<string, unknown> = { type: "object" };
    node.properties = { next: node, name: { type: "string" } };
    const { body, losses } = await bodyOf(around(node));
    expect(body).toEqual({ type: "object", properties: { next: {}, name: { type: "string" } } });
    expect(losses[0]?.what).toContain("any value is accepted");
  });

  it("with cyclic references is left open", async () => {
    const schemas = { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } };
    const { tools, losses } = await fromOpenApi({
      ...around({ $ref: "#/components/schemas/A" }),
      components: { schemas },
    });
    expect(tools[0]?.input({ body: 1 }).ok).toBeTypeOf("boolean");
    expect(losses.length).toBeLessThan(3);
    const circle = { "/a": { $ref: "#/paths/~1b" }, "/b": { $ref: "#/paths/~1a" } };
    const empty = await fromOpenApi({ ...around({}), paths: circle });
    expect(empty.tools).toEqual([]);
    expect(empty.losses[0]?.what).toContain("cycle of references");
  });

  it("with __proto__ keys does not pollute prototypes", async () => {
    const text = JSON.stringify(
      around({
        type: "object",
        properties: JSON.parse('{"__proto__":{"type":"string","polluted":true},"a":{"type":"string"}}'),
        required: ["a"],
        example: JSON.parse('{"__proto__":{"polluted":true}}'),
      }),
    ).replace('"openapi"', '"__proto__":{"polluted":true},"openapi"');
    const parameters = [{ name: "__proto__", in: "query", schema: { type: "string" } }];
    const document = JSON.parse(text) as { paths: { "/a": { post: Record<string, unknown> } } };
    document.paths["/a"].post.parameters = parameters;
    const { tools } = await fromOpenApi(document);
    const { properties } = tools[0]!.spec.input as { readonly properties: Record<string, JsonObject> };
    expect(Object.keys(properties)).toEqual(["proto", "body"]);
    expect(Object.keys(properties.body!.properties as object)).toEqual(["a"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(
      await fromOpenApi({ ...around({ $ref: "#/__proto__/polluted" }) }).then(
        ({ losses }) => losses[0]?.what,
      ),
    ).toContain("points to nothing");
  });

  it.each([
    [{ openapi: "3.0.0", paths: null }],
    [{ openapi: "3.0.0", paths: { "/a": null, "/b": 7, "/c": [] } }],
    [{ openapi: "3.0.0", servers: 5, paths: { "/a": { get: null, parameters: 3 } } }],
  ])("that is malformed gives no tools without throwing: %j", async (document) => {
    expect((await fromOpenApi(document)).tools).toEqual([]);
  });

  it("with one broken operation gives the others", async () => {
    const get = {
      tags: "pets",
      parameters: [
        null,
        { in: "query" },
        { name: 5 },
        { name: "q", in: "nowhere" },
        { $ref: "https://x.example/p.yaml" },
        { name: "ok", in: "query", schema: 7 },
      ],
      requestBody: { $ref: "#/nowhere" },
      responses: { "200": { $ref: "#/nowhere" }, default: 4 },
      security: [{ gone: [] }],
      callbacks: 3,
    };
    const { tools, losses } = await fromOpenApi({
      openapi: "3.0.0",
      servers: [{ url: "https://api.example" }],
      paths: { "/bad{": { get: {} }, "/a": { get }, "/b": { trace: {}, "x-more": {} } },
    });
    expect(tools.map(({ spec }) => spec.name)).toEqual(["get_a"]);
    expect(tools[0]?.spec.input).toMatchObject({ properties: { ok: {} } });
    expect(losses.map(({ operation, what }) => `${operation} ${what}`.slice(0, 60))).toEqual(
      expect.arrayContaining([
        expect.stringContaining("GET /bad{ Left out"),
        expect.stringContaining("TRACE /b Left out"),
        expect.stringContaining("GET /a A parameter is left out"),
      ]),
    );
  });

  it("of ten megabytes is read lazily", async () => {
    let looked = 0;
    const schema = (): JsonObject => ({
      get type() {
        looked++;
        return "string";
      },
      description: "x".repeat(5_000),
    });
    const paths = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [
        `/things/${index}`,
        {
          get: { operationId: `get${index}`, parameters: [{ name: "q", in: "query", schema: schema() }] },
          put: {
            operationId: `put${index}`,
            requestBody: { content: { "application/json": { schema: schema() } } },
          },
        },
      ]),
    );
    const document = { openapi: "3.1.0", servers: [{ url: "https://api.example" }], paths };
    expect(JSON.stringify(document).length).toBeGreaterThan(10_000_000);
    looked = 0;
    const { tools } = await fromOpenApi(document);
    expect(tools).toHaveLength(2_000);
    expect(looked).toBe(0);
    expect(tools[7]!.spec.input).toBe(tools[7]!.spec.input);
    expect(looked).toBeGreaterThan(0);
    expect(looked).toBeLessThan(10);
  });
});
