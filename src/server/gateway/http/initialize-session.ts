import type { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import type { Principal } from "../../words/principal.ts";
import { authInfoOf } from "../client-connection.ts";

interface IntroducedSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly principal: Principal;
}

/** Brings a session that was introduced elsewhere to the same state here. */
export const introduce = async (
  { transport, principal }: IntroducedSession,
  params: JsonObject,
): Promise<void> => {
  const say = (parsedBody: unknown): Promise<Response> => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const authInfo = authInfoOf(principal);
    const named = { ...headers, "mcp-session-id": transport.sessionId ?? "" };
    const request = new Request("http://localhost/", { method: "POST", headers: named, body: "{}" });
    return transport.handleRequest(request, { parsedBody, authInfo });
  };
  const answered = await say({ jsonrpc: "2.0", id: "introduced", method: "initialize", params });
  await answered.text();
  await say({ jsonrpc: "2.0", method: "notifications/initialized" });
};
