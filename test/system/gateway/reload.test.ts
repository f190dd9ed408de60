import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, test } from "vitest";
import { adaToken, firstSigner } from "../../gateway/access-scene.ts";
import { bearer, sendRawRequest } from "../../kit/host-scene.ts";
import { audience, issuer, toKeySet } from "../../kit/jwt-scene.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { type GatewayChild, gatewayChild } from "../mcp/gateway-child.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-gateway-reload-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
const tools = join(folder, "tools.json");
const tool = (name: string) => ({ name, description: `Does ${name}`, inputSchema: { type: "object" } });
writeFileSync(tools, JSON.stringify([tool("look"), tool("buy"), tool("sell")]));
const toy = fileURLToPath(new URL("../mcp/changing-server.ts", import.meta.url));
const mcp = { lock: false, servers: { shop: { command: process.execPath, args: [toy, tools] } } };

const scopes = { read: ["shop/look", "shop/sell"], write: ["shop/buy"] };
const jwt = { issuer, audience, jwks: toKeySet(firstSigner), scopes };
const configured = { mcp, serve: { auth: { jwt } } };
/** Denies `sell` from now on. */
const policy = { rules: [{ effect: "allow", tools: ["shop/look", "shop/buy"] }] };

const edit = (gateway: GatewayChild, config: object | string): void =>
  writeFileSync(
    join(gateway.folder, "haft.config.json"),
    typeof config === "string" ? config : JSON.stringify(config),
  );
const readiness = ({ url }: GatewayChild) =>
  sendRawRequest({ port: Number(new URL(url).port) }, { method: "GET", path: "/readyz" });
const becomes = (gateway: GatewayChild, body: object) =>
  waitFor(async () => expect((await readiness(gateway)).body).toMatchObject(body));

/** The tools offered to a caller with this token, and whether it can buy. */
const seen = async ({ url }: GatewayChild, token: string) => {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const { tools } = await client.listTools();
  const bought = await client.callTool({ name: "shop__buy", arguments: {} }).then(
    ({ isError }) => isError !== true,
    () => false,
  );
  await client.close();
  const names = tools.map(({ name }) => name).filter((name) => name.startsWith("shop__"));
  return { offered: names.sort(), bought };
};

const all = { offered: ["shop__buy", "shop__look", "shop__sell"], bought: true };
const noSale = { offered: ["shop__buy", "shop__look"], bought: true };
const onlyLook = { offered: ["shop__look"], bought: false };

describe("configuration change while haft serve runs", () => {
  test("removes a scope and narrows the rules in one edit", async () => {
    await using gateway = await gatewayChild(configured);
    const token = await firstSigner.sign({ scope: "read write" });
    expect(await seen(gateway, token)).toEqual(all);
    edit(gateway, { mcp, policy, serve: { auth: { jwt: { ...jwt, scopes: { read: scopes.read } } } } });
    await waitFor(async () => expect(await seen(gateway, token)).toEqual(onlyLook));
    expect(gateway.errors()).not.toContain("stays active");
    expect((await readiness(gateway)).body).toMatchObject({ status: "ready", problems: [] });
    edit(gateway, { mcp, serve: { auth: { jwt: { ...jwt, requiredScopes: ["admin"] } } } });
    const { port } = new URL(gateway.url);
    const statusOf = async () =>
      (await sendRawRequest({ port: Number(port) }, { headers: bearer(token) })).status;
    await waitFor(async () => expect(await statusOf()).toBe(403));
  });

  test("is refused when a strict policy names an unknown tool", async () => {
    await using gateway = await gatewayChild(configured);
    const token = await firstSigner.sign({ scope: "read write" });
    const rules = [{ effect: "allow", tools: ["shop/look", "shop/by"] }];
    edit(gateway, { ...configured, policy: { rules, strict: true } });
    await waitFor(() => expect(gateway.errors()).toContain('Did you mean "shop/buy"?'));
    expect(gateway.errors()).toContain("The previous configuration stays active.");
    expect(await seen(gateway, token)).toEqual(all);
    edit(gateway, { ...configured, policy: { ...policy, strict: true } });
    await waitFor(async () => expect(await seen(gateway, token)).toEqual(noSale));
  });

  test("cannot change the kind of auth or the address, which is reported, but applies the new rules", async () => {
    await using gateway = await gatewayChild(configured);
    const token = await firstSigner.sign({ scope: "read write" });
    const tokens = [{ token: adaToken, principal: { agent: "ada", allow: ["*"] } }];
    edit(gateway, { mcp, policy, serve: { auth: { tokens }, http: { perMinute: 7 } } });
    const messages = [/"serve.auth" changed its kind/, /"serve.http" has changed/];
    await becomes(gateway, {
      status: "degraded",
      problems: messages.map((said) => ({ part: "configuration", message: expect.stringMatching(said) })),
    });
    for (const said of messages) expect(gateway.errors()).toMatch(said);
    expect(await seen(gateway, token)).toEqual(noSale);
    edit(gateway, configured);
    await becomes(gateway, { status: "ready", problems: [] });
    expect(await seen(gateway, token)).toEqual(all);
  });

  test("to an invalid configuration is reported by /readyz until the file is valid again", async () => {
    await using gateway = await gatewayChild(configured);
    edit(gateway, { mcp, serve: { auth: { jwt: { ...jwt, algorithms: ["HS256"] } } } });
    const message = expect.stringContaining("is invalid, so the previous one stays active");
    await becomes(gateway, { status: "degraded", problems: [{ part: "configuration", message }] });
    expect((await readiness(gateway)).status).toBe(200);
    expect(await seen(gateway, await firstSigner.sign({ scope: "read write" }))).toEqual(all);
    edit(gateway, "{ broken");
    await waitFor(() => expect(gateway.errors().split("stays active").length).toBe(3));
    edit(gateway, configured);
    await becomes(gateway, { status: "ready", problems: [] });
  });
});
