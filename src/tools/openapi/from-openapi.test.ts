import { describe, expect, it } from "vitest";
import { isObject, type JsonObject } from "../../base/json/json-value.ts";
import { fromOpenApi, type OpenApiOptions } from "./from-openapi.ts";

const ok = { "200": { description: "ok" } };

const documentOf = (paths: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: "3.0.3",
  info: { title: "made", version: "1" },
  servers: [{ url: "https://api.example/v1" }],
  paths,
  ...more,
});

const made = async (paths: JsonObject, options: OpenApiOptions = {}, more: JsonObject = {}) => {
  const { tools, losses } = await fromOpenApi(documentOf(paths, more), options);
  return { tools, losses, specs: tools.map(({ spec }) => spec), names: tools.map(({ spec }) => spec.name) };
};

describe("OpenAPI tool names", () => {
  it("use the operationId or method and path", async () => {
    const { names } = await made({
      "/pets/{petId}": { get: { operationId: "pets.show by id", responses: ok }, delete: { responses: ok } },
    });
    expect(names).toEqual(["pets_show_by_id", "delete_pets_petId"]);
  });

  it("are unique for equal, lookalike, reserved and long ids", async () => {
    const long = "a".repeat(80);
    const ids = [
      "list",
      "list",
      "L1st",
      "Lıst",
      "constructor",
      "then",
      "日本",
      `${long}1`,
      `${long}2`,
      "__x__y__",
    ];
    const paths = Object.fromEntries(
      ids.map((id, index) => [`/p${index}`, { get: { operationId: id, responses: ok } }]),
    );
    const { names } = await made(paths);
    expect(new Set(names).size).toBe(ids.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
    expect(names.slice(4, 7)).toEqual(["constructor_operation", "then_operation", "get_p6"]);
    expect(names.at(-1)).toBe("x_y");
  });

  it("accept a prefix and overrides", async () => {
    const paths = {
      "/a": { get: { operationId: "one", responses: ok }, post: { operationId: "two", responses: ok } },
    };
    const { names } = await made(paths, { prefix: "shop_", override: { "POST /a": { name: "buy" } } });
    expect(names).toEqual(["shop_one", "buy"]);
  });
});

describe("OpenAPI tool specs", () => {
  it("derive risk and annotations from the method", async () => {
    const { specs } = await made({ "/a": { get: {}, head: {}, post: {}, patch: {}, put: {}, delete: {} } });
    expect(
      Object.fromEntries(specs.map(({ name, risk, annotations }) => [name, { risk, ...annotations }])),
    ).toEqual({
      get_a: { risk: "low", readOnly: true, openWorld: true },
      head_a: { risk: "low", readOnly: true, openWorld: true },
      post_a: { risk: "medium", openWorld: true },
      patch_a: { risk: "medium", openWorld: true },
      put_a: { risk: "medium", idempotent: true, openWorld: true },
      delete_a: { risk: "high", idempotent: true, destructive: true, openWorld: true },
    });
  });

  it("apply overrides and reject unknown fields", async () => {
    const override = { get_a: { risk: "high", annotations: { readOnly: false } } } as const;
    const { specs } = await made({ "/a": { get: { operationId: "get_a" } } }, { override });
    expect(specs[0]).toMatchObject({ risk: "high", annotations: { readOnly: false, openWorld: true } });
    await expect(made({ "/a": { get: {} } }, { override: () => ({ rsk: "low" }) as never })).rejects.toThrow(
      "The override of GET /a has an unknown field `rsk`.",
    );
  });

  it("shorten and clean the description and carry tags except trusted", async () => {
    const hidden = "\u{E0041}\u202E";
    const { specs, losses } = await made({
      "/a": {
        get: {
          summary: "Lists.",
          description: `Lists${hidden} all. ${"x".repeat(5_000)}`,
          deprecated: true,
          tags: ["pets", "trusted", "pets"],
        },
      },
    });
    const [{ description, tags } = { description: "", tags: [] }] = specs;
    expect(description.startsWith("Deprecated. Lists. Lists all. xxx")).toBe(true);
    expect(description.length).toBeLessThanOrEqual(1_024);
    expect(tags).toEqual(["pets"]);
    expect(losses.map(({ what }) => what)).toEqual([
      'The tag "trusted" is ignored: a document cannot declare itself trusted.',
    ]);
  });
});

describe("OpenAPI tool input", () => {
  it("is one object in which parts with the same name are prefixed with their place", async () => {
    const id = (where: string) => ({ name: "id", in: where, required: true, schema: { type: "integer" } });
    const { specs } = await made({
      "/a/{id}": {
        parameters: [id("path")],
        post: {
          parameters: [
            id("query"),
            id("header"),
            id("cookie"),
            { name: "body", in: "query", schema: { type: "string" } },
          ],
          requestBody: {
            required: true,
            content: {
              "application/json": { schema: { type: "object", properties: { id: { type: "string" } } } },
            },
          },
        },
      },
    });
    const { properties = {}, required, additionalProperties } = specs[0]!.input as JsonObject;
    expect(Object.keys(properties as object)).toEqual([
      "id",
      "query_id",
      "body",
      "header_id",
      "cookie_id",
      "request_body",
    ]);
    expect(required).toEqual(["id", "query_id", "header_id", "cookie_id", "request_body"]);
    expect(additionalProperties).toBe(false);
  });

  it("prefers parameters of the operation and adds missing path parameters as strings", async () => {
    const { specs, losses } = await made({
      "/a/{id}/{other}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        get: {
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "integer" } },
            { name: "gone", in: "path", schema: {} },
          ],
        },
      },
    });
    expect(specs[0]?.input.properties).toMatchObject({
      id: { type: "integer" },
      other: { type: "string", minLength: 1 },
    });
    expect(losses.map(({ what }) => what)).toEqual([
      'The parameter "gone" is left out: the path has no such part.',
      'The part "other" of the path is not described; it is treated as a string.',
    ]);
  });

  it("rejects path values that a path cannot contain, whatever their pattern", async () => {
    const part = (name: string, schema: JsonObject) => ({ name, in: "path", required: true, schema });
    const { tools } = await made({
      "/a/{x}/{y}/{z}": {
        get: {
          parameters: [
            part("x", { type: "string" }),
            part("y", { type: "string", pattern: "^v" }),
            part("z", { type: "array", items: { type: "integer" } }),
          ],
        },
      },
    });
    const takes = (x: string, y: string, z: readonly number[]) => tools[0]!.input({ x, y, z }).ok;
    expect(takes("a", "v1", [1])).toBe(true);
    expect([
      takes("", "v1", [1]),
      takes("a/b", "v1", [1]),
      takes("a", "v/1", [1]),
      takes("a", "v1", []),
    ]).toEqual([false, false, false, false]);
  });

  it("omits and reports what a request cannot carry and reads parameters from the path template", async () => {
    const header = (name: string) => ({ name, in: "header", required: true, schema: { type: "string" } });
    const { specs, losses } = await made({
      "/a{?q}#part={x}": {
        post: {
          parameters: [
            header("Host"),
            header("Content-Type"),
            { name: "q", in: "query", schema: { type: "string" } },
          ],
          requestBody: { content: { "application/json": {} } },
        },
      },
    });
    expect(Object.keys(specs[0]?.input.properties as object)).toEqual(["q", "body"]);
    expect(losses.map(({ what }) => what)).toEqual([
      'A parameter is left out: the header "Host" is set by the client itself.',
    ]);
  });

  it("prefers a JSON body unless another media type is configured", async () => {
    const content = {
      "multipart/form-data": {
        schema: { type: "object", properties: { file: { type: "string", format: "binary" } } },
      },
      "application/json": { schema: { type: "object", properties: { url: { type: "string" } } } },
    };
    const paths = { "/a": { post: { requestBody: { content } } } };
    const fieldsOf = async (options: OpenApiOptions): Promise<unknown> => {
      const { specs } = await made(paths, options);
      const { body } = specs[0]!.input.properties as { readonly body: JsonObject };
      return isObject(body.properties) && Object.keys(body.properties);
    };
    expect(await fieldsOf({})).toEqual(["url"]);
    expect(await fieldsOf({ mediaTypes: ["multipart/form-data"] })).toEqual(["file"]);
    expect(await fieldsOf({ override: () => ({ mediaType: "multipart/form-data" }) })).toEqual(["file"]);
  });

  it("describes a file as base64", async () => {
    const schema = {
      type: "object",
      required: ["file"],
      properties: { file: { type: "string", format: "binary", description: "A scan." } },
    };
    const { specs } = await made({
      "/a": { post: { requestBody: { content: { "multipart/form-data": { schema } } } } },
    });
    expect(specs[0]?.input.properties).toMatchObject({
      body: {
        properties: {
          file: {
            type: "string",
            contentEncoding: "base64",
            description: "A scan. The bytes of the file in base64.",
          },
        },
      },
    });
  });
});

