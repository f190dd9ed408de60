import { compilePatterns } from "../../../policy/compile-pattern.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import type { Principal } from "../../../types/principal.ts";

/** Patterns are judged when the host opens: a wrong one found at the first call would be found too late. */
export const checkPatterns = (patterns: readonly string[] | undefined, where: string): void => {
  try {
    compilePatterns(patterns ?? []);
  } catch (error) {
    throw new ConfigurationError("invalid_config", `${where}: ${(error as Error).message}`);
  }
};

/** An operator's own principal, as the configuration has it. */
export const checkPrincipal = (principal: Principal | undefined, where: string): void => {
  if (typeof principal?.agent !== "string" || principal.agent === "")
    throw new ConfigurationError("invalid_config", `${where}/agent must name who is calling.`);
  checkPatterns(principal.allow, `${where}/allow`);
  checkPatterns(principal.deny, `${where}/deny`);
};
