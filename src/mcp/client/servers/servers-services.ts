import type { ToolRegistry } from "../../../registry/tool-registry.ts";
import { ToolError } from "../../../types/errors.ts";
import type { EventBus } from "../../../types/event.ts";
import type { FailureFacts } from "../../../types/failure.ts";
import {
  isStdioServer,
  type McpCaller,
  type McpServerState,
  type McpSession,
  type McpSessionNotification,
  type McpSessionServices,
  type NamedMcpServer,
  type RemoteTool,
} from "../../../types/mcp.ts";
import type { McpMediaLimits } from "../content/media-blocks.ts";
import type { FileTruncator } from "../content/truncate-to-file.ts";
import { sanitizeUntrustedText } from "../transport/sanitize-foreign-text.ts";

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

export const serverTransportOf = (server: NamedMcpServer): McpServerState["transport"] => {
  if (isStdioServer(server)) return "stdio";
  if (server.transport !== undefined) return server.transport;
  return server.url.startsWith("ws") ? "websocket" : "http";
};

export const serverFactsOf = (server: NamedMcpServer): FailureFacts => ({
  serverName: server.id,
  transport: serverTransportOf(server),
});

export const errorReason = (error: unknown): string => {
  const said = ToolError.is(error) ? error.failure.message : error instanceof Error ? error.message : error;
  const reason = sanitizeUntrustedText(said, 400).replace(/\.$/, "");
  const isGone = ToolError.is(error) && error.code === "mcp_unreachable";
  const words = isGone ? lastStderrLine(error.failure.detail) : undefined;
  return words === undefined ? reason : `${reason}; its last output: ${words}`;
};

const lastStderrLine = (detail: string | undefined): string | undefined => {
  const line = detail?.trimEnd().split("\n").at(-1);
  return line === undefined || line === "" ? undefined : sanitizeUntrustedText(line, 200);
};