describe("OpenAPI selection", () => {
  const paths = {
    "/pets": {
      get: { operationId: "listPets", tags: ["pets"] },
      post: { operationId: "makePet", tags: ["pets", "write"] },
    },
    "/pets/{id}": { get: { operationId: "showPet", tags: ["pets"] } },
    "/shops": { get: { operationId: "listShops", tags: ["shops"] } },
  };
  it.each<[OpenApiOptions["select"], readonly string[]]>([
    [{ tags: ["shops", "write"] }, ["makePet", "listShops"]],
    [{ paths: ["/pets*"], methods: ["get"] }, ["listPets", "showPet"]],
    [{ paths: ["/pets"] }, ["listPets", "makePet"]],
    [{ operations: ["list*s", "show*"] }, ["listPets", "showPet", "listShops"]],
    [({ id, method }) => method === "GET" && id !== "showPet", ["listPets", "listShops"]],
    [{ paths: ["*{id}*"] }, ["showPet"]],
  ])("with %j selects %j", async (select, expected) => {
    expect((await made(paths, { select } as OpenApiOptions)).names).toEqual(expected);
  });

  it("rejects unknown fields", async () => {
    await expect(made(paths, { select: { tag: ["pets"] } as never })).rejects.toThrow(
      "has an unknown field `tag`",
    );
    await expect(made(paths, { select: { tags: "pets" } as never })).rejects.toThrow(
      "`select.tags` must be a list of strings",
    );
    await expect(made(paths, { selct: {} } as never)).rejects.toThrow("has an unknown field `selct`");
    await expect(made(paths, { output: "loose" as never })).rejects.toThrow("`output` must be");
    await expect(made(paths, { auth: { key: "secret" as never } })).rejects.toThrow(
      "`auth.key` must be { secret",
    );
  });
});

