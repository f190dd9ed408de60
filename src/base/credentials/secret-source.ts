import type * as Effect from "effect/Effect";
import type { Redacted } from "effect/Redacted";

/** A secret as text, or wrapped so that it is masked when printed. */
export type Secret = string | Redacted<string>;

type SecretLookupResult = Secret | undefined;

/** Asked at every use, so that it can rotate what it answers. */
export type SecretLookup = (
  name: string,
) => SecretLookupResult | PromiseLike<SecretLookupResult> | Effect.Effect<SecretLookupResult, unknown>;

/** A program that prints a secret, such as that of a password manager. It is never given to a shell. */
export interface CommandSource {
  /** What to run for a secret: the program, then its arguments. */
  readonly argv:
    | Readonly<Record<string, readonly string[]>>
    | ((name: string) => readonly string[] | undefined);
  /** Variables it gets besides PATH and HOME. */
  readonly env?: readonly string[];
  /** How long an answer is used again; 5 minutes if left out. */
  readonly cacheMs?: number;
}

/** Where secrets are kept. Asked in the order of the fields; the first that has the secret answers. */
export interface SecretSourceConfig {
  /** Secrets by name, as they are. */
  readonly values?: Readonly<Record<string, Secret>>;
  /** Variable → secret, or a prefix: under "KEY_" the secret `my-api` is read from KEY_MY_API. */
  readonly env?: string | Readonly<Record<string, string>>;
  /** Secret → file, or a directory with one file for each. Read at every use; others must not be able to. */
  readonly file?: string | Readonly<Record<string, string>>;
  /**
   * Takes files that group or others can read, as containers mount secrets; never ones that they can write. Unless
   * set: such files are refused.
   */
  readonly sharedFiles?: boolean;
  /** A program that prints them. */
  readonly command?: CommandSource;
  /** Asked after the places named beside it. */
  readonly sources?: readonly SecretSource[];
}

/** A list is asked in its order. A place that cannot be asked ends the search: nothing weaker takes its place. */
export type SecretSource = SecretLookup | SecretSourceConfig | readonly SecretSource[];
