import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json/json-value.ts";
import { Haft } from "../../runtime/haft.ts";
import { fromOpenApi, type OpenApiOptions } from "./from-openapi.ts";

const canary = "canary-51c9-secret";
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const schemes = {
  key: { type: "apiKey", in: "query", name: "api_key" },
  head: { type: "apiKey", in: "header", name: "X-Key" },
  biscuit: { type: "apiKey", in: "cookie", name: "sid" },
  login: { type: "http", scheme: "basic" },
  token: { type: "http", scheme: "Bearer" },
  grant: { type: "oauth2", flows: {} },
  strange: { type: "http", scheme: "digest" },
};

interface Scene {
  readonly operation?: JsonObject;
  readonly method?: string;
  readonly options?: OpenApiOptions;
  readonly answer?: RequestListener;
}

const play = async ({ operation = {}, method = "get", options = {}, answer }: Scene) => {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    request.resume();
    (
      answer ??
      ((_, reply) => reply.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}'))
    )(request, response);
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const document = {
    openapi: "3.0.3",
    servers: [{ url: `http://${place}/v1` }],
    paths: { "/a": { [method]: { operationId: "a", ...operation } } },
    components: { securitySchemes: schemes },
  };
  const made = await fromOpenApi(document, options);
  const haft = await Haft.open({
    tools: [...made.tools],
    credentials: { values: { one: canary, two: `ada:${canary}-two` } },
    httpEgress: { allow: [place] },
    principal: { agent: "tester", allow: ["*"] },
  });
  closing.push(() => haft.close());
  const call = (input: JsonObject = {}): Promise<unknown> => haft.call("a", input);
  return { haft, seen, call, ...made };
};

describe("OpenAPI credentials", () => {
  const all = {
    key: { secret: "one" },
    head: { secret: "one" },
    biscuit: { secret: "one" },
    login: { secret: "two" },
    token: { secret: "one" },
    grant: { secret: "one" },
  };

  it.each([
    ["key", (request: IncomingMessage) => request.url, `/v1/a?api_key=${canary}`],
    ["head", (request: IncomingMessage) => request.headers["x-key"], canary],
    ["biscuit", (request: IncomingMessage) => request.headers.cookie, `sid=${canary}`],
    [
      "login",
      (request: IncomingMessage) => request.headers.authorization,
      `Basic ${btoa(`ada:${canary}-two`)}`,
    ],
    ["token", (request: IncomingMessage) => request.headers.authorization, `Bearer ${canary}`],
    ["grant", (request: IncomingMessage) => request.headers.authorization, `Bearer ${canary}`],
  ])("send the scheme %s at its location", async (scheme, read, expected) => {
    const { call, seen, losses } = await play({
      operation: { security: [{ [scheme]: [] }] },
      options: { auth: all },
    });
    await call();
    expect(read(seen[0]!)).toBe(expected);
    expect(losses).toEqual([]);
  });

  it("use the first configured alternative with all its parts", async () => {
    const { call, seen } = await play({
      operation: { security: [{ strange: [] }, { key: [], login: [] }, { head: [] }] },
      options: { auth: { key: { secret: "one" }, login: { secret: "two" }, head: { secret: "one" } } },
    });
    await call();
    expect(seen[0]?.url).toBe(`/v1/a?api_key=${canary}`);
    expect(seen[0]?.headers.authorization).toMatch(/^Basic /);
    expect(seen[0]?.headers).not.toHaveProperty("x-key");
  });

  it("report a missing credential as a loss and fail the call before sending", async () => {
    const { call, seen, losses } = await play({ operation: { security: [{ head: [] }, { strange: [] }] } });
    expect(losses).toEqual([
      {
        operation: "GET /a",
        pointer: "/paths/~1a/get/security",
        what: 'It needs a credential that is not configured. The scheme "head" (a key in the header X-Key) needs auth: { "head": { secret: "NAME" } }. Or: The scheme "strange" (http digest) is not supported.',
      },
    ]);
    await expect(call()).rejects.toMatchObject({
      code: "secret_missing",
      message: expect.stringContaining(
        'GET /a needs a credential, and none is configured for it. The scheme "head"',
      ),
    });
    expect(seen).toEqual([]);
  });

  it("ignore an undescribed scheme, or send it as a Bearer token when configured", async () => {
    const operation = { security: [{ gone: [] }] };
    const without = await play({ operation });
    await expect(without.call()).resolves.toEqual({ ok: true });
    expect(without.losses[0]?.what).toBe(
      'The scheme "gone" is not described; it is left out of the request.',
    );
    const given = await play({ operation, options: { auth: { gone: { secret: "one" } } } });
    await given.call();
    expect(given.seen[0]?.headers.authorization).toBe(`Bearer ${canary}`);
  });

  it("are not needed for an empty alternative", async () => {
    const { call, seen } = await play({ operation: { security: [{ head: [] }, {}] } });
    await expect(call()).resolves.toEqual({ ok: true });
    expect(seen).toHaveLength(1);
  });

  it("remove secret parameters from the arguments", async () => {
    const parameters = [
      { name: "Authorization", in: "header", required: true, schema: { type: "string" } },
      { name: "appkey", in: "query", required: true, schema: { type: "string" } },
      { name: "q", in: "query", schema: { type: "string" } },
    ];
    const auth = { Authorization: { secret: "two" }, appkey: { secret: "one" } };
    const { call, seen, tools } = await play({ operation: { parameters }, options: { auth } });
    expect(Object.keys(tools[0]!.spec.input.properties as object)).toEqual(["q"]);
    await call({ q: "x" });
    expect(seen[0]?.url).toBe(`/v1/a?q=x&appkey=${canary}`);
    expect(seen[0]?.headers.authorization).toBe(`ada:${canary}-two`);
    const without = await play({ operation: { parameters } });
    await expect(without.call({ appkey: "x" })).rejects.toThrow('The header "Authorization" needs auth');
  });

  it("do not appear in the ledger, errors or results when the service echoes them", async () => {
    const { call, haft } = await play({
      operation: { security: [{ key: [], login: [] }] },
      options: { auth: all },
      answer: (request, response) =>
        void response
          .writeHead(request.url!.includes("fail") ? 400 : 422)
          .end(`${request.url} ${request.headers.authorization}`),
    });
    const error = await call().then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    const entries = JSON.stringify(await haft.log());
    const printed = `${error?.message} ${JSON.stringify(error)} ${entries}`;
    expect(error?.message).toContain("answered 422");
    for (const form of [canary, btoa(`ada:${canary}-two`)]) expect(printed).not.toContain(form);
  });
});

