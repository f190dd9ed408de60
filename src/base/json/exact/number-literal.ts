/** The first offset from `at` on that holds no digit. */
export const digitsEnd = (text: string, at: number): number => {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) break;
    at++;
  }
  return at;
};

/** The digits without the zeros around them, and the power of ten of the first one: equal for equal values. */
const significantDigitsOf = (literal: string): string => {
  const mark = literal.search(/[eE]/);
  const mantissa = mark < 0 ? literal : literal.slice(0, mark);
  const exponent = mark < 0 ? 0 : Number(literal.slice(mark + 1));
  const point = mantissa.indexOf(".");
  const digits = mantissa.replace(".", "");
  let first = 0;
  while (digits[first] === "0") first++;
  let end = digits.length;
  while (end > first && digits[end - 1] === "0") end--;
  return `${digits.slice(first, end)}e${(point < 0 ? digits.length : point) - first + exponent}`;
};

/**
 * Whether a JSON number literal (its minus sign left off) means the same once JavaScript holds it. Decimal
 * fractions are measures and may be rounded to the nearest double: 0.1 and 3.141592653589793238 are fine. A
 * whole number is often an id, so one beyond 2^53-1 is refused when it is written out, and when it has a point
 * or an exponent it must keep every digit: 5.972e24 is fine, 9007199254740993.0 is not. Nothing may become
 * infinite, and nothing but zero may become zero.
 */
export const isExactNumber = (literal: string): boolean => {
  const value = Number(literal);
  if (!/[.eE]/.test(literal)) return Number.isSafeInteger(value);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return !/[1-9]/.test(literal.split(/[eE]/, 1)[0]!);
  if (value <= Number.MAX_SAFE_INTEGER) return true;
  return significantDigitsOf(literal) === significantDigitsOf(String(value));
};
