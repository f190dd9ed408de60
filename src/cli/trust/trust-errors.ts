import type { Launch } from "./launch.ts";

/** A command stopped because this user has not accepted what it would run. Exit code `untrusted`. */
export class UntrustedError extends Error {
  override readonly name = "UntrustedError";
  /** What `--json` prints. */
  readonly json: object;

  constructor(message: string, json: object) {
    super(message);
    this.json = { refused: "untrusted", message, ...json };
  }
}

/** A command stopped because only an operator may run it. Exit code `unauthorized`. */
export class OperatorRequiredError extends Error {
  override readonly name = "OperatorRequiredError";
  readonly json: object;

  constructor(message: string) {
    super(message);
    this.json = { refused: "operator_required", message };
  }
}

/** A launch for `--json`. */
export const launchToJson = ({ hash, what, summary, folder }: Launch): object => ({
  hash,
  for: what,
  command: summary,
  folder,
});
