import { useContext, useEffect, useState } from "react";
import { Copy } from "../components/copy.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { JsonView } from "../components/json-view.tsx";
import { markUnseen } from "../components/unseen.ts";
import type { Asking, Question } from "./asking.ts";
import { OfferedMessage } from "./offered-message.ts";

/** What the App asks of the person, with everything to decide by. */
export const QuestionPanel = ({ asking: { open, answer }, server }: PanelProps) => {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    setReady(false);
    if (open === undefined) return;
    const timer = setTimeout(() => setReady(true), readyMs);
    return () => clearTimeout(timer);
  }, [open]);
  return (
    <div role="status">
      {open !== undefined && (
        <fieldset className="border-b border-line bg-wait-wash p-3">
          <legend className="sr-only">Question of the App</legend>
          <p className="font-medium text-wait">{markUnseen(titles[open.kind](server))}</p>
          <Detail question={open} />
          <div className="mt-2 flex flex-wrap gap-2">
            <Yes question={open} answer={answer} isReady={isReady} />
            <button type="button" className="button button-bad" onClick={() => answer(false)}>
              No
            </button>
          </div>
        </fieldset>
      )}
    </div>
  );
};

/** A question may come up just where somebody was about to click on something of the App's. */
const readyMs = 600;

interface PanelProps {
  readonly asking: Asking;
  readonly server: string;
}

const titles: Readonly<Record<Question["kind"], (server: string) => string>> = {
  tools: (server) => `This App wants to call tools of the server ${server}, as you. It begins with:`,
  resource: (server) => `This App wants to read from the server ${server}, as you. It begins with:`,
  link: () => "This App wants to open this address in a new window:",
  message: () => "This App offers a message. Nothing is sent until you send it:",
};

const Detail = ({ question }: { readonly question: Question }) => {
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

interface YesProps {
  readonly question: Question;
  readonly answer: Asking["answer"];
  readonly isReady: boolean;
}

const Yes = ({ question, answer, isReady }: YesProps) => {
  const takeMessage = useContext(OfferedMessage);
  if (question.kind === "link" && !isReady) {
    return (
      <button type="button" className="button" disabled>
        Open it
      </button>
    );
  }
  if (question.kind === "link") {
    // Of the web, as the session made sure.
    const { url: address } = question;
    return (
      <a
        className="button"
        href={address}
        target="_blank"
        rel="noopener noreferrer"
        onClick={() => answer(true)}
      >
        Open it
      </a>
    );
  }
  if (question.kind === "message") {
    if (takeMessage === undefined) {
      return (
        <>
          <Copy text={question.text} label="Copy the message" />
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
        Put it into the message
      </button>
    );
  }
  return (
    <button type="button" className="button" disabled={!isReady} onClick={() => answer(true)}>
      Allow until this window is closed
    </button>
  );
};
