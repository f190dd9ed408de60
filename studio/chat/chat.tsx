import { Link } from "@tanstack/react-router";
import type { AgentLine, ChatBody, ChatEvent } from "@words/agents.ts";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { path } from "../api/ask.ts";
import { postEvents } from "../api/event-stream.ts";
import { ForeignText } from "../components/foreign-text.tsx";
import { Empty } from "../components/notices.tsx";
import { type ChatTurn, newTurn, withEvent } from "./chat-turns.ts";
import { ShownTurn } from "./shown-turn.tsx";

/** Words come by hundreds a second; they are shown ten times in one. */
const leastMs = 100;

/** A conversation with one agent. It is a run like any other, and stands under Runs too. */
export const Chat = ({ agent }: { readonly agent: AgentLine }) => {
  const [turns, setTurns] = useState<readonly ChatTurn[]>([]);
  const [message, setMessage] = useState("");
  const [model, setModel] = useState("");
  const [running, setRunning] = useState<AbortController>();
  const end = useRef<HTMLDivElement>(null);
  const last = turns.at(-1);
  useEffect(() => () => running?.abort(), [running]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest words stay in sight
  useEffect(() => {
    end.current?.scrollIntoView({ block: "nearest" });
  }, [turns]);
  const talk = async (body: ChatBody, turn: ChatTurn): Promise<void> => {
    const stopped = new AbortController();
    setRunning(stopped);
    let current = turn;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      const shown = current;
      setTurns((all) => [...all.slice(0, -1), shown]);
    };
    setTurns((all) => [...all, turn]);
    try {
      const events = postEvents<ChatEvent>(path("/agents/", agent.name, "/chat"), body, stopped.signal);
      for await (const { data } of events) {
        current = withEvent(current, data);
        timer ??= setTimeout(show, leastMs);
      }
    } catch (error) {
      const trouble = stopped.signal.aborted
        ? "Stopped."
        : error instanceof Error
          ? error.message
          : String(error);
      current = { ...current, trouble };
    } finally {
      clearTimeout(timer);
      show();
      setRunning(undefined);
    }
  };
  const chosen = model.trim() === "" ? {} : { model: model.trim() };
  const before = last?.runId === undefined ? {} : { runId: last.runId };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const said = message.trim();
    if (said === "" || running !== undefined) return;
    setMessage("");
    void talk({ message: said, ...before, ...chosen }, newTurn(said));
  };
  return (
    <section aria-label={`Chat with ${agent.name}`} className="panel flex min-h-80 min-w-0 flex-col">
      <header className="flex flex-wrap items-center gap-3 border-b border-line p-3">
        <h2>
          <ForeignText text={agent.name} isLine />
        </h2>
        <label className="ml-auto flex items-center gap-1.5">
          <span className="label">Model</span>
          <input
            className="field w-44"
            value={model}
            placeholder={agent.model ?? "the agent's own"}
            onChange={({ target }) => setModel(target.value)}
          />
        </label>
        {turns.length > 0 && (
          <button
            type="button"
            className="button button-quiet"
            disabled={running !== undefined}
            onClick={() => setTurns([])}
          >
            New chat
          </button>
        )}
      </header>
      <div className="min-h-0 grow overflow-auto p-4" role="log" aria-label="Conversation">
        {turns.length === 0 && (
          <Empty title={agent.description ?? "Say something"}>
            <ForeignText text={`Tools: ${agent.tools.join(", ") || "none"}`} />
          </Empty>
        )}
        <div className="flex flex-col gap-6">
          {turns.map((turn, index) => (
            <ShownTurn
              // biome-ignore lint/suspicious/noArrayIndexKey: turns stay in their place
              key={index}
              turn={turn}
              {...(turn === last && turn.status === "pending" && running === undefined
                ? { onGoOn: () => void talk({ runId: turn.runId!, ...chosen }, newTurn()) }
                : {})}
            />
          ))}
        </div>
        <div ref={end} />
      </div>
      <form className="flex gap-2 border-t border-line p-3" onSubmit={submit}>
        <textarea
          className="field"
          rows={2}
          aria-label={`Message to ${agent.name}`}
          placeholder="Message"
          value={message}
          onChange={({ target }) => setMessage(target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
          }}
        />
        {running === undefined ? (
          <button type="submit" className="button button-primary self-end" disabled={message.trim() === ""}>
            Send
          </button>
        ) : (
          <button type="button" className="button self-end" onClick={() => running.abort()}>
            Stop
          </button>
        )}
      </form>
      {last?.runId !== undefined && (
        <p className="border-t border-line px-3 py-1.5 text-xs text-soft">
          <Link to="/runs/$id" params={{ id: last.runId }} className="link underline">
            See this run
          </Link>
          {last.tokens !== undefined && ` · ${last.tokens.input} tokens in, ${last.tokens.output} out`}
        </p>
      )}
    </section>
  );
};
