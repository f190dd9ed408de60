import type { IncomingMessage } from "node:http";
import { type HttpRejection, httpRejection } from "../http-rejection.ts";

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

const bodyTooLargeRejection = (most: number): HttpRejection =>
  httpRejection(
    413,
    "body_too_large",
    `The body is larger than ${most} bytes. Send less, or raise maxBodyBytes.`,
  );

const bodyTooSlowRejection = (ms: number): HttpRejection =>
  httpRejection(408, "body_too_slow", `The whole body must arrive within ${ms} ms.`);

export const contentLengthRejection = (request: IncomingMessage, most: number): HttpRejection | undefined =>
  Number(request.headers["content-length"] ?? 0) > most ? bodyTooLargeRejection(most) : undefined;

const clientGone = Symbol("the client disconnected");

/** Counts bytes, whatever Content-Length says. */
export const readIncomingBody = (
  request: IncomingMessage,
  { maxBodyBytes, bodyTimeoutMs }: BodyLimits,
): Promise<Buffer | HttpRejection | typeof clientGone> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (value: Buffer | HttpRejection | typeof clientGone): void => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      request.pause();
      resolve(value);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > maxBodyBytes) settle(bodyTooLargeRejection(maxBodyBytes));
      else chunks.push(chunk);
    };
    const onEnd = (): void => settle(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
    const onClose = (): void => settle(clientGone);
    const timer = setTimeout(() => settle(bodyTooSlowRejection(bodyTimeoutMs)), bodyTimeoutMs);
    request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });

export const isClientGone = (value: unknown): value is typeof clientGone => value === clientGone;
