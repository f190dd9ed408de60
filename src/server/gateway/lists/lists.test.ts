import { InMemoryTransport } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  failureReply,
  fakeGatewayBackend,
  fakeMcpSession,
} from "../../../../test/kit/fake-gateway-backend.ts";
import {
  alicePrincipal,
  clientRoutes,
  sdkClient,
  type TestGateway,
} from "../../../../test/kit/gateway-clients.ts";
import { waitFor } from "../../../../test/kit/wait-for.ts";
import type { BackendCall } from "../gateway-backend.ts";
import { serveSocket } from "../serve-socket.ts";

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

const all = {
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** Two servers, each with a prompt and a resource of the same name. */
const twoServers = () => {
  const one = fakeMcpSession(all, {
    "prompts/list": ({ cursor }) =>
      cursor === undefined
        ? { prompts: [{ name: "review" }], nextCursor: "2" }
        : { prompts: [{ name: "only_one", description: "d" }] },
    "resources/list": () => ({ resources: [{ uri: "file:///a", name: "a of one" }] }),
    "resources/templates/list": () => ({
      resourceTemplates: [{ uriTemplate: "one://{id}/data", name: "t" }],
    }),
  });
  const two = fakeMcpSession(all, {
    "prompts/list": () => ({ prompts: [{ name: "review" }, { name: "only_two" }, 7, { nameless: true }] }),
    "resources/list": () => ({
      resources: [
        { uri: "file:///a", name: "a of two" },
        { uri: "file:///b", name: "b" },
      ],
    }),
    "resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: "two://{+path}", name: "t" }] }),
  });
  const read = (id: string) => (call: BackendCall) => {
    const { uri } = call.input as { readonly uri: string };
    if (uri.includes("unknown")) {
      const cause = { code: -32002, message: "Resource not found", data: { uri } };
      return failureReply(call, { code: "mcp_protocol", message: "not found", cause });
    }
    const value = { contents: [{ uri, text: `${uri} of ${id}` }] };
    call.caller.received?.(value, value as never, call.id);
    return value;
  };
  const get = (id: string) => (call: BackendCall) => {
    const { name, arguments: given } = call.input as Record<string, unknown>;
    const text = JSON.stringify({ id, name, given });
    return { messages: [{ role: "user", content: { type: "text", text } }] };
  };
  const complete = (id: string) => () => ({ completion: { values: [`from ${id}`] } });
  const fake = fakeGatewayBackend({
    tools: [],
    runs: {
      "one/read": read("one"),
      "two/read": read("two"),
      "one/prompt": get("one"),
      "two/prompt": get("two"),
      "one/complete": complete("one"),
      "two/complete": complete("two"),
    },
    servers: [
      {
        id: "one",
        session: one.session,
        readResource: "one/read",
        getPrompt: "one/prompt",
        completeArgument: "one/complete",
      },
      {
        id: "two",
        session: two.session,
        readResource: "two/read",
        getPrompt: "two/prompt",
        completeArgument: "two/complete",
      },
    ],
  });
  return { ...fake, one, two };
};

describe.each(clientRoutes)("over $over in the $era era", ({ era, open }) => {
  const scene = async () => {
    const servers = twoServers();
    gateway = open(servers.served);
    const client = await gateway.connect(sdkClient(era));
    return { ...servers, client };
  };

  test("lists the prompts of all servers, and adds the server id only to duplicate names", async () => {
    const { client, calls } = await scene();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["only_one", "only_two", "one__review", "two__review"]);
    const { messages } = await client.getPrompt({ name: "two__review", arguments: { code: "x" } });
    expect(messages[0]?.content).toEqual({
      type: "text",
      text: JSON.stringify({ id: "two", name: "review", given: { code: "x" } }),
    });
    expect(calls.map(({ tool }) => tool)).toEqual(["two/prompt"]);
    await expect(client.getPrompt({ name: "review" })).rejects.toMatchObject({ code: -32602 });
  });

  test("keeps the URIs of resources, and adds the server id to the second of two equal ones", async () => {
    const { client } = await scene();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      "file:///a",
      "haft://two/file%3A%2F%2F%2Fa",
      "file:///b",
    ]);
    const textOf = async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      return (contents[0] as { text: string }).text;
    };
    expect(await textOf("file:///a")).toBe("file:///a of one");
    expect(await textOf("haft://two/file%3A%2F%2F%2Fa")).toBe("file:///a of two");
    expect(await textOf("file:///b")).toBe("file:///b of two");
    expect(await textOf("one://7/data")).toBe("one://7/data of one");
    expect(await textOf("two://x/y/z")).toBe("two://x/y/z of two");
  });

  test("asks each server for a resource that is not listed, and reports an unknown one", async () => {
    const { client, calls } = await scene();
    await expect(client.readResource({ uri: "other://unknown" })).rejects.toMatchObject({
      code: -32602,
      data: { uri: "other://unknown" },
    });
    expect(calls.map(({ tool }) => tool)).toEqual(["one/read", "two/read"]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  test("lists the templates of all servers, and sends a completion to the owning server", async () => {
    const { client, calls, two } = await scene();
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "one://{id}/data",
      "two://{+path}",
    ]);
    const argument = { name: "path", value: "x" };
    const byTemplate = await client.complete({
      ref: { type: "ref/resource", uri: "two://{+path}" },
      argument,
    });
    expect(byTemplate.completion.values).toEqual(["from two"]);
    const byPrompt = await client.complete({ ref: { type: "ref/prompt", name: "two__review" }, argument });
    expect(byPrompt.completion.values).toEqual(["from two"]);
    expect(calls.map(({ tool, input }) => [tool, input])).toEqual([
      ["two/complete", { ref: { type: "ref/resource", uri: "two://{+path}" }, argument }],
      ["two/complete", { ref: { type: "ref/prompt", name: "review" }, argument }],
    ]);
    expect(two.asked("completion/complete")).toEqual([]);
  });

  test("requests a list from a server once until the server reports a change", async () => {
    const { client, one } = await scene();
    await client.listResources();
    await client.request({ method: "resources/list", params: {} });
    expect(one.asked("resources/list")).toHaveLength(1);
    one.tell({ kind: "resources-changed" });
    await client.request({ method: "resources/list", params: {} });
    expect(one.asked("resources/list")).toHaveLength(2);
  });

  test("lists the other servers when one fails", async () => {
    const { client, one } = await scene();
    vi.spyOn(one.session, "request").mockRejectedValue(new Error("gone"));
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["review", "only_two"]);
  });

  test("notifies clients of changed lists", async () => {
    const { client, tell } = await scene();
    const observed: string[] = [];
    for (const kind of ["tools", "prompts", "resources"] as const) {
      client.setNotificationHandler(`notifications/${kind}/list_changed`, () => {
        observed.push(kind);
      });
    }
    const listening =
      era === "modern"
        ? await client.listen({
            toolsListChanged: true,
            promptsListChanged: true,
            resourcesListChanged: true,
          })
        : undefined;
    await waitFor(() => {
      tell({ kind: "tools-changed" });
      tell({ kind: "prompts-changed" }, "one");
      tell({ kind: "resources-changed" }, "one");
      expect(new Set(observed)).toEqual(new Set(["tools", "prompts", "resources"]));
    });
    await listening?.close();
  });

  test("subscribes at the owning server, forwards updates and unsubscribes with the last client", async () => {
    const { client, tell, two, listeners } = await scene();
    const observed: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      observed.push(params.uri);
    });
    const uri = "haft://two/file%3A%2F%2F%2Fa";
    const listening = era === "modern" ? await client.listen({ resourceSubscriptions: [uri] }) : undefined;
    if (era === "legacy") await client.subscribeResource({ uri });
    await waitFor(() => expect(two.asked("resources/subscribe")).toEqual([{ uri: "file:///a" }]));
    await waitFor(() => {
      tell({ kind: "resource-updated", uri: "file:///a" }, "one");
      tell({ kind: "resource-updated", uri: "file:///b" }, "two");
      tell({ kind: "resource-updated", uri: "file:///a" }, "two");
      expect(observed.length).toBeGreaterThan(0);
    });
    expect(new Set(observed)).toEqual(new Set([uri]));
    await listening?.close();
    if (era === "legacy") await client.unsubscribeResource({ uri });
    await waitFor(() => expect(two.asked("resources/unsubscribe")).toEqual([{ uri: "file:///a" }]));
    await gateway?.close();
    await waitFor(() => expect(listeners.news.size).toBe(0));
  });
});

