import { Client, type JSONRPCMessage, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { isStdio, type NamedServer } from "../../../../words/mcp.ts";
import type { Wire } from "../../transport/wire.ts";
import { capabilities } from "./capabilities.ts";
import { knownEra, rememberEra } from "./known-eras.ts";
import { endSilence } from "./silence.ts";

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
/** For a socket, which is open only once its server is there. */
const silenceMs = 1_500;

type ProtocolMode =
  | { readonly kind: "legacy" }
  | { readonly kind: "modern" }
  | { readonly kind: "auto"; readonly probeMs: number };

interface ConnectAttempt extends OpenedClient {
  /** How the probe was answered, even if nobody waited for it any more. */
  probe: "result" | "error" | undefined;
  /** Nothing was heard of the probe in the time a server has for it. */
  isSilent: boolean;
}

const isProbe = (message: JSONRPCMessage): message is JSONRPCMessage & { readonly id: string } =>
  "id" in message && typeof message.id === "string" && message.id.startsWith("server-discover-probe");

/** The id of the last probe that was sent. */
const watchProbe = (wire: Wire): (() => string | undefined) => {
  const send = wire.send.bind(wire);
  let id: string | undefined;
  wire.send = (message, options) => {
    if (isProbe(message)) id = message.id;
    return send(message, options);
  };
  return () => id;
};

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
  const connection: ConnectAttempt = { client, wire, probe: undefined, isSilent: false };
  const asked = watchProbe(wire);
  const stop =
    mode.kind === "auto" && wire.kind === "stdio"
      ? endSilence({
          wire,
          connectTimeoutMs: connecting.connectTimeoutMs,
          asked,
          onSilence: () => {
            connection.isSilent = true;
          },
        })
      : undefined;
  wire.onpeek = (message) => {
    if (!isProbe(message)) return;
    stop?.();
    connection.probe = "result" in message ? "result" : "error";
  };
  try {
    await client.connect(wire, { timeout: connecting.leftMs() });
    return connection;
  } catch (error) {
    // The next attempt must not meet a child of this one.
    await wire.close();
    throw mode.kind === "auto" && connection.probe === "result" ? new SlowModern(error) : error;
  } finally {
    stop?.();
  }
};

/** It answered the probe after all, once the old handshake had been tried. */
class SlowModern extends Error {
  constructor(cause: unknown) {
    super("The server is modern and slow to start.", { cause });
  }
}

/**
 * A server of both eras that was so slow that it found both questions waiting has answered in the old one. It is
 * opened again beside the first, and the first goes once the other is there; where that does not work, the first stays.
 */
const orModern = async (
  connecting: Connecting,
  old: OpenedClient,
  neededMs: number,
): Promise<OpenedClient> => {
  const leftMs = (): number => Math.max(1, connecting.leftMs() - spareMs);
  if (leftMs() < neededMs) return old;
  try {
    const modern = await attempt({ ...connecting, leftMs }, { kind: "modern" });
    await old.wire.close();
    return modern;
  } catch {
    connecting.onWire(old.wire);
    return old;
  }
};

/** So that whoever gives the whole attempt its time still gets what there is. */
const spareMs = 250;

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
  // Over HTTP silence is an outage and not an answer; a child is waited for as long as it may still be starting.
  const isPatient = known === "modern" || connecting.isHttp || isStdio(server);
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
    const isModern = connection.client.getProtocolEra() === "modern";
    if (isModern || connection.probe === "result") rememberEra(server, "modern");
    else if (connection.probe === undefined && (connection.isSilent || Date.now() - startedAt >= probeMs))
      rememberEra(server, "legacy");
    return !isModern && connection.probe === "result"
      ? await orModern(connecting, connection, Date.now() - startedAt)
      : connection;
  } catch (error) {
    if (error instanceof SlowModern) return attempt(connecting, { kind: "modern" });
    if (!mayRetryAsLegacy(error, last) || connecting.leftMs() <= 0) throw error;
    const connection = await attempt(connecting, { kind: "legacy" });
    rememberEra(server, "legacy");
    return connection;
  }
};
