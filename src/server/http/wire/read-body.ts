import type { IncomingMessage } from "node:http";
import { type HttpRefusal, refusal } from "../refusal.ts";

export interface RequestLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

const tooLarge = (most: number): HttpRefusal =>
  refusal(413, "body_too_large", `The body is larger than ${most} bytes. Send less, or raise maxBodyBytes.`);

const tooSlow = (ms: number): HttpRefusal =>
  refusal(408, "body_too_slow", `The whole body must arrive within ${ms} ms.`);

/** By its announced length alone, so that nothing of a body that is too large is read. */
export const refuseLength = (request: IncomingMessage, most: number): HttpRefusal | undefined =>
  Number(request.headers["content-length"] ?? 0) > most ? tooLarge(most) : undefined;

const gone = Symbol("the client went away");

/** A whole body, or why there is none. Announced or not, what comes is counted. */
export const readBody = (
  request: IncomingMessage,
  { maxBodyBytes, bodyTimeoutMs }: RequestLimits,
): Promise<Buffer | HttpRefusal | typeof gone> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (value: Buffer | HttpRefusal | typeof gone): void => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      request.pause();
      resolve(value);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > maxBodyBytes) settle(tooLarge(maxBodyBytes));
      else chunks.push(chunk);
    };
    const onEnd = (): void => settle(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
    const onClose = (): void => settle(gone);
    const timer = setTimeout(() => settle(tooSlow(bodyTimeoutMs)), bodyTimeoutMs);
    request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });

export const isGone = (value: unknown): value is typeof gone => value === gone;
