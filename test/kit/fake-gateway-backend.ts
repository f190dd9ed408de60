import type { McpTool } from "../../src/models/dialects/mcp/to-mcp.ts";
import type {
  BackendCall,
  BackendProgressListener,
  GatewayBackend,
  UpstreamServer,
} from "../../src/server/gateway/gateway-backend.ts";
import type { ApprovalDecision } from "../../src/types/approval.ts";
import type { McpSession, McpSessionNotification, McpSessionRequest } from "../../src/types/mcp.ts";
import type { Reply } from "../../src/types/outcome.ts";

/** Receives the call with parsed arguments. `calls` has it as the gateway passed it, with the exact text. */
export type FakeToolRun = (call: BackendCall) => unknown;

/** A reply with this value. */
export const valueReply = (call: Pick<BackendCall, "id" | "tool">, value: unknown): Reply => ({
  id: call.id,
  tool: call.tool,
  ok: true,
  text: typeof value === "string" ? value : JSON.stringify(value),
  flow: { kind: "continue" },
  value,
});

export const failureReply = (
  call: Pick<BackendCall, "id" | "tool">,
  failure: NonNullable<Reply["failure"]>,
): Reply => ({
  id: call.id,
  tool: call.tool,
  ok: false,
  text: `Error: ${failure.message}`,
  flow: { kind: "continue" },
  failure,
});

const isReply = (value: unknown): value is Reply =>
  typeof value === "object" && value !== null && "flow" in value && "ok" in value;

export const fakeTool = (name: string, more: Partial<McpTool> = {}): McpTool => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object" },
  ...more,
});

export interface FakeBackendOptions {
  readonly tools?: readonly McpTool[];
  /** By tool: a value, a whole reply, or a thrown failure. */
  readonly runs?: Readonly<Record<string, FakeToolRun>>;
  readonly resume?: (
    id: string,
    decision: ApprovalDecision,
    call: { readonly by: string; readonly caller: BackendCall["caller"] },
  ) => Reply;
  readonly servers?: readonly UpstreamServer[];
  readonly redact?: (text: string) => string;
}

/** A gateway backend without a runtime. */
export const fakeGatewayBackend = (options: FakeBackendOptions = {}) => {
  const { runs = {}, servers = [], resume, redact = (text) => text } = options;
  const tools = options.tools ?? Object.keys(runs).map((name) => fakeTool(name));
  const calls: BackendCall[] = [];
  const resumed: { readonly id: string; readonly decision: ApprovalDecision; readonly by: string }[] = [];
  const progress = new Set<BackendProgressListener>();
  const received: string[] = [];
  const notificationListeners = new Set<
    (notificationListeners: McpSessionNotification, serverId: string | undefined) => void
  >();
  const served: GatewayBackend = {
    info: { name: "fake", version: "1.0.0" },
    tools: () => tools,
    call: async (call) => {
      calls.push(call);
      const run = runs[call.tool];
      if (run === undefined) return failureReply(call, { code: "unknown_tool", message: "no such tool" });
      const { input } = call;
      const value = await run({ ...call, input: typeof input === "string" ? JSON.parse(input) : input });
      return isReply(value) ? value : valueReply(call, value);
    },
    resume: async (id, decision, call) => {
      resumed.push({ id, decision, by: call.by });
      return resume!(id, decision, call);
    },
    servers: () => servers,
    onProgress: (listener) => {
      progress.add(listener);
      return () => progress.delete(listener);
    },
    onContentForwarded: (names) => void received.push(...names),
    onChange: (listener) => {
      notificationListeners.add(listener);
      return () => notificationListeners.delete(listener);
    },
    redact,
  };
  return {
    served,
    calls,
    resumed,
    received,
    listeners: { progress, news: notificationListeners },
    progress: (callId: string, update: unknown, taints: readonly string[] = []) => {
      for (const listener of progress) listener(callId, update, taints);
    },
    tell: (reported: McpSessionNotification, serverId?: string) => {
      for (const listener of notificationListeners) listener(reported, serverId);
    },
  };
};

type SessionAnswers = Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => unknown>>;

/** A server behind the gateway that answers from a table and records its requests. */
export const fakeMcpSession = (
  capabilities: Readonly<Record<string, unknown>>,
  answers: SessionAnswers = {},
) => {
  const requests: McpSessionRequest[] = [];
  const news = new Set<(news: McpSessionNotification) => void>();
  const session: McpSession = {
    era: "legacy",
    protocol: "2025-11-25",
    serverInfo: { name: "behind", version: "1" },
    capabilities,
    instructions: undefined,
    transport: "stdio",
    listTools: async () => ({ tools: [] }),
    request: async (request) => {
      requests.push(request);
      const result = await answers[request.method]?.(request.params ?? {});
      return (result ?? {}) as Readonly<Record<string, unknown>>;
    },
    notify: async () => {},
    onNews: (listener) => {
      news.add(listener);
      return () => news.delete(listener);
    },
    close: async () => {},
  };
  const asked = (method: string): readonly unknown[] =>
    requests.filter((request) => request.method === method).map(({ params }) => params);
  const tell = (reported: McpSessionNotification): void => {
    for (const listener of news) listener(reported);
  };
  return { session, asked, tell };
};
