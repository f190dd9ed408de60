import type { Permissions as Matrix } from "@api/permissions.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { callerText } from "../components/caller-name.tsx";
import { FilterInput } from "../components/filter-input.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { Page, Section } from "../components/page.tsx";
import { Select } from "../components/select.tsx";
import { PermissionExplanationPanel } from "./permission-explanation-panel.tsx";
import { PermissionMatrix } from "./permission-matrix.tsx";

const route = getRouteApi("/permissions");

export const Permissions = () => {
  const { filter } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(queries.permissions({ tool: filter, limit: 100 }));
  const setFilter = (value: string | undefined): void =>
    void navigate({
      search: ({ filter: _, ...was }) => (value === undefined ? was : { ...was, filter: value }),
    });
  return (
    <Page title="Permissions">
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingNotice />}
      {data !== undefined && (
        <>
          <Section title="Explain">
            <PermissionQueryForm matrix={data} />
          </Section>
          <Section
            title="Principals and tools"
            actions={<FilterInput label="Tool name" value={filter} onChange={setFilter} />}
          >
            <PermissionMatrix matrix={data} />
          </Section>
        </>
      )}
    </Page>
  );
};

const PermissionQueryForm = ({ matrix: { principals, tools } }: { readonly matrix: Matrix }) => {
  const { as, tool, input, tainted } = route.useSearch();
  const navigate = route.useNavigate();
  const set = (name: "as" | "tool" | "input" | "tainted") => (value: string | undefined) =>
    void navigate({
      search: ({ [name]: _, ...was }) => (value === undefined ? was : { ...was, [name]: value }),
    });
  const problem = input === undefined ? undefined : jsonProblem(input);
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Select
          label="Caller"
          none="Choose a caller"
          value={principalIdOf(principals, as)}
          choices={principals.map(({ id, caller }) => [id, callerText(caller)] as const)}
          onChange={set("as")}
        />
        <Select
          label="Tool"
          none="Choose a tool"
          value={tool}
          choices={[...new Set([...tools, ...(tool === undefined ? [] : [tool])])]}
          onChange={set("tool")}
        />
        <FilterInput
          label="Arguments (JSON, optional)"
          value={input}
          placeholder='{"amount": 1000}'
          onChange={set("input")}
          className="code w-72"
        />
        <label className="flex items-center gap-1.5">
          <input
            type="checkbox"
            checked={tainted === "true"}
            onChange={({ target }) => set("tainted")(target.checked ? "true" : undefined)}
          />
          The run has read untrusted content
        </label>
      </div>
      {problem !== undefined && (
        <p role="alert" className="mt-2 text-xs text-bad">
          Invalid JSON: {markUnseen(problem)}
        </p>
      )}
      {as !== undefined && tool !== undefined && problem === undefined && (
        <PermissionExplanationPanel
          query={{
            as,
            tool,
            ...(input === undefined ? {} : { input }),
            ...(tainted === "true" ? { tainted } : {}),
          }}
        />
      )}
    </>
  );
};

/** A URL may name a caller by its agent if that is unique. */
const principalIdOf = (principals: Matrix["principals"], as: string | undefined): string | undefined => {
  const named = principals.filter(({ caller }) => caller.agent === as);
  return principals.some(({ id }) => id === as) ? as : named.length === 1 ? named[0]?.id : undefined;
};

const jsonProblem = (text: string): string | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
