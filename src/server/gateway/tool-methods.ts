import type { CallToolResult, Result, ServerContext } from "@modelcontextprotocol/server";
import type { McpTool } from "../dialects/mcp/to-mcp.ts";
import type { JsonObject } from "../json/is-object.ts";
import { orTextOfUnsafe } from "../json/unsafe-integers.ts";
import { toolResult } from "./call/call-result.ts";
import { takesApps } from "./call/client-capabilities.ts";
import { converse } from "./call/converse.ts";
import type { LiveCall } from "./call/live-call.ts";
import { requestMeta } from "./call/request-meta.ts";
import { runCall } from "./call/run-call.ts";
import {
  type ClientConnection,
  capabilitiesOf,
  invalid,
  principalOf,
  textParam,
} from "./client-connection.ts";
import { cached } from "./lists/cached.ts";

export const listTools = (
  connection: ClientConnection,
  _params: JsonObject,
  context: ServerContext,
): Result => {
  const principal = principalOf(connection, context);
  const showsApps = takesApps(capabilitiesOf(connection, context));
  const { served } = connection.gateway;
  const { loaded } = connection;
  const tools =
    served.search?.shown(principal, { showsApps, loaded }) ?? served.tools(principal, { showsApps });
  return cached(connection, { tools });
};

export const callTool = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway, server } = connection;
  const name = textParam(params, "name", "tools/call");
  const input = inputOf(params.arguments ?? {});
  const run = async (live: LiveCall): Promise<Result> => {
    const reply = await runCall(gateway, live, { tool: name, input, ...requestMeta(connection, context) });
    const isRemote = gateway.served.isRemote?.(name) === true;
    return toolResult(reply, live, gateway.served.redact, isRemote);
  };
  const result = await converse(connection, context, { method: "tools/call", name, input, run });
  // A question or a task is no result yet.
  if (result.resultType !== undefined) return result;
  const final: Result = result.content === undefined ? { ...result, content: [] } : result;
  if (final.structuredContent === undefined) return final;
  const showsApps = takesApps(capabilitiesOf(connection, context));
  const tools = gateway.served.tools(principalOf(connection, context), { showsApps });
  return server.projectCallToolResult(final as CallToolResult, outputOf(tools, name));
};

/**
 * Our own transports leave the exact text of an object here. A value was parsed by somebody else, who may have
 * changed its numbers.
 */
const inputOf = (given: unknown): unknown => {
  if (typeof given === "string") return given;
  if (typeof given === "object" && !Array.isArray(given)) return orTextOfUnsafe(given);
  throw invalid("Invalid params: tools/call needs /params/arguments to be an object.");
};

const outputs = new WeakMap<readonly McpTool[], ReadonlyMap<string, McpTool["outputSchema"]>>();

const outputOf = (tools: readonly McpTool[], name: string): McpTool["outputSchema"] => {
  let known = outputs.get(tools);
  if (known === undefined) {
    known = new Map(tools.map((tool) => [tool.name, tool.outputSchema]));
    outputs.set(tools, known);
  }
  return known.get(name);
};
