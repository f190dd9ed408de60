import type { ToolRegistry } from "../../../catalog/registry.ts";
import type { EventBus } from "../../../words/event.ts";
import type {
  McpCaller,
  McpServerState,
  McpSession,
  NamedServer,
  RemoteTool,
  SessionNews,
  SessionServices,
} from "../../../words/mcp.ts";
import type { MediaRoom } from "../content/media-blocks.ts";
import type { Spill } from "../content/spill.ts";

export type OpenSession = (server: NamedServer, services: SessionServices) => Promise<McpSession>;

/** One answer for each tool, in their order. `reviewed` says that somebody looked at this very definition. */
export type ToolJudge = (
  server: NamedServer,
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
export interface SessionParts extends Pick<SessionServices, "reveal" | "authorize"> {
  /** For whom the connection that all callers share is opened. */
  readonly principal?: SessionServices["principal"];
  readonly onStderr?: (line: string, serverId: string) => void;
}

export interface ServersServices {
  readonly registry: ToolRegistry;
  readonly events: EventBus;
  readonly sessionHouse: SessionParts;
  readonly config: {
    readonly connectionTimeoutMs: number;
    readonly requestTimeoutMs: number;
    readonly maxRetries: number;
  };
  /** Connects by whatever the configuration names, unless given. */
  readonly open?: OpenSession;
  /** Everything passes unless given; what changes while the process runs is held back all the same. */
  readonly judge?: ToolJudge;
  /** What is against the page of an app that was read; nothing unless given. */
  readonly judgePage?: (
    server: NamedServer,
    uri: string,
    result: Readonly<Record<string, unknown>>,
  ) => string | undefined;
  /** Why a server may not be used any more, whatever it is asked for: what the operator agreed to can change under a connection. */
  readonly refusal?: (server: NamedServer) => string | undefined;
  readonly spill?: Spill | undefined;
  readonly media?: MediaRoom | undefined;
  readonly ask?: McpCaller["ask"] | undefined;
  /** At least 0 and less than 1. */
  readonly random?: () => number;
}

export type NewsListener = (news: SessionNews, serverId: string) => void;

export type Quarantined = McpServerState["quarantined"][number];
