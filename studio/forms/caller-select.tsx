import type { Me } from "@api/shared.ts";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { callerText } from "../components/caller-name.tsx";
import { Select } from "../components/select.tsx";

/** Such as `ada, as clerk`: the principal of calls and the name of the person. */
const signedInCallerText = ({ name, principal }: Me): string => {
  const caller = principal === undefined ? name : callerText(principal);
  return caller === name ? name : `${name}, as ${caller}`;
};

export const CallerSelect = ({
  value,
  onChange,
  isDisabled = false,
}: {
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  readonly isDisabled?: boolean;
}) => {
  const { data: me } = useQuery(queries.me());
  const { data: permissions } = useQuery(queries.permissions({ limit: 1 }));
  const callers = (permissions?.principals ?? []).filter(
    ({ source }) => source === "configuration" || source === "runtime",
  );
  if (callers.length === 0) return null;
  return (
    <Select
      label="Caller"
      none={me === undefined ? "You" : signedInCallerText(me)}
      value={value}
      choices={callers.map(({ id, caller }) => [id, callerText(caller)] as const)}
      onChange={onChange}
      isDisabled={isDisabled}
    />
  );
};
