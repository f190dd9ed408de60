import { describe, expect, test } from "vitest";
import type { AccessLogEntry } from "../../src/server/http/host-options.ts";
import { connectionTypes } from "../kit/gateway-connections.ts";
import { waitFor } from "../kit/wait-for.ts";
import { openAccessScene } from "./access-scene.ts";
import { accessCases } from "./check-cases.ts";

test("the table has each case once", () => {
  expect(new Set(accessCases.map(({ what }) => what)).size).toBe(accessCases.length);
  expect(accessCases.length).toBeGreaterThanOrEqual(30);
});

/** A socket that is closed because of a message is logged with its close code. */
const says = ({ status, method, transport }: AccessLogEntry, taken: number): boolean =>
  status === taken || (transport === "websocket" && method === "close" && closeCodes[taken] === status);
const closeCodes: Readonly<Record<number, number>> = { 401: 1008, 413: 1009 };

describe.each(connectionTypes)("over $name", (way) => {
  test.each(accessCases)(
    "$what has the same result as over every other transport, and is logged",
    async (row) => {
      const scene = await openAccessScene(way, row.options ?? (() => ({})));
      const shown = typeof row.shows === "function" ? await row.shows(scene.host) : row.shows;
      const taken = row.play === undefined ? [await scene.visit(shown)] : await row.play(scene);
      expect(taken.map(({ status, error }) => (error === undefined ? [status] : [status, error]))).toEqual(
        row.taken,
      );
      for (const { status } of taken) {
        const isLogged = () => scene.host.lines.some((line) => says(line, status));
        await waitFor(async () => expect(await isLogged()).toBe(true));
      }
      expect(scene.host.errors).toEqual([]);
    },
  );
});
