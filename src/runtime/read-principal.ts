import { checkFields } from "../base/json/check-fields.ts";
import { copyJson } from "../base/json/copy-json.ts";
import { freezeJson } from "../base/json/json-value.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Principal } from "../types/principal.ts";

const principalFields = [
  "agent",
  "session",
  "user",
  "tenant",
  "allow",
  "deny",
  "toolkits",
  "roles",
  "within",
] as const satisfies (keyof Principal)[];
const listFields: ReadonlySet<string> = new Set(["allow", "deny", "toolkits", "roles"]);

/**
 * Copies and freezes a principal, because decisions are cached by its identity. Rejects unknown fields,
 * because a misspelled `deny` would deny nothing.
 */
export const readPrincipal = (principal: Principal | undefined): Principal | undefined => {
  if (principal === undefined) return undefined;
  const copy = copyJson(principal);
  if (!copy.ok) throw principalError(`cannot be read: ${copy.problem.message}`);
  checkPrincipal(copy.value);
  return freezeJson(copy.value) as Principal;
};

export const checkPrincipal = (principal: unknown): void => {
  checkFields("The principal", principal, principalFields);
  for (const [field, value] of Object.entries(principal as Principal)) {
    if (field === "within") checkPrincipal(value);
    else if (!listFields.has(field)) {
      if (typeof value !== "string" || value === "")
        throw principalError(`needs a non-empty string as \`${field}\``);
    } else if (!Array.isArray(value) || value.some((each) => typeof each !== "string")) {
      throw principalError(`needs a list of strings as \`${field}\`, such as ["get_*"]`);
    }
  }
  if ((principal as Principal).agent === undefined)
    throw principalError("needs an `agent`, the name of the caller");
};

const principalError = (why: string) => new ConfigurationError("invalid_config", `The principal ${why}.`);
