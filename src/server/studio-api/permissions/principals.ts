import { callerKeyOf, isSameCaller, type Principal } from "../../../types/principal.ts";
import { HttpError } from "../../request/http-error.ts";
import { type ApiContext, type Person, personNameOf, toCaller } from "../api-context.ts";
import { invalidRequestError } from "../api-error.ts";
import { currentPrincipalOf } from "../run-agent.ts";
import type { NamedPrincipal } from "../schemas/permissions.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";

export interface KnownPrincipal extends NamedPrincipal {
  readonly principal: Principal;
}

/** Ledger entries have no permissions, so only runs and approvals are read. */
const maxRecentPrincipals = 200;

export const principalsOf = async (
  studio: StudioServices,
  person: Person,
): Promise<readonly KnownPrincipal[]> => {
  const [runs, approvals] = await Promise.all([
    runLedger(studio.ledger.runs.list({ limit: maxRecentPrincipals })),
    runLedger(studio.ledger.approvals.list({ limit: maxRecentPrincipals })),
  ]);
  const seen = [
    ...runs.map(({ principal, updatedAt }) => ({ principal, at: updatedAt })),
    ...approvals.map(({ principal, askedAt }) => ({ principal, at: askedAt })),
  ].sort((one, other) => other.at - one.at);
  const known = new Map(callablePrincipals(studio, person).map((each) => [each.id, each]));
  for (const { principal, at } of seen) {
    if (principal === undefined) continue;
    const id = callerKeyOf(principal);
    const before = known.get(id);
    if (before === undefined) {
      known.set(id, { id, principal, caller: toCaller(principal), source: "ledger", lastSeenAt: at });
    } else if (before.lastSeenAt === undefined) known.set(id, { ...before, lastSeenAt: at });
  }
  return [...known.values()];
};

/** Without principals that are only in the ledger: tools cannot be called as one of them. */
const callablePrincipals = ({ haft, options }: StudioServices, person: Person): readonly KnownPrincipal[] => {
  const all: readonly (readonly [Principal | undefined, NamedPrincipal["source"]])[] = [
    [person.principal, "signed-in"],
    [haft.principal, "runtime"],
    ...options.principals.map((principal) => [principal, "configuration"] as const),
  ];
  const known = new Map<string, KnownPrincipal>();
  for (const [principal, source] of all) {
    if (principal === undefined) continue;
    const id = callerKeyOf(principal);
    if (!known.has(id)) known.set(id, { id, principal, caller: toCaller(principal), source });
  }
  return [...known.values()];
};

/** By ID or unique agent. Default: the signed-in person. */
export const callerNamed = ({ studio, person }: ApiContext, as: string | undefined): Principal => {
  const all = callablePrincipals(studio, person);
  if (as === undefined) {
    const [first] = all;
    if (first !== undefined) return first.principal;
    throw invalidRequestError(
      "The call has no principal. Open the runtime with a principal, or set `as` to one of `principals`.",
    );
  }
  const found = findPrincipal(all, as);
  if (found !== undefined) return found.principal;
  throw invalidRequestError(`There is no principal "${as}" for calls. Use one of: ${principalNames(all)}.`);
};

/** Throws if the person may not act as the run's caller. */
export const callerForRun = (context: ApiContext, owner: Principal | undefined): Principal | undefined => {
  const { studio, person } = context;
  if (owner === undefined) return person.principal ?? studio.haft.principal;
  const all = callablePrincipals(studio, person);
  const found = all.find(({ principal }) => isSameCaller(principal, owner));
  if (found !== undefined) return found.principal;
  if (person.isOperator === true) return currentPrincipalOf(studio, owner);
  throw new HttpError(
    403,
    "forbidden",
    `This run belongs to ${personNameOf(owner)}, and you may act only as: ${principalNames(all)}. Ask an operator to resume or cancel it, in the Studio or with haft resume.`,
  );
};

/** Includes principals that are only in the ledger, because explaining permissions calls nothing. */
export const principalNamed = async (
  { studio, person }: ApiContext,
  as: string | undefined,
): Promise<KnownPrincipal> => {
  const all = await principalsOf(studio, person);
  const found = as === undefined ? all[0] : (findPrincipal(all, as) ?? sameExceptSession(all, as));
  if (found !== undefined) return found;
  throw invalidRequestError(`There is no principal "${as}". Known principals: ${principalNames(all)}.`);
};

const findPrincipal = (all: readonly KnownPrincipal[], as: string): KnownPrincipal | undefined => {
  const named = all.filter(({ caller }) => caller.agent === as);
  return all.find(({ id }) => id === as) ?? (named.length === 1 ? named[0] : undefined);
};

/** Permissions do not depend on the session. */
const sameExceptSession = (all: readonly KnownPrincipal[], as: string): KnownPrincipal | undefined => {
  const withoutSession = (id: string): string | undefined => {
    try {
      const [agent, , user, tenant] = JSON.parse(id) as readonly unknown[];
      return JSON.stringify([agent, user, tenant]);
    } catch {
      return undefined;
    }
  };
  const wanted = withoutSession(as);
  return wanted === undefined ? undefined : all.find(({ id }) => withoutSession(id) === wanted);
};

const principalNames = (all: readonly KnownPrincipal[]): string =>
  [...new Set(all.map(({ caller }) => caller.agent))].slice(0, 20).join(", ");
