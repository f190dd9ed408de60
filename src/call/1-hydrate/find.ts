import { nearest } from "../../catalog/near.ts";
import { failed, isOutcome, type Outcome } from "../../words/outcome.ts";
import type { Principal } from "../../words/principal.ts";
import type { Registration } from "../../words/tool.ts";
import type { House } from "../house.ts";

/** What the model was shown. Only a name in it is a tool, whatever else is registered. */
export interface Shown {
  readonly byWireName: ReadonlyMap<string, Registration>;
}

const listed = 20;
const longestName = 100;

/** Which tools may be named to this caller. */
interface Known {
  readonly among: readonly Registration[];
  readonly includes: (registration: Registration) => boolean;
}

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
  const own = shown?.byWireName.get(name);
  const found = own?.origin === "agent" ? own : resolve(house, name, principal, shown);
  if (isOutcome(found)) return found;
  const decision = house.policy.visible(principal, found);
  if (decision.effect !== "deny") return found;
  return hidden(name, knownTo(house, principal, shown), decision.reason);
};

/** An agent's own tools are in what was shown; all others are in the registry, or are gone. */
const resolve = (
  house: House,
  name: string,
  principal: Principal,
  shown: Shown | undefined,
): Registration | Outcome => {
  const resolved = house.registry.resolve(name);
  if (!resolved.ok) {
    const known = knownTo(house, principal, shown);
    return resolved.code === "ambiguous_tool"
      ? ambiguous(house, name, known, resolved.candidates)
      : unknown(name, known);
  }
  const { registration } = resolved;
  return shown === undefined || shown.byWireName.get(registration.wireName) === registration
    ? registration
    : unknown(name, knownTo(house, principal, shown));
};

const knownTo = (house: House, principal: Principal, shown: Shown | undefined): Known => ({
  among: shown === undefined ? house.registry.ordered() : [...shown.byWireName.values()],
  includes: (one) =>
    (shown === undefined || shown.byWireName.get(one.wireName) === one) &&
    house.policy.visible(principal, one).effect !== "deny",
});

/** Hidden candidates stay hidden; when all are, the name means nothing to this caller. */
const ambiguous = (house: House, name: string, known: Known, candidates: readonly string[]): Outcome => {
  const visible = candidates.filter((key) => {
    const registration = house.registry.get(key);
    return registration !== undefined && known.includes(registration);
  });
  if (visible.length === 0) return unknown(name, known);
  return failed({
    code: "ambiguous_tool",
    tool: name,
    message: `The name "${name}" fits several tools. Use a full name: ${visible.join(", ")}.`,
  });
};

const unknown = (asked: string, known: Known): Outcome => {
  const name = asked.length > longestName ? `${asked.slice(0, longestName)}…` : asked;
  const near = nearest(name, known.among, known.includes);
  const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  return failed({
    code: "unknown_tool",
    tool: name,
    message: `There is no tool named "${name}".${hint}${available(known)}`,
  });
};

const hidden = (name: string, known: Known, reason: string): Outcome =>
  failed({
    code: "not_visible",
    tool: name,
    message: `The tool "${name}" is not available to you.${available(known)}`,
    detail: reason,
  });

const available = (known: Known): string => {
  const names: string[] = [];
  for (const registration of known.among) {
    if (!known.includes(registration)) continue;
    if (names.length === listed) return ` Tools you can use: ${names.join(", ")}, and more.`;
    names.push(registration.wireName);
  }
  return names.length === 0 ? " No tools are available to you." : ` Tools you can use: ${names.join(", ")}.`;
};
