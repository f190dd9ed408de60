import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Rights as Matrix, RightEffect, RightExplained } from "@words/rights.ts";
import { Check, CircleHelp, type LucideIcon, User, X } from "lucide-react";
import { queries } from "../api/queries.ts";
import { StateBadge } from "../components/badge.tsx";
import { callerWords } from "../components/caller.tsx";
import { FilterInput } from "../components/filter-input.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { Empty, ErrorBox, Loading } from "../components/notices.tsx";
import { Page, Section } from "../components/page.tsx";
import { Select } from "../components/select.tsx";
import { markUnseen } from "../components/unseen.ts";

const route = getRouteApi("/rights");

/** Who may call which tool, by which rule. */
export const Rights = () => {
  const { filter, as, tool } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(queries.rights({ tool: filter, limit: 100 }));
  const set = (name: "as" | "tool" | "filter") => (value: string | undefined) =>
    void navigate({
      search: ({ [name]: _, ...was }) => (value === undefined ? was : { ...was, [name]: value }),
    });
  return (
    <Page title="Who may what">
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <>
          <Section title="Explain">
            <div className="flex flex-wrap items-center gap-3">
              <Select
                label="May"
                none="choose who"
                value={idOf(data.principals, as)}
                choices={data.principals.map(({ id, caller }) => [id, callerWords(caller)] as const)}
                onChange={set("as")}
              />
              <Select
                label="call"
                none="choose a tool"
                value={tool}
                choices={[...new Set([...data.tools, ...(tool === undefined ? [] : [tool])])]}
                onChange={set("tool")}
              />
            </div>
            {as !== undefined && tool !== undefined && <Explained as={as} tool={tool} />}
          </Section>
          <Section
            title="Principals and tools"
            actions={<FilterInput label="Tools with" value={filter} onChange={set("filter")} />}
          >
            <MatrixTable matrix={data} />
          </Section>
        </>
      )}
    </Page>
  );
};

/** An address may name a caller by its agent, where only one has it. */
const idOf = (principals: Matrix["principals"], as: string | undefined): string | undefined => {
  const named = principals.filter(({ caller }) => caller.agent === as);
  return principals.some(({ id }) => id === as) ? as : named.length === 1 ? named[0]?.id : undefined;
};

const looks: Readonly<Record<RightEffect, readonly [LucideIcon, string, string]>> = {
  allow: [Check, "bg-good-wash text-good", "may"],
  approve: [User, "bg-wait-wash text-wait", "asks a person"],
  deny: [X, "bg-bad-wash text-bad", "may not"],
  unknown: [CircleHelp, "bg-sunken text-soft", "not known"],
};

const fromWords: Readonly<Record<Matrix["principals"][number]["from"], string>> = {
  "signed-in": "you",
  runtime: "the runtime's own",
  configuration: "configured",
  ledger: "seen in the ledger",
};

const MatrixTable = ({ matrix }: { readonly matrix: Matrix }) => {
  if (matrix.tools.length === 0) {
    return <Empty title="No tool fits">Shorten the filter, or clear it to see all tools.</Empty>;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys too
    <section aria-label="Matrix" tabIndex={0} className="relative -m-2 overflow-x-auto">
      <table className="w-full text-left">
        <thead>
          <tr>
            <th scope="col" className="sticky left-0 z-10 bg-panel p-2 text-xs font-medium text-soft">
              Tool
            </th>
            {matrix.principals.map(({ id, caller, from }) => (
              <th key={id} scope="col" className="max-w-44 min-w-28 p-2 align-bottom text-xs font-medium">
                <ForeignText text={callerWords(caller)} isLine />
                <span className="font-normal text-soft">{markUnseen(fromWords[from])}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.tools.map((tool, row) => (
            <tr key={tool} className="border-t border-line">
              <th
                scope="row"
                className="sticky left-0 z-10 max-w-56 bg-panel p-2 max-sm:max-w-36 font-medium"
              >
                <Link to="/tools/$key" params={{ key: tool }} className="hover:underline">
                  <ForeignText text={tool} isLine />
                </Link>
              </th>
              {matrix.principals.map(({ id, caller }, column) => {
                const { effect, reason } = matrix.cells[column]![row]!;
                const [Icon, look, words] = looks[effect];
                return (
                  <td key={id} className="p-1.5">
                    <Link
                      to="/rights"
                      search={(was) => ({ ...was, as: id, tool })}
                      title={markUnseen(`${words}: ${reason}`)}
                      aria-label={markUnseen(`${callerWords(caller)}: ${words} (${tool})`)}
                      className={`inline-flex h-7 items-center gap-1.5 rounded px-2 text-xs ${look}`}
                    >
                      <Icon size={14} aria-hidden />
                      {words}
                    </Link>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {matrix.isCut && (
        <p className="p-2 text-xs text-soft">There are more tools or principals than these.</p>
      )}
    </section>
  );
};

const Explained = ({ as, tool }: { readonly as: string; readonly tool: string }) => {
  const { data, error } = useQuery(queries.explain({ as, tool }));
  if (error !== null)
    return (
      <div className="mt-3">
        <ErrorBox error={error} />
      </div>
    );
  return data === undefined ? <Loading /> : <Explanation right={data} />;
};

const Explanation = ({ right: { effect, text, rules } }: { readonly right: RightExplained }) => (
  <div className="mt-4 flex flex-col gap-3" role="status">
    <div className="flex items-start gap-2">
      <StateBadge state={effect} />
      <ForeignText text={text} className="min-w-0" />
    </div>
    {rules.length > 0 && (
      <ul className="flex flex-col gap-1">
        {rules.map(({ id, effect: says, concerns, covers, met, unmet }) => (
          <li key={id} className="flex flex-wrap items-center gap-2">
            <StateBadge state={says} />
            <ForeignText text={id} isCode />
            <span className="text-soft">
              {!concerns
                ? "is about others"
                : !covers
                  ? "is about other tools"
                  : met === false
                    ? "its condition is not met"
                    : "applies"}
            </span>
            {unmet.map((what) => (
              <ForeignText key={what} text={what} className="text-soft" />
            ))}
          </li>
        ))}
      </ul>
    )}
  </div>
);
