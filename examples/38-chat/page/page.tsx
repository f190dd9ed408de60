import { useChat } from "@ai-sdk/react";
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from "ai";
import { Children } from "react";
import { createRoot } from "react-dom/client";

const Chat = ({ id, messages: before }: { id: string; messages: UIMessage[] }) => {
  //#region page
  const { messages, status, error, sendMessage, addToolApprovalResponse } = useChat({
    id,
    messages: before,
    resume: true, // continues an answer after a reload
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  //#endregion
  const isBusy = status === "submitted" || status === "streaming";
  const send = (form: FormData) => {
    const text = String(form.get("text"));
    if (!isBusy && text.trim() !== "") sendMessage({ text });
  };
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  const stop = () => fetch(`/api/chat/${id}/stop`, post);
  const toElement = (part: UIMessage["parts"][number]) => {
    if (part.type === "text") return <p>{part.text}</p>;
    if (!isToolUIPart(part)) return null;
    const { type, state, input, output, approval } = part;
    const answer = (approved: boolean) => () => addToolApprovalResponse({ id: approval!.id, approved });
    return (
      <div className="card">
        <small>{state.replace("-", " ")}</small>
        <b>{type.slice("tool-".length)}</b> <code>{JSON.stringify(input)}</code>
        {state === "output-available" && <p>→ {JSON.stringify(output)}</p>}
        <input type="button" value="Allow" hidden={state !== "approval-requested"} onClick={answer(true)} />
        <input type="button" value="Deny" hidden={state !== "approval-requested"} onClick={answer(false)} />
      </div>
    );
  };
  return (
    <>
      <section>
        <div>
          {messages.map(({ id, role, parts }) => (
            <article key={id} className={role}>
              {Children.toArray(parts.map(toElement))}
            </article>
          ))}
          {error && <p role="alert">{error.message}</p>}
        </div>
      </section>
      <form action={send}>
        <input aria-label="Message" name="text" placeholder="Ask about an order" autoComplete="off" />
        <input type="submit" value="Send" hidden={isBusy} />
        <input type="button" value="Stop" hidden={!isBusy} onClick={stop} />
      </form>
    </>
  );
};

const read = (path: string): Promise<{ chats?: { id: string; title: string }[]; messages?: UIMessage[] }> =>
  fetch(`/api/chat${path}`).then((answer) => (answer.ok ? answer.json() : {}));
const id = location.hash.slice(1) || crypto.randomUUID();
location.hash = id;
const [{ chats = [] }, { messages = [] }] = await Promise.all([read(""), read(`/${id}`)]);
const links = chats.map(({ id, title }) => ({ key: id, href: `./?${id}#${id}`, children: title }));
createRoot(document.getElementById("root")!).render(
  <main>
    <header>
      <b>Order desk</b> <a href="./">New chat</a>{" "}
      {links.map(({ key, ...link }) => (
        <a key={key} {...link} />
      ))}
    </header>
    <Chat id={id} messages={messages} />
  </main>,
);