describe("OpenAPI versions", () => {
  it("convert Swagger 2 to the same tools as OpenAPI 3", async () => {
    const swagger = {
      swagger: "2.0",
      host: "api.example",
      basePath: "/v1",
      schemes: ["http", "https"],
      paths: {
        "/a/{id}": {
          put: {
            consumes: ["multipart/form-data"],
            parameters: [
              { name: "id", in: "path", required: true, type: "integer", minimum: 0, exclusiveMinimum: true },
              {
                name: "tags",
                in: "query",
                type: "array",
                items: { type: "string" },
                collectionFormat: "multi",
              },
              { name: "upload", in: "formData", type: "file", required: true },
              { $ref: "#/parameters/note" },
            ],
            responses: { "200": { description: "ok", schema: { $ref: "#/definitions/A" } } },
          },
        },
      },
      parameters: { note: { name: "note", in: "formData", type: "string", description: "Any." } },
      definitions: { A: { type: "object", properties: { id: { type: "integer" } } } },
    };
    const { tools, losses } = await fromOpenApi(swagger);
    expect(losses).toEqual([]);
    expect(tools[0]?.spec.input).toEqual({
      type: "object",
      properties: {
        id: { type: "integer", exclusiveMinimum: 0 },
        tags: { type: "array", items: { type: "string" } },
        body: {
          type: "object",
          properties: {
            upload: {
              type: "string",
              contentEncoding: "base64",
              pattern: "^[A-Za-z0-9+/]*={0,2}$",
              description: "The bytes of the file in base64.",
            },
            note: { type: "string", description: "Any." },
          },
          required: ["upload"],
        },
      },
      required: ["id", "body"],
      additionalProperties: false,
    });
    expect(tools[0]?.spec.output).toEqual({
      $ref: "#/$defs/A",
      $defs: { A: { type: ["object", "null"], properties: { id: { type: ["number", "null"] } } } },
    });
  });

  it("are read from YAML and JSON, and other text is rejected", async () => {
    const yaml =
      'openapi: "3.1.0"\nservers: [{url: "https://api.example"}]\npaths:\n  /a:\n    get: &get\n      operationId: one\n    post:\n      <<: *get\n      operationId: two\n';
    const fromYaml = await fromOpenApi(yaml);
    expect(fromYaml.tools.map(({ spec }) => spec.name)).toEqual(["one", "two"]);
    const fromJson = await fromOpenApi(JSON.stringify(documentOf({ "/a": { get: {} } })));
    expect(fromJson.tools).toHaveLength(1);
    await expect(fromOpenApi("{ no json")).rejects.toThrow("The OpenAPI document cannot be read as JSON");
    await expect(fromOpenApi("a: [b")).rejects.toThrow("The OpenAPI document cannot be read as YAML");
    await expect(fromOpenApi("just text")).rejects.toThrow("is not an object");
    await expect(fromOpenApi({ openapi: "4.0.0" })).rejects.toThrow('has the version "4.0.0"');
    await expect(fromOpenApi({})).rejects.toThrow("has no version");
  });
});

