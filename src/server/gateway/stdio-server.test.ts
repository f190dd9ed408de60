import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { waitFor } from "../../../test/kit/wait-for.ts";
import { readMessage } from "../../mcp/client/transport/inbound-messages.ts";
import { StdioServerTransport } from "./serve-stdio.ts";

const scene = async (maxMessageBytes?: number) => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const transport = new StdioServerTransport({ stdin, stdout, maxMessageBytes, read: readMessage });
  const messages: unknown[] = [];
  const errors: Error[] = [];
  const closed = vi.fn<() => void>();
  let said = "";
  stdout.on("data", (chunk) => {
    said += String(chunk);
  });
  transport.onmessage = (message) => messages.push(message);
  transport.onerror = (error) => errors.push(error);
  transport.onclose = closed;
  await transport.start();
  const answers = () =>
    said
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { readonly id: unknown; readonly error: { readonly code: number } });
  return { stdin, stdout, transport, messages, errors, closed, answers };
};

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

test("reads one message per line, however the bytes arrive, and skips empty lines", async () => {
  const { stdin, messages } = await scene();
  const bytes = Buffer.from(`${ping}\r\n\n${ping.replace("ping", "pïng")}\n`);
  for (const byte of bytes) stdin.write(Buffer.from([byte]));
  await waitFor(() => expect(messages).toHaveLength(2));
  expect(messages).toMatchObject([{ method: "ping" }, { method: "pïng" }]);
});

test("answers an invalid line with an error without an id and reads the next line", async () => {
  const { stdin, messages, errors, answers } = await scene();
  stdin.write("hello\n");
  stdin.write(
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n'),
    ]),
  );
  stdin.write('{"level":"info"}\n');
  stdin.write('{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n');
  stdin.write('{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}\n');
  stdin.write(`${ping}\n`);
  await waitFor(() => expect(messages).toHaveLength(1));
  expect(answers().map(({ id, error }) => [id, error.code])).toEqual([
    [null, -32_700],
    [null, -32_700],
    [null, -32_600],
    [null, -32_600],
    [null, -32_600],
  ]);
  expect(errors).toHaveLength(5);
});

test("closes for a line that is too long and at the end of the input", async () => {
  const long = await scene(100);
  long.stdin.write("x".repeat(200));
  await waitFor(() => expect(long.closed).toHaveBeenCalledTimes(1));
  await expect(long.transport.send({ jsonrpc: "2.0", method: "notifications/x" })).rejects.toThrow("closed");
  const ended = await scene();
  ended.stdin.end();
  await waitFor(() => expect(ended.closed).toHaveBeenCalledTimes(1));
  await ended.transport.close();
  expect(ended.closed).toHaveBeenCalledTimes(1);
});

test("closes the connection when the output breaks", async () => {
  const { stdout, closed, errors } = await scene();
  stdout.destroy(new Error("broken pipe"));
  await waitFor(() => expect(closed).toHaveBeenCalledTimes(1));
  expect(errors).toMatchObject([{ message: "broken pipe" }]);
});
