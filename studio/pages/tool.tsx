import type { ToolDetail } from "@api/tools.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { queries } from "../api/queries.ts";
import { Badge } from "../components/badge.tsx";
import { Chart } from "../components/chart.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { JsonView } from "../components/json-view.tsx";
import { ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { FactList, Page, Section } from "../components/page.tsx";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatEstimate,
  formatNumberOf,
  formatShare,
} from "../components/time.tsx";
import { ToolForm } from "./tool-form.tsx";
import { ToolBadges } from "./tools.tsx";

const route = getRouteApi("/tools/$key");

export const ToolPage = () => {
  const { key } = route.useParams();
  const { data, error, refetch } = useQuery(queries.tool(key));
  return (
    <Page
      title={key}
      heading={<ForeignText text={key} isLine />}
      actions={data !== undefined && <ToolBadges tool={data.summary} />}
    >
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <LoadingNotice /> : <ToolDetailView key={key} tool={data} />}
    </Page>
  );
};

const ToolDetailView = ({ tool }: { readonly tool: ToolDetail }) => {
  const { summary, stats, shadows, shadowedBy } = tool;
  return (
    <>
      {shadowedBy !== undefined && (
        <p className="rounded-md bg-wait-wash p-3 text-wait">
          The short name belongs to <ForeignText text={shadowedBy} isInline />. Call this tool by its full
          name.
        </p>
      )}
      {summary.quarantineReason !== undefined && (
        <div role="alert" className="flex flex-wrap items-center gap-x-3 rounded-md bg-bad-wash p-3 text-bad">
          <ForeignText text={`Quarantined, cannot be called: ${summary.quarantineReason}`} isInline />
          {summary.server !== undefined && (
            <Link to="/servers/$id/review" params={{ id: summary.server }} className="font-medium underline">
              Review
            </Link>
          )}
        </div>
      )}
      <ForeignText text={summary.description} className="max-w-3xl text-soft" />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <ToolForm tool={tool} />
          <Section title="Schema">
            <div className="flex flex-col gap-3">
              {tool.signature !== undefined && <ForeignText text={tool.signature} isCode />}
              <JsonView value={tool.input} />
              {tool.output !== undefined && (
                <>
                  <p className="label">Result</p>
                  <JsonView value={tool.output} />
                </>
              )}
            </div>
          </Section>
          <Section title="Vendor formats">
            <div className="flex flex-col gap-2">
              {tool.formats.map(({ format, definition, losses }) => (
                <details key={format} className="rounded-md border border-line">
                  <summary className="px-3 py-2">
                    <span className="mr-2 font-medium">{markUnseen(format)}</span>
                    <Badge tone={losses.length === 0 ? "good" : "wait"}>
                      {losses.length === 0 ? "lossless" : formatNumberOf(losses.length, "loss", "losses")}
                    </Badge>
                  </summary>
                  <div className="flex flex-col gap-2 border-t border-line p-3">
                    {losses.map(({ pointer, message }, index) => (
                      <ForeignText
                        // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same
                        key={index}
                        text={`${pointer || "tool"}: ${message}`}
                      />
                    ))}
                    <JsonView value={definition} />
                  </div>
                </details>
              ))}
            </div>
          </Section>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Section title="Statistics">
            <FactList
              facts={[
                ["Calls", formatEstimate(stats.calls)],
                [
                  "Failed",
                  stats.calls.count === 0
                    ? "0"
                    : `${formatEstimate(stats.failed)} (${formatShare(stats.failed.count, stats.calls.count)})`,
                ],
                ["p50", formatDuration(stats.p50)],
                ["p95", formatDuration(stats.p95)],
                ["Cost", stats.cost === undefined ? undefined : formatCost(stats.cost)],
              ]}
            />
            {stats.failures.length > 0 && (
              <div className="mt-3">
                <p className="label mb-1">Failures by code</p>
                <FactList
                  facts={stats.failures.map(({ code, count }) => [code, formatCount(count)] as const)}
                />
              </div>
            )}
            <DurationChart recent={tool.recentCalls} />
            <Link to="/calls" search={{ tool: summary.key }} className="link mt-2 inline-block">
              View calls
            </Link>
          </Section>
          <FailureChart recent={tool.recentCalls} />
          <Section title="About">
            <FactList
              facts={[
                ["Origin", <ForeignText key="origin" text={summary.origin} />],
                [
                  "Server",
                  summary.server && (
                    <Link key="server" to="/servers" className="link">
                      <ForeignText text={summary.server} isInline />
                    </Link>
                  ),
                ],
                ["Source", <ForeignText key="source" text={summary.source} />],
                ["Category", <ForeignText key="category" text={summary.category} />],
                [
                  "Tags",
                  summary.tags.length > 0 && <ForeignText key="tags" text={summary.tags.join(", ")} />,
                ],
                ["Wire name", <ForeignText key="wire" text={summary.wireName} isCode />],
                ["Idempotent", summary.idempotent ? "yes" : "no"],
                ["Maximum cost", tool.maxCost === undefined ? undefined : formatCost(tool.maxCost)],
                ["Timeout", tool.timeoutMs === undefined ? undefined : formatDuration(tool.timeoutMs)],
                [
                  "Layers",
                  tool.layers.length > 0 && <ForeignText key="layers" text={tool.layers.join(" → ")} />,
                ],
                ["Shadows", shadows.length > 0 && <ToolLinks key="shadows" keys={shadows} />],
                ["Shadowed by", shadowedBy && <ToolLinks key="by" keys={[shadowedBy]} />],
                [
                  "Definition",
                  <ForeignText key="hash" text={tool.definition} isCode className="break-all" />,
                ],
              ]}
            />
            <Link to="/permissions" search={{ tool: summary.key }} className="link mt-2 inline-block">
              Permissions
            </Link>
          </Section>
        </div>
      </div>
    </>
  );
};

