type JsonNode = Record<string, unknown>;

/** Removes nulls that mean an absent field. Modifies `value`. */
export const removeNulls = (value: unknown, pointers: readonly string[]): unknown => {
  for (const pointer of pointers) removeNullAt(value, pointer.split("/").slice(1).map(unescapePointerStep));
  return value;
};

const removeNullAt = (place: unknown, steps: readonly string[]): void => {
  if (typeof place !== "object" || place === null) return;
  const [step, ...rest] = steps;
  if (step === undefined) return;
  if (step === "*" && Array.isArray(place)) {
    for (const item of place) removeNullAt(item, rest);
    return;
  }
  if (!Object.hasOwn(place, step)) return;
  if (rest.length > 0) removeNullAt((place as JsonNode)[step], rest);
  else if ((place as JsonNode)[step] === null) delete (place as JsonNode)[step];
};

const unescapePointerStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");
