import { nearest } from "../../catalog/near.ts";
import { shorten } from "../../text/cut-text.ts";
import { failed, isOutcome, type Outcome } from "../../words/outcome.ts";
import type { Principal } from "../../words/principal.ts";
import type { Registration, ShownTools } from "../../words/tool.ts";
import type { CallServices } from "../call-services.ts";

const listed = 20;
const longestName = 100;

/** Which tools may be named to this caller. */
interface KnownTools {
  readonly among: readonly Registration[];
  readonly includes: (registration: Registration) => boolean;
}

/**
 * The spec behind a name, if this caller may see it. Decided before the arguments are read, so that
 * a hidden tool answers the same to all of them.
 */
export const findTool = (
  services: CallServices,
  name: string,
  principal: Principal,
  shown: ShownTools | undefined,
): Registration | Outcome => {
  const own = shown?.byWireName.get(name);
  const found = own?.origin === "agent" ? own : resolve(services, name, principal, shown);
  if (isOutcome(found)) return found;
  const decision = services.policy.visible(principal, found);
  if (decision.effect !== "deny") return found;
  return hidden(found.key, knownTo(services, principal, shown), decision.reason, principal.agent);
};

/** An agent's own tools are in what was shown; all others are in the registry, or are gone. */
const resolve = (
  services: CallServices,
  name: string,
  principal: Principal,
  shown: ShownTools | undefined,
): Registration | Outcome => {
  const resolved = services.registry.resolve(name);
  if (!resolved.ok) {
    const known = knownTo(services, principal, shown);
    if (resolved.code === "ambiguous_tool") return ambiguous(services, name, known, resolved.candidates);
    return missing(services, name, principal) ?? unknown(name, known);
  }
  const { registration } = resolved;
  return shown === undefined || shown.byWireName.get(registration.wireName) === registration
    ? registration
    : unknown(name, knownTo(services, principal, shown));
};

/** A tool that would be there if its server were, told only to who could see it then. */
const missing = (
  { registry, policy }: CallServices,
  name: string,
  principal: Principal,
): Outcome | undefined => {
  const found = registry.missing(name);
  if (found === undefined || policy.visible(principal, found.registration).effect === "deny")
    return undefined;
  return failed({ ...found.failure, tool: found.registration.key, ran: false });
};

const knownTo = (
  services: CallServices,
  principal: Principal,
  shown: ShownTools | undefined,
): KnownTools => ({
  among: shown === undefined ? services.registry.ordered() : [...shown.byWireName.values()],
  includes: (one) =>
    (shown === undefined || shown.byWireName.get(one.wireName) === one) &&
    services.policy.visible(principal, one).effect !== "deny",
});

/** Hidden candidates stay hidden; when all are, the name means nothing to this caller. */
const ambiguous = (
  services: CallServices,
  name: string,
  known: KnownTools,
  candidates: readonly string[],
): Outcome => {
  const visible = candidates.filter((key) => {
    const registration = services.registry.get(key);
    return registration !== undefined && known.includes(registration);
  });
  if (visible.length === 0) return unknown(name, known);
  return failed({
    code: "ambiguous_tool",
    tool: name,
    message: `The name "${name}" fits several tools. Use a full name: ${visible.join(", ")}.`,
  });
};

const unknown = (asked: string, known: KnownTools): Outcome => {
  const name = shorten(asked, longestName);
  const near = nearest(name, known.among, known.includes);
  const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  return failed({
    code: "unknown_tool",
    tool: name,
    message: `There is no tool named "${name}".${hint}${available(known)}`,
    availableTools: namesOf(known, mostNames),
  });
};

const hidden = (name: string, known: KnownTools, reason: string, agentId: string): Outcome =>
  failed({
    code: "not_visible",
    tool: name,
    message: `The tool "${name}" is not available to you.${available(known)}`,
    detail: reason,
    agentId,
    availableTools: namesOf(known, mostNames),
  });

/** For a program, which reads more than a model should. */
const mostNames = 100;

const namesOf = (known: KnownTools, most: number): readonly string[] => {
  const names: string[] = [];
  for (const registration of known.among) {
    if (names.length === most) break;
    if (known.includes(registration)) names.push(registration.wireName);
  }
  return names;
};

const available = (known: KnownTools): string => {
  const names = namesOf(known, listed + 1);
  if (names.length > listed) return ` Tools you can use: ${names.slice(0, listed).join(", ")}, and more.`;
  return names.length === 0 ? " No tools are available to you." : ` Tools you can use: ${names.join(", ")}.`;
};
