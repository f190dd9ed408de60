import * as Context from "effect/Context";
import type { JsonSchema } from "./json.ts";
import type { ArgumentRoles } from "./lineage.ts";
import type { MediaPart } from "./message.ts";
import type { Principal } from "./principal.ts";
import type { Risk } from "./tool.ts";

/** Plain text, or the name of a secret in `credentials`. */
export type MaybeSecret = string | { readonly secret: string };

/** The operator's settings for tools of a server, by name pattern. */
export interface McpToolOverrides {
  /** Risk of the tools. Unless set: the server's `risk`. */
  readonly risk?: Risk;
  /** Whether every call requires approval. Unless set: false. */
  readonly requiresApproval?: boolean;
  /** Accepts the server's annotations (read-only, idempotent, destructive, open-world). Unless set: false. */
  readonly trustAnnotations?: boolean;
  /** Results count as trusted content and do not taint later calls. Unless set: false. */
  readonly trusted?: boolean;
  /**
   * What each argument decides, for the guard against prompt injection. Unless set: every string is a target.
   */
  readonly roles?: ArgumentRoles;
  /** Time limit of one call. Unless set: the server's `callTimeoutMs`. */
  readonly timeoutMs?: number;
  /**
   * JSON pointer to the argument that names the effect, such as `/order`: at most one effect per value and
   * tenant, as with `key` of a tool. Unless set: no key.
   */
  readonly key?: string;
}

/** Options of every MCP server, independent of its transport. */
interface CommonServerOptions {
  /**
   * Protocol era of the server; `auto` detects it with one request that both eras answer. Unless set: `auto`.
   */
  readonly era?: "auto" | "legacy" | "modern";
  /** `prefixed` puts the server's id before each tool name; `bare` keeps the name. Unless set: `prefixed`. */
  readonly names?: "prefixed" | "bare";
  /** Risk of all its tools, unless `terms` overrides it. Unless set: `medium`. */
  readonly risk?: Risk;
  /** Overrides by tool name pattern; the last match wins. Unless set: none. */
  readonly terms?: Readonly<Record<string, McpToolOverrides>>;
  /** Name patterns of tools to import. Unless set: all. */
  readonly include?: readonly string[];
  /** Name patterns of tools to leave out. Unless set: none. */
  readonly exclude?: readonly string[];
  /**
   * Offers prompts and resources to models as two tools. Code can use them in any case. Unless set: false.
   */
  readonly offerResources?: boolean;
  /** Time limit for connecting or starting. Unless set: `config.mcp.connectionTimeoutMs`. */
  readonly connectTimeoutMs?: number;
  /** Time limit for a request. Unless set: `config.mcp.requestTimeoutMs`. */
  readonly callTimeoutMs?: number;
  /** Maximum size of one message in bytes. Unless set: 10 MiB. */
  readonly maxMessageBytes?: number;
  /** How often to list tools again if the server gives no lifetime of its list. Unless set: not by time. */
  readonly refreshMs?: number;
  /** One connection for all callers, or one per principal. Unless set: `shared`. */
  readonly sharing?: "shared" | "principal";
  /** Keeps the server in the configuration without starting it. Unless set: false. */
  readonly disabled?: boolean;
}

/** Sandbox of a server that must not access the machine. */
export interface ServerSandbox {
  readonly engine: "bubblewrap";
  /** Absolute paths that it may read, in addition to system programs. Unless set: none. */
  readonly read?: readonly string[];
  /** Absolute paths that it may write. Unless set: none. */
  readonly write?: readonly string[];
  /** Network access, including ports of this machine. Unless set: false. */
  readonly network?: boolean;
}

