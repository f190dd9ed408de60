import * as Context from "effect/Context";
import type { MediaPart } from "./content.ts";
import type { JsonSchema } from "./json.ts";
import type { Principal } from "./principal.ts";
import type { Risk } from "./spec.ts";

/** Text as it is, or the name under which credentials keep it. */
export type MaybeSecret = string | { readonly secret: string };

/** What an operator says of tools of a server by name pattern. Nothing a server says of itself lowers a risk. */
export interface McpToolOverrides {
  /** High and critical need a person, or a rule that waives it. Unless set: the server's `risk`. */
  readonly risk?: Risk;
  /** Whether every call needs a person. Unless set: false. */
  readonly requiresApproval?: boolean;
  /** Believes the server that its tools only read, are idempotent, harmless or stay inside. Unless set: false. */
  readonly trustAnnotations?: boolean;
  /** What its tools answer are the user's own words: later calls are not suspect for it. Unless set: false. */
  readonly trusted?: boolean;
  /** How long one call may take. Unless set: the server's `callTimeoutMs`. */
  readonly timeoutMs?: number;
}

/** What holds for every MCP server, however it is reached. */
interface CommonServerOptions {
  /** Which era of the protocol it speaks; `auto` asks once in a way that both can answer. Unless set: `auto`. */
  readonly era?: "auto" | "legacy" | "modern";
  /** `prefixed` puts the server's id before each tool; `bare` leaves names alone. Unless set: `prefixed`. */
  readonly names?: "prefixed" | "bare";
  /** For all its tools unless `terms` say more. Unless set: `medium`. */
  readonly risk?: Risk;
  /** What an operator says of its tools, by name pattern; of several that fit the later counts. Unless set: nothing. */
  readonly terms?: Readonly<Record<string, McpToolOverrides>>;
  /** Name patterns of tools that are taken over. Unless set: all. */
  readonly include?: readonly string[];
  /** Name patterns of tools that are not taken over. Unless set: none. */
  readonly exclude?: readonly string[];
  /** Whether prompts and resources are offered to models as two tools. Code can call them either way. Unless set: false. */
  readonly offerResources?: boolean;
  /** How long it may take to start or to be reached. Unless set: `config.mcp.connectionTimeoutMs`. */
  readonly connectTimeoutMs?: number;
  /** How long it may take to answer a request. Unless set: `config.mcp.requestTimeoutMs`. */
  readonly callTimeoutMs?: number;
  /** The most bytes one message may have. Unless set: 10 MiB. */
  readonly maxMessageBytes?: number;
  /** How often tools are listed again where the server does not say how long a list holds. Unless set: not by time. */
  readonly refreshMs?: number;
  /** One connection for all callers, or one for each, so that no answer reaches the wrong one. Unless set: `shared`. */
  readonly sharing?: "shared" | "principal";
  /** Keeps it in the configuration without starting it. Unless set: false. */
  readonly disabled?: boolean;
}

/** Where a server runs that nobody trusts with the machine. */
export interface ServerSandbox {
  readonly engine: "bubblewrap";
  /** Absolute paths that it may read, beside the system's own programs. Unless set: none. */
  readonly read?: readonly string[];
  /** Absolute paths that it may change. Unless set: none. */
  readonly write?: readonly string[];
  /** Whether it sees the network, this machine's own ports included. Unless set: false. */
  readonly network?: boolean;
}

/** A server that is a child process. It gets a few harmless variables of ours and those named here, never all. */
export interface StdioServer extends CommonServerOptions {
  /** What it is reached by. A `command` says the same. */
  readonly transport?: "stdio";
  /** The program that is started, in a process group of its own. */
  readonly command: string;
  /** Its arguments. Unless set: none. */
  readonly args?: readonly string[];
  /** Variables it gets, as text or as names of secrets. Unless set: none but a few harmless ones. */
  readonly env?: Readonly<Record<string, MaybeSecret>>;
  /** Variables of this process that are passed on. Unless set: none but a few harmless ones. */
  readonly inheritEnv?: readonly string[];
  /** The folder it is started in. Unless set: that of this process. In a sandbox it may be read there. */
  readonly cwd?: string;
  /**
   * Starts it in a sandbox, without files of this machine, without network and with its own variables only; `"bubblewrap"`
   * is one that may do nothing more. Where the sandbox cannot be had, the server is not started. Unless set: without one.
   */
  readonly sandbox?: "bubblewrap" | ServerSandbox;
}

