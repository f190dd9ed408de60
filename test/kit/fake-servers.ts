import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { TestClock } from "effect/testing";
import { type McpServersService, openMcpServers } from "../../src/mcp/client/mcp-servers.ts";
import type { McpServersServices, OpenSession } from "../../src/mcp/client/servers/servers-services.ts";
import { type ToolRegistry, toolRegistry } from "../../src/registry/tool-registry.ts";
import { eventBus } from "../../src/runtime/event-bus.ts";
import type { CallContext } from "../../src/types/call.ts";
import { MCPConnectionError, type ToolError } from "../../src/types/errors.ts";
import type { EventBus, EventMap } from "../../src/types/event.ts";
import type {
  McpSession,
  McpSessionNotification,
  McpSessionRequest,
  NamedMcpServer,
  RemoteTool,
} from "../../src/types/mcp.ts";
import type { Principal } from "../../src/types/principal.ts";

export const remoteTool = (name: string, more: Partial<RemoteTool> = {}): RemoteTool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  ...more,
});

export const stdioServer = (id: string, more: Partial<NamedMcpServer> = {}): NamedMcpServer =>
  ({ id, command: "fake", ...more }) as NamedMcpServer;

export const unreachableServerError = (message = "nobody answers"): ToolError =>
  new MCPConnectionError("mcp_unreachable", message, { ran: false });

type FakeAnswer = (request: McpSessionRequest) => unknown;

/** One connection to a fake server, as the server sees it. */
export class FakeSession {
  readonly requests: McpSessionRequest[] = [];
  readonly principal: Principal | undefined;
  isClosed = false;
  lists = 0;
  readonly #server: FakeServer;
  readonly #listeners = new Set<(news: McpSessionNotification) => void>();
  readonly #waiting = new Set<(error: unknown) => void>();

  constructor(server: FakeServer, principal: Principal | undefined) {
    this.#server = server;
    this.principal = principal;
  }

  tell(news: McpSessionNotification): void {
    for (const listener of [...this.#listeners]) listener(news);
  }

  /** Fails everything that is running at once, as when the process is killed. */
  die(reason = "the process was killed"): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const reject of this.#waiting)
      reject(new MCPConnectionError("mcp_unreachable", reason, { ran: true }));
    this.tell({ kind: "closed", reason });
  }

  get outside(): McpSession {
    const server = this.#server;
    return {
      era: "modern",
      protocol: "2026-07-28",
      serverInfo: { name: "fake", version: "1" },
      capabilities: server.capabilities,
      instructions: undefined,
      transport: "stdio",
      listTools: async () => {
        this.lists++;
        server.listing++;
        server.mostListing = Math.max(server.mostListing, server.listing);
        try {
          await server.beforeList?.();
          if (this.isClosed) throw unreachableServerError("it is closed");
          return { tools: [...server.tools], ...(server.ttlMs === undefined ? {} : { ttlMs: server.ttlMs }) };
        } finally {
          server.listing--;
        }
      },
      request: (request) =>
        new Promise((resolve, reject) => {
          this.requests.push(request);
          this.#waiting.add(reject);
          const settle = async (): Promise<unknown> => server.answer(request);
          settle()
            .then((value) => resolve(value as Readonly<Record<string, unknown>>), reject)
            .finally(() => this.#waiting.delete(reject));
        }),
      notify: async () => {},
      onNews: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
      close: async () => {
        this.isClosed = true;
      },
    };
  }
}

/** A server that is controlled by the test. */
export class FakeServer {
  tools: RemoteTool[] = [];
  capabilities: Record<string, unknown> = { tools: {} };
  ttlMs: number | undefined;
  answer: FakeAnswer = () => ({ content: [{ type: "text", text: "done" }] });
  beforeList: (() => Promise<void>) | undefined;
  /** Called for each attempt: an error refuses it, a promise delays it. */
  onOpen: ((attempt: number) => ToolError | Promise<void> | undefined) | undefined;
  attempts = 0;
  aborted = 0;
  listing = 0;
  mostListing = 0;
  readonly sessions: FakeSession[] = [];

  get last(): FakeSession {
    return this.sessions.at(-1) as FakeSession;
  }

  get lists(): number {
    return this.sessions.reduce((sum, { lists }) => sum + lists, 0);
  }
}

export interface FakeServersScene {
  readonly servers: McpServersService;
  readonly registry: ToolRegistry;
  readonly events: EventBus;
  readonly at: (id: string) => FakeServer;
  /** Events of the bus about servers, in order. */
  readonly reported: readonly string[];
}

export type FakeServersOptions = Partial<Omit<McpServersServices, "events" | "open">>;

/** Runs with a manual clock, and with fake servers that are created when they are named. */
export const runWithFakeServers = <A>(
  body: (scene: FakeServersScene) => Effect.Effect<A, unknown, Scope.Scope>,
  options: FakeServersOptions = {},
): Promise<A> => {
  const fakes = new Map<string, FakeServer>();
  const at = (id: string): FakeServer => {
    const fake = fakes.get(id) ?? new FakeServer();
    fakes.set(id, fake);
    return fake;
  };
  const open: OpenSession = async ({ id }, { signal, principal }) => {
    const fake = at(id);
    signal?.addEventListener("abort", () => fake.aborted++);
    fake.attempts++;
    const hindrance = fake.onOpen?.(fake.attempts);
    if (hindrance instanceof Promise) await hindrance;
    else if (hindrance !== undefined) throw hindrance;
    const session = new FakeSession(fake, principal);
    fake.sessions.push(session);
    return session.outside;
  };
  const events = eventBus();
  const reported: string[] = [];
  const record = (name: "tools.mcp-connected" | "tools.mcp-disconnected") =>
    events.on(name, (event: EventMap[typeof name]) =>
      reported.push(
        `${name.slice(10)} ${event.serverName} ${"tools" in event ? event.tools.join(",") : event.reason}`,
      ),
    );
  record("tools.mcp-connected");
  record("tools.mcp-disconnected");
  const scoped = Effect.gen(function* () {
    const tools = options.registry ?? toolRegistry({ events });
    const servers = yield* openMcpServers({
      sharedSession: { reveal: async (value) => String(value) },
      config: { connectionTimeoutMs: 10_000, requestTimeoutMs: 30_000, maxRetries: 3 },
      random: () => 0.5,
      ...options,
      registry: tools,
      events,
      open,
    });
    return yield* body({ servers, registry: tools, events, at, reported });
  });
  return Effect.runPromise(Effect.provide(Effect.scoped(scoped), TestClock.layer()) as Effect.Effect<A>);
};

const nextTick = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)));

