import * as Effect from "effect/Effect";
import type { Redacted } from "effect/Redacted";

type Secret = string | Redacted<string>;

type Found = Secret | undefined;

/** Asked at every use, so that it can rotate what it answers. */
export type SecretLookup = (name: string) => Found | PromiseLike<Found> | Effect.Effect<Found, unknown>;

export type SecretSource =
  | SecretLookup
  | {
      readonly values?: Readonly<Record<string, Secret>>;
      /** Variable → secret, or a prefix: under "KEY_" the secret `my-api` is read from KEY_MY_API. */
      readonly env?: string | Readonly<Record<string, string>>;
    };

export interface SecretFinder {
  readonly find: (name: string) => Effect.Effect<Found, unknown>;
  /** Where a secret is looked for, in words. */
  readonly places: (name: string) => readonly string[];
}

const settle = (answer: ReturnType<SecretLookup>): Effect.Effect<Found, unknown> => {
  if (Effect.isEffect(answer)) return answer as Effect.Effect<Found, unknown>;
  return typeof answer === "object" && "then" in answer
    ? Effect.tryPromise({ try: () => answer, catch: (error) => error })
    : Effect.succeed(answer);
};

const variableOf = (env: string | Readonly<Record<string, string>>, name: string): string | undefined =>
  typeof env === "string"
    ? env + name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")
    : Object.keys(env).find((variable) => env[variable] === name);

export const finder = (source: SecretSource): SecretFinder => {
  if (typeof source === "function") {
    return {
      find: (name) =>
        Effect.flatMap(Effect.try({ try: () => source(name), catch: (error) => error }), settle),
      places: () => ["the configured secret function"],
    };
  }
  const { values, env } = source;
  return {
    find: (name) =>
      Effect.sync(() => {
        if (values !== undefined && Object.hasOwn(values, name)) return values[name];
        const variable = env === undefined ? undefined : variableOf(env, name);
        return variable === undefined ? undefined : process.env[variable];
      }),
    places: (name) => {
      const variable = env === undefined ? undefined : variableOf(env, name);
      return [
        ...(values === undefined ? [] : ["the configured values"]),
        ...(env === undefined
          ? []
          : [variable === undefined ? "env, which does not map it" : `the environment variable ${variable}`]),
      ];
    },
  };
};