/** How a token of OAuth 2.1 is had for a remote server. */
export interface McpOAuth {
  /** A client that was registered by hand. Unless set: the server is asked to register one. */
  readonly clientId?: string;
  /** Its secret, as text or by name. Unless set: the client is public. */
  readonly clientSecret?: MaybeSecret;
  /** The address of a client metadata document, in place of a registration. */
  readonly clientMetadataUrl?: string;
  /** What the token is to open. Unless set: what the server asks for. */
  readonly scope?: string;
  /** Where a person comes back to after signing in. Unless set: a port of this machine. */
  readonly redirectUrl?: string;
  /** With a person, or machine to machine without one. Unless set: `authorization_code`. */
  readonly grant?: "authorization_code" | "client_credentials";
  /** The only issuer that is believed. Unless set: any that the server names. */
  readonly issuer?: string;
}

/** A server that is reached by an address. */
export interface RemoteServer extends CommonServerOptions {
  /** `http` is Streamable HTTP. Unless set: that first, then `sse` where an old server answers so. */
  readonly transport?: "http" | "sse" | "websocket";
  /** Its address, with `https:` or `wss:`. */
  readonly url: string;
  /** Headers of each request, as text or as names of secrets. Unless set: none. */
  readonly headers?: Readonly<Record<string, MaybeSecret>>;
  /** How a token is had; `false` leaves it alone. Unless set: as the server asks, if it does. */
  readonly oauth?: McpOAuth | boolean;
}

/** How an MCP server is reached: a command to start, or an address. */
export type McpServer = StdioServer | RemoteServer;

/** A server under the id that our own configuration gives it. */
export type NamedMcpServer = McpServer & { readonly id: string };

export const isStdioServer = (server: McpServer): server is StdioServer => "command" in server;

/** `degraded` answers, but something of it is held back or was not understood. */
export type McpStatus = "connecting" | "connected" | "degraded" | "disconnected" | "error";

/** A server as its operator sees it. */
export interface McpServerState {
  readonly id: string;
  readonly status: McpStatus;
  /** Why it is not simply connected. */
  readonly reason?: string;
  readonly transport: "stdio" | "http" | "sse" | "websocket";
  /** Where a remote server is, without credentials. */
  readonly endpoint?: string;
  /** How a local server is started, without secrets. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly era?: "legacy" | "modern";
  readonly protocol?: string;
  /** What the server calls itself; nothing goes by it. */
  readonly serverInfo?: { readonly name: string; readonly version: string; readonly title?: string };
  /** Full names of the tools that can be called; none while the server is not connected. */
  readonly tools: readonly string[];
  /** Tools that are held back until somebody looks at them, and why. */
  readonly quarantined: readonly { readonly tool: string; readonly reason: string }[];
  /** What of tools that can be called is checked by nobody here, such as a pattern that looks ahead. */
  readonly losses?: readonly { readonly tool: string; readonly loss: string }[];
  readonly connectedAt?: number;
  /** Times it was connected again after it was lost. */
  readonly reconnects: number;
}

/** A tool as a server defines it. Every word of it is foreign. */
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

/** What a server lists and nobody can call, and why; where it has no name, something to find it by. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

/** All that a server lists under `tools/list`. */
export interface ToolListing {
  readonly tools: readonly RemoteTool[];
  /** What is listed and cannot be a tool. */
  readonly refused?: readonly RefusedTool[];
  /** How long the list holds, as its server says. */
  readonly ttlMs?: number;
}

