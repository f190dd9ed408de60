import { createServer, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { ConfigurationError } from "../../types/errors.ts";
import { maxHeaders } from "./check-incoming.ts";
import type { AccessLogEntry } from "./host-options.ts";
import type { HostSettings } from "./host-settings.ts";

export const openServer = ({ bodyTimeoutMs, maxConcurrent }: HostSettings): Server => {
  const server = createServer({
    headersTimeout: 10_000,
    // A fallback: bodies have a shorter timeout.
    requestTimeout: bodyTimeoutMs + 15_000,
    connectionsCheckingInterval: 2_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxHeadersCount = maxHeaders;
  // Calls, streams and control messages have separate limits.
  server.maxConnections = maxConcurrent * 3 + 64;
  return server;
};

export const closeServer = (server: Server, sockets: ReadonlySet<Duplex>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
  });

const listenProblems: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is in use. Stop the other program or choose another port (0 selects a free one).`,
  EACCES: (_, port) => `This user may not use port ${port}. Choose a port of 1024 or higher.`,
  EADDRNOTAVAIL: (host) =>
    `The host ${host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all.`,
  ENOTFOUND: (host) => `The host ${host} cannot be resolved. Use an address, such as 127.0.0.1.`,
};

export const listenOn = (server: Server, { host, port }: HostSettings): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const reason = listenProblems[error.code ?? ""]?.(host, port);
      reject(
        reason === undefined ? error : new ConfigurationError("invalid_config", reason, { cause: error }),
      );
    };
    server.once("error", onError);
    server.listen({ host, port }, () => {
      server.off("error", onError);
      resolve(server.address() as AddressInfo);
    });
  });

const statusByErrorCode: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Private field of Node: the current response. */
interface HttpSocket extends Duplex {
  readonly _httpMessage?: { readonly headersSent?: boolean } | null;
}

/** Like Node's default, with logging. */
export const rejectUnparsed =
  (onAccess: ((line: AccessLogEntry) => void) | undefined) =>
  (error: NodeJS.ErrnoException, socket: HttpSocket): void => {
    // No error can be sent.
    if (error.code === "ECONNRESET" || !socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const status = statusByErrorCode[error.code ?? ""] ?? 400;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`, () =>
      socket.destroy(),
    );
    // Otherwise it is logged with its request.
    if (socket._httpMessage === undefined || socket._httpMessage === null)
      onAccess?.({ method: "?", path: "?", status, ms: 0, agent: undefined });
  };
