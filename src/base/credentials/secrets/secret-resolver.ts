import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { CredentialsError } from "../../../types/errors.ts";
import type { KnownSecrets } from "../credentials.ts";
import { SecretError, type SecretSource } from "../secret-source.ts";
import { secretFinder, secretTextOf } from "./secret-source-readers.ts";

export type SecretResolver = (name: string) => Effect.Effect<Redacted.Redacted<string>, CredentialsError>;

export const secretResolver = (source: SecretSource, known: KnownSecrets): SecretResolver => {
  const { find, places } = secretFinder(source);

  // A foreign error may contain tokens.
  const masked = (error: unknown): string => {
    let text = error instanceof Error ? `${error.name}: ${error.message}` : "the failure is not an Error";
    for (const secret of known.all()) text = text.replaceAll(secret, "…");
    return text.slice(0, 300);
  };

  const missing = (shown: string, where: string): CredentialsError =>
    new CredentialsError(
      "secret_missing",
      `The secret ${shown} is not configured; searched: ${where || 'no source. Set a source, such as credentials: { env: "HAFT_SECRET_" }'}.`,
    );

  const lookupFailed = (shown: string, where: string, error: unknown): CredentialsError =>
    error instanceof SecretError
      ? new CredentialsError("secret_missing", `The secret ${shown} cannot be read: ${error.message}.`)
      : new CredentialsError("secret_missing", `The secret ${shown} could not be read from ${where}.`, {
          detail: masked(error),
        });

  return (name) => {
    const shown = JSON.stringify(String(name).slice(0, 80));
    const where = (): string => places(name).join(" and in ");
    return Effect.matchEffect(find(name), {
      onFailure: (error) => Effect.fail(lookupFailed(shown, where(), error)),
      onSuccess: (found) => {
        const value = secretTextOf(found);
        if (value === undefined) return Effect.fail(missing(shown, where()));
        known.add(value);
        return Effect.succeed(Redacted.make(value, { label: name }));
      },
    });
  };
};
