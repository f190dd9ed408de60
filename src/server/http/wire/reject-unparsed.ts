import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { AccessLogEntry } from "../host-options.ts";

const statusByErrorCode: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Of Node's own: the answer that is being written on this connection, if one is. */
interface HttpSocket extends Duplex {
  readonly _httpMessage?: { readonly headersSent?: boolean } | null;
}

/** Answers what is no HTTP, as Node does where nobody listens, and logs it. Whose it was cannot be known. */
export const rejectUnparsed =
  (onAccess: ((line: AccessLogEntry) => void) | undefined) =>
  (error: NodeJS.ErrnoException, socket: HttpSocket): void => {
    // A connection that broke, or one in the middle of an answer, cannot be told anything.
    if (error.code === "ECONNRESET" || !socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const status = statusByErrorCode[error.code ?? ""] ?? 400;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`, () =>
      socket.destroy(),
    );
    // A request that was read as far as its headers has its own line.
    if (socket._httpMessage === undefined || socket._httpMessage === null)
      onAccess?.({ method: "?", path: "?", status, ms: 0, agent: undefined });
  };
