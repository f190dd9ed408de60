import { ChatError } from "./chat-error.ts";

/** CSRF protection: writes need an allowed origin. They are also JSON, which forms cannot send. */
export const checkOrigin = (request: Request, origins: readonly string[]): void => {
  if (request.method === "GET") return;
  const origin = request.headers.get("origin");
  const isCrossOrigin =
    origin === null
      ? request.headers.get("sec-fetch-site") === "cross-site"
      : !origins.includes(origin) && originHost(origin) !== requestHost(request);
  if (!isCrossOrigin) return;
  throw new ChatError(
    403,
    "foreign_origin",
    "This request comes from a page of another origin. Add the origin to the handler's `origins` if its pages may send requests.",
  );
};

const requestHost = (request: Request): string => request.headers.get("host") ?? new URL(request.url).host;

const originHost = (origin: string): string | undefined => {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
};

export const readChatBody = async (
  request: Request,
  maxBytes: number,
): Promise<Readonly<Record<string, unknown>>> => {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new ChatError(415, "content_type", "Send JSON with the header content-type: application/json.");
  }
  const text = await readBodyText(request, maxBytes);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ChatError(400, "unreadable", "The body is not valid JSON.");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new ChatError(400, "unreadable", "The body is not a JSON object.");
  }
  return body as Readonly<Record<string, unknown>>;
};

const readBodyText = async (request: Request, maxBytes: number): Promise<string> => {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maxBytes) throw bodyTooLargeError(maxBytes);
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (request.body === null) return "";
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > maxBytes) throw bodyTooLargeError(maxBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
};

const bodyTooLargeError = (maxBytes: number): ChatError =>
  new ChatError(
    413,
    "too_large",
    `The body has more than ${maxBytes} bytes. Send only the last message, which is the only one that is read (prepareSendMessagesRequest).`,
  );
