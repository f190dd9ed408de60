import type { KeyClaim } from "../types/ledger.ts";

/** A caller's key belongs to agent, user and tenant; a tool's key to the tool and its scope. */
export const uniqueKeyParts = ({
  key,
  tool,
  effect,
  agent,
  user,
  tenant,
}: KeyClaim): readonly (string | null)[] => {
  if (effect === undefined) return [tenant ?? null, user ?? null, agent, key];
  const { scope } = effect;
  return [
    "effect",
    scope,
    tool,
    scope === "global" ? null : (tenant ?? null),
    scope === "user" ? (user ?? null) : null,
    scope === "agent" ? agent : null,
    key,
  ];
};
