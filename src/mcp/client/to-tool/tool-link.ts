import type { JsonObject } from "../../../json/is-object.ts";
import type { McpCaller, SessionRequest } from "../../../words/mcp.ts";
import type { Principal } from "../../../words/principal.ts";
import type { MediaRoom } from "../content/media-blocks.ts";
import type { Spill } from "../content/spill.ts";

/** Why nobody may call a tool. */
export interface HeldBack {
  readonly reason: string;
  /** Whether somebody could look at it and agree; a name or a schema that does not work cannot be approved. */
  readonly isApprovable: boolean;
}

/** The live end of a remote tool, asked at each call: a definition outlives many connections. */
export interface ToolLink {
  /** Sends over the connection of this caller. Rejects with a ToolError; `ran: false` where nothing was sent. */
  readonly request: (request: SessionRequest, principal: Principal) => Promise<JsonObject>;
  readonly isUp: () => boolean;
  readonly held: () => HeldBack | undefined;
  /** How long an answer may take where neither the server's configuration nor its terms say. */
  readonly callTimeoutMs: number;
  readonly spill?: Spill | undefined;
  /** How much media a result may carry as parts. */
  readonly media?: MediaRoom | undefined;
  /** What is against the page of an app that was read. */
  readonly judgePage?: (uri: string, result: JsonObject) => string | undefined;
  /** Answers a server's questions in calls that did not come in over the protocol. */
  readonly ask?: McpCaller["ask"] | undefined;
}
