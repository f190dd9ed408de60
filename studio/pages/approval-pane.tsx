import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AnswerBody, ApprovalDetail } from "@words/approvals.ts";
import { TriangleAlert } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { queries } from "../api/queries.ts";
import { Badge, EndingBadge, StateBadge } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { formatDuration } from "../components/format.ts";
import { JsonText, JsonView } from "../components/json-view.tsx";
import { ErrorBox, Loading } from "../components/notices.tsx";
import { Facts, Section } from "../components/page.tsx";
import { Time } from "../components/time.tsx";
import { SchemaForm, useValidation } from "../forms/schema-form.tsx";
import { isTyping } from "./approvals.tsx";
import { CallerName } from "./stage-detail.tsx";
import { useAnswer } from "./use-answer.ts";

/** One question with everything to decide by. */
export const ApprovalPane = ({ id, canAnswer }: { readonly id: string; readonly canAnswer: boolean }) => {
  const { data, error, refetch } = useQuery(queries.approval(id));
  if (error !== null) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return <Decision detail={data} canAnswer={canAnswer} />;
};

const Decision = ({
  detail,
  canAnswer,
}: {
  readonly detail: ApprovalDetail;
  readonly canAnswer: boolean;
}) => {
  const { approval, tool, taints, before, ruleIds } = detail;
  const isOpen = approval.status === "waiting" && approval.waitsFor === undefined;
  return (
    <article
      aria-label={`Question about ${approval.tool}`}
      className="flex min-w-0 flex-col gap-4 md:min-h-0 md:overflow-auto"
    >
      <header className="flex flex-wrap items-center gap-2">
        <h2 className="text-base">
          <Link to="/tools/$key" params={{ key: approval.tool }} className="hover:underline">
            <ForeignText text={approval.tool} isLine />
          </Link>
        </h2>
        {tool !== undefined && <Badge tone={tool.risk === "high" ? "bad" : "plain"}>{tool.risk} risk</Badge>}
        {tool?.destructive && <Badge tone="bad">destructive</Badge>}
        {tool?.readOnly && <Badge>only reads</Badge>}
        <Link to="/calls/$entryId" params={{ entryId: approval.entryId }} className="link ml-auto">
          See the call
        </Link>
      </header>
      {tool?.hasChanged && (
        <Warning>The tool is not as it was when this was asked: an answer would be void.</Warning>
      )}
      {taints.length > 0 && (
        <Warning>
          Its run had read untrusted words by then, which may have led to this call:{" "}
          {taints.map(({ tool: from, entryId }, index) => (
            <span key={`${from} ${entryId}`}>
              {index > 0 && ", "}
              {entryId === undefined ? (
                <ForeignText text={from} isInline />
              ) : (
                <Link to="/calls/$entryId" params={{ entryId }} className="font-medium underline">
                  <ForeignText text={from} isInline />
                </Link>
              )}
            </span>
          ))}
        </Warning>
      )}
      {isOpen && canAnswer ? (
        <Answering detail={detail} />
      ) : (
        <Section title="Arguments">
          {detail.value === undefined ? (
            <JsonText text={approval.input} />
          ) : (
            <JsonView value={detail.value} />
          )}
        </Section>
      )}
      {!isOpen && <Answered detail={detail} />}
      {isOpen && !canAnswer && (
        <p className="text-soft">You may look, but not answer: that needs the scope studio:approve.</p>
      )}
      <Section title="Why a person">
        <Facts
          facts={[
            ["Who asks", <CallerName key="who" caller={approval.caller} />],
            ["Why", <ForeignText key="why" text={approval.reason} />],
            ["Rules", ruleIds.length > 0 && <ForeignText key="rules" text={ruleIds.join(", ")} />],
            ["Asked", <Time key="at" at={approval.askedAt} />],
            ["Until", approval.expiresAt && <Time key="until" at={approval.expiresAt} />],
            ["The tool says", tool && <ForeignText key="says" text={tool.description} />],
          ]}
        />
      </Section>
      <Section title="What the tool did before">
        {before.length === 0 ? (
          <p className="text-soft">It was never called before.</p>
        ) : (
          <ul className="-my-1">
            {before.map(({ entryId, ending, code, input, at, durationMs }) => (
              <li key={entryId} className="flex items-center gap-3 py-1">
                <EndingBadge ending={ending} code={code} />
                <Link to="/calls/$entryId" params={{ entryId }} className="min-w-0 grow hover:underline">
                  <ForeignText text={input} isLine isCode />
                </Link>
                <span className="hidden text-soft sm:block">{formatDuration(durationMs)}</span>
                <span className="text-soft">
                  <Time at={at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </article>
  );
};

const Warning = ({ children }: { readonly children: React.ReactNode }) => (
  <div className="flex gap-2 rounded-md bg-wait-wash p-3 text-wait">
    <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
    <div className="min-w-0">{children}</div>
  </div>
);

/** The arguments, as they are or in a form to change them, and the buttons. */
const Answering = ({ detail }: { readonly detail: ApprovalDetail }) => {
  const { approval, tool, value, masked, hasSession } = detail;
  const { answer, isBusy } = useAnswer();
  const [edited, setEdited] = useState<unknown>();
  const [isEditing, setEditing] = useState(false);
  const [isDenying, setDenying] = useState(false);
  const [reason, setReason] = useState("");
  const reasonField = useRef<HTMLInputElement>(null);
  const validation = useValidation(approval.tool, edited, isEditing);
  const findings = isEditing ? (validation.data?.findings ?? []) : [];
  const send = (body: AnswerBody): void =>
    void answer(approval.id, body).then(() => {
      setDenying(false);
      setEditing(false);
    });
  const edit = (): void => {
    setEdited(value);
    setEditing(true);
  };
  const allow = (): void => send({ decision: "allow" });
  // At once: what is typed next is the reason, and no key that answers.
  const deny = (): void => {
    flushSync(() => setDenying(true));
    reasonField.current?.focus();
  };
  const press = useEffectEvent((event: KeyboardEvent): void => {
    if (isTyping(event) || isBusy) return;
    const act = {
      a: isEditing || isDenying ? undefined : allow,
      d: deny,
      e: tool === undefined ? undefined : edit,
    }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  return (
    <Section title={isEditing ? "Arguments, to be changed" : "Arguments"}>
      <div className="flex flex-col gap-4">
        {isEditing ? (
          <SchemaForm schema={tool?.input} value={edited} onChange={setEdited} findings={findings} />
        ) : value === undefined ? (
          <JsonText text={approval.input} />
        ) : (
          <JsonView value={value} />
        )}
        {masked.length > 0 && (
          <p className="text-xs text-soft">
            Masked here: {masked.join(", ")}. Where the mask stays, the exact text is used.
          </p>
        )}
        {isDenying ? (
          <form
            className="flex flex-wrap items-end gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              send({ decision: "deny", ...(reason.trim() === "" ? {} : { reason: reason.trim() }) });
            }}
          >
            <label className="min-w-56 grow">
              <span className="label">What the model is told (may be empty)</span>
              <input
                ref={reasonField}
                className="field"
                value={reason}
                onChange={({ target }) => setReason(target.value)}
                maxLength={10_000}
              />
            </label>
            <button type="submit" className="button button-bad" disabled={isBusy}>
              Deny
            </button>
            <button type="button" className="button button-quiet" onClick={() => setDenying(false)}>
              Back
            </button>
          </form>
        ) : (
          <div className="flex flex-wrap gap-2">
            {isEditing ? (
              <>
                <button
                  type="button"
                  className="button button-primary"
                  disabled={isBusy || findings.length > 0}
                  onClick={() => send({ decision: "edit", input: edited })}
                >
                  Allow with these arguments
                </button>
                <button type="button" className="button button-quiet" onClick={() => setEditing(false)}>
                  Back
                </button>
              </>
            ) : (
              <>
                <button type="button" className="button button-primary" disabled={isBusy} onClick={allow}>
                  Allow
                </button>
                <button type="button" className="button button-bad" disabled={isBusy} onClick={deny}>
                  Deny
                </button>
                {tool !== undefined && (
                  <button type="button" className="button" disabled={isBusy} onClick={edit}>
                    Edit
                  </button>
                )}
                {hasSession && (
                  <button
                    type="button"
                    className="button sm:ml-auto"
                    disabled={isBusy}
                    onClick={() => send({ decision: "allow", always: "session" })}
                  >
                    Allow for this session
                  </button>
                )}
              </>
            )}
          </div>
        )}
      </div>
    </Section>
  );
};

const Answered = ({ detail: { approval } }: { readonly detail: ApprovalDetail }) => (
  <Section title="Answer">
    {approval.waitsFor === undefined ? (
      <Facts
        facts={[
          ["State", <StateBadge key="state" state={approval.status} />],
          ["Decision", approval.decision && <StateBadge key="decision" state={approval.decision} />],
          ["By", approval.answeredBy && <ForeignText key="by" text={approval.answeredBy} />],
          ["When", approval.answeredAt && <Time key="at" at={approval.answeredAt} />],
          ["Holds for", approval.always],
          ["Told the model", approval.denyReason && <ForeignText key="reason" text={approval.denyReason} />],
        ]}
      />
    ) : (
      <p>
        It goes on once a question about a call of its code is answered:{" "}
        {approval.waitsFor.map((id) => (
          <Link key={id} to="/approvals" search={{ id }} className="link">
            answer it
          </Link>
        ))}
      </p>
    )}
  </Section>
);
