import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { AccessLogEntry } from "../host-options.ts";

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
