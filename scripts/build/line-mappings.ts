/**
 * Reduces a source map to one position per line, which is sufficient for stack traces. Column positions are
 * most of a map.
 */
export const lineMappings = (mappings: string): string => {
  // Numbers are deltas to the previous segment, so both sides track the absolute position.
  const read = [0, 0, 0];
  const written = [0, 0, 0];
  return mappings
    .split(";")
    .map((line) => {
      let first: readonly number[] | undefined;
      for (const segment of line === "" ? [] : line.split(",")) {
        const [, ...steps] = readNumbers(segment);
        if (steps.length < 3) continue;
        for (let part = 0; part < 3; part += 1) read[part]! += steps[part]!;
        first ??= [...read];
      }
      if (first === undefined) return "";
      const steps = first.map((value, part) => value - written[part]!);
      for (const [part, value] of first.entries()) written[part] = value;
      return [0, ...steps].map(writeNumber).join("");
    })
    .join(";");
};

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Base 64 VLQ: least significant digits first, the highest bit of a digit continues, the lowest bit of the
 * number is its sign.
 */
const readNumbers = (segment: string): readonly number[] => {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const letter of segment) {
    const digit = digits.indexOf(letter);
    value += (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push((value & 1) === 0 ? value >> 1 : -(value >> 1));
    value = 0;
    shift = 0;
  }
  return numbers;
};

const writeNumber = (number: number): string => {
  let left = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = "";
  do {
    const digit = left & 31;
    left >>>= 5;
    text += digits[left > 0 ? digit | 32 : digit];
  } while (left > 0);
  return text;
};