describe("OpenAPI responses", () => {
  const described = {
    responses: {
      "200": {
        description: "ok",
        content: {
          "application/json": {
            schema: { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
          },
        },
      },
    },
  };

  it("with an error status fail with status and excerpt", async () => {
    const { call } = await play({
      operation: described,
      answer: (_, response) => void response.writeHead(404).end("no such pet"),
    });
    await expect(call()).rejects.toMatchObject({
      code: "failed",
      failure: { status: 404 },
      message: expect.stringContaining("no such pet"),
    });
  });

  it("with missing fields are returned, and those of another shape are rejected", async () => {
    const lacking = await play({
      operation: described,
      answer: (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"),
    });
    await expect(lacking.call()).resolves.toEqual({});
    const other = await play({
      operation: described,
      answer: (_, response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end("[1]"),
    });
    await expect(other.call()).rejects.toMatchObject({ code: "invalid_output" });
    const strict = await play({
      operation: described,
      options: { output: "strict" },
      answer: (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"),
    });
    await expect(strict.call()).rejects.toMatchObject({ code: "invalid_output" });
  });

  it("are read as JSON when the document says so, bytes become base64, and HEAD returns headers", async () => {
    const misnamed = await play({
      operation: described,
      answer: (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end('{"id":1}'),
    });
    await expect(misnamed.call()).resolves.toEqual({ id: 1 });
    const image = await play({
      answer: (_, response) =>
        void response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from([1, 2])),
    });
    await expect(image.call()).resolves.toEqual({ mediaType: "image/png", base64: "AQI=" });
    const head = await play({
      method: "head",
      answer: (_, response) => void response.writeHead(200, { "x-count": "7" }).end(),
    });
    await expect(head.call()).resolves.toMatchObject({ status: 200, headers: { "x-count": "7" } });
  });

  it("are requested with the first documented media type unless the caller sets another", async () => {
    const schema = { type: "string", enum: ["application/vnd.pets+json", "text/csv"] };
    const { call, seen } = await play({
      operation: { parameters: [{ name: "Accept", in: "header", schema }] },
    });
    await call();
    await call({ Accept: "text/csv" });
    expect(seen.map(({ headers }) => headers.accept)).toEqual(["application/vnd.pets+json", "text/csv"]);
  });

  it("are not requested for an unknown argument", async () => {
    const { call, seen } = await play({});
    await expect(call({ other: 1 })).rejects.toMatchObject({ code: "invalid_input" });
    expect(seen).toEqual([]);
  });
});

it("every vendor format exports enums, nested objects and lists of an operation", async () => {
  const node = {
    type: "object",
    properties: {
      name: { type: "string", enum: ["a", "b"] },
      next: { type: "array", items: { type: "object", properties: { deep: { type: "integer" } } } },
    },
    required: ["name"],
  };
  const { haft } = await play({
    method: "post",
    operation: { requestBody: { required: true, content: { "application/json": { schema: node } } } },
  });
  for (const format of ["openai", "openai-responses", "anthropic", "ollama", "gemini", "mcp"] as const) {
    const { tools, report } = haft.offer({ format });
    const text = JSON.stringify(tools);
    for (const part of ['"enum":["a","b"]', '"deep":{"type":"integer"}', '"required":["name"]'])
      expect(text).toContain(part);
    expect(report.filter(({ keyword }) => keyword !== "additionalProperties")).toEqual([]);
  }
});

describe("OpenAPI parameters", () => {
  const text = { type: "string" };

  it("with the name of a Bearer scheme stay arguments, and the token is not in the URL", async () => {
    const { call, seen } = await play({
      operation: { security: [{ token: [] }], parameters: [{ name: "token", in: "query", schema: text }] },
      options: { auth: { token: { secret: "one" } } },
    });
    await call({ token: "page-2" });
    expect(seen[0]).toMatchObject({
      url: "/v1/a?token=page-2",
      headers: { authorization: `Bearer ${canary}` },
    });
  });

  it("that hold the key of a scheme are not arguments", async () => {
    const { call, seen, tools } = await play({
      operation: { security: [{ key: [] }], parameters: [{ name: "api_key", in: "query", schema: text }] },
      options: { auth: { key: { secret: "one" } } },
    });
    expect(Object.keys(tools[0]!.spec.input.properties as object)).toEqual([]);
    await call();
    expect(seen[0]?.url).toBe(`/v1/a?api_key=${canary}`);
  });

  it("cannot add a second cookie with the name of the secret", async () => {
    const { call, seen } = await play({
      operation: {
        security: [{ biscuit: [] }],
        parameters: [{ name: "Cookie", in: "header", schema: text }],
      },
      options: { auth: { biscuit: { secret: "one" } } },
    });
    for (const Cookie of ["x=1;sid=evil", "sid =evil ;x=1", ";; sid=evil;x=1;sid"]) await call({ Cookie });
    expect(seen.map(({ headers }) => headers.cookie)).toEqual(Array(3).fill(`x=1; sid=${canary}`));
  });

  it("that would change the method are omitted and reported", async () => {
    const names = ["X-HTTP-Method-Override", "x-http-method", "X-Method-Override"];
    const { tools, losses } = await play({
      operation: {
        parameters: [
          ...names.map((name) => ({ name, in: "header", schema: text })),
          { name: "_method", in: "query", schema: text },
          { name: "q", in: "query", schema: text },
        ],
      },
    });
    expect(Object.keys(tools[0]!.spec.input.properties as object)).toEqual(["q"]);
    expect(losses.filter(({ what }) => what.includes("change the method"))).toHaveLength(4);
  });

  it("that would change the method are rejected in an object spread over the query", async () => {
    const { tools } = await play({
      operation: { parameters: [{ name: "filter", in: "query", schema: { type: "object" } }] },
    });
    expect(tools[0]!.input({ filter: { a: "x" } }).ok).toBe(true);
    expect(tools[0]!.input({ filter: { _method: "DELETE" } }).ok).toBe(false);
  });

  it("that would change the method are omitted from forms", async () => {
    const schema = { type: "object", properties: { _method: text, a: text } };
    const { tools, losses } = await play({
      method: "post",
      operation: { requestBody: { content: { "application/x-www-form-urlencoded": { schema } } } },
    });
    expect(tools[0]!.input({ body: { a: "x" } }).ok).toBe(true);
    expect(tools[0]!.input({ body: { a: "x", _method: "DELETE" } }).ok).toBe(false);
    expect(losses[0]?.what).toContain("change the method");
  });
});
