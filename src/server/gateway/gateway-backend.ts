import type { UsableUpstream } from "../../mcp/client/servers/usable-upstream.ts";
import type { McpTool } from "../../models/dialects/mcp/to-mcp.ts";
import type { ApprovalDecision } from "../../types/approval.ts";
import type { McpCaller, McpSessionNotification } from "../../types/mcp.ts";
import type { IncomingTrace } from "../../types/observer.ts";
import type { Principal } from "../../types/principal.ts";
import type { Reply } from "../../types/reply.ts";
import type { RecordedCall } from "./recorded-call.ts";
import type { LoadedTools } from "./search/loaded-tools.ts";

export interface BackendCall {
  /** Unique in this process; progress of the call is told under it. */
  readonly id: string;
  /** The name as the client wrote it. */
  readonly tool: string;
  readonly input: unknown;
  readonly principal: Principal;
  readonly caller: McpCaller;
  readonly signal: AbortSignal;
  readonly idempotencyKey?: string;
  /** What was heard under the same name counts: a session, where there is one. */
  readonly conversation?: string;
  /** Trace of the caller, as the protocol's `_meta` carries it, or else its request. */
  readonly correlationId?: string;
  /** The same in full, for whoever traces calls. */
  readonly trace?: IncomingTrace;
  /** What its client has loaded, where its connection can keep it. */
  readonly loaded?: LoadedTools;
}

export type BackendProgressListener = (callId: string, update: unknown, taints: readonly string[]) => void;

/** A server behind ours that this principal may use. */
export type UpstreamServer = Omit<UsableUpstream, "keys">;

export interface ListingOptions {
  /** The client shows apps, so tools that only their pages call are listed too. */
  readonly showsApps?: boolean;
}

export interface SearchListingOptions extends ListingOptions {
  readonly loaded: LoadedTools | undefined;
}

/** Where clients are listed a handful of tools, and search, load and call the others. */
export interface BackendSearch {
  readonly shown: (principal: Principal, options: SearchListingOptions) => readonly McpTool[];
}

/** What a gateway serves: a runtime, seen from the protocol. */
export interface GatewayBackend {
  readonly info: { readonly name: string; readonly version: string; readonly title?: string };
  readonly instructions?: string;
  /** What this principal may use now, always in the same order. */
  readonly tools: (principal: Principal, options?: ListingOptions) => readonly McpTool[];
  /** Missing where clients are listed all that they may use. */
  readonly search?: BackendSearch | undefined;
  /** The name under which a tool is listed, by whichever of its names the client calls it; the same unless given. */
  readonly listedName?: (name: string) => string;
  /** Waits for servers that are being tried for the first time; missing, or nothing, where none is waited for any more. */
  readonly ready?: () => Promise<void> | undefined;
  /** A tool of a server that promises no output: its value is what the server answered, with as little around it as can be. */
  readonly isRemote?: (name: string) => boolean;
  /** Down the corridor. Never rejects: whatever becomes of the call is in the reply. */
  readonly call: (call: BackendCall) => Promise<Reply>;
  /** Whether a client was told that this very request waits for a person. */
  readonly isWaiting?: (request: Pick<BackendCall, "principal" | "tool" | "input">) => Promise<boolean>;
  /** Whether a question was answered, or is over, whoever did that and wherever. */
  readonly isAnswered?: ((approvalId: string) => Promise<boolean>) | undefined;
  /** What came of a call that another gateway made, by the call's id. */
  readonly recorded?: (callId: string, principal: Principal) => Promise<RecordedCall>;
  /** Goes on with a call that waited for a person. */
  readonly resume: (
    approvalId: string,
    decision: ApprovalDecision,
    call: Pick<BackendCall, "principal" | "caller" | "signal" | "conversation" | "trace"> & {
      readonly by: string;
      /** Under which the client hears of the result; that of the call that waited unless given. */
      readonly id?: string;
      /** The name under which the client knows what waited. */
      readonly tool?: string | undefined;
    },
  ) => Promise<Reply>;
  readonly servers: (principal: Principal) => readonly UpstreamServer[];
  /** The id of the server whose app has this address, where a tool names it. */
  readonly uiOwner?: (uri: string) => string | undefined;
  /** False where no server is ever behind ours: then nothing but tools is said to be here. */
  readonly passesOn?: boolean;
  /** Progress of calls by their id, whichever kind of tool reports it, and whose untrusted words may be in it. */
  readonly onProgress: (listener: BackendProgressListener) => () => void;
  /** Words of these tools are about to reach the client, whose call is not over yet. */
  readonly heard: (tools: readonly string[], by: Pick<BackendCall, "principal" | "conversation">) => void;
  /** What servers behind ours tell, and changes of our own list of tools. */
  readonly onNews: (
    listener: (news: McpSessionNotification, serverId: string | undefined) => void,
  ) => () => void;
  /** Masks what is known to be secret in text that leaves this process. */
  readonly redact: (text: string) => string;
}
