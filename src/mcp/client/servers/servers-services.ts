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

/** One verdict per tool, in order. `reviewed` means that this exact definition was approved. */
export type CheckTools = (
  server: NamedMcpServer,
  tools: readonly RemoteTool[],
) => readonly {
  readonly tool: RemoteTool;
  readonly verdict: "ok" | "quarantined";
  readonly reason?: string;
  readonly reviewed?: boolean;
  readonly withoutUi?: true;
}[];

export interface SharedSessionServices extends Pick<McpSessionServices, "reveal" | "authorize"> {
  readonly principal?: McpSessionServices["principal"];
  readonly onStderr?: (line: string, serverId: string) => void;
}

export interface McpServersServices {
  readonly registry: ToolRegistry;
  readonly events: EventBus;
  readonly sharedSession: SharedSessionServices;
  readonly config: {
    readonly connectionTimeoutMs: number;
    readonly protocolVersion?: string | undefined;
    readonly requestTimeoutMs: number;
    readonly maxRetries: number;
  };
  readonly open?: OpenSession;
  /** Default: accepts every tool, except one that changes at run time. */
  readonly checkTools?: CheckTools;
  /** Returns why the page of an app must not be used. */
  readonly checkPage?: (
    server: NamedMcpServer,
    uri: string,
    result: Readonly<Record<string, unknown>>,
  ) => string | undefined;
  /** Checked on every use, because approvals can change while connected. */
  readonly refusal?: (server: NamedMcpServer) => string | undefined;
  readonly truncator?: FileTruncator | undefined;
  readonly media?: McpMediaLimits | undefined;
  readonly ask?: McpCaller["ask"] | undefined;
  readonly random?: () => number;
}

export type McpNotificationListener = (news: McpSessionNotification, serverId: string) => void;

export type QuarantinedTool = McpServerState["quarantined"][number];
