import { HttpError } from "../request/http-error.ts";
import type { ApiError, Scope, ValidationIssue } from "./schemas/shared.ts";

type ErrorDetails = Partial<Omit<ApiError["error"], "code" | "message">>;

export const notFoundError = (what: string): HttpError =>
  new HttpError(404, "not_found", `There is no ${what}.`);

export const invalidRequestError = (message: string, issues?: readonly ValidationIssue[]): HttpError => {
  const details: ErrorDetails = issues === undefined ? {} : { issues };
  return new HttpError(400, "invalid", message, { details });
};

export const missingScopeError = (scope: Scope, name: string): HttpError => {
  const details: ErrorDetails = { scope };
  return new HttpError(
    403,
    "missing_scope",
    `This needs the scope ${scope}, which ${name} does not have. Ask the operator to add it to the scopes of your token or the roles of your principal.`,
    { details },
  );
};

export const signInRequiredError = (): HttpError =>
  new HttpError(
    401,
    "sign_in",
    "You are not signed in. Open the link that haft studio prints, or send the header Authorization: Bearer.",
  );
