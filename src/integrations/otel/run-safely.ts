import { diag } from "@opentelemetry/api";

/** Telemetry is foreign code: what it throws is told to its own diagnostics, and the call goes on. */
export const runSafely = <A>(what: string, use: () => A): A | undefined => {
  try {
    return use();
  } catch (cause) {
    reportToDiag(what, cause);
    return undefined;
  }
};

/** Only the kind of error is told: its text may hold what nobody should log. */
const reportToDiag = (what: string, cause: unknown): void => {
  try {
    diag.error(`haft: ${what} threw ${cause instanceof Error ? cause.name : typeof cause}`);
  } catch {
    // A logger that breaks has nobody left to tell.
  }
};
