import { useQuery } from "@tanstack/react-query";
import type { Me } from "@words/shared.ts";
import { queries } from "../api/queries.ts";
import { callerWords } from "../components/caller.tsx";
import { Select } from "../components/select.tsx";

/** Who is signed in, and as whom that is done: the ledger has the second. */
const ownWords = ({ name, principal }: Me): string => {
  const caller = principal === undefined ? name : callerWords(principal);
  return caller === name ? name : `${name}, as ${caller}`;
};

/** As whom something is done: who is signed in, or somebody that the configuration or the runtime names. */
export const CallerChoice = ({
  value,
  onChange,
  isDisabled = false,
}: {
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  readonly isDisabled?: boolean;
}) => {
  const { data: me } = useQuery(queries.me());
  // Only who there is: what they may is another page.
  const { data: rights } = useQuery(queries.rights({ limit: 1 }));
  const callers = (rights?.principals ?? []).filter(
    ({ from }) => from === "configuration" || from === "runtime",
  );
  if (callers.length === 0) return null;
  return (
    <Select
      label="As"
      none={me === undefined ? "me" : ownWords(me)}
      value={value}
      choices={callers.map(({ id, caller }) => [id, callerWords(caller)] as const)}
      onChange={onChange}
      isDisabled={isDisabled}
    />
  );
};
