import type { Span } from "@api/runs.ts";
import { Link } from "@tanstack/react-router";
import { EndingBadge } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { EmptyState } from "../components/notices.tsx";
import { formatDuration } from "../components/time.tsx";

export const Waterfall = ({
  spans,
  hasMore,
}: {
  readonly spans: readonly Span[];
  readonly hasMore: boolean;
}) => {
  if (spans.length === 0)
    return <EmptyState title="No calls yet">Calls appear here when they start.</EmptyState>;
  const first = Math.min(...spans.map(({ startedAt }) => startedAt));
  const last = Math.max(...spans.map(({ startedAt, endedAt }) => endedAt ?? startedAt), first + 1);
  const at = (time: number): number => (100 * (time - first)) / (last - first);
  return (
    <div>
      <ol>
        {spans.map(({ kind, call, startedAt, endedAt, depth }) => {
          const left = Math.min(at(startedAt), 99.5);
          const width = Math.max(0.5, at(endedAt ?? last) - left);
          return (
            <li
              key={call.entryId}
              className="relative grid grid-cols-[minmax(0,1fr)_5rem] items-center gap-x-3 rounded py-1 hover:bg-hover sm:grid-cols-[minmax(7rem,14rem)_1fr_5rem]"
            >
              <div className="min-w-0" style={{ paddingLeft: depth * 12 }}>
                <Link
                  to="/calls/$entryId"
                  params={{ entryId: call.entryId }}
                  preload={false}
                  className={`${kind === "model" ? "text-soft" : "font-medium"} before:absolute before:inset-0`}
                >
                  <ForeignText text={call.tool} isLine />
                </Link>
              </div>
              <svg aria-hidden width="100%" height="14" className="max-sm:order-3 max-sm:col-span-2">
                <rect width="100%" height="14" rx="3" className="fill-sunken" />
                <rect
                  x={`${left}%`}
                  width={`${width}%`}
                  height="14"
                  rx="3"
                  className={barClass(kind, call.ending)}
                />
              </svg>
              <span className="text-right text-xs text-soft">
                {endedAt === undefined ? (
                  <EndingBadge ending={call.ending} />
                ) : (
                  <>
                    <span className="sr-only">
                      {kind === "model" ? "model, " : ""}
                      {markUnseen(call.ending)}, duration{" "}
                    </span>
                    {formatDuration(endedAt - startedAt)}
                  </>
                )}
              </span>
            </li>
          );
        })}
      </ol>
      <p className="mt-2 text-xs text-soft">
        {formatDuration(last - first)} total{hasMore && "; only the latest calls are shown"}
      </p>
    </div>
  );
};

const barClass = (kind: Span["kind"], ending: string): string => {
  if (ending === "failed") return "fill-bad";
  if (ending === "pending" || ending === "unknown") return "fill-wait";
  return kind === "model" ? "fill-edge" : "fill-accent";
};
