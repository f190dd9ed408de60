import type { HttpError } from "./http-error.ts";

type ResponseHeaders = Readonly<Record<string, string>>;

const responseTexts = new WeakMap<Response, string>();

/** Keeps the text, so that the host need not read a stream. */
export const textResponse = (text: string, status = 200, headers: ResponseHeaders = {}): Response => {
  const init = { status, headers: { "content-type": "application/json", ...headers } };
  const response = new Response(text, init);
  responseTexts.set(response, text);
  return response;
};

export const responseTextOf = (response: Response): string | undefined => responseTexts.get(response);

const longLivedResponses = new WeakSet<Response>();

/** Marks notification streams, which last until one side closes them. */
export const markLongLived = (response: Response): Response => {
  longLivedResponses.add(response);
  return response;
};

export const isLongLived = (response: Response): boolean => longLivedResponses.has(response);

export const jsonResponse = (body: unknown, status = 200, headers: ResponseHeaders = {}): Response =>
  textResponse(JSON.stringify(body), status, {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });

/** Errors of all endpoints; MCP messages have `rpcErrorMessage`. */
export const errorResponse = ({ status, code, message, headers, details, body }: HttpError): Response =>
  jsonResponse({ ...body, error: { code, message, ...details } }, status, headers);

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Errors of MCP messages, on every transport. The ID is null if it cannot be read. */
export const rpcErrorMessage = (error: RpcError, id: unknown = null) => ({
  jsonrpc: "2.0" as const,
  error,
  id: typeof id === "string" || typeof id === "number" ? id : null,
});

export const rpcErrorResponse = (
  status: number,
  error: RpcError,
  { id, headers }: { readonly id?: unknown; readonly headers?: ResponseHeaders } = {},
): Response => textResponse(JSON.stringify(rpcErrorMessage(error, id)), status, headers);

/** JSON-RPC has one code for server errors. */
const rpcServerErrorCode = -32_000;

export const toRpcError = ({ status, code, message, headers }: HttpError): RpcError => {
  const after = headers["retry-after"];
  const retryAfterSec = after === undefined ? {} : { retryAfterSec: Number(after) };
  return { code: rpcServerErrorCode, message, data: { status, error: code, ...retryAfterSec } };
};
