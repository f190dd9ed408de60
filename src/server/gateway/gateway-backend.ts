import type { UsableUpstream } from "../../mcp/client/servers/usable-upstream.ts";
import type { McpTool } from "../../models/dialects/mcp/to-mcp.ts";
import type { ApprovalDecision } from "../../types/approval.ts";
import type { McpCaller, McpSessionNotification } from "../../types/mcp.ts";
import type { IncomingTrace } from "../../types/observer.ts";
import type { Principal } from "../../types/principal.ts";
import type { Reply } from "../../types/reply.ts";
import type { LoadedTools } from "./search/loaded-tools.ts";

export interface BackendCall {
  /** Unique in this process. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly principal: Principal;
  readonly caller: McpCaller;
  readonly signal: AbortSignal;
  readonly idempotencyKey?: string;
  readonly conversation?: string;
  /** Trace of the message or of its HTTP request. */
  readonly correlationId?: string;
  readonly trace?: IncomingTrace;
  readonly loaded?: LoadedTools;
}

export type BackendProgressListener = (callId: string, update: unknown, taints: readonly string[]) => void;

export type UpstreamServer = Omit<UsableUpstream, "keys">;

export interface ListingOptions {
  /** Lists tools for apps too. */
  readonly showsApps?: boolean;
}

export interface SearchListingOptions extends ListingOptions {
  readonly loaded: LoadedTools | undefined;
}

export interface BackendSearch {
  readonly shown: (principal: Principal, options: SearchListingOptions) => readonly McpTool[];
}

/** What a gateway serves. */
export interface GatewayBackend {
  readonly info: { readonly name: string; readonly version: string; readonly title?: string };
  readonly instructions?: string;
  /** In a stable order. */
  readonly tools: (principal: Principal, options?: ListingOptions) => readonly McpTool[];
  readonly search?: BackendSearch | undefined;
  /** Maps any name of a tool to its listed name. */
  readonly listedName?: (name: string) => string;
  /** Waits for servers that start for the first time. */
  readonly ready?: () => Promise<void> | undefined;
  /** The tool's value is the upstream server's raw result. */
  readonly isRemote?: (name: string) => boolean;
  /** Never rejects. */
  readonly call: (call: BackendCall) => Promise<Reply>;
  readonly isWaiting?: (request: Pick<BackendCall, "principal" | "tool" | "input">) => Promise<boolean>;
  /** By any process. */
  readonly isAnswered?: ((approvalId: string) => Promise<boolean>) | undefined;
  readonly resume: (
    approvalId: string,
    decision: ApprovalDecision,
    call: Pick<BackendCall, "principal" | "caller" | "signal" | "conversation" | "trace"> & {
      readonly by: string;
      /** Default: that of the pending call. */
      readonly id?: string;
      /** As the client wrote it. */
      readonly tool?: string | undefined;
    },
  ) => Promise<Reply>;
  readonly servers: (principal: Principal) => readonly UpstreamServer[];
  /** ID of the server with this app URI. */
  readonly uiOwner?: (uri: string) => string | undefined;
  /** False declares only tools. */
  readonly passesOn?: boolean;
  readonly onProgress: (listener: BackendProgressListener) => () => void;
  /** Content of these tools is about to reach the client. */
  readonly onContentForwarded: (
    tools: readonly string[],
    by: Pick<BackendCall, "principal" | "conversation">,
  ) => void;
  readonly onChange: (
    listener: (news: McpSessionNotification, serverId: string | undefined) => void,
  ) => () => void;
  /** Masks known secrets. */
  readonly redact: (text: string) => string;
}