const ToolLinks = ({ keys }: { readonly keys: readonly string[] }) => (
  <span className="flex flex-wrap gap-x-2">
    {keys.map((key) => (
      <Link key={key} to="/tools/$key" params={{ key }} className="link min-w-0">
        <ForeignText text={key} isInline />
      </Link>
    ))}
  </span>
);

const bucketCount = 24;

const DurationChart = ({ recent }: { readonly recent: ToolDetail["recentCalls"] }) => {
  const durations = useMemo(() => toDurations(recent), [recent]);
  if (recent.length < 2) return null;
  return (
    <div className="mt-3">
      <Chart label="Recent durations" {...durations} format={formatDuration} height={130} />
    </div>
  );
};

const FailureChart = ({ recent }: { readonly recent: ToolDetail["recentCalls"] }) => {
  const failures = useMemo(() => toFailures(recent), [recent]);
  if (recent.length < 2) return null;
  return (
    <Section title="Failures over time">
      <Chart label="Calls" {...failures} format={formatCount} height={120} isWhole />
    </Section>
  );
};

const toDurations = (recent: ToolDetail["recentCalls"]) => {
  const of = (isFailed: boolean) =>
    recent.map(({ durationMs, ending }) => ((ending === "failed") === isFailed ? durationMs : undefined));
  return {
    times: recent.map(({ at }) => at),
    series: [
      { name: "done", color: "accent", kind: "points", values: of(false) },
      { name: "failed", color: "bad", kind: "points", values: of(true) },
    ],
  } as const;
};

/** Counts per interval, from the first to the last call. */
const toFailures = (recent: ToolDetail["recentCalls"]) => {
  const first = recent[0]?.at ?? 0;
  const step = Math.max(1, ((recent.at(-1)?.at ?? 0) - first) / bucketCount);
  const all = Array.from({ length: bucketCount + 1 }, () => 0);
  const failed = [...all];
  for (const { at, ending } of recent) {
    const part = Math.floor((at - first) / step);
    all[part]! += 1;
    if (ending === "failed") failed[part]! += 1;
  }
  return {
    times: all.map((_, part) => first + part * step),
    series: [
      { name: "all", color: "accent", kind: "bars", values: all },
      { name: "failed", color: "bad", kind: "bars", values: failed },
    ],
  } as const;
};
