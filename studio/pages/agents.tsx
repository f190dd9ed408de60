import type { AgentListItem } from "@api/agents.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { queries } from "../api/queries.ts";
import { OfferedMessageContext } from "../apps/use-app-prompts.ts";
import { ChatTurnView } from "../chat/chat-turn-view.tsx";
import { useChat } from "../chat/use-chat.ts";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { EmptyState, ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { Page } from "../components/page.tsx";
import { Select } from "../components/select.tsx";
import { formatCount } from "../components/time.tsx";
import { CallerSelect } from "../forms/caller-select.tsx";

const route = getRouteApi("/agents");
const chatParams = { first: "chat", second: "otherChat" } as const;

export const Agents = () => {
  const { first, second, chat, otherChat } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(queries.agents());
  const agents = data?.items ?? [];
  const left = agents.find(({ name }) => name === first) ?? agents[0];
  const right = agents.find(({ name }) => name === second);
  const choose = (name: "first" | "second") => (value: string | undefined) =>
    void navigate({
      search: ({ [name]: _, [chatParams[name]]: __, ...was }) =>
        value === undefined ? was : { ...was, [name]: value },
    });
  const keep = (name: "chat" | "otherChat") => (id: string | undefined) =>
    void navigate({
      search: ({ [name]: _, ...was }) => (id === undefined ? was : { ...was, [name]: id }),
      replace: true,
    });
  const names = agents.map(({ name }) => name);
  return (
    <Page
      title="Agents"
      isFull
      actions={
        agents.length > 0 && (
          <>
            <Select label="Agent" none={null} value={left?.name} choices={names} onChange={choose("first")} />
            <Select
              label="Second agent"
              none="None"
              value={right?.name}
              choices={names}
              onChange={choose("second")}
            />
          </>
        )
      }
    >
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingNotice />}
      {data?.items.length === 0 && (
        <div className="panel">
          <EmptyState title="No agents">
            Pass agent files to the command, such as <code className="code">haft studio shop.gram</code>.
          </EmptyState>
        </div>
      )}
      {left !== undefined && (
        <div
          className={`grid min-h-0 grow grid-cols-1 gap-4 ${right === undefined ? "" : "max-lg:auto-rows-[30rem] lg:grid-cols-2"}`}
        >
          <Chat key={`first ${left.name}`} agent={left} id={chat} onChat={keep("chat")} />
          {right !== undefined && (
            <Chat key={`second ${right.name}`} agent={right} id={otherChat} onChat={keep("otherChat")} />
          )}
        </div>
      )}
    </Page>
  );
};

const Chat = ({
  agent,
  id,
  onChat,
}: {
  readonly agent: AgentListItem;
  readonly id: string | undefined;
  readonly onChat: (id: string | undefined) => void;
}) => {
  const { turns, isRunning, isPending, say, stop, begin } = useChat(agent.name, id, onChat);
  const [message, setMessage] = useState("");
  const [model, setModel] = useState("");
  const [as, setAs] = useState<string>();
  const end = useRef<HTMLDivElement>(null);
  const last = turns.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls whenever the turns change
  useEffect(() => {
    end.current?.scrollIntoView({ block: "nearest" });
  }, [turns]);
  const chosen = {
    ...(model.trim() === "" ? {} : { model: model.trim() }),
    ...(as === undefined ? {} : { as }),
  };
  const before = last?.runId === undefined ? {} : { runId: last.runId };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const said = message.trim();
    if (said === "" || isRunning || isPending) return;
    setMessage("");
    say({ message: said, ...before, ...chosen });
  };
  return (
    <section
      aria-label={`Chat with ${markUnseen(agent.name)}`}
      className="panel flex min-h-80 min-w-0 flex-col"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-3 py-2">
        <h2 className="min-w-0 sm:mr-auto">
          <ForeignText text={agent.name} isLine />
        </h2>
        {/* A run belongs to its caller, so another caller needs a new chat. */}
        <CallerSelect value={as} onChange={setAs} isDisabled={turns.length > 0} />
        <label className="flex min-w-0 items-center gap-1.5 max-sm:grow">
          <span className="label">Model</span>
          <input
            className="field w-36 max-sm:w-auto max-sm:grow"
            value={model}
            placeholder={markUnseen(agent.model ?? "Default")}
            onChange={({ target }) => setModel(target.value)}
          />
        </label>
      </header>
      <div className="relative min-h-0 grow overflow-auto p-4" role="log" aria-label="Conversation">
        {turns.length === 0 && (
          <EmptyState title={agent.description ?? "Send a message"}>
            <ForeignText text={`Tools: ${agent.tools.join(", ") || "none"}`} />
            {agent.handoffs.length > 0 && (
              <ForeignText text={`Can hand off to: ${agent.handoffs.join(", ")}`} />
            )}
          </EmptyState>
        )}
        <OfferedMessageContext value={setMessage}>
          <div className="flex flex-col gap-6">
            {turns.map((turn, index) => (
              <ChatTurnView
                // biome-ignore lint/suspicious/noArrayIndexKey: turns are never reordered
                key={index}
                turn={turn}
              />
            ))}
          </div>
        </OfferedMessageContext>
        <div ref={end} />
      </div>
      <form className="flex gap-2 border-t border-line p-3" onSubmit={submit}>
        <textarea
          className="field"
          rows={2}
          aria-label={`Message to ${markUnseen(agent.name)}`}
          placeholder={isPending ? "The answer needs approval first" : "Message"}
          value={message}
          onChange={({ target }) => setMessage(target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
          }}
        />
        {!isRunning ? (
          <button
            type="submit"
            className="button button-primary self-end"
            disabled={message.trim() === "" || isPending}
          >
            Send
          </button>
        ) : (
          <button type="button" className="button self-end" onClick={stop}>
            Stop
          </button>
        )}
      </form>
      {last !== undefined && (
        <div className="flex flex-wrap items-center gap-x-3 border-t border-line px-3 text-xs text-soft">
          {last.runId !== undefined && (
            <Link to="/runs/$id" params={{ id: last.runId }} className="link-button">
              View run
            </Link>
          )}
          {last.tokens !== undefined && (
            <span>
              {formatCount(last.tokens.input)} tokens in, {formatCount(last.tokens.output)} out
            </span>
          )}
          <button type="button" className="link-button ml-auto" disabled={isRunning} onClick={begin}>
            New chat
          </button>
        </div>
      )}
    </section>
  );
};
