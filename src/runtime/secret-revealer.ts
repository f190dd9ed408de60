import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { CredentialStore } from "../base/credentials/credentials.ts";
import type { MaybeSecret } from "../types/mcp.ts";

/** Resolves names of secrets; plain text stays as it is. */
export const secretRevealer =
  ({ secret }: Pick<CredentialStore, "secret">): ((value: MaybeSecret) => Promise<string>) =>
  (value) =>
    typeof value === "string"
      ? Promise.resolve(value)
      : Effect.runPromise(Effect.map(secret(value.secret), Redacted.value));
