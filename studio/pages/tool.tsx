import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ToolDetail } from "@words/tools.ts";
import { useMemo } from "react";
import { queries } from "../api/queries.ts";
import { Badge } from "../components/badge.tsx";
import { Chart } from "../components/chart.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { formatCost, formatDuration, formatEstimate } from "../components/format.ts";
import { JsonView } from "../components/json-view.tsx";
import { ErrorBox, Loading } from "../components/notices.tsx";
import { Facts, Page, Section } from "../components/page.tsx";
import { ToolForm } from "./tool-form.tsx";
import { ToolBadges } from "./tools.tsx";

const route = getRouteApi("/tools/$key");

/** Everything about one tool, with a form to call it. */
export const ToolPage = () => {
  const { key } = route.useParams();
  const { data, error, refetch } = useQuery(queries.tool(key));
  return (
    <Page
      title={key}
      heading={<ForeignText text={key} isLine />}
      actions={data !== undefined && <ToolBadges tool={data.line} />}
    >
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : <Shown key={key} tool={data} />}
    </Page>
  );
};

const Shown = ({ tool }: { readonly tool: ToolDetail }) => {
  const { line, figures, shadows, shadowedBy } = tool;
  return (
    <>
      <ForeignText text={line.description} className="max-w-3xl text-soft" />
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
          <Section title="As vendors spell it">
            <div className="flex flex-col gap-2">
              {tool.formats.map(({ format, spelled, losses }) => (
                <details key={format} className="rounded-md border border-line">
                  <summary className="px-3 py-2">
                    {format}{" "}
                    <Badge tone={losses.length === 0 ? "good" : "wait"}>
                      {losses.length === 0 ? "nothing lost" : `${losses.length} lost`}
                    </Badge>
                  </summary>
                  <div className="flex flex-col gap-2 border-t border-line p-3">
                    {losses.map(({ pointer, message }, index) => (
                      <ForeignText
                        // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same
                        key={index}
                        text={`${pointer || "the whole"}: ${message}`}
                      />
                    ))}
                    <JsonView value={spelled} />
                  </div>
                </details>
              ))}
            </div>
          </Section>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Section title="How calls went">
            <Facts
              facts={[
                ["Calls", formatEstimate(figures.calls)],
                ["Failed", formatEstimate(figures.failed)],
                ["Half within", formatDuration(figures.p50)],
                ["95 % within", formatDuration(figures.p95)],
                ["Cost", figures.cost === undefined ? undefined : formatCost(figures.cost)],
                ...figures.failures.map(
                  ({ code, count }) =>
                    [code, count === 1 ? "once" : `${count} times`] as readonly [string, string],
                ),
              ]}
            />
            <Recent tool={tool} />
            <Link to="/calls" search={{ tool: line.key }} className="link mt-2 inline-block">
              Its calls
            </Link>
          </Section>
          <Section title="About">
            <Facts
              facts={[
                ["Origin", <ForeignText key="origin" text={line.origin} />],
                ["Server", line.server && <ForeignText key="server" text={line.server} />],
                ["Source", <ForeignText key="source" text={line.source} />],
                ["Category", <ForeignText key="category" text={line.category} />],
                ["Tags", line.tags.length > 0 && <ForeignText key="tags" text={line.tags.join(", ")} />],
                ["On the wire", <ForeignText key="wire" text={line.wireName} isCode />],
                ["Idempotent", line.idempotent ? "yes" : "no"],
                ["Time limit", tool.timeoutMs === undefined ? undefined : formatDuration(tool.timeoutMs)],
                [
                  "Layers",
                  tool.layers.length > 0 && <ForeignText key="layers" text={tool.layers.join(" → ")} />,
                ],
                ["Shadows", shadows.length > 0 && <ForeignText key="shadows" text={shadows.join(", ")} />],
                ["Shadowed by", shadowedBy && <ForeignText key="by" text={shadowedBy} />],
                [
                  "Definition",
                  <ForeignText key="hash" text={tool.definition} isCode className="break-all" />,
                ],
              ]}
            />
            <Link to="/rights" search={{ tool: line.key }} className="link mt-2 inline-block">
              Who may call it
            </Link>
          </Section>
        </div>
      </div>
    </>
  );
};

const Recent = ({ tool: { recent } }: { readonly tool: ToolDetail }) => {
  const chart = useMemo(() => {
    const of = (isFailed: boolean) =>
      recent.map(({ durationMs, ending }) => ((ending === "failed") === isFailed ? durationMs : undefined));
    return {
      times: recent.map(({ at }) => at),
      series: [
        { name: "done", color: "accent", kind: "points", values: of(false) },
        { name: "failed", color: "bad", kind: "points", values: of(true) },
      ],
    } as const;
  }, [recent]);
  if (recent.length < 2) return null;
  return (
    <div className="mt-3">
      <Chart label="Newest calls" {...chart} format={formatDuration} height={120} />
    </div>
  );
};
