import { type CharClass, type Cursor, literalClass, PatternProblem, readEscape } from "./read-escape.ts";

const readMember = (cursor: Cursor): CharClass => {
  const next = cursor.take();
  return next === "\\" ? readEscape(cursor, true) : literalClass(next);
};

const codeOf = (member: CharClass): number | undefined => {
  const [range] = member.ranges;
  const isOne = member.ranges.length === 1 && member.properties.length === 0 && range![0] === range![1];
  return isOne ? range![0] : undefined;
};

/** Reads what stands between brackets, after the first of them. */
export const readClass = (cursor: Cursor): CharClass => {
  const negated = cursor.skip("^");
  const ranges: (readonly [number, number])[] = [];
  const properties: string[] = [];
  const add = (member: CharClass): void => {
    ranges.push(...member.ranges);
    properties.push(...member.properties);
  };
  while (!cursor.skip("]")) {
    if (cursor.peek() === undefined) throw new PatternProblem('has a "[" that is not closed');
    const member = readMember(cursor);
    if (!/^-[^\]]/s.test(cursor.rest())) {
      add(member);
      continue;
    }
    cursor.skip("-");
    const end = readMember(cursor);
    const [first, last] = [codeOf(member), codeOf(end)];
    if (first === undefined || last === undefined) {
      // A hyphen beside a set like \w joins nothing, so it stands for itself.
      for (const each of [member, literalClass("-"), end]) add(each);
    } else if (first > last) throw new PatternProblem("has a range that runs backwards");
    else ranges.push([first, last]);
  }
  return { ranges, properties, negated };
};
