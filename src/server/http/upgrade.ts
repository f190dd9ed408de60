import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorResponse, HttpError, responseTextOf, toHttpError } from "../request/http-error.ts";
import type { HeldSlot } from "../request/request-slots.ts";
import type { AuthenticatedCaller } from "./auth/host-auth.ts";
import { checkHandshake, checkIncoming, pathOfTarget } from "./check-incoming.ts";
import type { AccessLogEntry, SocketContext } from "./host-options.ts";
import {
  authenticateCaller,
  type CallerCredentials,
  type HostState,
  readCallerCredentials,
  takeSlot,
} from "./host-state.ts";
import { isSamePrincipal, rightsChangedError } from "./long-lived-callers.ts";
import { createLightHeaders, removeCredentials } from "./wire/web-request.ts";

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;

export const createUpgradeHandler = (host: HostState, sockets: Set<Duplex>): UpgradeHandler => {
  const ignore = (): void => {};
  return async (request, socket, head) => {
    // An unhandled "error" event would end the process.
    socket.on("error", ignore);
    const log = createSocketLog(host, request);
    const began = performance.now();
    const credentials = readCallerCredentials(request);
    const admitted = await admitUpgrade(host, request, credentials).catch((error: unknown) =>
      toHttpError(error, host.onError),
    );
    if (socket.destroyed) {
      if (!(admitted instanceof HttpError)) admitted.slot.leave();
      return log({ method: request.method!, status: 499, began });
    }
    if (admitted instanceof HttpError) {
      log({ method: request.method!, status: admitted.status, began });
      return endWithError(socket, admitted);
    }
    const { agent } = admitted.principal;
    log({ method: request.method!, status: 101, began, agent });
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      admitted.slot.leave();
    });
    removeCredentials(request);
    const context = createSocketContext(host, socket, { ...admitted, credentials }, (entry) =>
      log({ ...entry, agent }),
    );
    try {
      host.options.upgrade!(request, socket, head, context);
    } catch (error) {
      host.onError(error, "upgrade");
      socket.destroy();
    }
  };
};

/** In the same order as for HTTP requests. */
const admitUpgrade = async (
  host: HostState,
  request: IncomingMessage,
  credentials: CallerCredentials,
): Promise<AuthenticatedCaller & { readonly slot: HeldSlot }> => {
  const { allowedHosts, settings } = host;
  const { allowedOrigins, path } = settings;
  checkIncoming(request, createLightHeaders(request), { allowedHosts, allowedOrigins });
  checkHandshake(request.method, request.headers);
  if (pathOfTarget(request.url!) !== path)
    throw new HttpError(404, "not_found", `Not found. Open WebSockets at the MCP endpoint, ${path}.`);
  const caller = await authenticateCaller(host, credentials);
  return { ...caller, slot: takeSlot(host, caller.principal, { kind: "standing" }) };
};

const endWithError = (socket: Duplex, error: HttpError): void => {
  const response = errorResponse(error);
  const body = responseTextOf(response)!;
  const headers = { "content-length": String(Buffer.byteLength(body)), connection: "close" };
  const lines = [...response.headers, ...Object.entries(headers)].map(([name, value]) => `${name}: ${value}`);
  const first = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`;
  socket.end([first, ...lines, "", body].join("\r\n"), () => socket.destroy());
};

interface SocketLogLine {
  readonly method: string;
  readonly status: number;
  readonly began: number;
  readonly agent?: string | undefined;
}

type SocketLog = (line: SocketLogLine) => void;

const createSocketLog = ({ options: { onAccess } }: HostState, { url = "" }: IncomingMessage): SocketLog => {
  const path = pathOfTarget(url).slice(0, 200);
  return ({ method, status, began, agent }) => {
    const ms = Math.round((performance.now() - began) * 1000) / 1000;
    const entry: AccessLogEntry = { method, path, status, ms, agent, transport: "websocket" };
    onAccess?.(entry);
  };
};

/** Only well-formed names are logged. */
const methodForLog = (method: string): string => (/^[\w$./-]{1,100}$/.test(method) ? method : "?");

const createSocketContext = (
  host: HostState,
  socket: Duplex,
  caller: AuthenticatedCaller & { readonly credentials: CallerCredentials },
  log: SocketLog,
): SocketContext => {
  const { principal, credentials } = caller;
  const { maxBodyBytes, drainMs } = host.settings;
  const opened = performance.now();
  const takeMessageSlot = async (slot: Parameters<SocketContext["admit"]>[1]): Promise<HeldSlot> => {
    const found = await authenticateCaller(host, credentials);
    if (!isSamePrincipal(found.principal, principal)) throw rightsChangedError();
    return takeSlot(host, principal, slot);
  };
  return {
    principal,
    maxBodyBytes,
    drainMs,
    admit: async (name, asked) => {
      const began = performance.now();
      const method = methodForLog(name);
      const slot = await takeMessageSlot(asked).catch((error: unknown) => toHttpError(error, host.onError));
      if (slot instanceof HttpError) {
        log({ method, status: slot.status, began });
        return slot;
      }
      let isAnswered = false;
      return {
        hold: slot.hold,
        answered: (status) => {
          if (isAnswered) return;
          isAnswered = true;
          slot.leave();
          log({ method, status, began });
        },
      };
    },
    onEnd: (end) => {
      socket.once("close", host.longLivedCallers.watch({ ...caller, end }));
    },
    closed: (status) => log({ method: "close", status, began: opened }),
  };
};
