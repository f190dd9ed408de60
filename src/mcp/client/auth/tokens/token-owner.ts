import { tokenIdentityOf } from "../../../../base/credentials/oauth/token-identity.ts";
import type { RemoteServer } from "../../../../types/mcp.ts";
import type { Principal } from "../../../../types/principal.ts";
import { notRetryableAuthError } from "../auth-errors.ts";
import type { TokenOwner } from "./token-bundle-store.ts";

export type RemoteServerWithId = RemoteServer & { readonly id: string };

const canonicalUrl = (url: string): string => {
  const read = new URL(url);
  read.hash = "";
  return read.href;
};

/** Without a principal, the runtime itself is the owner. */
export const tokenOwnerOf = (
  { id, url }: RemoteServerWithId,
  principal: Principal | undefined,
): TokenOwner => {
  const place = ["mcp", id, canonicalUrl(url)];
  if (principal === undefined) return { id, key: JSON.stringify(place) };
  const identity = tokenIdentityOf(principal);
  if (identity === undefined)
    throw notRetryableAuthError(
      id,
      "has no tokens for a caller whose user or tenant differs from its delegator's",
    );
  const { tenant, user, agent } = identity;
  return { id, key: JSON.stringify([...place, tenant ?? null, user ?? null, agent]) };
};
