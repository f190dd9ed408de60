/** Compiled from one schema node: whether a value holds. */
export type CompiledCheck = (value: unknown) => boolean;

export const always: CompiledCheck = () => true;

export const never: CompiledCheck = () => false;

/** All of them. Two and three are most of what there is, and a call is cheaper than a loop. */
export const all = (given: readonly CompiledCheck[]): CompiledCheck => {
  if (given.includes(never)) return never;
  const checks = given.filter((check) => check !== always);
  const [first, second, third] = checks;
  if (first === undefined) return always;
  if (second === undefined) return first;
  if (third === undefined) return (value) => first(value) && second(value);
  if (checks.length === 3) return (value) => first(value) && second(value) && third(value);
  return (value) => {
    for (let index = 0; index < checks.length; index++) if (!checks[index]!(value)) return false;
    return true;
  };
};
