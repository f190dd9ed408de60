import type { Run, RunMessage } from "@api/runs.ts";
import { Link } from "@tanstack/react-router";
import { Badge } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { JsonText } from "../components/json-view.tsx";

export const Conversation = ({
  run: { messages, hasDroppedMessages, initialMessageCount },
}: {
  readonly run: Run;
}) => {
  if (hasDroppedMessages || messages.length === 0) {
    return (
      <p className="text-soft">
        The messages of this run are not stored. Set <code className="code">config.ledger.keepPayloads</code>{" "}
        to store those of later runs.
      </p>
    );
  }
  return (
    <ol className="flex flex-col gap-4">
      {messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages stay in their place
        <li key={index}>
          {index === initialMessageCount && index > 0 && (
            <p className="mb-4 border-t border-line pt-2 text-xs text-soft">This run</p>
          )}
          <MessageView message={message} />
        </li>
      ))}
    </ol>
  );
};

const MessageView = ({ message }: { readonly message: RunMessage }) => {
  const { role, text, agent, reasoning, calls = [], tool, ok, approvalId, taints = [] } = message;
  if (role === "tool") {
    return (
      <div className="ml-4 rounded-md border border-line p-3">
        <div className="mb-1.5 flex flex-wrap items-center gap-2 text-xs">
          <span className="font-medium">
            <ForeignText text={tool ?? "tool"} isInline />
          </span>
          {approvalId === undefined ? (
            <Badge tone={ok === false ? "bad" : "good"}>{ok === false ? "failed" : "result"}</Badge>
          ) : (
            <Badge tone="wait">needs approval</Badge>
          )}
          {taints.length > 0 && <Badge tone="wait">untrusted content</Badge>}
        </div>
        <JsonText text={text} />
      </div>
    );
  }
  return (
    <div>
      <p className="mb-1 text-xs font-medium text-soft">
        <ForeignText text={role === "assistant" && agent !== undefined ? agent : role} />
      </p>
      {reasoning !== undefined && (
        <details className="mb-1 text-soft">
          <summary className="flex min-h-7 items-center text-xs">Reasoning</summary>
          <ForeignText text={reasoning} className="mt-1 border-l-2 border-line pl-3" />
        </details>
      )}
      {text.text !== "" && (
        <div className={role === "user" ? "rounded-md bg-accent-wash p-3" : ""}>
          <ForeignText text={text} />
        </div>
      )}
      {calls.map(({ id, tool: name, input, entryId }) => (
        <div key={id} className="mt-2 ml-4 rounded-md border border-line p-3">
          <div className="mb-1.5 flex items-center gap-2 text-xs">
            <span className="text-soft">calls</span>
            <span className="min-w-0 font-medium">
              <ForeignText text={name} isLine />
            </span>
            {entryId !== undefined && (
              <Link to="/calls/$entryId" params={{ entryId }} className="link ml-auto">
                View call
              </Link>
            )}
          </div>
          <JsonText text={input} />
        </div>
      ))}
    </div>
  );
};
