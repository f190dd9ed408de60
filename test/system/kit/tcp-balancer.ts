import { connect, createServer, type Socket } from "node:net";

export interface TcpBalancer extends AsyncDisposable {
  readonly port: number;
  /** The port that each connection went to, in order. */
  readonly taken: readonly number[];
  /** Sets the ports of the servers; before that no connection is accepted. */
  readonly spread: (ports: readonly number[]) => void;
  /** Breaks every open connection. */
  readonly cut: () => void;
  /** Sets the port of the next connection. */
  readonly turnTo: (port: number) => void;
}

/** A round-robin TCP load balancer that skips servers that do not answer. */
export const tcpBalancer = async (): Promise<TcpBalancer> => {
  let ports: readonly number[] = [];
  const open = new Set<Socket>();
  const taken: number[] = [];
  let turn = 0;
  const follow = (socket: Socket, other: Socket): void => {
    open.add(socket);
    socket.on("close", () => {
      open.delete(socket);
      other.destroy();
    });
  };
  const server = createServer({ pauseOnConnect: true }, (client) => {
    client.on("error", () => {});
    const tryNext = (left: number): void => {
      const port = ports[turn++ % ports.length];
      if (port === undefined) return void client.destroy();
      const upstream = connect(port, "127.0.0.1");
      upstream.once("error", () => {
        if (left > 1 && !client.destroyed) tryNext(left - 1);
        else client.destroy();
      });
      upstream.once("connect", () => {
        taken.push(port);
        follow(client, upstream);
        follow(upstream, client);
        upstream.on("error", () => {});
        client.pipe(upstream);
        upstream.pipe(client);
        client.resume();
      });
    };
    tryNext(ports.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { readonly port: number }).port,
    taken,
    spread: (given) => {
      ports = given;
    },
    cut: () => {
      for (const socket of open) socket.resetAndDestroy();
    },
    turnTo: (port) => {
      turn = ports.indexOf(port);
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
};
