import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json/json-value.ts";
import { Haft } from "../../runtime/haft.ts";
import { fromOpenApi, type OpenApiOptions } from "./from-openapi.ts";

const canary = "canary-77aa-secret";
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const listen = async () => {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const { port } = server.address() as AddressInfo;
  return { seen, port, place: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` };
};

const key = { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } };

const open = async (document: JsonObject, places: readonly string[], options: OpenApiOptions = {}) => {
  const made = await fromOpenApi(
    { openapi: "3.1.0", components: key, security: [{ key: [] }], ...document },
    { auth: { key: { secret: "one" } }, ...options },
  );
  const haft = await Haft.open({
    tools: [...made.tools],
    credentials: { values: { one: canary } },
    httpEgress: { allow: [...places] },
    principal: { agent: "tester", allow: ["*"] },
  });
  closing.push(() => haft.close());
  return { ...made, haft };
};

describe("target of a request", () => {
  it("cannot be changed by a path without a slash, and the operation is omitted and reported", async () => {
    const { port, place, seen } = await listen();
    const odd = [`:${port}/steal`, `1:${port}/steal`, `@${place}/steal`, `.localhost:${port}/x`, `?a=b`, ""];
    const paths = Object.fromEntries(
      odd.map((path, index) => [path, { get: { operationId: `odd${index}` } }]),
    );
    const { haft, tools, losses } = await open(
      { paths: { ...paths, "/a": { get: { operationId: "good" } } } },
      [place, `localhost:${port}`],
      { servers: "http://127.0.0.1" },
    );
    expect(tools.map(({ spec }) => spec.name)).toEqual(["good"]);
    const left = losses.filter(({ what }) => what.includes('does not begin with "/"'));
    expect(left.map(({ operation }) => operation)).toEqual(odd.map((path) => `GET ${path}`));
    await expect(haft.call("odd0", {})).rejects.toThrow();
    expect(seen).toEqual([]);
  });

  it("stays below the path of the server for any encoding of parent segments", async () => {
    const { place, origin } = await listen();
    const up = ["/../up", "/a/%2e%2e/up", "/.\t./up", "/..\\up", "/a\\..\\..\\up", "/.\n./up"];
    const paths = Object.fromEntries(up.map((path, index) => [path, { get: { operationId: `up${index}` } }]));
    const { tools, losses } = await open({ paths: { ...paths, "/a": { get: {} } } }, [place], {
      servers: `${origin}/v1`,
    });
    expect(tools.map(({ spec }) => spec.name)).toEqual(["get_a"]);
    expect(losses.filter(({ what }) => what.startsWith("Left out"))).toHaveLength(up.length);
  });

  it("keeps the host of the server when a path starts with two slashes", async () => {
    const [own, other] = [await listen(), await listen()];
    const { haft } = await open(
      { paths: { [`//${other.place}/s`]: { get: { operationId: "two" } } } },
      [own.place, other.place],
      { servers: own.origin },
    );
    await haft.call("two", {});
    expect([own.seen.length, other.seen.length]).toEqual([1, 0]);
  });
});

describe("credentials of an operation", () => {
  const operation = (server: string) => ({ operationId: "far", servers: [{ url: server }] });

  it("are sent only to servers of the document, not to another server of the operation", async () => {
    const [own, other] = [await listen(), await listen()];
    const { haft, losses, requests } = await open(
      {
        servers: [{ url: own.origin }],
        paths: { "/near": { get: { operationId: "near" } }, "/far": { get: operation(other.origin) } },
      },
      [own.place, other.place],
    );
    await haft.call("near", {});
    expect(own.seen[0]?.headers["x-key"]).toBe(canary);
    await expect(haft.call("far", {})).rejects.toThrow("authOrigins");
    expect(other.seen).toEqual([]);
    expect(
      losses.some(({ operation, what }) => operation === "GET /far" && what.includes(other.origin)),
    ).toBe(true);
    expect(requests).toEqual([
      { tool: "near", operation: "GET /near", server: own.origin, credentials: ["one"], isElsewhere: false },
      { tool: "far", operation: "GET /far", server: other.origin, credentials: [], isElsewhere: true },
    ]);
  });

  it("are sent to servers of path items that authOrigins lists", async () => {
    const [own, other] = [await listen(), await listen()];
    const { haft } = await open(
      {
        servers: [{ url: own.origin }],
        paths: { "/far": { servers: [{ url: `${other.origin}/v2` }], get: { operationId: "far" } } },
      },
      [own.place, other.place],
      { authOrigins: [other.origin] },
    );
    await haft.call("far", {});
    expect(other.seen[0]).toMatchObject({ url: "/v2/far", headers: { "x-key": canary } });
  });

  it("are sent to the configured server, whatever the document says", async () => {
    const [own, other] = [await listen(), await listen()];
    const { haft } = await open({ paths: { "/far": { get: operation(other.origin) } } }, [own.place], {
      servers: own.origin,
    });
    await haft.call("far", {});
    expect(own.seen[0]?.headers["x-key"]).toBe(canary);
    expect(other.seen).toEqual([]);
  });

  it("are not sent when the operation does not need them", async () => {
    const [own, other] = [await listen(), await listen()];
    const { haft } = await open(
      {
        servers: [{ url: own.origin }],
        paths: { "/far": { get: { ...operation(other.origin), security: [{}, { key: [] }] } } },
      },
      [own.place, other.place],
    );
    await haft.call("far", {});
    expect(other.seen[0]?.headers["x-key"]).toBeUndefined();
  });

  it("accept only whole origins in authOrigins", async () => {
    const document = { openapi: "3.1.0", servers: [{ url: "https://api.example" }], paths: {} };
    await expect(fromOpenApi(document, { authOrigins: ["api.example"] })).rejects.toThrow("authOrigins");
  });
});
