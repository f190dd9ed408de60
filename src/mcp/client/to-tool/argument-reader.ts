/** Reads the text or number at a JSON pointer. Anything else is no key of an effect. */
export const argumentReader = (pointer: string): ((input: unknown) => string) => {
  const steps = pointer.split("/").slice(1).map(unescapeStep);
  return (input) => {
    const found = steps.reduce(valueAt, input);
    return (typeof found === "number" ? String(found) : found) as string;
  };
};

const unescapeStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const valueAt = (value: unknown, step: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, step)
    ? (value as Readonly<Record<string, unknown>>)[step]
    : undefined;
