import type { ToolListItem, ToolMatch } from "@api/tools.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { Badge } from "../components/badge.tsx";
import { FilterInput } from "../components/filter-input.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { EmptyState, ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { Page } from "../components/page.tsx";
import { formatNumberOf } from "../components/time.tsx";

const route = getRouteApi("/tools");

/** All tools, or those that a model would get for a query, with scores. */
export const Tools = () => {
  const { query } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(queries.tools({ query }));
  const search = data?.search;
  const matches = new Map(search?.matches.map((match) => [match.key, match]));
  return (
    <Page
      title="Tools"
      actions={
        data !== undefined && (
          <span className="text-soft">{formatNumberOf(data.total?.count ?? data.items.length, "tool")}</span>
        )
      }
    >
      <search>
        <FilterInput
          label="Search"
          value={query}
          placeholder="Describe a task"
          className="w-72"
          onChange={(value) => void navigate({ search: value === undefined ? {} : { query: value } })}
        />
      </search>
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingNotice />}
      {search !== undefined && (
        <p role="status" className="text-soft">
          {search.noMatchReason !== undefined ? (
            <ForeignText text={search.noMatchReason} isInline />
          ) : (
            `${Math.round(search.confidence * 100)} % confidence that the first tool fits.`
          )}
        </p>
      )}
      {data !== undefined && data.items.length === 0 && search === undefined && (
        <div className="panel">
          <EmptyState title="No tools">
            Add tools to the configuration, or pass a file:{" "}
            <code className="code">haft studio --tools tools.ts</code>.
          </EmptyState>
        </div>
      )}
      {data !== undefined && data.items.length > 0 && (
        <ul className="panel divide-y divide-line">
          {data.items.map((tool) => (
            <ToolItem key={tool.key} tool={tool} match={matches.get(tool.key)} />
          ))}
        </ul>
      )}
      {data?.hasMore && <p className="text-xs text-soft">There are more tools. Search to find them.</p>}
      {search !== undefined && search.nearMisses.length > 0 && (
        <details className="panel p-3">
          <summary>{formatNumberOf(search.nearMisses.length, "near miss", "near misses")}</summary>
          <ul className="mt-2 flex flex-col gap-2">
            {search.nearMisses.map(({ key, exclusionReason, score }) => (
              <li key={key} className="flex flex-wrap gap-x-3">
                <Link to="/tools/$key" params={{ key }} className="link">
                  <ForeignText text={key} />
                </Link>
                <span className="text-soft">{score.toFixed(2)}</span>
                <ForeignText text={exclusionReason} className="text-soft" />
              </li>
            ))}
          </ul>
        </details>
      )}
    </Page>
  );
};

const ToolItem = ({
  tool,
  match,
}: {
  readonly tool: ToolListItem;
  readonly match: ToolMatch | undefined;
}) => (
  <li className="relative flex flex-col gap-1 p-3 hover:bg-hover">
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      <Link
        to="/tools/$key"
        params={{ key: tool.key }}
        className="max-w-full min-w-0 font-medium before:absolute before:inset-0"
      >
        <ForeignText text={tool.key} isLine />
      </Link>
      <ToolBadges tool={tool} />
      <span className="ml-auto min-w-0 text-xs text-soft max-sm:hidden">
        <ForeignText text={tool.server ?? tool.origin} isLine />
      </span>
    </div>
    <ForeignText text={tool.description} isLine className="text-soft" />
    {match !== undefined && (
      <div className="relative mt-1 flex flex-wrap items-center gap-x-4 gap-y-1 text-xs">
        <span className="font-medium text-accent">{match.score.toFixed(2)}</span>
        <ForeignText text={match.reason} />
        {Object.entries(match.evidence).map(([name, share]) => (
          <span key={name} className="flex items-center gap-1 text-soft">
            {markUnseen(name)}
            <span aria-hidden className="h-1.5 w-10 overflow-hidden rounded bg-sunken">
              <span className="block h-full bg-accent" style={{ width: `${100 * share}%` }} />
            </span>
            {share.toFixed(2)}
          </span>
        ))}
      </div>
    )}
  </li>
);

export const ToolBadges = ({ tool }: { readonly tool: ToolListItem }) => (
  <>
    {tool.quarantineReason !== undefined && (
      <Badge tone="bad" title={tool.quarantineReason}>
        quarantined
      </Badge>
    )}
    <Badge tone={tool.risk === "high" ? "bad" : "plain"}>{`${tool.risk} risk`}</Badge>
    {tool.requiresApproval && <Badge tone="wait">needs approval</Badge>}
    {tool.readOnly && <Badge>{tool.server === undefined ? "read-only" : "declared read-only"}</Badge>}
    {tool.destructive && <Badge tone="bad">destructive</Badge>}
    {tool.openWorld && <Badge>open world</Badge>}
  </>
);
