export type CompiledCheck = (value: unknown) => boolean;

export const alwaysValid: CompiledCheck = () => true;

export const neverValid: CompiledCheck = () => false;

/** Direct calls are faster than a loop. */
export const everyCheck = (given: readonly CompiledCheck[]): CompiledCheck => {
  if (given.includes(neverValid)) return neverValid;
  const checks = given.filter((check) => check !== alwaysValid);
  const [first, second, third] = checks;
  if (first === undefined) return alwaysValid;
  if (second === undefined) return first;
  if (third === undefined) return (value) => first(value) && second(value);
  if (checks.length === 3) return (value) => first(value) && second(value) && third(value);
  return (value) => {
    for (let index = 0; index < checks.length; index++) if (!checks[index]!(value)) return false;
    return true;
  };
};
