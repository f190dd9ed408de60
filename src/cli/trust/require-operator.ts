import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { protectSecretFile } from "../../base/platform/protected-files.ts";
import { CommandUsageError, type Option, type Terminal } from "../command.ts";
import { OperatorRequiredError } from "./trust.ts";
import { configDirectory, type OperatorSecretHash, openTrustStore } from "./trust-store.ts";

export const operatorOptions = {
  "operator-secret-file": {
    type: "string",
    value: "FILE",
    about: "file with the operator secret, for use without a terminal (or HAFT_OPERATOR_SECRET)",
  },
} as const satisfies Readonly<Record<string, Option>>;

export interface OperatorFlags {
  readonly "operator-secret-file"?: string;
}

/** A tool of this process could hand the secret to a model, which could then approve its calls. */
export const protectOperatorSecret = ({ "operator-secret-file": file }: OperatorFlags): void => {
  if (file !== undefined) protectSecretFile(file);
};

/** A model with a shell has neither a terminal nor the operator secret. */
export const requireOperator = async (
  terminal: Terminal,
  action: string,
  flags: OperatorFlags = {},
): Promise<void> => {
  if (!(await isOperator(terminal, flags))) throw operatorRequiredError(action);
};

/** Throws if the given secret is wrong. */
export const isOperator = async (terminal: Terminal, flags: OperatorFlags = {}): Promise<boolean> => {
  protectOperatorSecret(flags);
  if (terminal.isOperator) return true;
  const secret = await readOperatorSecret(terminal, flags);
  if (secret === undefined) return false;
  const { entries, problem } = await openTrustStore(configDirectory(terminal.env)).read();
  if (entries.operator !== undefined && matchesOperatorSecret(secret, entries.operator)) return true;
  const why =
    entries.operator === undefined
      ? `this user has no operator secret${problem === undefined ? "" : ` (${problem})`}. haft trust secret creates one at a terminal.`
      : "it is not the secret that haft trust secret created.";
  throw new OperatorRequiredError(`The operator secret was refused: ${why}`);
};

export const newOperatorSecret = (
  now: number,
): { readonly secret: string; readonly kept: OperatorSecretHash } => {
  const secret = randomBytes(32).toString("base64url");
  const salt = randomBytes(16).toString("hex");
  return { secret, kept: { salt, hash: hashOperatorSecret(secret, salt), at: new Date(now).toISOString() } };
};

const hashOperatorSecret = (secret: string, salt: string): string =>
  scryptSync(secret, Buffer.from(salt, "hex"), 32).toString("hex");

const matchesOperatorSecret = (secret: string, { salt, hash }: OperatorSecretHash): boolean => {
  const [given, kept] = [Buffer.from(hashOperatorSecret(secret, salt), "hex"), Buffer.from(hash, "hex")];
  return given.length === kept.length && timingSafeEqual(given, kept);
};

const readOperatorSecret = async (
  { env }: Terminal,
  { "operator-secret-file": file }: OperatorFlags,
): Promise<string | undefined> => {
  if (file === undefined) return env.HAFT_OPERATOR_SECRET || undefined;
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined || text.trim() === "")
    throw new CommandUsageError(`--operator-secret-file ${file}: the file has no secret.`);
  return text.trim();
};

/** Without this, a model with a shell could open the Studio and approve its own calls. */
export const readOnlyLinkNote =
  "The link is read-only because it was created without a terminal. Set HAFT_OPERATOR_SECRET for a link that can approve and run.";

const operatorRequiredError = (action: string): OperatorRequiredError =>
  new OperatorRequiredError(
    `${action} requires a person. Run it at a terminal (standard input and standard error), or set HAFT_OPERATOR_SECRET to the secret that haft trust secret creates.`,
  );
