import { useContext, useEffect, useState } from "react";
import { CopyButton } from "../components/copy-button.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { JsonView } from "../components/json-view.tsx";
import { type AppPrompt, type AppPrompts, OfferedMessageContext } from "./use-app-prompts.ts";

export const AppPromptPanel = ({ prompts: { open, answer }, server }: AppPromptPanelProps) => {
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
          <PromptDetail prompt={open} />
          <div className="mt-2 flex flex-wrap gap-2">
            <AcceptButton prompt={open} answer={answer} isReady={isReady} />
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
  readonly prompts: AppPrompts;
  readonly server: string;
}

const promptTitles: Readonly<Record<AppPrompt["kind"], (server: string) => string>> = {
  tools: (server) => `This App wants to call tools of the server ${server} as you. The first call:`,
  resource: (server) => `This App wants to read resources of the server ${server} as you. The first one:`,
  link: () => "This App wants to open this URL in a new window:",
  message: () => "This App suggests a message. It is sent only if you send it:",
};

const PromptDetail = ({ prompt }: { readonly prompt: AppPrompt }) => {
  switch (prompt.kind) {
    case "tools":
      return (
        <>
          <ForeignText text={prompt.tool} isCode />
          <JsonView value={prompt.input} />
        </>
      );
    case "resource":
      return <ForeignText text={prompt.uri} isCode className="break-all" />;
    case "link":
      return <ForeignText text={prompt.url} isCode className="break-all" />;
    case "message":
      return <ForeignText text={prompt.text} />;
  }
};

interface AcceptButtonProps {
  readonly prompt: AppPrompt;
  readonly answer: AppPrompts["answer"];
  readonly isReady: boolean;
}

const AcceptButton = ({ prompt, answer, isReady }: AcceptButtonProps) => {
  const takeMessage = useContext(OfferedMessageContext);
  if (prompt.kind === "link" && !isReady) {
    return (
      <button type="button" className="button" disabled>
        Open
      </button>
    );
  }
  if (prompt.kind === "link") {
    // Verified by the session.
    const { url: address } = prompt;
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
  if (prompt.kind === "message") {
    if (takeMessage === undefined) {
      return (
        <>
          <CopyButton text={prompt.text} label="Copy message" />
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
          takeMessage(prompt.text);
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
