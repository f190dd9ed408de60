import { shorten } from "../../base/text/cut-text.ts";
import { suggestNames } from "../../registry/suggest-names.ts";
import { failed, isOutcome, type Outcome } from "../../types/outcome.ts";
import type { Principal } from "../../types/principal.ts";
import type { OfferedTools, Registration } from "../../types/tool.ts";
import type { CallServices } from "../call-state.ts";

const maxListedTools = 20;
const maxQuotedNameLength = 100;

interface VisibleTools {
  readonly among: readonly Registration[];
  readonly includes: (registration: Registration) => boolean;
}

/** Runs before the arguments are read, so that a hidden tool reveals nothing about its schema. */
export const findTool = (
  services: CallServices,
  name: string,
  principal: Principal,
  offered: OfferedTools | undefined,
): Registration | Outcome => {
  const offeredTool = offered?.byWireName.get(name);
  const found =
    offeredTool?.origin === "agent" ? offeredTool : resolveName(services, name, principal, offered);
  if (isOutcome(found)) return found;
  const decision = services.policy.visible(principal, found);
  if (decision.effect !== "deny") return found;
  return notVisibleOutcome(
    found.key,
    visibleTo(services, principal, offered),
    decision.reason,
    principal.agent,
  );
};

/** Tools of an agent exist in the offer only; all others must be in the registry. */
const resolveName = (
  services: CallServices,
  name: string,
  principal: Principal,
  shown: OfferedTools | undefined,
): Registration | Outcome => {
  const resolved = services.registry.resolve(name);
  if (!resolved.ok) {
    const known = visibleTo(services, principal, shown);
    if (resolved.code === "ambiguous_tool")
      return ambiguousNameOutcome(services, name, known, resolved.candidates);
    return findUnavailableTool(services, name, principal) ?? unknownToolOutcome(name, known);
  }
  const { registration } = resolved;
  return shown === undefined || shown.byWireName.get(registration.wireName) === registration
    ? registration
    : unknownToolOutcome(name, visibleTo(services, principal, shown));
};

/** Reported only to callers who may see the tool. */
const findUnavailableTool = (
  { registry, policy }: CallServices,
  name: string,
  principal: Principal,
): Outcome | undefined => {
  const found = registry.missing(name);
  if (found === undefined || policy.visible(principal, found.registration).effect === "deny")
    return undefined;
  return failed({ ...found.failure, tool: found.registration.key, ran: false });
};

const visibleTo = (
  services: CallServices,
  principal: Principal,
  shown: OfferedTools | undefined,
): VisibleTools => ({
  among: shown === undefined ? services.registry.ordered() : [...shown.byWireName.values()],
  includes: (one) =>
    (shown === undefined || shown.byWireName.get(one.wireName) === one) &&
    services.policy.visible(principal, one).effect !== "deny",
});

const ambiguousNameOutcome = (
  services: CallServices,
  name: string,
  known: VisibleTools,
  candidates: readonly string[],
): Outcome => {
  const visible = candidates.filter((key) => {
    const registration = services.registry.get(key);
    return registration !== undefined && known.includes(registration);
  });
  if (visible.length === 0) return unknownToolOutcome(name, known);
  return failed({
    code: "ambiguous_tool",
    tool: name,
    message: `The name "${name}" matches several tools. Use a full name: ${visible.join(", ")}.`,
  });
};

const unknownToolOutcome = (asked: string, known: VisibleTools): Outcome => {
  const name = shorten(asked, maxQuotedNameLength);
  const near = suggestNames(name, known.among, known.includes);
  const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  return failed({
    code: "unknown_tool",
    tool: name,
    message: `There is no tool named "${name}".${hint}${describeAvailableTools(known)}`,
    availableTools: visibleNames(known, maxAvailableTools),
  });
};

const notVisibleOutcome = (name: string, known: VisibleTools, reason: string, agentId: string): Outcome =>
  failed({
    code: "not_visible",
    tool: name,
    message: `The tool "${name}" is not available to you.${describeAvailableTools(known)}`,
    detail: reason,
    agentId,
    availableTools: visibleNames(known, maxAvailableTools),
  });

const maxAvailableTools = 100;

const visibleNames = (known: VisibleTools, limit: number): readonly string[] => {
  const names: string[] = [];
  for (const registration of known.among) {
    if (names.length === limit) break;
    if (known.includes(registration)) names.push(registration.wireName);
  }
  return names;
};

const describeAvailableTools = (known: VisibleTools): string => {
  const names = visibleNames(known, maxListedTools + 1);
  if (names.length > maxListedTools)
    return ` Tools you can use: ${names.slice(0, maxListedTools).join(", ")}, and more.`;
  return names.length === 0 ? " No tools are available to you." : ` Tools you can use: ${names.join(", ")}.`;
};
