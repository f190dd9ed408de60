import { expect, it, vi } from "vitest";
import { type EventStreamWriter, eventStream, toEventText } from "./event-stream.ts";

const open = (signals: readonly AbortSignal[] = []) => {
  let writer: EventStreamWriter | undefined;
  const onEnd = vi.fn();
  const response = eventStream({ signals }, (given) => {
    writer = given;
    return onEnd;
  });
  return { response, writer: writer!, onEnd };
};

it("writes named events until it ends", async () => {
  const { response, writer, onEnd } = open();
  writer.write(toEventText({ name: "live", id: "7", data: { a: 1 } }));
  writer.end();
  writer.write("after the end");
  expect(await response.text()).toBe('event: live\nid: 7\ndata: {"a":1}\n\n');
  expect(onEnd).toHaveBeenCalledOnce();
});

it.each(["while it is open", "before it begins"])("ends when a signal aborts %s", async (when) => {
  const rights = new AbortController();
  if (when === "before it begins") rights.abort();
  const { response, onEnd } = open([rights.signal]);
  rights.abort();
  expect(await response.text()).toBe("");
  expect(onEnd).toHaveBeenCalledOnce();
});

it("cleans up when the reader disconnects", async () => {
  const { response, writer, onEnd } = open();
  await response.body?.cancel();
  writer.end();
  expect(onEnd).toHaveBeenCalledOnce();
});

it("disconnects a reader that is too far behind, unless the writer waits for it", async () => {
  const large = "x".repeat(3 * 1_048_576);
  const slow = open();
  slow.writer.write(large);
  slow.writer.write("more");
  expect(slow.onEnd).toHaveBeenCalledOnce();

  const { response, writer, onEnd } = open();
  writer.write(large);
  const ready = writer.ready();
  const reader = response.body!.getReader();
  await reader.read();
  await ready;
  writer.write("more");
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("more");
  expect(onEnd).not.toHaveBeenCalled();
});
