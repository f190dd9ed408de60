import type { ToolCallResult, ToolDetail, ToolSnippets } from "@api/tools.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { flushSync } from "react-dom";
import { api } from "../api/api.ts";
import { queries } from "../api/queries.ts";
import { McpAppFrame } from "../apps/mcp-app-frame.tsx";
import { Badge } from "../components/badge.tsx";
import { callerId, callerText } from "../components/caller-name.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { JsonText, JsonView } from "../components/json-view.tsx";
import { ErrorBox } from "../components/notices.tsx";
import { Section } from "../components/page.tsx";
import { effectVerbs, permissionFactorsText } from "../components/permission-text.ts";
import { RuleReason } from "../components/rule-reason.tsx";
import { CallerSelect } from "../forms/caller-select.tsx";
import { type FormSchema, initialValue } from "../forms/form-schema.ts";
import { otherFindings, requiredFindings, SchemaForm, useValidation } from "../forms/schema-form.tsx";

export const ToolForm = ({ tool }: { readonly tool: ToolDetail }) => {
  const { key } = tool.summary;
  const { data: me } = useQuery(queries.me());
  const [input, setInput] = useState<unknown>(() =>
    initialValue(tool.input as FormSchema, tool.input as FormSchema),
  );
  const [as, setAs] = useState<string>();
  const [isTried, setTried] = useState(false);
  const validation = useValidation(key, input);
  const call = useMutation({
    mutationFn: () => api.callTool(key, { input: input ?? {}, ...(as === undefined ? {} : { as }) }),
  });
  const blank = requiredFindings(tool.input, input);
  const others = isTried || hasInput(input) ? otherFindings(blank, validation.findings) : [];
  const canRun = me?.scopes.includes("studio:run") ?? false;
  return (
    <Section title="Call this tool" actions={<CallerSelect value={as} onChange={setAs} />}>
      <CallerVerdict as={as} tool={key} input={validation.data?.ok ? validation.data.value : undefined} />
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          flushSync(() => setTried(true));
          if (blank.length === 0) call.mutate();
          else event.currentTarget.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
        }}
      >
        <SchemaForm
          schema={tool.input}
          value={input}
          onChange={setInput}
          findings={isTried ? [...blank, ...others] : others}
        />
        <div className="flex flex-wrap items-center gap-2">
          <button type="submit" className="button button-primary" disabled={!canRun || call.isPending}>
            {call.isPending ? "Calling…" : "Call"}
          </button>
          {!canRun && <span className="text-xs text-soft">You need the scope studio:run to call tools.</span>}
          <SnippetButtons snippets={validation.data?.snippets ?? tool.snippets} />
        </div>
      </form>
      {call.error !== null && (
        <div className="mt-4">
          <ErrorBox error={call.error} />
        </div>
      )}
      {call.data !== undefined && <ToolCallResultView result={call.data} />}
      {call.data?.app !== undefined && <McpAppFrame key={call.data.entryId} view={call.data.app} />}
    </Section>
  );
};

const CallerVerdict = ({
  as,
  tool,
  input,
}: {
  readonly as: string | undefined;
  readonly tool: string;
  readonly input: unknown;
}) => {
  const body = { tool, ...(as === undefined ? {} : { as }), ...(input === undefined ? {} : { input }) };
  const { data } = useQuery({ ...queries.explainInput(body), placeholderData: (was) => was });
  if (data === undefined) return null;
  const { effect, reason, ruleIds, caller } = data;
  const factors = permissionFactorsText(data);
  return (
    <p
      role="status"
      aria-label="Permission"
      className={`mb-4 ${effect === "deny" ? "text-bad" : effect === "approve" ? "text-wait" : "text-soft"}`}
    >
      <ForeignText text={caller.agent} isInline /> {markUnseen(effectVerbs[effect])} this tool
      {factors !== "" && ` (${markUnseen(factors)})`}
      {": "}
      <RuleReason reason={reason} ruleIds={ruleIds} />{" "}
      <Link to="/permissions" search={{ as: callerId(caller), tool }} className="link underline">
        Explain
      </Link>
    </p>
  );
};

const ToolCallResultView = ({ result }: { readonly result: ToolCallResult }) => (
  <div className="mt-4 border-t border-line pt-4">
    <div role="status" className="mb-2 flex flex-wrap items-center gap-2">
      <Badge tone={result.ok ? "good" : result.approvalId === undefined ? "bad" : "wait"}>
        {result.ok ? "done" : result.approvalId === undefined ? (result.code ?? "failed") : "needs approval"}
      </Badge>
      <ForeignText text={`as ${callerText(result.caller)}`} className="text-xs text-soft" />
      <span className="ml-auto flex gap-3">
        {result.approvalId !== undefined && (
          <Link to="/approvals" search={{ id: result.approvalId }} className="link">
            View request
          </Link>
        )}
        {result.entryId !== undefined && (
          <Link to="/calls/$entryId" params={{ entryId: result.entryId }} className="link">
            View call
          </Link>
        )}
      </span>
    </div>
    {typeof result.value === "object" && result.value !== null ? (
      <JsonView value={result.value} />
    ) : (
      <JsonText text={result.content} />
    )}
    {result.media.map(({ kind, mediaType, data, url, name }, index) =>
      kind === "image" && data !== undefined && /^image\/(png|jpeg|gif|webp)$/.test(mediaType) ? (
        <img
          // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same
          key={index}
          src={`data:${mediaType};base64,${data}`}
          alt={markUnseen(name ?? "Result")}
          className="mt-2 max-w-full rounded"
        />
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same
        <ForeignText key={index} text={[kind, mediaType, name, url].filter(Boolean).join(" · ")} />
      ),
    )}
  </div>
);

const SnippetButtons = ({ snippets }: { readonly snippets: ToolSnippets }) => (
  <span className="ml-auto flex flex-wrap items-center gap-x-1 text-xs text-soft">
    Copy as
    <span>code</span>
    <CopyButton text={snippets.code} label="Copy as code" />
    <span>command</span>
    <CopyButton text={snippets.commandLine} label="Copy as a haft call command" />
    <span>MCP</span>
    <CopyButton text={JSON.stringify(snippets.mcp, null, 2)} label="Copy as MCP parameters" />
  </span>
);

/** Issues are hidden until something was entered. */
const hasInput = (input: unknown): boolean =>
  typeof input === "object" &&
  input !== null &&
  Object.values(input).some((value) => value !== undefined && value !== "" && value !== false);
