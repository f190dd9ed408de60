// A remote MCP server with its own users, and its authorization server. Both run locally.
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

export const robotKey = "key-of-the-robot-0123456789";

const users = new Map([[robotKey, "robot"]]);
const codes = new Map<string, { readonly challenge: string; readonly user: string }>();
let signIns = 0;

const toolsOf = (user: string) =>
  createMcpHandler(() => {
    const mcp = new McpServer({ name: "calendar", version: "1.0.0" });
    const description = "Whose calendar this is";
    mcp.registerTool("owner", { description }, () => ({ content: [{ type: "text", text: user }] }));
    return mcp;
  });
const handlers = new Map<string, ReturnType<typeof toolsOf>>();

/** PKCE: a code can only be exchanged by the client that began the sign-in. */
const trade = (form: URLSearchParams): Response => {
  const proof = createHash("sha256").update(form.get("code_verifier") ?? "");
  const code = form.get("code") ?? "";
  const kept = codes.get(code);
  if (kept === undefined || kept.challenge !== proof.digest("base64url"))
    return Response.json({ error: "invalid_grant" }, { status: 400 });
  codes.delete(code);
  const token = randomUUID();
  users.set(token, kept.user);
  return Response.json({ access_token: token, token_type: "Bearer", expires_in: 3_600 });
};

const fetch = async (request: Request): Promise<Response> => {
  const { pathname, searchParams, origin } = new URL(request.url);
  if (pathname === "/mcp") {
    const user = users.get((request.headers.get("authorization") ?? "").replace("Bearer ", ""));
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    if (user === undefined) {
      return new Response(null, {
        status: 401,
        headers: { "www-authenticate": `Bearer resource_metadata="${metadata}"` },
      });
    }
    if (!handlers.has(user)) handlers.set(user, toolsOf(user));
    return handlers.get(user)!.fetch(request);
  }
  if (pathname === "/.well-known/oauth-protected-resource/mcp")
    return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
  if (pathname === "/.well-known/oauth-authorization-server")
    return Response.json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    });
  if (pathname === "/register")
    return Response.json({ ...((await request.json()) as object), client_id: "haft" }, { status: 201 });
  if (pathname === "/authorize") {
    signIns += 1;
    const code = randomUUID();
    codes.set(code, { challenge: searchParams.get("code_challenge") ?? "", user: calendar.atTheBrowser });
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    back.search = String(new URLSearchParams({ code, state: searchParams.get("state") ?? "" }));
    return Response.redirect(back, 302);
  }
  if (pathname === "/token") return trade(new URLSearchParams(await request.text()));
  return new Response(null, { status: 404 });
};

const server = createServer(async (incoming, outgoing) => {
  const { method, url, headers } = incoming;
  const hasBody = method === "POST";
  const request = new Request(`http://${headers.host}${url}`, {
    method: method ?? "GET",
    headers: headers as Record<string, string>,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" as const } : {}),
  });
  const response = await fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else Readable.fromWeb(response.body as never).pipe(outgoing);
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));

export const calendar = {
  atTheBrowser: "ada",
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
  signIns: () => signIns,
  close: async () => {
    for (const handler of handlers.values()) await handler.close();
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  },
};
