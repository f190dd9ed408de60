import { ConfigurationError } from "../../words/errors.ts";
import type { Authenticator, HostAuth } from "./host-auth.ts";
import { openAuth } from "./open-auth.ts";

export interface ChangingAuth extends Authenticator {
  /** From now on only these callers are known. What others may do stays the same kind of thing. */
  readonly change: (next: HostAuth) => Promise<void>;
}

/** An authenticator whose callers can change while the host is open, as when a token is taken back. */
export const changingAuth = async (first: HostAuth, now: () => number): Promise<ChangingAuth> => {
  let current = await openAuth(first, now);
  const { metadata } = current;
  return {
    identify: (token) => current.identify(token),
    ...(metadata === undefined ? {} : { metadata }),
    change: async (next) => {
      const opened = await openAuth(next, now);
      if (next.kind !== first.kind || JSON.stringify(opened.metadata) !== JSON.stringify(metadata)) {
        await opened.close();
        const message = "How callers say who they are cannot change while the host is open. Start it again.";
        throw new ConfigurationError("invalid_config", message);
      }
      const before = current;
      current = opened;
      await before.close();
    },
    close: () => current.close(),
  };
};
