import type { CallToolResult, Result, ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../base/json/is-object.ts";
import { preserveLargeIntegers } from "../../base/json/preserve-large-integers.ts";
import { toToolResult } from "./call/call-result.ts";
import { supportsApps } from "./call/client-capabilities.ts";
import { handleRequest } from "./call/handle-request.ts";
import type { LiveCall } from "./call/live-call.ts";
import { requestMetaOf } from "./call/request-meta.ts";
import { runGatewayCall } from "./call/run-gateway-call.ts";
import {
  type ClientConnection,
  capabilitiesOf,
  invalidParamsError,
  principalOf,
  requireTextParam,
} from "./client-connection.ts";
import { toolsByNameOf } from "./listed-tools.ts";
import { withCacheHints } from "./lists/with-cache-hints.ts";

export const listTools = (
  connection: ClientConnection,
  _params: JsonObject,
  context: ServerContext,
): Result => {
  const principal = principalOf(connection, context);
  const showsApps = supportsApps(capabilitiesOf(connection, context));
  const { backend } = connection.gateway;
  const { loaded } = connection;
  const tools =
    backend.search?.shown(principal, { showsApps, loaded }) ?? backend.tools(principal, { showsApps });
  return withCacheHints(connection, { tools });
};

export const callTool = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway, server } = connection;
  const name = requireTextParam(params, "name", "tools/call");
  const input = callInputOf(params.arguments ?? {});
  const run = async (live: LiveCall): Promise<Result> => {
    const reply = await runGatewayCall(gateway, live, {
      tool: name,
      input,
      ...requestMetaOf(connection, context),
    });
    const isRemote = gateway.backend.isRemote?.(name) === true;
    return toToolResult(reply, live, gateway.backend.redact, isRemote);
  };
  const result = await handleRequest(connection, context, { method: "tools/call", name, input, run });
  // Input requests and tasks pass unchanged.
  if (result.resultType !== undefined) return result;
  const final: Result = result.content === undefined ? { ...result, content: [] } : result;
  if (final.structuredContent === undefined) return final;
  const showsApps = supportsApps(capabilitiesOf(connection, context));
  const tools = gateway.backend.tools(principalOf(connection, context), { showsApps });
  return server.projectCallToolResult(final as CallToolResult, toolsByNameOf(tools).get(name)?.outputSchema);
};

/** Haft's transports keep the exact text of objects; others may lose digits of large integers. */
const callInputOf = (given: unknown): unknown => {
  if (typeof given === "string") return given;
  if (typeof given === "object" && !Array.isArray(given)) return preserveLargeIntegers(given);
  throw invalidParamsError("Invalid params: tools/call needs /params/arguments to be an object.");
};
