import { expect, it } from "vitest";
import { eventBus } from "./event-bus.ts";

const came = (toolName: string) => ({ toolName, origin: "internal" }) as const;

it("listeners hear an event at once, in the order they came, and only the event they asked for", () => {
  const bus = eventBus();
  const heard: string[] = [];
  bus.on("tools.registered", ({ toolName }) => heard.push(`first ${toolName}`));
  bus.on("tools.unregistered", () => heard.push("another event"));
  bus.on("tools.registered", ({ toolName }) => heard.push(`second ${toolName}`));
  bus.emit("tools.registered", came("a"));
  heard.push("after");
  expect(heard).toEqual(["first a", "second a", "after"]);
});

it("a listener that throws keeps nobody else from hearing, and its error is told", () => {
  const errors: unknown[] = [];
  const bus = eventBus((error, name) => errors.push([String(error), name]));
  let heard = 0;
  bus.on("tools.registered", () => {
    throw new Error("bad listener");
  });
  bus.on("tools.registered", () => {
    heard++;
  });
  bus.emit("tools.registered", came("a"));
  expect(heard).toBe(1);
  expect(errors).toEqual([["Error: bad listener", "tools.registered"]]);
});

it("without anybody to tell, a thrown error ends where it was thrown", () => {
  const bus = eventBus();
  bus.on("tools.registered", () => {
    throw new Error("bad listener");
  });
  expect(() => bus.emit("tools.registered", came("a"))).not.toThrow();
});

it("a listener that is taken back hears no more, and taking it back twice does nothing", () => {
  const bus = eventBus();
  const heard: string[] = [];
  const off = bus.on("tools.registered", () => heard.push("gone"));
  bus.on("tools.registered", () => heard.push("stays"));
  off();
  off();
  bus.emit("tools.registered", came("a"));
  expect(heard).toEqual(["stays"]);
});

it("whether anybody listens is known before an event is built", () => {
  const bus = eventBus();
  expect(bus.isHeard("tools.registered")).toBe(false);
  const off = bus.on("tools.registered", () => {});
  expect([bus.isHeard("tools.registered"), bus.isHeard("tools.failed")]).toEqual([true, false]);
  off();
  expect(bus.isHeard("tools.registered")).toBe(false);
});

it("an event that nobody hears goes nowhere", () => {
  expect(() => eventBus().emit("tools.registered", came("a"))).not.toThrow();
});

it("a listener may take itself back, or send another event, while it hears one", () => {
  const bus = eventBus();
  const heard: string[] = [];
  const off = bus.on("tools.registered", ({ toolName }) => {
    off();
    heard.push(toolName);
    bus.emit("tools.registered", came("inner"));
  });
  bus.on("tools.registered", ({ toolName }) => heard.push(`other ${toolName}`));
  bus.emit("tools.registered", came("outer"));
  expect(heard).toEqual(["outer", "other inner", "other outer"]);
});
