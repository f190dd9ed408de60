import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { Chat } from "../chat/chat.tsx";
import { EmptyState, ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { Page } from "../components/page.tsx";
import { Select } from "../components/select.tsx";

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
