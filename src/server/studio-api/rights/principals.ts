import { isSameParty, type Principal, partyKeyOf } from "../../words/principal.ts";
import { callerToday } from "../acting.ts";
import { nameOf, type Person, toCaller } from "../person.ts";
import { ApiRefusal, invalid } from "../refused.ts";
import type { Visit } from "../visit.ts";
import type { NamedPrincipal } from "../words/rights.ts";
import { ask, type StudioWorld } from "../world.ts";

/** A principal that may be asked about, with the rights that it has. */
export interface KnownPrincipal extends NamedPrincipal {
  readonly principal: Principal;
}

/** Those of runs and questions of late; a row of the ledger has no rights in it. */
const mostSeen = 200;

/** Who is signed in, who the runtime calls as, who the configuration names, and who was seen in the ledger lately. */
export const principalsOf = async (
  world: StudioWorld,
  person: Person,
): Promise<readonly KnownPrincipal[]> => {
  const [runs, asked] = await Promise.all([
    ask(world.ledger.runs.list({ limit: mostSeen })),
    ask(world.ledger.approvals.list({ limit: mostSeen })),
  ]);
  const seen = [
    ...runs.map(({ principal, updatedAt }) => ({ principal, at: updatedAt })),
    ...asked.map(({ principal, askedAt }) => ({ principal, at: askedAt })),
  ].sort((one, other) => other.at - one.at);
  const known = new Map(callable(world, person).map((each) => [each.id, each]));
  for (const { principal, at } of seen) {
    if (principal === undefined) continue;
    const id = partyKeyOf(principal);
    const before = known.get(id);
    if (before === undefined) {
      known.set(id, { id, principal, caller: toCaller(principal), from: "ledger", lastSeenAt: at });
    } else if (before.lastSeenAt === undefined) known.set(id, { ...before, lastSeenAt: at });
  }
  return [...known.values()];
};

/** As whom somebody may call from here: nobody that only the ledger knows. */
const callable = ({ haft, options }: StudioWorld, person: Person): readonly KnownPrincipal[] => {
  const all: readonly (readonly [Principal | undefined, NamedPrincipal["from"]])[] = [
    [person.principal, "signed-in"],
    [haft.principal, "runtime"],
    ...options.principals.map((principal) => [principal, "configuration"] as const),
  ];
  const known = new Map<string, KnownPrincipal>();
  for (const [principal, from] of all) {
    if (principal === undefined) continue;
    const id = partyKeyOf(principal);
    if (!known.has(id)) known.set(id, { id, principal, caller: toCaller(principal), from });
  }
  return [...known.values()];
};

/** Who calls: the one that `as` names by its id, or by its agent where only one has it; unless named, who is signed in. */
export const actingAs = ({ world, person }: Visit, as: string | undefined): Principal => {
  const all = callable(world, person);
  if (as === undefined) {
    const [first] = all;
    if (first !== undefined) return first.principal;
    throw invalid(
      "Nobody is calling: open the runtime with a principal, or name one of `principals` with `as`.",
    );
  }
  const found = pick(all, as);
  if (found !== undefined) return found.principal;
  throw invalid(`Nobody here is called "${as}". Tools are called as one of: ${names(all)}.`);
};

/** As whom a run goes on, or is made again: its own caller, where whoever asks for it may call as that one. */
export const actingFor = (visit: Visit, owner: Principal | undefined): Principal | undefined => {
  const { world, person } = visit;
  if (owner === undefined) return person.principal ?? world.haft.principal;
  const all = callable(world, person);
  const found = all.find(({ principal }) => isSameParty(principal, owner));
  if (found !== undefined) return found.principal;
  if (person.isOperator === true) return callerToday(world, owner);
  throw new ApiRefusal(
    403,
    "not_yours",
    `It is a run of ${nameOf(owner)}, and you call as one of: ${names(all)}. Whoever runs this goes on with it: haft resume.`,
  );
};

/** The same among all that are known, to ask what somebody may. */
export const askedAbout = async (
  { world, person }: Visit,
  as: string | undefined,
): Promise<KnownPrincipal> => {
  const all = await principalsOf(world, person);
  const found = as === undefined ? all[0] : (pick(all, as) ?? sameBesideSession(all, as));
  if (found !== undefined) return found;
  throw invalid(`Nobody is known as "${as}". There are: ${names(all)}.`);
};

const pick = (all: readonly KnownPrincipal[], as: string): KnownPrincipal | undefined => {
  const named = all.filter(({ caller }) => caller.agent === as);
  return all.find(({ id }) => id === as) ?? (named.length === 1 ? named[0] : undefined);
};

/** Rights are those of an agent for a user of a tenant: where a session is not known, another of the same answers. */
const sameBesideSession = (all: readonly KnownPrincipal[], as: string): KnownPrincipal | undefined => {
  const beside = (id: string): string | undefined => {
    try {
      const [agent, , user, tenant] = JSON.parse(id) as readonly unknown[];
      return JSON.stringify([agent, user, tenant]);
    } catch {
      return undefined;
    }
  };
  const wanted = beside(as);
  return wanted === undefined ? undefined : all.find(({ id }) => beside(id) === wanted);
};

const names = (all: readonly KnownPrincipal[]): string =>
  [...new Set(all.map(({ caller }) => caller.agent))].slice(0, 20).join(", ");
