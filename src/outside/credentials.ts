import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { CredentialsError } from "../words/errors.ts";
import { finder, type SecretSource } from "./secret-source.ts";

/** Named secrets. A value travels only as `Redacted`, whose printed forms are masked. */
export interface CredentialStore {
  readonly secret: (name: string) => Effect.Effect<Redacted.Redacted<string>, CredentialsError>;
  /** Every value at hand or ever handed out, for the one redactor to mask. */
  readonly known: () => Iterable<string>;
}

export class Credentials extends Context.Service<Credentials, CredentialStore>()("haft/Credentials") {}

/** Secrets from values, from the environment, or from a function that asks a vault at each use. */
export const credentials = (source: SecretSource): CredentialStore => {
  const known = new Set<string>();
  const { find, places } = finder(source);
  // What is at hand is masked from the start, not only once a tool has used it.
  if (typeof source === "object") {
    for (const value of Object.values(source.values ?? {})) {
      const secret = Redacted.isRedacted(value) ? Redacted.value(value) : value;
      if (typeof secret === "string" && secret.trim() !== "") known.add(secret);
    }
  }

  // A foreign error may hold tokens of its own, so only its words are kept, and those are masked.
  const masked = (error: unknown): string => {
    let text = error instanceof Error ? `${error.name}: ${error.message}` : "the failure is not an Error";
    for (const secret of known) text = text.replaceAll(secret, "…");
    return text.slice(0, 300);
  };

  const missing = (name: string, error?: unknown): CredentialsError => {
    const shown = JSON.stringify(name.slice(0, 80));
    const where = places(name).join(" and in ") || "no place, since no source is configured";
    return error === undefined
      ? new CredentialsError(
          "secret_missing",
          `The secret ${shown} is not configured; it was looked for in ${where}.`,
        )
      : new CredentialsError("secret_missing", `The secret ${shown} could not be asked of ${where}.`, {
          detail: masked(error),
        });
  };

  return {
    known: () => known,
    secret: (name) =>
      Effect.matchEffect(find(name), {
        onFailure: (error) => Effect.fail(missing(name, error)),
        onSuccess: (found) => {
          const value = Redacted.isRedacted(found) ? Redacted.value(found) : found;
          if (typeof value !== "string" || value.trim() === "") return Effect.fail(missing(name));
          known.add(value);
          return Effect.succeed(Redacted.make(value, { label: name }));
        },
      }),
  };
};
