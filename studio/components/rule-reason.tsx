import { ForeignText } from "./foreign-text.tsx";

/** Marks rule IDs, because a rule may have a name such as "everybody". */
export const RuleReason = ({
  reason,
  ruleIds,
}: {
  readonly reason: string;
  readonly ruleIds: readonly string[];
}) =>
  reasonParts(reason, ruleIds).map(({ text, isRule }, index) =>
    isRule ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name
      <span key={index}>
        rule <ForeignText text={text} isInline isCode />
      </span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name
      <ForeignText key={index} text={text} isInline />
    ),
  );

interface ReasonPart {
  readonly text: string;
  readonly isRule: boolean;
}

/** Policies list rule IDs after "by". */
export const reasonParts = (reason: string, ruleIds: readonly string[]): readonly ReasonPart[] => {
  const parts: ReasonPart[] = [];
  const longestFirst = [...ruleIds].sort((one, other) => other.length - one.length);
  let begun = 0;
  for (let at = 0; at < reason.length; at += 1) {
    if (!/\bby $|, $/.test(reason.slice(Math.max(0, at - 4), at))) continue;
    const id = longestFirst.find((each) => each !== "" && reason.startsWith(each, at));
    if (id === undefined || !/^($|,| \(|;)/.test(reason.slice(at + id.length))) continue;
    if (at > begun) parts.push({ text: reason.slice(begun, at), isRule: false });
    parts.push({ text: id, isRule: true });
    begun = at + id.length;
    at = begun - 1;
  }
  return begun < reason.length ? [...parts, { text: reason.slice(begun), isRule: false }] : parts;
};