/** A server that runs as a child process. It inherits only a few harmless variables and those named here. */
export interface StdioServer extends CommonServerOptions {
  /** Optional: `command` implies it. */
  readonly transport?: "stdio";
  /** The program, started in its own process group. */
  readonly command: string;
  /** Arguments of the program. Unless set: none. */
  readonly args?: readonly string[];
  /** Environment variables, as text or names of secrets. Unless set: none. */
  readonly env?: Readonly<Record<string, MaybeSecret>>;
  /** Names of variables inherited from this process. Unless set: none. */
  readonly inheritEnv?: readonly string[];
  /** Working directory, readable inside a sandbox. Unless set: that of this process. */
  readonly cwd?: string;
  /**
   * Runs the server in a sandbox without files of this machine, network or inherited variables;
   * `"bubblewrap"` grants nothing more. The server does not start if the sandbox is unavailable. Unless set:
   * no sandbox.
   */
  readonly sandbox?: "bubblewrap" | ServerSandbox;
}

/** OAuth 2.1 settings of a remote server. */
export interface McpOAuth {
  /** Id of a client that was registered manually. Unless set: dynamic client registration. */
  readonly clientId?: string;
  /** Client secret, as text or the name of a secret. Unless set: a public client. */
  readonly clientSecret?: MaybeSecret;
  /** URL of a client metadata document, used instead of a registration. */
  readonly clientMetadataUrl?: string;
  /** Requested scope. Unless set: what the server asks for. */
  readonly scope?: string;
  /** Redirect URL after sign-in. Unless set: a port of this machine. */
  readonly redirectUrl?: string;
  /** Grant type: with a user, or machine to machine. Unless set: `authorization_code`. */
  readonly grant?: "authorization_code" | "client_credentials";
  /** The only accepted issuer. Unless set: any that the server names. */
  readonly issuer?: string;
}

/** A server that is reached by URL. */
export interface RemoteServer extends CommonServerOptions {
  /** `http` is Streamable HTTP. Unless set: `http`, with a fallback to `sse` for old servers. */
  readonly transport?: "http" | "sse" | "websocket";
  /** URL with `https:` or `wss:`. */
  readonly url: string;
  /** Request headers, as text or names of secrets. Unless set: none. */
  readonly headers?: Readonly<Record<string, MaybeSecret>>;
  /** OAuth settings; `false` turns OAuth off. Unless set: OAuth if the server requires it. */
  readonly oauth?: McpOAuth | boolean;
}

/** An MCP server: a command to start, or a URL. */
export type McpServer = StdioServer | RemoteServer;

/** A server with its id from the configuration. */
export type NamedMcpServer = McpServer & { readonly id: string };

export const isStdioServer = (server: McpServer): server is StdioServer => "command" in server;

/** `degraded`: connected, but some tools are quarantined or not understood. */
export type McpStatus = "connecting" | "connected" | "degraded" | "disconnected" | "error";

/** State of a server, for operators. */
export interface McpServerState {
  readonly id: string;
  readonly status: McpStatus;
  /** Why the status is not `connected`. */
  readonly reason?: string;
  readonly transport: "stdio" | "http" | "sse" | "websocket";
  /** URL of a remote server without credentials. */
  readonly endpoint?: string;
  /** Command line of a local server without secrets. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly era?: "legacy" | "modern";
  readonly protocol?: string;
  /** What the server calls itself. It has no effect. */
  readonly serverInfo?: { readonly name: string; readonly version: string; readonly title?: string };
  /** Full names of the callable tools; empty while disconnected. */
  readonly tools: readonly string[];
  /** Tools that wait for a review, with the reasons. */
  readonly quarantined: readonly { readonly tool: string; readonly reason: string }[];
  /** Parts of tool schemas that are not enforced, such as a pattern with lookahead. */
  readonly losses?: readonly { readonly tool: string; readonly loss: string }[];
  /** Patterns of the server's settings that match none of its tools, and the most similar names of tools. */
  readonly unmatched?: readonly {
    readonly setting: "terms" | "include" | "exclude";
    /** The position in `include` and `exclude`, or the pattern. */
    readonly at: string | number;
    readonly pattern: string;
    readonly meant?: string;
  }[];
  readonly connectedAt?: number;
  /** Number of reconnects after a lost connection. */
  readonly reconnects: number;
}

