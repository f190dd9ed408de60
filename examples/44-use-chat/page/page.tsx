import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { useEffect } from "react";
import { createRoot } from "react-dom/client";

type Part = UIMessage["parts"][number];
const stateOf = (part: Part) => (isToolUIPart(part) ? part.state : undefined);
const has = (messages: UIMessage[], state: string) =>
  messages.some(({ parts }) => parts.some((part) => stateOf(part) === state));

//#region page
const load = (id: string): Promise<UIMessage[]> => fetch(`/api/chat?id=${id}`).then((it) => it.json());

/** Sends one message: the new one, or the one whose approval request was answered. */
const transport = new DefaultChatTransport({
  prepareSendMessagesRequest: ({ id, messages, messageId }) => ({
    body: { id, message: messages.find((each) => each.id === messageId) ?? messages.at(-1) },
  }),
});

const useSessionChat = (id: string, messages: UIMessage[]) => {
  const chat = useChat({
    id,
    messages,
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const { status, setMessages, sendMessage } = chat;
  // Approvals may be given elsewhere: with `haft approve`, by a webhook, in another tab.
  const isOpen = has(chat.messages, "approval-requested") || has(chat.messages, "approval-responded");
  const isWaiting = status === "ready" && isOpen;
  useEffect(() => {
    if (!isWaiting) return;
    let isOver = false;
    const timer = setInterval(async () => {
      const current = await load(id).catch(() => undefined); // the server may be down
      if (isOver || current === undefined) return;
      setMessages(current);
      if (has(current, "approval-responded")) await sendMessage(); // continues the answered call
    }, 1_000);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [id, isWaiting, setMessages, sendMessage]);
  return chat;
};
//#endregion

const Chat = ({ id, messages: before }: { id: string; messages: UIMessage[] }) => {
  const { messages, status, error, sendMessage, addToolApprovalResponse } = useSessionChat(id, before);
  const toElement = (part: Part, key: number, isLast: boolean) => {
    if (part.type === "text") return <p key={key}>{part.text}</p>;
    if (!isToolUIPart(part)) return null;
    const { type, state, input, output, approval, errorText } = part;
    const answer = (approved: boolean) => async () => {
      await addToolApprovalResponse({ id: approval!.id, approved });
      if (!isLast) await sendMessage(); // an earlier message is not sent automatically
    };
    return (
      <div key={key} className="card">
        <small>{state}</small>
        <b>{type.slice("tool-".length)}</b> <code>{JSON.stringify(input)}</code>
        {state === "output-available" && <p>→ {JSON.stringify(output)}</p>}
        {state === "output-error" && <p>{errorText}</p>}
        {state === "approval-requested" && (
          <p>
            {approval.requestReason}
            <input type="button" value="Allow" onClick={answer(true)} />
            <input type="button" value="Deny" onClick={answer(false)} />
          </p>
        )}
      </div>
    );
  };
  return (
    <>
      <section>
        {messages.map(({ id, role, parts }, index) => (
          <article key={id} className={role}>
            {parts.map((part, key) => toElement(part, key, index === messages.length - 1))}
          </article>
        ))}
        {error && <p role="alert">{error.message}</p>}
      </section>
      <form action={(form) => void sendMessage({ text: String(form.get("text")) })}>
        <input aria-label="Message" name="text" autoComplete="off" />
        <input type="submit" value="Send" disabled={status === "submitted" || status === "streaming"} />
      </form>
    </>
  );
};

const id = location.hash.slice(1) || crypto.randomUUID();
location.hash = id;
createRoot(document.getElementById("root")!).render(
  <main>
    <header>
      <b>Mail desk</b>
    </header>
    <Chat id={id} messages={await load(id)} />
  </main>,
);
