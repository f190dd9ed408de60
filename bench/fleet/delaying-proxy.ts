import { createConnection, createServer, type Socket } from "node:net";

/** A TCP proxy on loopback that delays each direction by a number of milliseconds. */
export const delayingProxy = async (
  to: number,
  delayMs: number,
): Promise<{ readonly port: number; readonly close: () => void }> => {
  const open = new Set<Socket>();
  const later = (from: Socket, into: Socket): void => {
    from.on("data", (bytes) => setTimeout(() => into.writable && into.write(bytes), delayMs));
    from.on("close", () => setTimeout(() => into.destroy(), delayMs));
    from.on("error", () => {});
    open.add(from);
  };
  const server = createServer((client) => {
    const remote = createConnection(to, "127.0.0.1");
    client.setNoDelay(true);
    remote.setNoDelay(true);
    later(client, remote);
    later(remote, client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  return {
    port,
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
};
