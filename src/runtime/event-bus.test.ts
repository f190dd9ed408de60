import { expect, it } from "vitest";
import { eventBus } from "./event-bus.ts";

const came = (toolName: string) => ({ toolName, origin: "internal" }) as const;

it("calls the listeners of an event synchronously and in order", () => {
  const bus = eventBus();
  const received: string[] = [];
  bus.on("tools.registered", ({ toolName }) => received.push(`first ${toolName}`));
  bus.on("tools.unregistered", () => received.push("another event"));
  bus.on("tools.registered", ({ toolName }) => received.push(`second ${toolName}`));
  bus.emit("tools.registered", came("a"));
  received.push("after");
  expect(received).toEqual(["first a", "second a", "after"]);
});

it("calls the other listeners when one throws, and reports the error", () => {
  const errors: unknown[] = [];
  const bus = eventBus((error, name) => errors.push([String(error), name]));
  let received = 0;
  bus.on("tools.registered", () => {
    throw new Error("bad listener");
  });
  bus.on("tools.registered", () => {
    received++;
  });
  bus.emit("tools.registered", came("a"));
  expect(received).toBe(1);
  expect(errors).toEqual([["Error: bad listener", "tools.registered"]]);
});

it("ignores errors of listeners when no error handler is given", () => {
  const bus = eventBus();
  bus.on("tools.registered", () => {
    throw new Error("bad listener");
  });
  expect(() => bus.emit("tools.registered", came("a"))).not.toThrow();
});

it("does not call a listener after it was removed, even twice", () => {
  const bus = eventBus();
  const received: string[] = [];
  const off = bus.on("tools.registered", () => received.push("gone"));
  bus.on("tools.registered", () => received.push("stays"));
  off();
  off();
  bus.emit("tools.registered", came("a"));
  expect(received).toEqual(["stays"]);
});

it("reports whether an event has listeners", () => {
  const bus = eventBus();
  expect(bus.isHeard("tools.registered")).toBe(false);
  const off = bus.on("tools.registered", () => {});
  expect([bus.isHeard("tools.registered"), bus.isHeard("tools.failed")]).toEqual([true, false]);
  off();
  expect(bus.isHeard("tools.registered")).toBe(false);
});

it("accepts an event without listeners", () => {
  expect(() => eventBus().emit("tools.registered", came("a"))).not.toThrow();
});

it("lets a listener remove itself and emit another event", () => {
  const bus = eventBus();
  const received: string[] = [];
  const off = bus.on("tools.registered", ({ toolName }) => {
    off();
    received.push(toolName);
    bus.emit("tools.registered", came("inner"));
  });
  bus.on("tools.registered", ({ toolName }) => received.push(`other ${toolName}`));
  bus.emit("tools.registered", came("outer"));
  expect(received).toEqual(["outer", "other inner", "other outer"]);
});
