import { hashJson } from "../../../base/json/hash.ts";
import type { Principal } from "../../../types/principal.ts";

const maxChainDepth = 64;

const callerChain = (principal: Principal): unknown[] => {
  const chain: unknown[] = [];
  let link: Principal | undefined = principal;
  for (; link !== undefined && chain.length < maxChainDepth; link = link.within) {
    const { agent, session, user, tenant } = link;
    chain.push({ agent, session, user, tenant });
  }
  return chain;
};

export const contentOwnerOf = (principal: Principal): string => hashJson(callerChain(principal));

/** The caller and its delegators. */
export const contentReadersOf = (principal: Principal): readonly string[] => {
  const chain = callerChain(principal);
  return chain.map((_, depth) => hashJson(chain.slice(depth)));
};
