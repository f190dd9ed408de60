import { attacks } from "../attack.ts";

const builtin = (name: string) =>
  `(globalThis.process?.getBuiltinModule?.("node:${name}") ?? (await import("node:${name}")))`;

export const network = attacks(
  "network",
  { on: "node" },
  {
    fetch: { harm: "network", source: `return await (await fetch(input.http)).text();` },
    "a TCP socket": {
      harm: "network",
      source: `
      const net = ${builtin("net")};
      return await new Promise((resolve, reject) => {
        const socket = net.connect(input.tcpPort, "127.0.0.1", () => socket.write(input.mark));
        socket.on("data", (data) => resolve(String(data))).on("error", reject);
      });`,
    },
    "a request of node:http": {
      harm: "network",
      source: `
      const http = ${builtin("http")};
      return await new Promise((resolve, reject) => {
        http.get(input.http, (response) => resolve(response.statusCode)).on("error", reject);
      });`,
    },
    "a WebSocket": {
      harm: "network",
      source: `
      const socket = new WebSocket(input.webSocket);
      return await new Promise((resolve) => {
        socket.onopen = socket.onerror = socket.onclose = () => resolve(1);
      });`,
    },
    "a UDP datagram": {
      harm: "network",
      source: `
      const dgram = ${builtin("dgram")};
      return await new Promise((resolve) => {
        dgram.createSocket("udp4").send(input.mark, input.udpPort, "127.0.0.1", (error) => resolve(String(error)));
      });`,
    },
    "a question to a name server": {
      harm: "network",
      source: `
      const dns = ${builtin("dns")};
      const resolver = new dns.promises.Resolver({ timeout: 200, tries: 1 });
      resolver.setServers(["127.0.0.1:" + input.udpPort]);
      return await resolver.resolve4(input.mark + ".invalid").catch(String);`,
    },
    "a connection of Deno": {
      on: "deno -A",
      harm: "network",
      source: `
      const connection = await Deno.connect({ hostname: "127.0.0.1", port: input.tcpPort });
      await connection.write(new TextEncoder().encode(input.mark));
      return 1;`,
    },
  },
);
