import { hashJson } from "../../../json/hash.ts";
import type { Principal } from "../../../words/principal.ts";

const deepest = 64;

const links = (principal: Principal): unknown[] => {
  const chain: unknown[] = [];
  let link: Principal | undefined = principal;
  for (; link !== undefined && chain.length < deepest; link = link.within) {
    const { agent, session, user, tenant } = link;
    chain.push({ agent, session, user, tenant });
  }
  return chain;
};

/** Who this is, without a name in it: the same caller, lent its right by the same lenders. */
export const ownerOf = (principal: Principal): string => hashJson(links(principal));

/** Everybody who may read what this caller left: itself, and whoever lent it its right. */
export const ownersOf = (principal: Principal): readonly string[] => {
  const chain = links(principal);
  return chain.map((_, depth) => hashJson(chain.slice(depth)));
};
