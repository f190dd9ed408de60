import type { Principal } from "../words/principal.ts";
import { compilePatterns, type Matcher } from "./pattern.ts";

/** What a principal may use by its own lists, before any rule is asked. */
export interface Right {
  readonly allows: Matcher;
  readonly denies: Matcher;
  /** Toolkits the policy does not have; they allow nothing. */
  readonly missing: readonly string[];
  /** Why nothing at all is allowed: a list that cannot be read must not be read as a shorter one. */
  readonly broken: string | undefined;
  /** False once the principal no longer says what this was made from. */
  readonly isCurrent: () => boolean;
}

const nothing: Matcher = () => false;

export const toRight = (principal: Principal, toolkits: ReadonlyMap<string, Matcher>): Right => {
  const isCurrent = watch(principal);
  const none = (broken: string): Right => ({
    allows: nothing,
    denies: nothing,
    missing: [],
    broken,
    isCurrent,
  });
  if (typeof principal.agent !== "string" || principal.agent === "") return none("it names no agent");
  try {
    const own = compilePatterns(principal.allow ?? []);
    const kits = (principal.toolkits ?? []).flatMap((name) => toolkits.get(name) ?? []);
    const allows: Matcher = kits.length === 0 ? own : (name) => own(name) || kits.some((kit) => kit(name));
    const missing = (principal.toolkits ?? []).filter((name) => !toolkits.has(name));
    return { allows, denies: compilePatterns(principal.deny ?? []), missing, broken: undefined, isCurrent };
  } catch (cause) {
    return none(cause instanceof Error ? cause.message : String(cause));
  }
};

const always = () => true;

/** A principal that is not frozen all through may lose a right by mutation; that must be noticed. */
const watch = (principal: Principal): (() => boolean) => {
  const now = () => [principal.allow, principal.deny, principal.toolkits, principal.roles];
  const lists = now();
  if (Object.isFrozen(principal) && lists.every((list) => list === undefined || Object.isFrozen(list)))
    return always;
  const { agent, user, tenant } = principal;
  const copies = lists.map((list) => (Array.isArray(list) ? [...list] : list));
  return () =>
    principal.agent === agent &&
    principal.user === user &&
    principal.tenant === tenant &&
    now().every((list, index) => isSame(list, copies[index]));
};

const isSame = (list: readonly string[] | undefined, copy: readonly string[] | undefined): boolean => {
  if (list === undefined || copy === undefined) return list === copy;
  return list.length === copy.length && list.every((entry, index) => entry === copy[index]);
};
