import type { JsonObject } from "../../../base/json/is-object.ts";
import type { McpCaller, McpSessionRequest } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import type { McpMediaLimits } from "../content/media-blocks.ts";
import type { FileTruncator } from "../content/truncate-to-file.ts";

/** Why nobody may call a tool. */
export interface ToolQuarantine {
  readonly reason: string;
  /** Whether somebody could look at it and agree; a name or a schema that does not work cannot be approved. */
  readonly isApprovable: boolean;
}

/** The live end of a remote tool, asked at each call: a definition outlives many connections. */
export interface ToolLink {
  /** Sends over the connection of this caller. Rejects with a ToolError; `ran: false` where nothing was sent. */
  readonly request: (request: McpSessionRequest, principal: Principal) => Promise<JsonObject>;
  readonly isUp: () => boolean;
  readonly held: () => ToolQuarantine | undefined;
  /** How long an answer may take where neither the server's configuration nor its terms say. */
  readonly callTimeoutMs: number;
  readonly spill?: FileTruncator | undefined;
  /** How much media a result may carry as parts. */
  readonly media?: McpMediaLimits | undefined;
  /** What is against the page of an app that was read. */
  readonly judgePage?: (uri: string, result: JsonObject) => string | undefined;
  /** Answers a server's questions in calls that did not come in over the protocol. */
  readonly ask?: McpCaller["ask"] | undefined;
}
