import type { RequestOptions } from "@modelcontextprotocol/client";
import type { McpSessionRequest } from "../../../../types/mcp.ts";
import type { ServerConnection } from "../server-connection.ts";
import type { McpRequestInfo } from "../session-errors.ts";
import type { RequestDeadline } from "./request-deadline.ts";

/** One request on its way, with what all its messages have in common. */
export interface RequestStep {
  readonly connection: ServerConnection;
  readonly request: McpSessionRequest;
  readonly asked: McpRequestInfo;
  readonly options: RequestOptions;
  /** Where the request has a clock of its own. */
  readonly deadline?: RequestDeadline;
}
