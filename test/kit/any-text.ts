import fc from "fast-check";

const surrogates = 0x800;

const codePoint = (last: number): fc.Arbitrary<string> =>
  fc.nat(last - surrogates).map((drawn) => String.fromCodePoint(drawn < 0xd800 ? drawn : drawn + surrogates));

const anyCodePoint = fc.oneof(
  fc.nat(0x7f).map((drawn) => String.fromCodePoint(drawn)),
  codePoint(0xffff),
  codePoint(0x10ffff),
);

/** Text of any code points, control characters too. The unit "binary" of fast-check takes seconds to set up in each worker. */
export const anyText = (bounds: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...bounds, unit: anyCodePoint });