/** Runs everything that does not wait for the clock. */
export const flushPending: Effect.Effect<void> = Effect.forEach(Array.from({ length: 8 }), () => nextTick, {
  discard: true,
});

/** Advances the clock in steps, so that timers that are set on the way become due. */
export const advanceClock = (millis: number, step = millis): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let gone = 0; gone < millis; gone += step) {
      yield* flushPending;
      yield* TestClock.adjust(Math.min(step, millis - gone));
    }
    yield* flushPending;
  });

export const adaPrincipal: Principal = { agent: "helper", user: "ada" };

/** The context of a running call, for tests without a pipeline. */
export const callContextOf = (tool: string, more: Partial<CallContext> = {}): CallContext => ({
  callId: "call-1",
  tool,
  signal: new AbortController().signal,
  principal: adaPrincipal,
  idempotencyKey: "key-1",
  env: undefined,
  progress: () => {},
  note: () => {},
  cost: () => {},
  secret: async () => "",
  ...more,
});

/** Calls the code of a registered tool as stage 5 does. */
export const runRegisteredTool = (
  tools: ToolRegistry,
  key: string,
  input: unknown = {},
  more: Partial<CallContext> = {},
): Effect.Effect<unknown> =>
  Effect.suspend(() => {
    const { tool } = tools.get(key) ?? {};
    if (tool === undefined) throw new Error(`no tool ${key}`);
    const answer = tool.implementation.bind(tool.spec)(input, callContextOf(key, more));
    return (
      Effect.isEffect(answer) ? answer : Effect.promise(() => Promise.resolve(answer))
    ) as Effect.Effect<unknown>;
  });

/** The code and message of a call that failed. */
export const outcomeFailure = (
  outcome: unknown,
): { code?: string; message?: string; ran?: boolean; retryAfterMs?: number } =>
  (outcome as { readonly failure?: object }).failure ?? {};

/** Whether a model would see the tool now. */
export const isToolOffered = (tools: ToolRegistry, key: string): boolean =>
  tools.get(key)?.tool.layers.every((layer) => layer.isAvailable?.(key, 0) !== false) ?? false;
