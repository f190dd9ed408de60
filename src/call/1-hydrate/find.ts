import { failed, type Outcome } from "../../words/outcome.ts";
import type { Principal } from "../../words/principal.ts";
import type { Registration } from "../../words/tool.ts";
import type { House } from "../house.ts";

/** What the model was shown. Only a name in it is a tool, whatever else is registered. */
export interface Shown {
  readonly byWireName: ReadonlyMap<string, Registration>;
}

const listed = 20;

/**
 * The spec behind a name, if this caller may see it. Decided before the arguments are read, so that
 * a hidden tool answers the same to all of them.
 */
export const find = (
  house: House,
  name: string,
  principal: Principal,
  shown: Shown | undefined,
): Registration | Outcome => {
  const resolved = house.registry.resolve(name);
  if (!resolved.ok) {
    return resolved.code === "ambiguous_tool"
      ? ambiguous(house, name, principal, resolved.candidates)
      : unknown(house, name, principal);
  }
  const { registration } = resolved;
  if (shown !== undefined && shown.byWireName.get(registration.wireName) !== registration) {
    return unknown(house, name, principal);
  }
  const decision = house.policy.visible(principal, registration);
  return decision.effect === "deny" ? hidden(house, name, principal, decision.reason) : registration;
};

/** Hidden candidates stay hidden; when all are, the name means nothing to this caller. */
const ambiguous = (
  house: House,
  name: string,
  principal: Principal,
  candidates: readonly string[],
): Outcome => {
  const visible = candidates.filter((key) => {
    const registration = house.registry.get(key);
    return registration !== undefined && isVisible(house, principal, registration);
  });
  if (visible.length === 0) return unknown(house, name, principal);
  return failed({
    code: "ambiguous_tool",
    tool: name,
    message: `The name "${name}" fits several tools. Use a full name: ${visible.join(", ")}.`,
  });
};

const unknown = (house: House, name: string, principal: Principal): Outcome => {
  const near = house.registry.near(name, (other) => isVisible(house, principal, other));
  const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  return failed({
    code: "unknown_tool",
    tool: name,
    message: `There is no tool named "${name}".${hint}${available(house, principal)}`,
  });
};

const hidden = (house: House, name: string, principal: Principal, reason: string): Outcome =>
  failed({
    code: "not_visible",
    tool: name,
    message: `The tool "${name}" is not available to you.${available(house, principal)}`,
    detail: reason,
  });

const available = (house: House, principal: Principal): string => {
  const names: string[] = [];
  for (const registration of house.registry.ordered()) {
    if (!isVisible(house, principal, registration)) continue;
    if (names.length === listed) return ` Tools you can use: ${names.join(", ")}, and more.`;
    names.push(registration.wireName);
  }
  return names.length === 0 ? " No tools are available to you." : ` Tools you can use: ${names.join(", ")}.`;
};

const isVisible = (house: House, principal: Principal, registration: Registration): boolean =>
  house.policy.visible(principal, registration).effect !== "deny";
