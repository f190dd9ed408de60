import type { CallToolResult, Result, ServerContext } from "@modelcontextprotocol/server";
import type { McpTool } from "../../dialects/mcp/to-mcp.ts";
import { toolResult } from "./call/call-result.ts";
import { converse } from "./call/converse.ts";
import type { LiveCall } from "./call/live-call.ts";
import { requestMeta } from "./call/request-meta.ts";
import { walk } from "./call/walk.ts";
import { invalid, type Line, type Params, principalOf, textParam } from "./line.ts";
import { cached } from "./lists/cached.ts";

export const listTools = (line: Line, _params: Params, context: ServerContext): Result => {
  const tools = line.front.served.tools(principalOf(line, context));
  return cached(line, { tools });
};

export const callTool = async (line: Line, params: Params, context: ServerContext): Promise<Result> => {
  const { front, server } = line;
  const name = textParam(params, "name", "tools/call");
  const input = params.arguments ?? {};
  if (typeof input !== "object" || Array.isArray(input)) {
    throw invalid("Invalid params: tools/call needs /params/arguments to be an object.");
  }
  const run = async (live: LiveCall): Promise<Result> => {
    const reply = await walk(front, live, { tool: name, input, ...requestMeta(line, context) });
    return toolResult(reply, live, front.served.redact);
  };
  const result = await converse(line, context, { method: "tools/call", name, run });
  // A question or a task is no result yet.
  if (result.resultType !== undefined) return result;
  const final: Result = result.content === undefined ? { ...result, content: [] } : result;
  if (final.structuredContent === undefined) return final;
  const tools = front.served.tools(principalOf(line, context));
  return server.projectCallToolResult(final as CallToolResult, outputOf(tools, name));
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
