import type { Approval } from "@api/approvals.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import { queries } from "../api/queries.ts";
import { DecisionBadge } from "../components/badge.tsx";
import { callerText } from "../components/caller-name.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { EmptyState, ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { Page } from "../components/page.tsx";
import { Select } from "../components/select.tsx";
import { Time } from "../components/time.tsx";
import { isTyping } from "../shell/is-typing.ts";
import { ApprovalPane } from "./approval-pane.tsx";
import { useAnswerApproval } from "./use-answer-approval.ts";

const route = getRouteApi("/approvals");

export const Approvals = () => {
  const { id, status = "waiting" } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch, isPlaceholderData } = useQuery(queries.approvals({ status }));
  const { data: me } = useQuery(queries.me());
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { answerSeveral, isBusy } = useAnswerApproval();
  const items = data?.items ?? [];
  const ids = items.filter((item) => selected.has(item.id)).map((item) => item.id);
  // Fixed, so that a key press cannot answer another request when the list changes.
  const [firstId, setFirstId] = useState<string>();
  const shownId = id ?? firstId ?? items[0]?.id;
  if (id === undefined && firstId === undefined && shownId !== undefined && !isPlaceholderData)
    setFirstId(shownId);
  const canAnswer = me?.scopes.includes("studio:approve") ?? false;
  const show = (next: string): void =>
    void navigate({ search: (was) => ({ ...was, id: next }), replace: true });
  const press = useEffectEvent((event: KeyboardEvent): void => {
    if (isTyping(event)) return;
    const step = { j: 1, k: -1 }[event.key];
    if (step === undefined) return;
    const at = items.findIndex((item) => item.id === shownId);
    const next = items[Math.min(items.length - 1, Math.max(0, at + step))];
    if (next !== undefined) show(next.id);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  const toggle = (each: string): void =>
    setSelected(
      (was) => new Set(was.has(each) ? [...was].filter((other) => other !== each) : [...was, each]),
    );
  const several = async (decision: "allow" | "deny"): Promise<void> => {
    await answerSeveral({ ids, decision });
    setSelected(new Set());
  };
  return (
    <Page
      title="Approvals"
      isFull
      actions={
        <Select
          label="Status"
          none="Needs approval"
          value={status === "waiting" ? undefined : status}
          choices={[
            ["answered", "Answered"],
            ["used", "Resumed"],
            ["expired", "Expired"],
            ["void", "Void"],
            ["all", "All"],
          ]}
          onChange={(value) => {
            setFirstId(undefined);
            void navigate({ search: value === undefined ? {} : { status: value as "answered" } });
          }}
        />
      }
    >
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingNotice />}
      {data !== undefined && (
        <div className="grid grid-cols-1 grow md:min-h-0 gap-4 max-md:content-start md:grid-cols-[20rem_minmax(0,1fr)]">
          <section aria-label="Approval requests" className="panel flex min-h-0 flex-col max-md:max-h-72">
            {ids.length > 0 && (
              <div className="flex items-center gap-2 border-b border-line p-2">
                <span className="text-xs text-soft">{ids.length} selected</span>
                <button
                  type="button"
                  className="button ml-auto"
                  disabled={isBusy}
                  onClick={() => void several("allow")}
                >
                  Approve all
                </button>
                <button
                  type="button"
                  className="button button-bad"
                  disabled={isBusy}
                  onClick={() => void several("deny")}
                >
                  Deny all
                </button>
              </div>
            )}
            {items.length === 0 ? (
              <EmptyState
                title={
                  status === "waiting"
                    ? "All caught up"
                    : status === "all"
                      ? "No approval requests yet"
                      : `No ${status} approval requests`
                }
              >
                Calls appear here if a rule with <code className="code">effect: "approve"</code> or the risk
                of their tool requires approval.
              </EmptyState>
            ) : (
              <ul className="relative min-h-0 grow overflow-auto">
                {items.map((item) => (
                  <ApprovalListItem
                    key={item.id}
                    item={item}
                    status={status === "waiting" ? undefined : status}
                    isShown={item.id === shownId}
                    isSelected={selected.has(item.id)}
                    {...(status === "waiting" && canAnswer ? { onSelect: () => toggle(item.id) } : {})}
                  />
                ))}
              </ul>
            )}
            {data.hasMore && (
              <p className="border-t border-line p-2 text-xs text-soft">There are more requests.</p>
            )}
            {status === "waiting" && items.length > 0 && canAnswer && (
              <p className="hidden border-t border-line p-2 text-xs text-soft md:block">
                Keys: <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>a</kbd> approve, <kbd>d</kbd> deny,{" "}
                <kbd>e</kbd> edit, <kbd>?</kbd> all shortcuts
              </p>
            )}
          </section>
          {shownId !== undefined && !isPlaceholderData && (
            <ApprovalPane key={shownId} id={shownId} canAnswer={canAnswer} onLost={() => show(shownId)} />
          )}
        </div>
      )}
    </Page>
  );
};

const ApprovalListItem = ({
  item,
  status,
  isShown,
  isSelected,
  onSelect,
}: {
  /** Undefined while waiting requests are listed. */
  readonly status: "answered" | "used" | "expired" | "void" | "all" | undefined;
  readonly item: Approval;
  readonly isShown: boolean;
  readonly isSelected: boolean;
  readonly onSelect?: () => void;
}) => (
  <li
    className={`relative flex gap-2 border-b border-line p-3 ${isShown ? "bg-accent-wash" : "hover:bg-hover"}`}
  >
    {onSelect !== undefined && (
      <span className="relative z-10 grid size-7 shrink-0 place-items-center">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={isSelected}
          onChange={onSelect}
          aria-label={`Select ${markUnseen(item.tool)}`}
          aria-describedby={`request-${item.id}`}
        />
      </span>
    )}
    <div className="min-w-0 grow">
      <div className="flex items-center justify-between gap-2">
        <Link
          to="/approvals"
          search={{ id: item.id, ...(status === undefined ? {} : { status }) }}
          replace
          aria-current={isShown ? "true" : undefined}
          aria-describedby={`request-${item.id}`}
          className="min-w-0 font-medium before:absolute before:inset-0"
        >
          <ForeignText text={item.tool} isLine />
        </Link>
        {item.status === "waiting" ? (
          <span className="text-xs text-soft">
            <Time at={item.askedAt} />
          </span>
        ) : (
          <DecisionBadge approval={item} />
        )}
      </div>
      <div id={`request-${item.id}`}>
        <ForeignText text={callerText(item.caller)} isLine className="text-xs text-soft" />
        <ForeignText text={(item.edited ?? item.input).text} isLine isCode className="text-soft" />
      </div>
      {item.answeredBy !== undefined && (
        <div className="flex gap-1 text-xs text-soft">
          <ForeignText text={`by ${item.answeredBy}`} isLine />
          {item.answeredAt !== undefined && <Time at={item.answeredAt} />}
        </div>
      )}
    </div>
  </li>
);
