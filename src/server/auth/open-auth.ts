import { ConfigurationError } from "../../words/errors.ts";
import { isLoopback } from "../loopback.ts";
import type { Authenticator, HostAuth } from "./host-auth.ts";
import { jwtAuth } from "./jwt.ts";
import { checkPrincipal } from "./principal.ts";
import { staticTokens } from "./static-tokens.ts";

/** Without auth, whoever can connect may call. */
export const refuseOpenDoor = (auth: HostAuth, host: string): ConfigurationError | undefined =>
  auth.kind !== "none" || isLoopback(host)
    ? undefined
    : new ConfigurationError(
        "invalid_config",
        `/auth is "none", but ${host} can be reached from other machines. Bind to 127.0.0.1, or give "tokens" or "jwt".`,
      );

export const openAuth = async (auth: HostAuth, now: () => number): Promise<Authenticator> => {
  if (auth.kind === "tokens") return staticTokens(auth);
  if (auth.kind === "jwt") return jwtAuth(auth, now);
  if (auth.kind !== "none")
    throw new ConfigurationError("invalid_config", '/auth/kind must be "none", "tokens" or "jwt".');
  checkPrincipal(auth.principal, "/auth/principal");
  return { identify: async () => auth.principal, close: async () => {} };
};
