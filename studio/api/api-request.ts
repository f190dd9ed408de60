import type { ApiError, Scope, ValidationIssue } from "@api/shared.ts";

/** `status` 0 means that the server did not respond. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly scope: Scope | undefined;
  readonly issues: readonly ValidationIssue[];
  readonly body: unknown;

  constructor(status: number, code: string, message: string, body?: unknown) {
    super(message);
    this.name = "ApiFailure";
    this.status = status;
    this.code = code;
    this.body = body;
    const error = (body as Partial<ApiError> | undefined)?.error;
    this.scope = error?.scope;
    this.issues = error?.issues ?? [];
  }
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export const getJson = async <Answer>(
  path: string,
  query: Query = {},
  signal?: AbortSignal,
): Promise<Answer> =>
  readAnswer<Answer>(await sendRequest(path + toQueryString(query), signal === undefined ? {} : { signal }));

export const postJson = async <Answer>(path: string, body: object = {}): Promise<Answer> =>
  readAnswer<Answer>(await postStream(path, body));

export const getStream = (path: string, signal: AbortSignal): Promise<Response> =>
  sendRequest(path, { signal });

export const postStream = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
  sendRequest(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", "x-haft-studio": "1" },
    ...(signal === undefined ? {} : { signal }),
  });

/** `href` must be a path of this API. */
export const getText = async (href: string): Promise<string> => {
  const at = href.indexOf("/calls/");
  if (at === -1) throw new ApiFailure(0, "not_found", "The full text is not stored.");
  const response = await sendRequest(href.slice(at), {});
  if (!response.ok) await readAnswer(response);
  return response.text();
};

/** Escapes the data: `apiPath("/calls/", id)`. */
export const apiPath = (before: string, data: string, after = ""): string =>
  `${before}${encodeURIComponent(data)}${after}`;

const sendRequest = async (address: string, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(apiBase + address, { credentials: "same-origin", ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiFailure(
      0,
      "unreachable",
      "The server does not respond. Check that it is running; the page retries.",
    );
  }
};

/** Path of the page, which ends with a slash. */
export const basePath: string = import.meta.env.DEV
  ? "/"
  : new URL(/* @vite-ignore */ "..", import.meta.url).pathname;

export const apiBase = `${basePath}api/v1`;

export const readAnswer = async <Answer>(response: Response): Promise<Answer> => {
  const body = (await response.json().catch(() => undefined)) as Partial<ApiError> | undefined;
  if (response.ok && body !== undefined) return body as Answer;
  const { code = "failed", message = `The server responded with status ${response.status} and no message.` } =
    body?.error ?? {};
  const bodyMessage = (body as { readonly message?: string } | undefined)?.message;
  throw new ApiFailure(response.status, code, bodyMessage ?? message, body);
};

const toQueryString = (query: Query): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === "" ? "" : `?${search}`;
};
