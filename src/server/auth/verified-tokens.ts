import { hash } from "node:crypto";
import type { Principal } from "../../words/principal.ts";

const keptMs = 60_000;
const most = 1_000;

export interface VerifiedTokens {
  readonly find: (text: string) => Principal | undefined;
  /** Until the token ends, in seconds, but for a minute at most: keys that are taken back must tell soon. */
  readonly keep: (text: string, principal: Principal, ends: number) => void;
}

/** Tokens that were verified a moment ago, by their hashes: an agent shows the same one with every call. */
export const verifiedTokens = (now: () => number): VerifiedTokens => {
  const kept = new Map<
    string,
    { readonly principal: Principal; readonly from: number; readonly until: number }
  >();
  const keyOf = (text: string): string => hash("sha256", text, "base64");
  return {
    find: (text) => {
      const found = kept.get(keyOf(text));
      const at = now();
      return found !== undefined && found.from <= at && at < found.until ? found.principal : undefined;
    },
    keep: (text, principal, ends) => {
      const from = now();
      kept.set(keyOf(text), { principal, from, until: Math.min(ends * 1000, from + keptMs) });
      if (kept.size > most) kept.delete(kept.keys().next().value!);
    },
  };
};
