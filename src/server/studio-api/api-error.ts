import { randomUUID } from "node:crypto";
import { ToolError } from "../../types/errors.ts";
import { failures } from "../../types/failures.ts";
import { ChatError, noStoreJsonResponse } from "../chat/request/chat-error.ts";
import type { ApiError, Scope, ValidationIssue } from "./schemas/shared.ts";

export class ApiRequestError extends ChatError {
  readonly details: Partial<Omit<ApiError["error"], "code" | "message">>;
  readonly body: object;

  constructor(
    status: number,
    code: string,
    message: string,
    details: ApiRequestError["details"] = {},
    body: object = {},
  ) {
    super(status, code, message);
    this.details = details;
    this.body = body;
  }
}

export const notFoundError = (what: string): ApiRequestError =>
  new ApiRequestError(404, "not_found", `There is no ${what}.`);

export const invalidRequestError = (message: string, issues?: readonly ValidationIssue[]): ApiRequestError =>
  new ApiRequestError(400, "invalid", message, issues === undefined ? {} : { issues });

export const missingScopeError = (scope: Scope, name: string): ApiRequestError =>
  new ApiRequestError(
    403,
    "missing_scope",
    `This needs the scope ${scope}, which ${name} does not have. Ask the operator to add it to the scopes of your token or the roles of your principal.`,
    { scope },
  );

export const signInRequiredApiError = (): ApiRequestError =>
  new ApiRequestError(
    401,
    "sign_in",
    "You are not signed in. Open the link that haft studio prints, or send the header Authorization: Bearer.",
  );

/** Clients get the details only of errors that are meant for callers; other errors get a reference. */
export const toErrorResponse = (
  error: unknown,
  onError: (error: unknown, reference: string) => void,
): Response => {
  if (error instanceof ChatError) {
    const { status, code, message, headers } = error;
    const { details, body } = error instanceof ApiRequestError ? error : { details: {}, body: {} };
    return noStoreJsonResponse(
      { ...body, error: { code, message, ...details } } satisfies ApiError,
      status,
      headers,
    );
  }
  if (ToolError.is(error) && failures[error.code].reader === "model") {
    return noStoreJsonResponse(
      { error: { code: error.code, message: error.message } } satisfies ApiError,
      422,
    );
  }
  const reference = randomUUID();
  try {
    onError(error, reference);
  } catch {
    // A failing `onError` must not break the response.
  }
  const message = `The request failed because of an internal error. The operator finds details in the log under the reference ${reference}.`;
  return noStoreJsonResponse({ error: { code: "failed", message } } satisfies ApiError, 500);
};
