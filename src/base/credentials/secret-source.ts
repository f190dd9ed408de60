import * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";

export type Secret = string | Redacted.Redacted<string>;

type SecretLookupResult = Secret | undefined;

/** Called at every use, so that its result can rotate. */
export type SecretLookup = (
  name: string,
) => SecretLookupResult | PromiseLike<SecretLookupResult> | Effect.Effect<SecretLookupResult, unknown>;

/** A program that prints a secret, such as a password manager. It runs without a shell. */
export interface CommandSource {
  /** The program and its arguments, for each secret. */
  readonly argv:
    | Readonly<Record<string, readonly string[]>>
    | ((name: string) => readonly string[] | undefined);
  /** Environment variables that it receives in addition to PATH and HOME. Unless set: none. */
  readonly env?: readonly string[];
  /** How long its output is reused, in milliseconds. Unless set: 5 minutes. */
  readonly cacheMs?: number;
}

/** Places of secrets. They are searched in the order of the fields, and the first match wins. */
export interface SecretSourceConfig {
  /** Secrets by name. */
  readonly values?: Readonly<Record<string, Secret>>;
  /** Variable → secret, or a prefix: with "KEY_" the secret `my-api` is read from KEY_MY_API. */
  readonly env?: string | Readonly<Record<string, string>>;
  /**
   * Secret → file, or a directory with one file per secret. Read at every use. Other users must not have
   * access.
   */
  readonly file?: string | Readonly<Record<string, string>>;
  /**
   * Accepts files that the group or others can read, as containers mount secrets, but none that they can
   * write. Unless set: such files are refused.
   */
  readonly sharedFiles?: boolean;
  /** A program that prints secrets. */
  readonly command?: CommandSource;
  /** Sources that are searched after the other fields. */
  readonly sources?: readonly SecretSource[];
}

/** A list is searched in order. A source that fails ends the search, so that no weaker source replaces it. */
export type SecretSource = SecretLookup | SecretSourceConfig | readonly SecretSource[];

/** Its message is safe to show: it contains no value and no text from the source. */
export class SecretError extends Error {}

export const maxSecretBytes = 64 * 1024;

/** Removes one final line break, which editors and `echo` add. */
export const decodeSecret = (bytes: Uint8Array, where: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    throw new SecretError(`${where} is not UTF-8 text`);
  }
};

export type ValueOrAsync<A> = A | PromiseLike<A> | Effect.Effect<A, unknown>;

const isPromise = (answer: unknown): answer is PromiseLike<never> =>
  typeof answer === "object" && answer !== null && "then" in answer;

export const fromValueOrAsync = <A>(ask: () => ValueOrAsync<A>): Effect.Effect<A, unknown> =>
  Effect.flatMap(Effect.try({ try: ask, catch: (error) => error }), (answer) => {
    if (Effect.isEffect(answer)) return answer as Effect.Effect<A, unknown>;
    return isPromise(answer)
      ? Effect.tryPromise({ try: () => answer as PromiseLike<A>, catch: (error) => error })
      : Effect.succeed(answer as A);
  });