export type UnmatchedToolPattern = NonNullable<McpServerState["unmatched"]>[number];

/** All fields come from the server and are untrusted. */
export interface RemoteTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly icons?: readonly unknown[];
  readonly execution?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A listed tool that cannot be called, and why. A tool without a name gets a descriptive one. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

export interface ToolListing {
  readonly tools: readonly RemoteTool[];
  readonly refused?: readonly RefusedTool[];
  readonly ttlMs?: number;
}

export interface ContentBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface RemoteResult {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type InputRequests = Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;
export type InputResponses = Readonly<Record<string, unknown>>;

export interface McpProtocolError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The client behind a call, as far as a server can interact with it. */
export interface McpCaller {
  readonly party?: string;
  readonly ask?: (requests: InputRequests, signal: AbortSignal) => Promise<InputResponses>;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** The returned function marks the end of the call. Requests and messages in between belong to the tool. */
  readonly calling?: (tool: string) => () => void;
  /** The code may outlive its call if it ignores its signal. */
  readonly started?: (code: Promise<unknown>) => void;
  /** The original result, before it is converted to a value with parts. */
  readonly received?: (
    value: unknown,
    result: RemoteResult,
    callId: string,
    parts?: readonly MediaPart[],
  ) => void;
  readonly refused?: (refusal: McpProtocolError, callId: string) => void;
  /** Servers of the modern era log nothing without it. */
  readonly logLevel?: string;
  readonly logged?: (message: Readonly<Record<string, unknown>>) => void;
  readonly waitsForTasks?: boolean;
  readonly tasked?: (task: Readonly<Record<string, unknown>>) => void;
  readonly progressed?: (update: Readonly<Record<string, unknown>>) => void;
}

/** Set for calls that come in over MCP; read by the implementation of remote tools. */
export const CurrentMcpCaller: Context.Reference<McpCaller | undefined> = Context.Reference<
  McpCaller | undefined
>("haft/McpCaller", { defaultValue: () => undefined });

export interface McpSessionRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly caller?: McpCaller;
  readonly onProgress?: (update: Readonly<Record<string, unknown>>) => void;
}

export type McpSessionNotification =
  | { readonly kind: "tools-changed" | "prompts-changed" | "resources-changed" }
  | { readonly kind: "resource-updated"; readonly uri: string }
  | { readonly kind: "logged"; readonly message: Readonly<Record<string, unknown>> }
  | { readonly kind: "trouble"; readonly message: string }
  | { readonly kind: "closed"; readonly reason: string };

/** An open connection after its handshake. Every rejection is a ToolError. */
export interface McpSession {
  readonly era: "legacy" | "modern";
  readonly protocol: string;
  readonly serverInfo: McpServerState["serverInfo"];
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions: string | undefined;
  readonly transport: McpServerState["transport"];
  readonly pid?: number;
  readonly listTools: (signal?: AbortSignal) => Promise<ToolListing>;
  readonly request: (request: McpSessionRequest) => Promise<Readonly<Record<string, unknown>>>;
  readonly notify: (method: string, params?: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly onNews: (listener: (news: McpSessionNotification) => void) => () => void;
  /** Closes the connection and everything that it started. Never rejects. */
  readonly close: () => Promise<void>;
}

export interface McpSessionServices {
  readonly reveal: (value: MaybeSecret) => Promise<string>;
  readonly principal: Principal | undefined;
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Protocol version that the legacy handshake offers first. Unless set: the newest. */
  readonly protocolVersion?: string | undefined;
  readonly signal?: AbortSignal;
  readonly authorize?: (
    server: RemoteServer & { readonly id: string },
    principal: Principal | undefined,
  ) => unknown;
  readonly onStderr?: (line: string) => void;
}
