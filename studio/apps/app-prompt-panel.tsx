import { useContext, useEffect, useState } from "react";
import { CopyButton } from "../components/copy-button.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { JsonView } from "../components/json-view.tsx";
import { OfferedMessageContext } from "./offered-message.ts";
import type { AppPrompt, AppPrompts } from "./use-app-prompts.ts";

export const AppPromptPanel = ({ asking: { open, answer }, server }: AppPromptPanelProps) => {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    setReady(false);
    if (open === undefined) return;
    const timer = setTimeout(() => setReady(true), promptReadyMs);
    return () => clearTimeout(timer);
  }, [open]);
  return (
    <div role="status">
      {open !== undefined && (
        <fieldset className="border-b border-line bg-wait-wash p-3">
          <legend className="sr-only">Request of the App</legend>
          <p className="font-medium text-wait">{markUnseen(promptTitles[open.kind](server))}</p>
          <PromptDetail question={open} />
          <div className="mt-2 flex flex-wrap gap-2">
            <AcceptButton question={open} answer={answer} isReady={isReady} />
            <button type="button" className="button button-bad" onClick={() => answer(false)}>
              Deny
            </button>
          </div>
        </fieldset>
      )}
    </div>
  );
};

/** The prompt may appear under a click that was meant for the App. */
const promptReadyMs = 600;

interface AppPromptPanelProps {
  readonly asking: AppPrompts;
  readonly server: string;
}

const promptTitles: Readonly<Record<AppPrompt["kind"], (server: string) => string>> = {
  tools: (server) => `This App wants to call tools of the server ${server} as you. The first call:`,
  resource: (server) => `This App wants to read resources of the server ${server} as you. The first one:`,
  link: () => "This App wants to open this URL in a new window:",
  message: () => "This App suggests a message. It is sent only if you send it:",
};

const PromptDetail = ({ question }: { readonly question: AppPrompt }) => {
  switch (question.kind) {
    case "tools":
      return (
        <>
          <ForeignText text={question.tool} isCode />
          <JsonView value={question.input} />
        </>
      );
    case "resource":
      return <ForeignText text={question.uri} isCode className="break-all" />;
    case "link":
      return <ForeignText text={question.url} isCode className="break-all" />;
    case "message":
      return <ForeignText text={question.text} />;
  }
};

interface AcceptButtonProps {
  readonly question: AppPrompt;
  readonly answer: AppPrompts["answer"];
  readonly isReady: boolean;
}

const AcceptButton = ({ question, answer, isReady }: AcceptButtonProps) => {
  const takeMessage = useContext(OfferedMessageContext);
  if (question.kind === "link" && !isReady) {
    return (
      <button type="button" className="button" disabled>
        Open
      </button>
    );
  }
  if (question.kind === "link") {
    // Verified by the session.
    const { url: address } = question;
    return (
      <a
        className="button"
        href={address}
        target="_blank"
        rel="noopener noreferrer"
        onClick={() => answer(true)}
      >
        Open
      </a>
    );
  }
  if (question.kind === "message") {
    if (takeMessage === undefined) {
      return (
        <>
          <CopyButton text={question.text} label="Copy message" />
          <button type="button" className="button" disabled={!isReady} onClick={() => answer(true)}>
            Done
          </button>
        </>
      );
    }
    return (
      <button
        type="button"
        className="button"
        disabled={!isReady}
        onClick={() => {
          takeMessage(question.text);
          answer(true);
        }}
      >
        Use as message
      </button>
    );
  }
  return (
    <button type="button" className="button" disabled={!isReady} onClick={() => answer(true)}>
      Allow until this window closes
    </button>
  );
};
