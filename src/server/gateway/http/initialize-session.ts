import type { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../base/json/is-object.ts";
import type { Principal } from "../../../types/principal.ts";
import { toAuthInfo } from "../client-connection.ts";

interface AdoptedSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly principal: Principal;
}

/** Restores a session that was initialized at another gateway. */
export const initializeSession = async (
  { transport, principal }: AdoptedSession,
  params: JsonObject,
): Promise<void> => {
  const sendMessage = (parsedBody: unknown): Promise<Response> => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const authInfo = toAuthInfo(principal);
    const sessionHeaders = { ...headers, "mcp-session-id": transport.sessionId ?? "" };
    const request = new Request("http://localhost/", { method: "POST", headers: sessionHeaders, body: "{}" });
    return transport.handleRequest(request, { parsedBody, authInfo });
  };
  const answered = await sendMessage({ jsonrpc: "2.0", id: "introduced", method: "initialize", params });
  await answered.text();
  await sendMessage({ jsonrpc: "2.0", method: "notifications/initialized" });
};
