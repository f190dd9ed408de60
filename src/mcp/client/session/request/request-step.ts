import type { RequestOptions } from "@modelcontextprotocol/client";
import type { McpSessionRequest } from "../../../../types/mcp.ts";
import type { ServerConnection } from "../server-connection.ts";
import type { McpRequestInfo } from "../session-errors.ts";
import type { RequestDeadline } from "./request-deadline.ts";

export interface RequestStep {
  readonly connection: ServerConnection;
  readonly request: McpSessionRequest;
  readonly info: McpRequestInfo;
  readonly options: RequestOptions;
  readonly deadline?: RequestDeadline;
}
