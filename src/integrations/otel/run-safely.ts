import { diag } from "@opentelemetry/api";
import * as Context from "effect/Context";
import { Credentials } from "../../base/credentials/credentials.ts";
import { type Redactor, redactor } from "../../base/json/redact.ts";

/** Telemetry is third-party code: its errors are only reported to its diagnostics. */
export const reportErrors = <A>(what: string, use: () => A): A | undefined => {
  try {
    return use();
  } catch (cause) {
    reportToDiag(what, cause);
    return undefined;
  }
};

/** The text of an error may contain secrets. */
const reportToDiag = (what: string, cause: unknown): void => {
  try {
    diag.error(`haft: ${what} threw ${cause instanceof Error ? cause.name : typeof cause}`);
  } catch {}
};

export const redactorOf = (services: Context.Context<never>): Redactor => {
  const credentials = Context.getOrUndefined(services, Credentials);
  return redactor(credentials === undefined ? {} : { secrets: credentials.known });
};
