import { identityOf } from "../../../../credentials/oauth/identity.ts";
import type { RemoteServer } from "../../../../words/mcp.ts";
import type { Principal } from "../../../../words/principal.ts";
import { never } from "../refusals.ts";
import type { TokenOwner } from "./bundle-book.ts";

export type RemoteServerWithId = RemoteServer & { readonly id: string };

const canonical = (url: string): string => {
  const read = new URL(url);
  read.hash = "";
  return read.href;
};

/**
 * Whose tokens they are: of this server at this URL, for this user, tenant and agent. The house itself is a party of
 * its own. The issuer stands in what is kept, and is compared whenever tokens are renewed.
 */
export const ownerOf = ({ id, url }: RemoteServerWithId, principal: Principal | undefined): TokenOwner => {
  const place = ["mcp", id, canonical(url)];
  if (principal === undefined) return { id, key: JSON.stringify(place) };
  const identity = identityOf(principal);
  if (identity === undefined)
    throw never(id, "has no tokens for a caller that names another user or tenant than its lender");
  const { tenant, user, agent } = identity;
  return { id, key: JSON.stringify([...place, tenant ?? null, user ?? null, agent]) };
};
