import type { AnswerBody, ApprovalDetail } from "@api/approvals.ts";
import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { JsonText, JsonView } from "../components/json-view.tsx";
import { Section } from "../components/page.tsx";
import { isUnchangedMask, MaskedValuesContext, maskedTexts } from "../forms/masked-values.ts";
import { otherFindings, requiredFindings, SchemaForm, useValidation } from "../forms/schema-form.tsx";
import { isTyping } from "../shell/is-typing.ts";

const ChangeList = ({ changes }: { readonly changes: readonly ValueChange[] }) => (
  <ul className="flex flex-col gap-1" aria-label="Changes">
    {changes.map(({ pointer, from, to }) => (
      <li key={pointer} className="flex flex-wrap items-center gap-2">
        <ForeignText text={pointer || "arguments"} isInline isCode className="text-soft" />
        <ForeignText text={changedValueText(from)} isInline isCode className="min-w-0 bg-bad-wash px-1" />
        <span aria-hidden>→</span>
        <span className="sr-only">changed to</span>
        <ForeignText text={changedValueText(to)} isInline isCode className="min-w-0 bg-good-wash px-1" />
      </li>
    ))}
  </ul>
);

/** `undefined` if added or removed. */
interface ValueChange {
  readonly pointer: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Lists are compared by index. */
export const changesBetween = (from: unknown, to: unknown, pointer = ""): readonly ValueChange[] => {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (!isObjectOrArray(from) || !isObjectOrArray(to) || Array.isArray(from) !== Array.isArray(to))
    return [{ pointer, from, to }];
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name) =>
    changesBetween(memberAt(from, name), memberAt(to, name), `${pointer}/${escapePointer(name)}`),
  );
};

const isObjectOrArray = (value: unknown): value is object => typeof value === "object" && value !== null;

const memberAt = (group: object, name: string): unknown =>
  Object.hasOwn(group, name) ? (group as Readonly<Record<string, unknown>>)[name] : undefined;

const escapePointer = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

const changedValueText = (value: unknown): string => JSON.stringify(value) ?? "not set";

export const ApprovalAnswerForm = ({
  detail,
  isBusy,
  onAnswer,
}: {
  readonly detail: ApprovalDetail;
  readonly isBusy: boolean;
  readonly onAnswer: (body: AnswerBody) => void;
}) => {
  const { approval, tool, value, masked, hasSession } = detail;
  const [edited, setEdited] = useState<unknown>();
  const [isEditing, setEditing] = useState(false);
  const [isDenying, setDenying] = useState(false);
  const secrets = useMemo(() => maskedTexts(value, masked), [value, masked]);
  const validation = useValidation(approval.tool, edited, isEditing);
  const blank = requiredFindings(tool?.input, edited);
  // The server validates the exact text of kept secrets.
  const others = otherFindings(blank, validation.findings).filter(
    ({ pointer }) => !isUnchangedMask(edited, pointer, secrets),
  );
  const findings = isEditing ? [...blank, ...others] : [];
  const changes = isEditing ? changesBetween(value, edited) : [];
  const edit = (): void => {
    setEdited(value);
    setEditing(true);
  };
  const approve = (): void => onAnswer({ decision: "allow" });
  // Synchronous, so that the next key presses go into the reason field.
  const deny = (): void => flushSync(() => setDenying(true));
  const press = useEffectEvent((event: KeyboardEvent): void => {
    // A key that is held down answers only once.
    if (isTyping(event) || isBusy || event.repeat) return;
    const act = {
      a: isEditing || isDenying ? undefined : approve,
      d: deny,
      e: isDenying || tool === undefined ? undefined : edit,
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
    <Section title={isEditing ? "Edit arguments" : "Arguments"}>
      <div className="flex flex-col gap-4">
        {isEditing ? (
          <MaskedValuesContext value={secrets}>
            <SchemaForm schema={tool?.input} value={edited} onChange={setEdited} findings={findings} />
          </MaskedValuesContext>
        ) : value === undefined ? (
          <JsonText text={approval.input} />
        ) : (
          <JsonView value={value} />
        )}
        {masked.length > 0 && (
          <p className="text-xs text-soft">
            Masked: {markUnseen(masked.join(", "))}. The tool receives the original value of each mask that
            you leave unchanged.
          </p>
        )}
        {isDenying ? (
          <DenyForm isBusy={isBusy} onDeny={onAnswer} onCancel={() => setDenying(false)} />
        ) : isEditing ? (
          <div className="flex flex-wrap gap-2">
            {changes.length > 0 && (
              <div className="w-full">
                <ChangeList changes={changes} />
              </div>
            )}
            <button
              type="button"
              className="button button-primary"
              disabled={isBusy || findings.length > 0 || changes.length === 0}
              onClick={() => onAnswer({ decision: "edit", input: edited })}
            >
              Approve with changes
            </button>
            <button type="button" className="button button-quiet" onClick={() => setEditing(false)}>
              Cancel
            </button>
          </div>
        ) : (
          <div className="flex flex-wrap gap-2">
            <button type="button" className="button button-primary" disabled={isBusy} onClick={approve}>
              Approve
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
                onClick={() => onAnswer({ decision: "allow", always: "session" })}
              >
                Approve for this session
              </button>
            )}
          </div>
        )}
      </div>
    </Section>
  );
};

const DenyForm = ({
  isBusy,
  onDeny,
  onCancel,
}: {
  readonly isBusy: boolean;
  readonly onDeny: (body: AnswerBody) => void;
  readonly onCancel: () => void;
}) => {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny({ decision: "deny", ...(reason.trim() === "" ? {} : { reason: reason.trim() }) });
      }}
    >
      <label className="min-w-56 grow">
        <span className="label">Reason for the model (optional)</span>
        <input
          ref={field}
          className="field"
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          maxLength={10_000}
        />
      </label>
      <button type="submit" className="button button-bad" disabled={isBusy}>
        Deny
      </button>
      <button type="button" className="button button-quiet" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
};