describe("legacy era", () => {
  const legacy = clientRoutes.find(({ era, over }) => era === "legacy" && over === "connection")!;

  test("shares one subscription between clients and ends it with the last connection", async () => {
    const servers = twoServers();
    gateway = legacy.open(servers.served);
    const [first, second] = [
      await gateway.connect(sdkClient("legacy")),
      await gateway.connect(sdkClient("legacy")),
    ];
    await first.subscribeResource({ uri: "file:///b" });
    await second.subscribeResource({ uri: "file:///b" });
    expect(servers.two.asked("resources/subscribe")).toHaveLength(1);
    await first.close();
    await waitFor(() => expect(servers.listeners.news.size).toBe(1));
    expect(servers.two.asked("resources/unsubscribe")).toHaveLength(0);
    await second.close();
    await waitFor(() => expect(servers.two.asked("resources/unsubscribe")).toHaveLength(1));
  });

  test("sets the most verbose level of all clients on the servers", async () => {
    const servers = twoServers();
    gateway = legacy.open(servers.served);
    const first = await gateway.connect(sdkClient("legacy"));
    const second = await gateway.connect(sdkClient("legacy"));
    await first.setLoggingLevel("warning");
    await second.setLoggingLevel("error");
    await second.setLoggingLevel("debug");
    expect(servers.one.asked("logging/setLevel")).toEqual([{ level: "warning" }, { level: "debug" }]);
    await second.close();
    await waitFor(() => expect(servers.one.asked("logging/setLevel").at(-1)).toEqual({ level: "warning" }));
  });
});

test("sends updates of a resource to a modern client whose first request is to listen", async () => {
  const servers = twoServers();
  const [near, far] = InMemoryTransport.createLinkedPair();
  const connection = serveSocket(servers.served, alicePrincipal, far);
  const observed: unknown[] = [];
  near.onmessage = (message) => observed.push(message);
  await near.start();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const notifications = { resourceSubscriptions: ["file:///b"] };
  const params = { notifications, _meta };
  await near.send({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params });
  await waitFor(() => expect(servers.two.asked("resources/subscribe")).toEqual([{ uri: "file:///b" }]));
  await waitFor(() => {
    servers.tell({ kind: "resource-updated", uri: "file:///b" }, "two");
    expect(JSON.stringify(observed)).toContain("notifications/resources/updated");
  });
  await connection.close();
  await connection.closed;
});
