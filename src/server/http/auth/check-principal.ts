import { compilePatterns } from "../../../policy/right.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import type { Principal } from "../../../types/principal.ts";

/** Validates patterns at startup. */
export const checkPatterns = (patterns: readonly string[] | undefined, where: string): void => {
  try {
    compilePatterns(patterns ?? []);
  } catch (error) {
    throw new ConfigurationError("invalid_config", `${where}: ${(error as Error).message}`);
  }
};

export const checkPrincipal = (principal: Principal | undefined, where: string): void => {
  if (typeof principal?.agent !== "string" || principal.agent === "")
    throw new ConfigurationError("invalid_config", `${where}/agent must be the name of the caller.`);
  checkPatterns(principal.allow, `${where}/allow`);
  checkPatterns(principal.deny, `${where}/deny`);
};
