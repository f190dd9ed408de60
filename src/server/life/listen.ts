import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigurationError } from "../../words/errors.ts";
import type { Settings } from "../settings.ts";

const reasons: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `/port ${port} on ${host} is in use. Stop the other program, or choose another port (0 takes any free one).`,
  EACCES: (_, port) => `/port ${port} may not be used by this user. Choose one from 1024.`,
  EADDRNOTAVAIL: (host) => `/host ${host} is no address of this machine. Use 127.0.0.1, or 0.0.0.0 for all.`,
  ENOTFOUND: (host) => `/host ${host} cannot be resolved. Use an address, such as 127.0.0.1.`,
};

/** Listens, or says in an operator's words why it cannot. */
export const listen = (server: Server, { host, port }: Settings): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const reason = reasons[error.code ?? ""]?.(host, port);
      reject(
        reason === undefined ? error : new ConfigurationError("invalid_config", reason, { cause: error }),
      );
    };
    server.once("error", onError);
    server.listen({ host, port }, () => {
      server.off("error", onError);
      resolve(server.address() as AddressInfo);
    });
  });
