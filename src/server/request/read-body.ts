import { readJson } from "../../base/json/read-json.ts";
import { HttpError } from "./http-error.ts";

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  /** What to do about a body that is too large. */
  readonly remedy?: string;
}

export const defaultBodyTimeoutMs = 15_000;

const bodyTooLargeError = ({ maxBodyBytes, remedy = "Send less." }: BodyLimits): HttpError =>
  new HttpError(413, "body_too_large", `The body has more than ${maxBodyBytes} bytes. ${remedy}`);

const bodyTooSlowError = (ms: number): HttpError =>
  new HttpError(408, "body_too_slow", `The whole body must arrive within ${ms} ms.`);

/** The status is only logged, as in nginx. */
export const clientGoneError = (): HttpError => new HttpError(499, "client_gone", "The client disconnected.");

export const checkContentLength = (length: string | null | undefined, limits: BodyLimits): void => {
  if (Number(length ?? 0) > limits.maxBodyBytes) throw bodyTooLargeError(limits);
};

/** Counts bytes, whatever Content-Length says. */
export const readBytes = async (body: AsyncIterator<Uint8Array>, limits: BodyLimits): Promise<Uint8Array> => {
  const { maxBodyBytes, bodyTimeoutMs } = limits;
  const chunks: Uint8Array[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(bodyTooSlowError(bodyTimeoutMs)), bodyTimeoutMs);
  });
  try {
    for (;;) {
      const { done, value } = await Promise.race([body.next(), late]);
      if (done === true) break;
      length += value.byteLength;
      if (length > maxBodyBytes) throw bodyTooLargeError(limits);
      chunks.push(value);
    }
  } catch (error) {
    // Not awaited, because a body that does not arrive does not end either.
    void body.return?.()?.catch(() => {});
    throw error instanceof HttpError ? error : clientGoneError();
  } finally {
    clearTimeout(timer);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length);
};

/** Empty if the request has no body. */
export const readRequestBytes = async (request: Request, limits: BodyLimits): Promise<Uint8Array> => {
  checkContentLength(request.headers.get("content-length"), limits);
  const { body } = request;
  return body === null ? new Uint8Array() : readBytes(body[Symbol.asyncIterator](), limits);
};

/** Replacement characters would change the content. */
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Undefined unless the bytes are UTF-8. */
export const decodeBody = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Later code reads the body recursively. */
const maxBodyDepth = 100;

/** Strict JSON: no duplicate keys, no `__proto__`, no numbers that lose precision. */
export const parseJsonObject = (bytes: Uint8Array): Readonly<Record<string, unknown>> => {
  const text = decodeBody(bytes);
  if (text === undefined) throw new HttpError(400, "unreadable", "The body is not UTF-8.");
  const reading = readJson(text, { maxLength: Number.POSITIVE_INFINITY, maxDepth: maxBodyDepth });
  if (!reading.ok) {
    throw new HttpError(400, "unreadable", `The body is not strict JSON: ${reading.problem.message}`);
  }
  const { value } = reading;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new HttpError(400, "unreadable", "The body is not a JSON object.");
  }
  return value as Readonly<Record<string, unknown>>;
};
