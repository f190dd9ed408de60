import { describe, expect, test } from "vitest";
import { waitFor } from "../kit/wait-for.ts";
import {
  adaSearcher,
  bobSearcher,
  callAndReadResult,
  clientTransports,
  ledgerRowsOf,
  listedNames,
  openSearchScene,
  searchToolList,
} from "./gateway-search-scene.ts";

describe.each(clientTransports)("over $name a client", ({ open, era, keeps }) => {
  test("sees a short list, finds a tool, loads it, is notified, and calls it", async () => {
    const scene = await openSearchScene({ always: ["list_invoice_*"] });
    const client = await (await open(scene.served))(adaSearcher);
    let changes = 0;
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      changes++;
    });
    const listening = era === "modern" ? await client.listen({ toolsListChanged: true }) : undefined;
    expect(await listedNames(client)).toEqual(["list_invoice_0", ...searchToolList]);

    const { value } = await callAndReadResult(client, "search_tools", {
      query: "book a flight to Oslo",
      limit: 3,
    });
    const { tools } = value as { tools: readonly { name: string; score: number; inputSchema?: object }[] };
    expect(tools[0]).toMatchObject({
      name: "book_flight",
      summary: "Book a flight between two cities.",
      inputSchema: { required: ["from", "to"] },
    });
    expect(tools.length).toBeLessThanOrEqual(3);
    expect(tools.map(({ score }) => score)).toEqual(tools.map(({ score }) => score).sort((a, b) => b - a));

    const loaded = await callAndReadResult(client, "load_tools", {
      names: ["read_invoice_0", "book_flight"],
    });
    expect(loaded).toMatchObject({
      value: { loaded: keeps ? ["book_flight", "read_invoice_0"] : [], unknown: [] },
    });
    const more = keeps ? ["book_flight", "read_invoice_0"] : [];
    expect(await listedNames(client)).toEqual(["list_invoice_0", ...searchToolList, ...more]);
    if (keeps) await waitFor(() => expect(changes).toBeGreaterThan(0));
    else expect(loaded).toMatchObject({ value: { tools: [{ name: "book_flight", inputSchema: {} }, {}] } });

    const booked = { value: { booking: "Bergen-Oslo-2" } };
    const input = { from: "Bergen", to: "Oslo", seats: 2 };
    expect(await callAndReadResult(client, "book_flight", input)).toEqual(booked);
    expect(await callAndReadResult(client, "call_tool", { name: "book_flight", arguments: input })).toEqual(
      booked,
    );
    expect(await ledgerRowsOf(scene)).toEqual(
      ["search_tools", "load_tools", "book_flight", "book_flight"].map((tool) => ({
        tool,
        agent: "ada",
        ending: "executed",
      })),
    );
    await listening?.close();
  });

  test("appends loaded tools in load order, and no other client is notified", async () => {
    if (!keeps) return;
    const { served } = await openSearchScene();
    const connect = await open(served);
    const [first, second] = [await connect(adaSearcher), await connect(adaSearcher)];
    let received = 0;
    second.setNotificationHandler("notifications/tools/list_changed", () => {
      received++;
    });
    await callAndReadResult(first, "load_tools", { names: ["update_ticket_0", "archive_ticket_0"] });
    await callAndReadResult(first, "load_tools", { names: ["book_flight", "archive_ticket_0"] });
    expect(await listedNames(first)).toEqual([
      ...searchToolList,
      "archive_ticket_0",
      "update_ticket_0",
      "book_flight",
    ]);
    expect(await listedNames(second)).toEqual(searchToolList);
    await callAndReadResult(second, "load_tools", { names: ["book_flight"] });
    expect(await listedNames(first)).toHaveLength(6);
    if (era === "legacy") await waitFor(() => expect(received).toBe(1));
  });

  test("cannot find, load, call or detect a tool that it may not see", async () => {
    const scene = await openSearchScene({ minScore: 0 });
    const client = await (await open(scene.served))(bobSearcher);
    const { value } = await callAndReadResult(client, "search_tools", {
      query: "launch_rocket secret program",
      limit: 20,
    });
    expect(JSON.stringify(value)).not.toMatch(/launch|rocket|secret program/);
    const asOf = async (name: string) => {
      const near = name.slice(0, -1);
      const all = [
        await callAndReadResult(client, "load_tools", { names: [name] }),
        await callAndReadResult(client, "load_tools", { names: [near] }),
        await callAndReadResult(client, "call_tool", { name, arguments: { code: "x" } }),
        await callAndReadResult(client, name, { code: "x" }),
      ];
      return JSON.stringify(all).replaceAll(name, "NAME").replaceAll(near, "NEAR");
    };
    expect(await asOf("launch_rocket")).toBe(await asOf("no_such_tool_"));
    expect(
      (await ledgerRowsOf(scene)).filter(({ ending }) => ending === "executed").map(({ tool }) => tool),
    ).toEqual(["search_tools", ...Array(4).fill("load_tools")]);
  });

  test("passes the same checks by call_tool as by a direct call", async () => {
    const scene = await openSearchScene();
    const client = await (await open(scene.served))(adaSearcher);
    for (const [name, args] of [
      ["book_flight", { from: 1 }],
      ["book_flight", { from: "a", to: "b", extra: true }],
      ["no_such_tool", {}],
      ["__proto__", {}],
      ["constructor", {}],
      ["list_invoice_0", { id: "x".repeat(1_000) }],
      ["pay_parking_fine", { amount: 3 }],
    ] as const) {
      const direct = await callAndReadResult(client, name, args);
      expect(await callAndReadResult(client, "call_tool", { name, arguments: args })).toEqual(direct);
    }
    const rows = await ledgerRowsOf(scene);
    // A pending call is the same call when it is requested again.
    expect(rows.splice(12)).toEqual([{ tool: "pay_parking_fine", agent: "ada", ending: "pending" }]);
    expect(rows.filter((_, at) => at % 2 === 1)).toEqual(rows.filter((_, at) => at % 2 === 0));
    expect(new Set(rows.map(({ code }) => code))).toEqual(
      new Set(["invalid_input", "unknown_tool", undefined]),
    );
  });

  test("answers the elicitation of a call that it makes by call_tool", async () => {
    const scene = await openSearchScene();
    const client = await (await open(scene.served))(adaSearcher, { elicitation: { form: {} } });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { approve: true } };
    });
    const paid = await callAndReadResult(client, "call_tool", {
      name: "pay_parking_fine",
      arguments: { amount: 7 },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("pay_parking_fine");
    expect(paid).toEqual({ value: { paid: 7 } });
  });

  test("receives the progress of a call by call_tool, and can cancel it", async () => {
    const scene = await openSearchScene();
    const client = await (await open(scene.served))(adaSearcher);
    const stop = new AbortController();
    const received: unknown[] = [];
    const going = client.callTool(
      { name: "call_tool", arguments: { name: "brew_coffee", arguments: {} } },
      {
        signal: stop.signal,
        onprogress: (progress) => {
          received.push(progress);
          stop.abort();
        },
      },
    );
    await expect(going).rejects.toThrow();
    expect(received[0]).toMatchObject({ progress: 1, message: "grinding" });
    await waitFor(async () =>
      expect(await ledgerRowsOf(scene)).toEqual([
        { tool: "brew_coffee", agent: "ada", ending: "failed", code: "cancelled" },
      ]),
    );
  });
});
