import type { ToolRegistry } from "../../../registry/tool-registry.ts";
import type { EventBus } from "../../../types/event.ts";
import type {
  McpCaller,
  McpServerState,
  McpSession,
  McpSessionNotification,
  McpSessionServices,
  NamedMcpServer,
  RemoteTool,
} from "../../../types/mcp.ts";
import type { McpMediaLimits } from "../content/media-blocks.ts";
import type { FileTruncator } from "../content/truncate-to-file.ts";

export type OpenSession = (server: NamedMcpServer, services: McpSessionServices) => Promise<McpSession>;

/** One answer for each tool, in their order. `reviewed` says that somebody looked at this very definition. */
export type ToolCheck = (
  server: NamedMcpServer,
  tools: readonly RemoteTool[],
) => readonly {
  readonly tool: RemoteTool;
  readonly verdict: "ok" | "quarantined";
  readonly reason?: string;
  readonly reviewed?: boolean;
  /** It is used without its app, which nobody looked at. */
  readonly withoutUi?: true;
}[];

/** What all connections have in common. */
export interface SharedSessionServices extends Pick<McpSessionServices, "reveal" | "authorize"> {
  /** For whom the connection that all callers share is opened. */
  readonly principal?: McpSessionServices["principal"];
  readonly onStderr?: (line: string, serverId: string) => void;
}

export interface McpServersServices {
  readonly registry: ToolRegistry;
  readonly events: EventBus;
  readonly sessionHouse: SharedSessionServices;
  readonly config: {
    readonly connectionTimeoutMs: number;
    readonly protocolVersion?: string | undefined;
    readonly requestTimeoutMs: number;
    readonly maxRetries: number;
  };
  /** Connects by whatever the configuration names, unless given. */
  readonly open?: OpenSession;
  /** Everything passes unless given; what changes while the process runs is held back all the same. */
  readonly judge?: ToolCheck;
  /** What is against the page of an app that was read; nothing unless given. */
  readonly judgePage?: (
    server: NamedMcpServer,
    uri: string,
    result: Readonly<Record<string, unknown>>,
  ) => string | undefined;
  /** Why a server may not be used any more, whatever it is asked for: what the operator agreed to can change under a connection. */
  readonly refusal?: (server: NamedMcpServer) => string | undefined;
  readonly spill?: FileTruncator | undefined;
  readonly media?: McpMediaLimits | undefined;
  readonly ask?: McpCaller["ask"] | undefined;
  /** At least 0 and less than 1. */
  readonly random?: () => number;
}

export type McpNotificationListener = (news: McpSessionNotification, serverId: string) => void;

export type QuarantinedTool = McpServerState["quarantined"][number];
