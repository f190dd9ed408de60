import * as Context from "effect/Context";
import type { JsonSchema } from "./json.ts";
import type { Principal } from "./principal.ts";
import type { Risk } from "./spec.ts";

/** Text as it is, or the name under which credentials keep it. */
export type MaybeSecret = string | { readonly secret: string };

/** What an operator says of tools of a server by name pattern. Nothing a server says of itself lowers a risk. */
export interface McpToolTerms {
  readonly risk?: Risk;
  readonly requiresApproval?: boolean;
  /** Believes the server that its tools only read, are idempotent or harmless. */
  readonly trustAnnotations?: boolean;
  /** What its tools answer are the user's own words, as of a private folder: later calls are not suspect for it. */
  readonly trusted?: boolean;
  readonly timeoutMs?: number;
}

interface AnyServer {
  /** `auto` asks once in a way that both eras of the protocol can answer. */
  readonly era?: "auto" | "legacy" | "modern";
  /** `prefixed` puts the server's id before each tool; `bare` leaves names alone, and a name can be taken only once. */
  readonly names?: "prefixed" | "bare";
  /** For all its tools unless `terms` say more: medium. */
  readonly risk?: Risk;
  readonly terms?: Readonly<Record<string, McpToolTerms>>;
  /** Name patterns of tools that are taken over; all unless given. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Prompts and resources are offered to models as two tools. They can be called either way. */
  readonly offerResources?: boolean;
  readonly connectTimeoutMs?: number;
  readonly callTimeoutMs?: number;
  /** The most bytes one message may have: 10 MiB. */
  readonly maxMessageBytes?: number;
  /** How often tools are listed again where the server does not say how long a list holds. */
  readonly refreshMs?: number;
  /** One connection for all, or one for each principal: then no answer can reach the wrong person. */
  readonly sharing?: "shared" | "principal";
  readonly disabled?: boolean;
}

/** A server that is a child process. It gets a few harmless variables of ours and those named here, never all. */
export interface StdioServer extends AnyServer {
  readonly transport?: "stdio";
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, MaybeSecret>>;
  /** Variables of this process that are passed on. */
  readonly inheritEnv?: readonly string[];
  readonly cwd?: string;
}

export interface McpOAuth {
  /** Client metadata document, or a client that was registered by hand; else the server is asked to register one. */
  readonly clientId?: string;
  readonly clientSecret?: MaybeSecret;
  readonly clientMetadataUrl?: string;
  readonly scope?: string;
  readonly redirectUrl?: string;
  /** Machine to machine, without a person. */
  readonly grant?: "authorization_code" | "client_credentials";
  /** The only issuer that is believed; any that the server names unless given. */
  readonly issuer?: string;
}

export interface RemoteServer extends AnyServer {
  /** `http` is Streamable HTTP. Left out, it is tried first, and `sse` where an old server answers so. */
  readonly transport?: "http" | "sse" | "websocket";
  readonly url: string;
  readonly headers?: Readonly<Record<string, MaybeSecret>>;
  readonly oauth?: McpOAuth | boolean;
}

export type McpServer = StdioServer | RemoteServer;

/** A server under the id that our own configuration gives it. */
export type NamedServer = McpServer & { readonly id: string };

export const isStdio = (server: McpServer): server is StdioServer => "command" in server;

/** `degraded` answers, but something of it is held back or was not understood. */
export type McpStatus = "connecting" | "connected" | "degraded" | "disconnected" | "error";

/** A server as its operator sees it. */
export interface McpServerState {
  readonly id: string;
  readonly status: McpStatus;
  /** Why it is not simply connected. */
  readonly reason?: string;
  readonly transport: "stdio" | "http" | "sse" | "websocket";
  readonly era?: "legacy" | "modern";
  readonly protocol?: string;
  /** What the server calls itself; nothing goes by it. */
  readonly serverInfo?: { readonly name: string; readonly version: string; readonly title?: string };
  /** Full names of the tools that can be called. */
  readonly tools: readonly string[];
  /** Tools that are held back until somebody looks at them, and why. */
  readonly quarantined: readonly { readonly tool: string; readonly reason: string }[];
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
export interface Refusal {
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
  /** Hears the result of a remote tool before it becomes a value, so that nothing of it need be lost. */
  readonly received?: (value: unknown, result: RemoteResult, callId: string) => void;
  /** Hears an error of the protocol before it becomes a failure, so that it can be passed on. */
  readonly refused?: (refusal: Refusal, callId: string) => void;
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
export const CurrentCaller: Context.Reference<McpCaller | undefined> = Context.Reference<
  McpCaller | undefined
>("haft/McpCaller", { defaultValue: () => undefined });

export interface SessionRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly caller?: McpCaller;
  readonly onProgress?: (update: Readonly<Record<string, unknown>>) => void;
}

/** What a server tells without being asked. */
export type SessionNews =
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
  readonly listTools: (
    signal?: AbortSignal,
  ) => Promise<{ readonly tools: readonly RemoteTool[]; readonly ttlMs?: number }>;
  /** Any request; its questions to the caller are answered on the way. */
  readonly request: (request: SessionRequest) => Promise<Readonly<Record<string, unknown>>>;
  readonly notify: (method: string, params?: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly onNews: (listener: (news: SessionNews) => void) => () => void;
  /** Ends it and everything it started. Never rejects. */
  readonly close: () => Promise<void>;
}

/** What a connection needs of the runtime around it. */
export interface SessionServices {
  /** Turns names of secrets into their values. */
  readonly reveal: (value: MaybeSecret) => Promise<string>;
  /** For whom tokens are asked for, where a server wants some. */
  readonly principal: Principal | undefined;
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly signal?: AbortSignal;
  /** Opens an authorization of the SDK for a remote server; missing where there is none. */
  readonly authorize?: (
    server: RemoteServer & { readonly id: string },
    principal: Principal | undefined,
  ) => unknown;
  /** Hears each line that a child writes to its standard error. */
  readonly onStderr?: (line: string) => void;
}
