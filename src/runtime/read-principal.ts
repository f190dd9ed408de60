import { checkFields } from "../json/check-fields.ts";
import { copyJson } from "../json/copy-json.ts";
import { freezeJson } from "../json/freeze-json.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { Principal } from "../words/principal.ts";

const fields = [
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
const lists: ReadonlySet<string> = new Set(["allow", "deny", "toolkits", "roles"]);

/**
 * A frozen copy: rights that change behind our back would have to be looked at again for every call. What cannot
 * be read is refused, since a right that is misspelled is a right that nobody has, or a denial that denies nothing.
 */
export const readPrincipal = (principal: Principal | undefined): Principal | undefined => {
  if (principal === undefined) return undefined;
  const copy = copyJson(principal);
  if (!copy.ok) throw refuse(`cannot be read: ${copy.problem.message}`);
  checkPrincipal(copy.value);
  return freezeJson(copy.value) as Principal;
};

export const checkPrincipal = (principal: unknown): void => {
  checkFields("The principal", principal, fields);
  for (const [field, value] of Object.entries(principal as Principal)) {
    if (field === "within") checkPrincipal(value);
    else if (!lists.has(field)) {
      if (typeof value !== "string" || value === "") throw refuse(`needs a non-empty text as \`${field}\``);
    } else if (!Array.isArray(value) || value.some((each) => typeof each !== "string")) {
      throw refuse(`needs a list of texts as \`${field}\`, such as ["get_*"]`);
    }
  }
  if ((principal as Principal).agent === undefined)
    throw refuse("needs an `agent`: the name of who is calling");
};

const refuse = (why: string) => new ConfigurationError("invalid_config", `The principal ${why}.`);
