export const digitsEnd = (text: string, at: number): number => {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) break;
    at++;
  }
  return at;
};

/** Equal numbers have equal results. */
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
 * Whether a number literal without its minus sign keeps its value in JavaScript. Decimal fractions may be
 * rounded. A whole number is often an id: beyond 2^53-1 it is refused when written in full, and with a point
 * or exponent it must keep every digit. Only zero may become zero.
 */
export const isExactNumber = (literal: string): boolean => {
  const value = Number(literal);
  if (!/[.eE]/.test(literal)) return Number.isSafeInteger(value);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return !/[1-9]/.test(literal.split(/[eE]/, 1)[0]!);
  if (value <= Number.MAX_SAFE_INTEGER) return true;
  return significantDigitsOf(literal) === significantDigitsOf(String(value));
};
