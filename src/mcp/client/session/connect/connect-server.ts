import {
  Client,
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/client";
import { isStdioServer, type McpServer, type NamedMcpServer } from "../../../../types/mcp.ts";
import type { ServerTransport } from "../../transport/server-transport.ts";
import { clientCapabilities } from "../server-requests.ts";

export interface OpenedClient {
  readonly client: Client;
  readonly wire: ServerTransport;
}

interface ConnectContext {
  readonly server: NamedMcpServer;
  readonly openWire: () => ServerTransport;
  /** Lets a deadline close the transport. */
  readonly onWire: (wire: ServerTransport) => void;
  readonly remainingMs: () => number;
  readonly prepare: (client: Client, wire: ServerTransport) => void;
  readonly connectTimeoutMs: number;
  readonly protocolVersion: string | undefined;
  readonly isHttp: boolean;
}

const clientInfo = { name: "haft", version: "1" };
const modernVersion = "2026-07-28";
/** A WebSocket opens only when the server is running. */
const socketSilenceMs = 1_500;

type ProtocolMode =
  | { readonly kind: "legacy" }
  | { readonly kind: "modern" }
  | { readonly kind: "auto"; readonly probeMs: number };

interface ConnectAttempt extends OpenedClient {
  probe: "result" | "error" | undefined;
  isSilent: boolean;
}

const isProbe = (message: JSONRPCMessage): message is JSONRPCMessage & { readonly id: string } =>
  "id" in message && typeof message.id === "string" && message.id.startsWith("server-discover-probe");

const trackProbe = (wire: ServerTransport): (() => string | undefined) => {
  const send = wire.send.bind(wire);
  let id: string | undefined;
  wire.send = (message, options) => {
    if (isProbe(message)) id = message.id;
    return send(message, options);
  };
  return () => id;
};

/** The SDK offers the first version and accepts any of them. */
const offeredVersions = (version: string | undefined): { readonly supportedProtocolVersions?: string[] } =>
  version === undefined
    ? {}
    : {
        supportedProtocolVersions: [
          version,
          ...SUPPORTED_PROTOCOL_VERSIONS.filter((each) => each !== version),
        ],
      };

const attemptConnect = async (context: ConnectContext, mode: ProtocolMode): Promise<ConnectAttempt> => {
  const wire = context.openWire();
  context.onWire(wire);
  const client = new Client(clientInfo, {
    capabilities: clientCapabilities,
    inputRequired: { autoFulfill: false },
    ...offeredVersions(context.protocolVersion),
    versionNegotiation:
      mode.kind === "legacy"
        ? { mode: "legacy" }
        : mode.kind === "modern"
          ? { mode: { pin: modernVersion }, probe: { timeoutMs: context.remainingMs() } }
          : { mode: "auto", probe: { timeoutMs: mode.probeMs } },
  });
  context.prepare(client, wire);
  const connection: ConnectAttempt = { client, wire, probe: undefined, isSilent: false };
  const asked = trackProbe(wire);
  const stop =
    mode.kind === "auto" && wire.kind === "stdio"
      ? endOnSilence({
          wire,
          connectTimeoutMs: context.connectTimeoutMs,
          asked,
          onSilence: () => {
            connection.isSilent = true;
          },
        })
      : undefined;
  wire.onInspect = (message) => {
    if (!isProbe(message)) return;
    stop?.();
    connection.probe = "result" in message ? "result" : "error";
  };
  try {
    await client.connect(wire, { timeout: context.remainingMs() });
    return connection;
  } catch (error) {
    // The next attempt must not overlap with this child process.
    await wire.close();
    throw mode.kind === "auto" && connection.probe === "result" ? new SlowModernServerError(error) : error;
  } finally {
    stop?.();
  }
};

/** The probe was answered after the legacy handshake had started. */
class SlowModernServerError extends Error {
  constructor(cause: unknown) {
    super("The server is modern and slow to start.", { cause });
  }
}

/**
 * A slow server of both eras may answer the legacy handshake first. Reconnects in the modern era, or keeps
 * the legacy connection if that fails.
 */
const preferModern = async (
  context: ConnectContext,
  legacyClient: OpenedClient,
  neededMs: number,
): Promise<OpenedClient> => {
  const remainingMs = (): number => Math.max(1, context.remainingMs() - reservedMs);
  if (remainingMs() < neededMs) return legacyClient;
  try {
    const modern = await attemptConnect({ ...context, remainingMs: remainingMs }, { kind: "modern" });
    await legacyClient.wire.close();
    return modern;
  } catch {
    context.onWire(legacyClient.wire);
    return legacyClient;
  }
};

const reservedMs = 250;

const isProbeFailure = (error: unknown): boolean =>
  error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;

const isRequestTimeout = (error: unknown): boolean =>
  error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;

/** Only if the probe broke the connection, never if the server cannot be started. */
const canRetryAsLegacy = (error: unknown, wire: ServerTransport | undefined): boolean =>
  wire !== undefined &&
  ((wire.kind === "stdio" && isProbeFailure(error)) ||
    (wire.kind === "websocket" && (isProbeFailure(error) || isRequestTimeout(error))));

/** Opens a second connection only if the probe broke the first. */
export const connectServer = async (context: ConnectContext): Promise<OpenedClient> => {
  const { server, connectTimeoutMs } = context;
  const era = server.era ?? "auto";
  if (era !== "auto") return attemptConnect(context, { kind: era });
  const known = findKnownEra(server);
  if (known === "legacy") return attemptConnect(context, { kind: "legacy" });
  // Over HTTP, silence means an outage. A child process may still be starting.
  const waitsFullTime = known === "modern" || context.isHttp || isStdioServer(server);
  const probeMs = waitsFullTime ? context.remainingMs() : Math.min(socketSilenceMs, connectTimeoutMs / 2);
  let last: ServerTransport | undefined;
  const watching: ConnectContext = {
    ...context,
    onWire: (wire) => {
      last = wire;
      context.onWire(wire);
    },
  };
  const startedAt = Date.now();
  try {
    const connection = await attemptConnect(watching, { kind: "auto", probeMs });
    const isModern = connection.client.getProtocolEra() === "modern";
    if (isModern || connection.probe === "result") rememberEra(server, "modern");
    else if (connection.probe === undefined && (connection.isSilent || Date.now() - startedAt >= probeMs))
      rememberEra(server, "legacy");
    return !isModern && connection.probe === "result"
      ? await preferModern(context, connection, Date.now() - startedAt)
      : connection;
  } catch (error) {
    if (error instanceof SlowModernServerError) return attemptConnect(context, { kind: "modern" });
    if (!canRetryAsLegacy(error, last) || context.remainingMs() <= 0) throw error;
    const connection = await attemptConnect(context, { kind: "legacy" });
    rememberEra(server, "legacy");
    return connection;
  }
};

type ServerEra = "legacy" | "modern";

const maxKnownEras = 1_000;
const knownEras = new Map<string, ServerEra>();

const eraKeyOf = (server: McpServer): string =>
  isStdioServer(server)
    ? JSON.stringify([server.command, server.args ?? [], server.cwd ?? ""])
    : JSON.stringify([server.transport ?? "http", server.url]);

export const findKnownEra = (server: McpServer): ServerEra | undefined => knownEras.get(eraKeyOf(server));

export const rememberEra = (server: McpServer, era: ServerEra): void => {
  if (knownEras.size >= maxKnownEras) knownEras.clear();
  knownEras.set(eraKeyOf(server), era);
};

export const forgetEra = (server: McpServer): void => {
  knownEras.delete(eraKeyOf(server));
};

/** Silence after the first output of a child. */
const maxSilenceAfterOutputMs = 1_500;
/** Longer, because stderr may come from a launcher such as a package runner. */
const maxSilenceAfterErrorMs = 3_000;
/** Share of the connect timeout for a child that has written nothing. */
const silenceShare = 0.6;
const silencePollMs = 50;

interface SilenceOptions {
  readonly wire: ServerTransport;
  readonly connectTimeoutMs: number;
  readonly asked: () => string | undefined;
  readonly onSilence: () => void;
}

/**
 * Legacy servers may ignore an unknown request, and modern servers may start slowly. The time starts with the
 * child's first output; then the probe is rejected locally.
 */
const endOnSilence = ({ wire, connectTimeoutMs, asked, onSilence }: SilenceOptions): (() => void) => {
  const startedAt = Date.now();
  const timer = setInterval(() => {
    const id = asked();
    if (id === undefined) return;
    const { output, error } = wire.lastOutputAt?.() ?? {};
    const until = Math.min(
      startedAt + connectTimeoutMs * silenceShare,
      output === undefined ? Number.POSITIVE_INFINITY : output + maxSilenceAfterOutputMs,
      output !== undefined || error === undefined ? Number.POSITIVE_INFINITY : error + maxSilenceAfterErrorMs,
    );
    if (Date.now() < until) return;
    clearInterval(timer);
    onSilence();
    wire.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_601, message: "silence" } } as JSONRPCMessage);
  }, silencePollMs);
  return () => clearInterval(timer);
};
