import type { KeyClaim } from "../types/ledger.ts";

/**
 * What a key is unique by. A caller's own key belongs to agent, user and tenant; the key of a tool belongs to the tool and to
 * everyone in its scope.
 */
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