/** One piece of a result: text, image, audio, resource_link, resource, or a kind that is not known yet. */
export interface ContentBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A tool's result as the protocol has it. */
export interface RemoteResult {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What a server asks of whoever called it, by key: elicitation/create, sampling/createMessage or roots/list. */
export type InputRequests = Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;
export type InputResponses = Readonly<Record<string, unknown>>;

/** An error of the protocol, as a server answered. */
export interface McpProtocolError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Who is behind a call, as far as a server can speak to it while the call goes on. */
export interface McpCaller {
  /** Whose calls these are: all of one party are one caller's. Without it, each of these objects is a caller. */
  readonly party?: string;
  /** Answers a server's questions, or rejects where there is nobody to ask. */
  readonly ask?: (requests: InputRequests, signal: AbortSignal) => Promise<InputResponses>;
  /** The client capabilities it has: which kinds of questions make sense. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Hears which remote tool is called for it, until what it answers with is called: what it is asked and told meanwhile is that tool's. */
  readonly calling?: (tool: string) => () => void;
  /** Hears of code that was started for it. The code may go on after its call is over, where it ignores its signal. */
  readonly started?: (code: Promise<unknown>) => void;
  /** Hears the result of a remote tool before it becomes a value with parts, so that nothing of it need be lost. */
  readonly received?: (
    value: unknown,
    result: RemoteResult,
    callId: string,
    parts?: readonly MediaPart[],
  ) => void;
  /** Hears an error of the protocol before it becomes a failure, so that it can be passed on. */
  readonly refused?: (refusal: McpProtocolError, callId: string) => void;
  /** The least severe message it wants to hear; servers of the new era log nothing unless told. */
  readonly logLevel?: string;
  /** Hears what a server logs while the call goes on. */
  readonly logged?: (message: Readonly<Record<string, unknown>>) => void;
  /** False where a server must not make a task of the call, because nobody would wait for it. */
  readonly waitsForTasks?: boolean;
  /** Hears that the server goes on with the call as a task, and under what terms. */
  readonly tasked?: (task: Readonly<Record<string, unknown>>) => void;
  readonly progressed?: (update: Readonly<Record<string, unknown>>) => void;
}

/** Set around calls that come in over MCP; the code of a remote tool finds it. */
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

/** What a server tells without being asked. */
export type McpSessionNotification =
  | { readonly kind: "tools-changed" | "prompts-changed" | "resources-changed" }
  | { readonly kind: "resource-updated"; readonly uri: string }
  | { readonly kind: "logged"; readonly message: Readonly<Record<string, unknown>> }
  | { readonly kind: "trouble"; readonly message: string }
  | { readonly kind: "closed"; readonly reason: string };

/** One live connection to one server, past its handshake. Every rejection is a ToolError. */
export interface McpSession {
  readonly era: "legacy" | "modern";
  readonly protocol: string;
  readonly serverInfo: McpServerState["serverInfo"];
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions: string | undefined;
  readonly transport: McpServerState["transport"];
  readonly pid?: number;
  /** Every page, in the server's order. */
  readonly listTools: (signal?: AbortSignal) => Promise<ToolListing>;
  /** Any request; its questions to the caller are answered on the way. */
  readonly request: (request: McpSessionRequest) => Promise<Readonly<Record<string, unknown>>>;
  readonly notify: (method: string, params?: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly onNews: (listener: (news: McpSessionNotification) => void) => () => void;
  /** Ends it and everything it started. Never rejects. */
  readonly close: () => Promise<void>;
}

/** What a connection needs of the runtime around it. */
export interface McpSessionServices {
  /** Turns names of secrets into their values. */
  readonly reveal: (value: MaybeSecret) => Promise<string>;
  /** For whom tokens are asked for, where a server wants some. */
  readonly principal: Principal | undefined;
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** The version that the old handshake offers first. Unless set: the newest. */
  readonly protocolVersion?: string | undefined;
  readonly signal?: AbortSignal;
  /** Opens an authorization of the SDK for a remote server; missing where there is none. */
  readonly authorize?: (
    server: RemoteServer & { readonly id: string },
    principal: Principal | undefined,
  ) => unknown;
  /** Hears each line that a child writes to its standard error. */
  readonly onStderr?: (line: string) => void;
}
