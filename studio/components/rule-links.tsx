import type { Caller, Text } from "@api/shared.ts";
import { Link } from "@tanstack/react-router";
import { callerId } from "./caller-name.tsx";
import { ForeignText } from "./foreign-text.tsx";

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
