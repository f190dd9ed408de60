import type { LockReview, ReviewedTool } from "@api/servers.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api/api.ts";
import { queries } from "../api/queries.ts";
import { Badge, type Tone } from "../components/badge.tsx";
import { DiffView, diffLines, readDiff } from "../components/diff-view.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { EmptyState, ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { Page } from "../components/page.tsx";
import { formatNumberOf } from "../components/time.tsx";
import { useToast } from "../shell/toasts.tsx";

const route = getRouteApi("/servers/$id/review");
const changeTones: Readonly<Record<string, Tone>> = {
  added: "good",
  changed: "wait",
  renamed: "wait",
  removed: "bad",
  refused: "bad",
};

export const Review = () => {
  const { id } = route.useParams();
  const { data, error, isFetching, refetch } = useQuery(queries.review(id));
  const title = `Review of ${id}`;
  return (
    <Page
      title={title}
      heading={<ForeignText text={title} isLine />}
      actions={
        <>
          <Link to="/servers" className="button button-quiet">
            Servers
          </Link>
          <button type="button" className="button" disabled={isFetching} onClick={() => void refetch()}>
            {isFetching ? "Refreshing…" : "Refresh"}
          </button>
        </>
      }
    >
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <LoadingNotice what="Loading the tools of the server" />
      ) : (
        <ReviewDetailView key={data.hash} review={data} />
      )}
    </Page>
  );
};

const ReviewDetailView = ({ review }: { readonly review: LockReview }) => {
  const client = useQueryClient();
  const say = useToast();
  const changed = review.tools.filter(({ change }) => change !== "same");
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [accepted, setAccepted] = useState<ReadonlySet<string>>(new Set());
  const approve = useMutation({
    mutationFn: () =>
      api.approveReview(review.server, {
        hash: review.hash,
        ...(selected.size === changed.length ? {} : { tools: [...selected] }),
        accept: [...accepted],
      }),
    onSuccess: ({ message }) => say(message),
    onError: ({ message }) => say(message, "bad"),
    onSettled: () => void client.invalidateQueries({ queryKey: ["review", review.server] }),
  });
  const toggled = (set: ReadonlySet<string>, name: string): ReadonlySet<string> =>
    new Set(set.has(name) ? [...set].filter((each) => each !== name) : [...set, name]);
  const unaccepted = changed.filter(
    ({ name, flags }) =>
      selected.has(name) && flags.some(({ isAccepted }) => !isAccepted) && !accepted.has(name),
  );
  return (
    <>
      {review.error !== undefined && (
        <div role="alert" className="panel border-l-4 border-l-bad p-3">
          <ForeignText text={review.error} />
        </div>
      )}
      {review.launch !== undefined && (
        <div className="panel p-3">
          <p className="label mb-1">Start command</p>
          <DiffView
            lines={diffLines(review.launch.before ?? "", review.launch.after ?? "")}
            names={["Reviewed", "Now"]}
          />
        </div>
      )}
      {review.isClean && (
        <div className="panel">
          <EmptyState title="No changes">The tools of the server match the lock.</EmptyState>
        </div>
      )}
      {changed.map((tool) => (
        <ToolReview
          key={tool.name}
          tool={tool}
          isSelected={selected.has(tool.name)}
          isAccepted={accepted.has(tool.name)}
          onSelect={() => setSelected(toggled(selected, tool.name))}
          onAccept={() => setAccepted(toggled(accepted, tool.name))}
        />
      ))}
      {changed.length > 0 && (
        <div className="panel sticky bottom-2 flex flex-wrap items-center gap-3 p-3 shadow-lg">
          <span className="text-soft">
            {selected.size} of {changed.length} selected
            {unaccepted.length > 0 &&
              markUnseen(`; review and accept the flags of ${unaccepted.map(({ name }) => name).join(", ")}`)}
          </span>
          <button
            type="button"
            className="button ml-auto"
            onClick={() =>
              setSelected(new Set(selected.size === changed.length ? [] : changed.map(({ name }) => name)))
            }
          >
            {selected.size === changed.length ? "Select none" : "Select all"}
          </button>
          <button
            type="button"
            className="button button-primary"
            disabled={approve.isPending || selected.size === 0 || unaccepted.length > 0}
            onClick={() => approve.mutate()}
          >
            Approve and update the lock
          </button>
        </div>
      )}
      {review.tools.length > changed.length && (
        <p className="text-xs text-soft">
          {formatNumberOf(review.tools.length - changed.length, "tool is", "tools are")} unchanged.
        </p>
      )}
    </>
  );
};

const ToolReview = ({
  tool: { name, change, from, reason, changes, flags },
  isSelected,
  isAccepted,
  onSelect,
  onAccept,
}: {
  readonly tool: ReviewedTool;
  readonly isSelected: boolean;
  readonly isAccepted: boolean;
  readonly onSelect: () => void;
  readonly onAccept: () => void;
}) => (
  <section className="panel min-w-0" aria-label={markUnseen(name)}>
    <div className="flex flex-wrap items-center gap-3 border-b border-line p-3">
      <label className="flex min-h-7 min-w-0 items-center gap-2">
        <input type="checkbox" className="size-4 accent-accent" checked={isSelected} onChange={onSelect} />
        <span className="sr-only">Select</span>
        <ForeignText
          text={from === undefined ? name : `${from} → ${name}`}
          isLine
          className="font-semibold"
        />
      </label>
      <Badge tone={changeTones[change] ?? "plain"}>{change}</Badge>
      {flags.length > 0 && <Badge tone="bad">{formatNumberOf(flags.length, "flag")}</Badge>}
    </div>
    <div className="flex flex-col gap-3 p-3">
      {reason !== undefined && <ForeignText text={reason} className="text-soft" />}
      {flags.length === 0 && change !== "removed" && change !== "refused" && (
        <p className="text-soft">No suspicious text was found. Read the changes before you approve them.</p>
      )}
      {flags.map(({ code, severity, pointer, excerpt, explanation, isAccepted: wasAccepted }) => (
        <div key={`${code} ${pointer}`} className="rounded-md bg-bad-wash p-3">
          <p className="font-medium text-bad">
            {markUnseen(`${code.replaceAll("_", " ")} (${severity})`)} at{" "}
            <ForeignText text={pointer || "the definition"} isInline />
            {wasAccepted && ", already accepted"}
          </p>
          <ForeignText text={explanation} />
          <ForeignText text={excerpt} isCode />
        </div>
      ))}
      {flags.some(({ isAccepted: wasAccepted }) => !wasAccepted) && (
        <label className="flex min-h-7 items-center gap-2">
          <input type="checkbox" className="size-4 accent-accent" checked={isAccepted} onChange={onAccept} />I
          have reviewed these flags and accept them
        </label>
      )}
      {changes.map(({ pointer, before, diff }) => (
        <div key={pointer}>
          <ForeignText text={pointer === "" ? "definition" : pointer} isCode className="mb-1 text-soft" />
          <DiffView
            lines={readDiff(diff.text).filter(({ kind }) => before !== undefined || kind !== "removed")}
            names={["Reviewed", "Now"]}
          />
        </div>
      ))}
    </div>
  </section>
);
