import { failed, type Outcome } from "../../words/outcome.ts";
import type { Principal } from "../../words/principal.ts";
import type { Registration } from "../../words/tool.ts";
import type { House } from "../house.ts";

/** What the model was shown. Only a name in it is a tool, whatever else is registered. */
export interface Shown {
  readonly byWireName: ReadonlyMap<string, Registration>;
}

const listed = 20;
const longestName = 100;

/** Whether a tool may be named to this caller. */
type IsKnown = (registration: Registration) => boolean;

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
  const isKnown = (one: Registration) =>
    (shown === undefined || shown.byWireName.get(one.wireName) === one) && isVisible(house, principal, one);
  const resolved = house.registry.resolve(name);
  if (!resolved.ok) {
    return resolved.code === "ambiguous_tool"
      ? ambiguous(house, name, isKnown, resolved.candidates)
      : unknown(house, name, isKnown);
  }
  const { registration } = resolved;
  if (shown !== undefined && shown.byWireName.get(registration.wireName) !== registration) {
    return unknown(house, name, isKnown);
  }
  const decision = house.policy.visible(principal, registration);
  return decision.effect === "deny" ? hidden(house, name, isKnown, decision.reason) : registration;
};

/** Hidden candidates stay hidden; when all are, the name means nothing to this caller. */
const ambiguous = (house: House, name: string, isKnown: IsKnown, candidates: readonly string[]): Outcome => {
  const visible = candidates.filter((key) => {
    const registration = house.registry.get(key);
    return registration !== undefined && isKnown(registration);
  });
  if (visible.length === 0) return unknown(house, name, isKnown);
  return failed({
    code: "ambiguous_tool",
    tool: name,
    message: `The name "${name}" fits several tools. Use a full name: ${visible.join(", ")}.`,
  });
};

const unknown = (house: House, asked: string, isKnown: IsKnown): Outcome => {
  const name = asked.length > longestName ? `${asked.slice(0, longestName)}…` : asked;
  const near = house.registry.near(name, isKnown);
  const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  return failed({
    code: "unknown_tool",
    tool: name,
    message: `There is no tool named "${name}".${hint}${available(house, isKnown)}`,
  });
};

const hidden = (house: House, name: string, isKnown: IsKnown, reason: string): Outcome =>
  failed({
    code: "not_visible",
    tool: name,
    message: `The tool "${name}" is not available to you.${available(house, isKnown)}`,
    detail: reason,
  });

const available = (house: House, isKnown: IsKnown): string => {
  const names: string[] = [];
  for (const registration of house.registry.ordered()) {
    if (!isKnown(registration)) continue;
    if (names.length === listed) return ` Tools you can use: ${names.join(", ")}, and more.`;
    names.push(registration.wireName);
  }
  return names.length === 0 ? " No tools are available to you." : ` Tools you can use: ${names.join(", ")}.`;
};

const isVisible = (house: House, principal: Principal, registration: Registration): boolean =>
  house.policy.visible(principal, registration).effect !== "deny";
