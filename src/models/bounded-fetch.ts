import { ModelError } from "../types/errors.ts";

/** Size limit of one reply, larger than any provider sends. */
export const maxReplyBytes = 64 * 1_048_576;

const replyTooLongError = (): ModelError =>
  new ModelError(
    "model_unreadable",
    `The provider's answer has more than ${maxReplyBytes / 1_048_576} MB and was cut off. Check the server behind baseUrl, and set maxTokens.`,
  );

export const boundedFetch =
  (given: typeof fetch | undefined): typeof fetch =>
  async (url, init) => {
    const response = await (given ?? fetch)(url, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limitBytes()), { status, statusText, headers });
  };

const limitBytes = (): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, out) => {
      bytes += chunk.byteLength;
      if (bytes > maxReplyBytes) throw replyTooLongError();
      out.enqueue(chunk);
    },
  });
};

/** Applies the limit to events of custom clients and other SDKs. */
export async function* boundedEvents<Event>(events: AsyncIterable<Event>): AsyncGenerator<Event, void> {
  let bytes = 0;
  for await (const event of events) {
    bytes += approximateSize(event);
    if (bytes > maxReplyBytes) throw replyTooLongError();
    yield event;
  }
}

const approximateSize = (value: unknown): number => {
  if (typeof value === "string") return value.length + 8;
  if (value instanceof Uint8Array) return value.byteLength + 8;
  if (typeof value !== "object" || value === null) return 8;
  let size = 8;
  for (const member of Object.values(value)) size += approximateSize(member);
  return size;
};

/** Keeps the headers, including Retry-After, which errors of SDKs lose. */
export class HttpStatusError extends Error {
  override readonly name = "RefusedResponse";
  readonly status: number;
  readonly headers: Headers;

  constructor(status: number, headers: Headers, body: string) {
    super(body === "" ? `status ${status}` : body);
    this.status = status;
    this.headers = headers;
  }
}

export const assertOk = async (response: Response): Promise<Response> => {
  if (response.ok) return response;
  throw new HttpStatusError(response.status, response.headers, await response.text());
};