describe("OpenAPI servers", () => {
  const paths = { "/a": { get: {} }, "/b": { get: { servers: [{ url: "https://other.example" }] } } };

  it("without an absolute URL are reported, and their operations are omitted", async () => {
    await expect(made(paths, { select: { paths: ["/a"] } }, { servers: [{ url: "/v1" }] })).rejects.toThrow(
      'No operation of the OpenAPI document can be a tool. GET /a Left out: its server "/v1" is not an absolute URL; set `servers`',
    );
    for (const url of [
      "https://{region}.api.example",
      "https://api.example/{version}",
      "ftp://api.example",
    ]) {
      const { names, losses } = await made(paths, {}, { servers: [{ url }] });
      expect(names).toEqual(["get_b"]);
      expect(losses[0]).toMatchObject({ operation: "GET /a", pointer: "/paths/~1a/get" });
    }
  });

  it.each<[JsonObject, OpenApiOptions]>([
    [{ servers: [{ url: "/v1" }] }, { documentUrl: "https://api.example/docs/openapi.yaml" }],
    [{ servers: [{ url: "https://{r}.api.example", variables: { r: { default: "eu" } } }] }, {}],
    [{ servers: [{ url: "https://{r}.api.example" }] }, { serverVariables: { r: "us" } }],
    [{ servers: [] }, { servers: "https://mine.example/" }],
    [{ servers: [{ url: "//api.example/v1" }] }, {}],
  ])("accept %j with %j", async (more, options) => {
    expect((await made(paths, options, more)).names).toEqual(["get_a", "get_b"]);
  });
});

describe("claims of an OpenAPI document", () => {
  it("do not make it trusted, however the tag is spelled", async () => {
    const tags = ["Trusted", " trusted ", "TRUSTED", "tru\u200bsted", "ｔｒｕｓｔｅｄ", "pets"];
    const { specs, losses } = await made({ "/a": { get: { tags, responses: ok } } });
    expect(specs[0]?.tags).toEqual(["pets"]);
    expect(losses[0]?.what).toContain("cannot declare itself trusted");
  });

  it("reach a model without invisible characters", async () => {
    const hidden = "\u0000\u001b\u200b\u202e\u2066\u00ad\u{e0041}";
    const parameter = { name: `na${hidden}me`, in: "query", description: `A${hidden} name`, schema: {} };
    const { specs } = await made({
      "/a": {
        get: { summary: `Gets${hidden} a`, tags: [`pe${hidden}ts`], parameters: [parameter], responses: ok },
      },
    });
    expect(specs[0]).toMatchObject({
      description: "Gets a",
      tags: ["pets"],
      input: { properties: { name: { description: "A name" } } },
    });
  });

  it("ignore a media type with a line break and report it", async () => {
    const content = { "application/json; a=b\r\nX: y": {}, "text/plain": { schema: { type: "string" } } };
    const only = { "multipart/form-data\r\nX: y": {} };
    const { specs, losses } = await made({
      "/a": { post: { requestBody: { content }, responses: ok } },
      "/b": { post: { requestBody: { content: only }, responses: ok } },
    });
    expect(specs.map(({ input }) => Object.keys(input.properties as object))).toEqual([["body"], []]);
    expect(specs[0]?.input.properties).toMatchObject({ body: { type: "string" } });
    expect(losses.filter(({ what }) => what.includes("cannot be sent"))).toHaveLength(2);
  });
});

describe("OpenAPI credential", () => {
  it("for a path parameter is rejected, and the operation is omitted and reported", async () => {
    const paths = {
      "/bot{token}/send": { post: { operationId: "send", responses: ok } },
      "/a": { get: { operationId: "a", responses: ok } },
    };
    const { names, losses } = await made(paths, { auth: { token: { secret: "one" } } });
    expect(names).toEqual(["a"]);
    expect(losses.some(({ what }) => what.includes("Secrets cannot be sent in a path"))).toBe(true);
  });
});
