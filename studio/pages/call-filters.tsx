import { getRouteApi, Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { FilterInput } from "../components/filter-input.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { Select } from "../components/select.tsx";
import type { callsRoute } from "../router.tsx";

const route = getRouteApi("/calls");

export type CallFilter = ReturnType<typeof callsRoute.useSearch>;

export const CallFilters = ({ filter }: { readonly filter: CallFilter }) => {
  const { tool, agent, session, run, callId, ending, last, since, until } = filter;
  const navigate = route.useNavigate();
  const isExact = since !== undefined || until !== undefined;
  const hasOpenFilter = isExact || [session, run, callId].some((value) => value !== undefined);
  const [isOpen, setOpen] = useState(hasOpenFilter);
  const set = (change: Partial<CallFilter>): void =>
    void navigate({
      search: (was) =>
        Object.fromEntries(Object.entries({ ...was, ...change }).filter(([, value]) => value !== undefined)),
    });
  const setText = (name: keyof CallFilter) => (value: string | undefined) => set({ [name]: value });
  return (
    <search className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Select
        label="Time"
        none={isExact ? "Custom" : "Any"}
        value={last}
        choices={[
          ["hour", "Last hour"],
          ["day", "Last day"],
          ["week", "Last week"],
        ]}
        onChange={(value) => set({ last: value as CallFilter["last"], since: undefined, until: undefined })}
      />
      <Select
        label="Status"
        value={ending}
        choices={[
          ["open", "running"],
          ["executed", "done"],
          "failed",
          ["pending", "needs approval"],
          "hydrated",
          "unknown",
        ]}
        onChange={setText("ending")}
      />
      <FilterInput label="Tool" value={tool} onChange={setText("tool")} />
      <FilterInput label="Agent" value={agent} onChange={setText("agent")} className="w-28" />
      <button
        type="button"
        className="button button-quiet"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? "Fewer filters" : "More filters"}
      </button>
      {Object.values(filter).some((value) => value !== undefined) && (
        <Link to="/calls" className="button button-quiet">
          Clear filters
        </Link>
      )}
      {isOpen && (
        <div className="flex basis-full flex-wrap items-center gap-x-3 gap-y-2">
          <TimeInput label="From" value={since} onChange={(at) => set({ since: at, last: undefined })} />
          <TimeInput label="Until" value={until} onChange={(at) => set({ until: at, last: undefined })} />
          <FilterInput label="Session" value={session} onChange={setText("session")} className="w-24" />
          <FilterInput label="Run" value={run} onChange={setText("run")} className="w-32" />
          <FilterInput label="Call ID" value={callId} onChange={setText("callId")} className="w-32" />
        </div>
      )}
    </search>
  );
};

/** In the browser's time zone. */
const TimeInput = ({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (at: number | undefined) => void;
}) => {
  const id = useId();
  return (
    <span className="flex min-w-0 items-center gap-1.5 max-sm:grow">
      <label htmlFor={id} className="label">
        {markUnseen(label)}
      </label>
      <input
        id={id}
        type="datetime-local"
        step={1}
        className="field w-auto max-sm:grow"
        value={value === undefined ? "" : toLocalDateTime(value)}
        onChange={({ target }) => {
          const at = Date.parse(target.value);
          onChange(Number.isNaN(at) ? undefined : at);
        }}
      />
    </span>
  );
};

export const toLocalDateTime = (at: number): string => {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day}T${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
};
