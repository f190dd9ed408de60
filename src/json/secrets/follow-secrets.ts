import { SecretValues } from "./secret-values.ts";

const followers = new WeakMap<() => Iterable<string>, () => SecretValues>();

const follow = (secrets: () => Iterable<string>): (() => SecretValues) => {
  const values = new SecretValues();
  let held: readonly string[] = [];
  let isFixed = false;
  return () => {
    const next = secrets();
    // A frozen list is the same as long as it is the same one.
    if (next === held && isFixed) return values;
    isFixed = Array.isArray(next) && Object.isFrozen(next);
    const list: readonly string[] = isFixed ? (next as readonly string[]) : [...next];
    if (list.length !== held.length || list.some((secret, at) => secret !== held[at])) values.hold(list);
    held = list;
    return values;
  };
};

/** Follows a list of secrets that may change. Whoever follows the same list shares what is prepared of it. */
export const followSecrets = (secrets: () => Iterable<string>): (() => SecretValues) => {
  const known = followers.get(secrets);
  if (known !== undefined) return known;
  const made = follow(secrets);
  followers.set(secrets, made);
  return made;
};
