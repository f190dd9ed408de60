import type { Caller, Text } from "@api/shared.ts";
import { Link } from "@tanstack/react-router";
import { callerId } from "./caller-name.tsx";
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

/** Longer arguments would make the URL too long. */
const maxLinkInputLength = 4_000;

export const RuleLinks = ({
  ruleIds,
  caller,
  tool,
  input,
  isTainted = false,
}: {
  readonly ruleIds: readonly string[];
  readonly caller: Caller;
  readonly tool: string;
  readonly input?: Text | undefined;
  readonly isTainted?: boolean;
}) => {
  const isWhole =
    input !== undefined && input.isTruncated !== true && input.text.length <= maxLinkInputLength;
  const search = {
    as: callerId(caller),
    tool,
    ...(isWhole ? { input: input.text } : {}),
    ...(isTainted ? { tainted: "true" } : {}),
  };
  return (
    <span className="flex flex-wrap gap-x-3">
      {ruleIds.map((id) => (
        <Link key={id} to="/permissions" search={search} className="link">
          rule <ForeignText text={id} isInline isCode />
        </Link>
      ))}
      {ruleIds.length === 0 && (
        <Link to="/permissions" search={search} className="link">
          Explain permission
        </Link>
      )}
    </span>
  );
};
