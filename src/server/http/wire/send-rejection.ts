import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpRejection } from "../http-rejection.ts";

export const rejectionBody = ({ error, message }: HttpRejection): string =>
  JSON.stringify({ error, message });

export const rejectionHeaders = (refusal: HttpRejection, body: string): Record<string, string> => ({
  ...refusal.headers,
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body)),
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});

export const rejectionResponse = (refusal: HttpRejection): Response => {
  const body = rejectionBody(refusal);
  return new Response(body, { status: refusal.status, headers: rejectionHeaders(refusal, body) });
};

const maxUnreadBodyBytes = 64 * 1024;
const lingerMs = 500;
const maxLingerBytes = 1024 * 1024;

const canReadRest = ({ complete, headers, method }: IncomingMessage, status: number): boolean => {
  if (complete || method === "GET" || method === "HEAD") return true;
  if (status === 408 || status === 413 || headers["transfer-encoding"] !== undefined) return false;
  return Number(headers["content-length"] ?? 0) <= maxUnreadBodyBytes;
};

/** Closing on a client that still writes would reset the connection before it reads the response. */
const linger = (request: IncomingMessage, response: ServerResponse): void => {
  let length = 0;
  const settle = (): void => {
    clearTimeout(timer);
    request.off("data", onData).off("end", settle).off("close", settle);
    response.end();
  };
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > maxLingerBytes) settle();
  };
  const timer = setTimeout(settle, lingerMs);
  request.on("data", onData).on("end", settle).on("close", settle);
  request.resume();
};

/** Closes the connection if too much of the body is unread. */
export const sendRejection = (
  request: IncomingMessage,
  response: ServerResponse,
  refusal: HttpRejection,
): void => {
  const body = rejectionBody(refusal);
  const headers = rejectionHeaders(refusal, body);
  const text = request.method === "HEAD" ? "" : body;
  if (canReadRest(request, refusal.status)) {
    response.writeHead(refusal.status, headers).end(text);
    return;
  }
  response.writeHead(refusal.status, { ...headers, connection: "close" });
  response.write(text);
  linger(request, response);
};
