import type { RequestOptions } from "@modelcontextprotocol/client";
import type { SessionRequest } from "../../../../words/mcp.ts";
import type { ServerConnection } from "../server-connection.ts";
import type { RequestContext } from "../session-failure.ts";
import type { Deadline } from "./deadline.ts";

/** One request on its way, with what all its messages have in common. */
export interface RequestStep {
  readonly connection: ServerConnection;
  readonly request: SessionRequest;
  readonly asked: RequestContext;
  readonly options: RequestOptions;
  /** Where the request has a clock of its own. */
  readonly deadline?: Deadline;
}
