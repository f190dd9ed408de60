import { connect, createServer, type Socket } from "node:net";

/** Breaks one connection after a number of bytes in one direction, or when the client has sent a text. */
export type ConnectionCut =
  | { readonly from: "client" | "server"; readonly afterBytes: number }
  /** `delivered`: the server receives the bytes of the client, but its reply is lost. */
  | { readonly at: string; readonly delivered: boolean };

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** Each new connection takes the next cut; without one it stays intact. */
  readonly cuts: ConnectionCut[];
  /** The last bytes that clients sent. */
  readonly lastSent: () => string;
  /** Breaks all open connections. */
  readonly cutAll: () => void;
  /** A black hole: nothing arrives on either side and no connection ends. Held bytes arrive after it. */
  readonly holdBack: (isHeld: boolean) => void;
}

/** A proxy that loses connections at a chosen point. */
export const cuttingProxy = async (toPort: number): Promise<CuttingProxy> => {
  const cuts: ConnectionCut[] = [];
  const open = new Set<Socket>();
  let last = "";
  let isHeld = false;
  const server = createServer((client) => {
    const upstream = connect(toPort, "127.0.0.1");
    const cut = cuts.shift();
    let sent = 0;
    let received = 0;
    const breakOff = () => {
      // The server reads everything and then an end; the client gets a reset.
      upstream.end();
      client.resetAndDestroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      if (isHeld) socket.pause();
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.end();
      });
    }
    client.on("data", (bytes) => {
      sent += bytes.length;
      last = `${last}${bytes.toString("latin1")}`.slice(-10_000);
      const isSaid = cut !== undefined && "at" in cut && bytes.includes(cut.at);
      const isEnough = cut !== undefined && "from" in cut && cut.from === "client" && sent > cut.afterBytes;
      if (!isEnough && !(isSaid && !cut.delivered)) upstream.write(bytes);
      if (isEnough || isSaid) breakOff();
    });
    upstream.on("data", (bytes) => {
      received += bytes.length;
      if (cut !== undefined && "from" in cut && cut.from === "server" && received > cut.afterBytes)
        breakOff();
      else client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { readonly port: number }).port,
    cuts,
    lastSent: () => last,
    cutAll: () => {
      for (const socket of open) socket.resetAndDestroy();
    },
    holdBack: (now) => {
      isHeld = now;
      for (const socket of open) now ? socket.pause() : socket.resume();
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
};
