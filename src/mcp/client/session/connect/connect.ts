import { Client, type JSONRPCMessage, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { NamedServer } from "../../../../words/mcp.ts";
import type { Wire } from "../../transport/wire.ts";
import { capabilities } from "./capabilities.ts";
import { knownEra, rememberEra } from "./known-eras.ts";

export interface OpenedClient {
  readonly client: Client;
  readonly wire: Wire;
}

interface Connecting {
  readonly server: NamedServer;
  readonly openWire: () => Wire;
  /** Hears of each wire that is opened, so that a deadline can end it. */
  readonly onWire: (wire: Wire) => void;
  readonly leftMs: () => number;
  readonly prepare: (client: Client, wire: Wire) => void;
  readonly connectTimeoutMs: number;
  readonly isHttp: boolean;
}

const clientInfo = { name: "haft", version: "1" };
const modernVersion = "2026-07-28";
const silenceMs = 1_500;

type ProtocolMode =
  | { readonly kind: "legacy" }
  | { readonly kind: "modern" }
  | { readonly kind: "auto"; readonly probeMs: number };

interface ConnectAttempt extends OpenedClient {
  /** How the probe was answered, even if nobody waited for it any more. */
  probe: "result" | "error" | undefined;
}

const isProbe = (message: JSONRPCMessage): boolean =>
  "id" in message && typeof message.id === "string" && message.id.startsWith("server-discover-probe");

const attempt = async (connecting: Connecting, mode: ProtocolMode): Promise<ConnectAttempt> => {
  const wire = connecting.openWire();
  connecting.onWire(wire);
  const client = new Client(clientInfo, {
    capabilities,
    inputRequired: { autoFulfill: false },
    versionNegotiation:
      mode.kind === "legacy"
        ? { mode: "legacy" }
        : mode.kind === "modern"
          ? { mode: { pin: modernVersion }, probe: { timeoutMs: connecting.leftMs() } }
          : { mode: "auto", probe: { timeoutMs: mode.probeMs } },
  });
  connecting.prepare(client, wire);
  const connection: ConnectAttempt = { client, wire, probe: undefined };
  wire.onpeek = (message) => {
    if (isProbe(message)) connection.probe = "result" in message ? "result" : "error";
  };
  try {
    await client.connect(wire, { timeout: connecting.leftMs() });
    return connection;
  } catch (error) {
    // The next attempt must not meet a child of this one.
    await wire.close();
    throw mode.kind === "auto" && connection.probe === "result" ? new SlowModern(error) : error;
  }
};

/** It answered the probe after all, once the old handshake had been tried. */
class SlowModern extends Error {
  constructor(cause: unknown) {
    super("The server is modern and slow to start.", { cause });
  }
}

const isProbeLoss = (error: unknown): boolean =>
  error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;

const isSilence = (error: unknown): boolean =>
  error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;

/** Only where the very connection broke; a server that cannot be started at all is not started again. */
const mayRetryAsLegacy = (error: unknown, wire: Wire | undefined): boolean =>
  wire !== undefined &&
  ((wire.kind === "stdio" && isProbeLoss(error)) ||
    (wire.kind === "websocket" && (isProbeLoss(error) || isSilence(error))));

/** Both eras of the protocol, found out on the connection itself. Another one is opened only if the question broke it. */
export const connect = async (connecting: Connecting): Promise<OpenedClient> => {
  const { server, connectTimeoutMs } = connecting;
  const era = server.era ?? "auto";
  if (era !== "auto") return attempt(connecting, { kind: era });
  const known = knownEra(server);
  if (known === "legacy") return attempt(connecting, { kind: "legacy" });
  // Over HTTP silence is an outage and not an answer.
  const isPatient = known === "modern" || connecting.isHttp;
  const probeMs = isPatient ? connecting.leftMs() : Math.min(silenceMs, connectTimeoutMs / 2);
  let last: Wire | undefined;
  const watching: Connecting = {
    ...connecting,
    onWire: (wire) => {
      last = wire;
      connecting.onWire(wire);
    },
  };
  const startedAt = Date.now();
  try {
    const connection = await attempt(watching, { kind: "auto", probeMs });
    // One that answered the probe late is waited for the next time.
    const isModern = connection.client.getProtocolEra() === "modern" || connection.probe === "result";
    if (isModern) rememberEra(server, "modern");
    else if (Date.now() - startedAt >= probeMs && connection.probe === undefined)
      rememberEra(server, "legacy");
    return connection;
  } catch (error) {
    if (error instanceof SlowModern) return attempt(connecting, { kind: "modern" });
    if (!mayRetryAsLegacy(error, last) || connecting.leftMs() <= 0) throw error;
    const connection = await attempt(connecting, { kind: "legacy" });
    rememberEra(server, "legacy");
    return connection;
  }
};
