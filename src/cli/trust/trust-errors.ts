import type { Launch } from "./launch.ts";

export class UntrustedError extends Error {
  override readonly name = "UntrustedError";
  readonly json: object;

  constructor(message: string, json: object) {
    super(message);
    this.json = { refused: "untrusted", message, ...json };
  }
}

export class OperatorRequiredError extends Error {
  override readonly name = "OperatorRequiredError";
  readonly json: object;

  constructor(message: string) {
    super(message);
    this.json = { refused: "operator_required", message };
  }
}

export const launchToJson = ({ hash, what, summary, folder }: Launch): object => ({
  hash,
  for: what,
  command: summary,
  folder,
});
