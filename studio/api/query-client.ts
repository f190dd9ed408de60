import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiFailure } from "./api-request.ts";

const noticeSignOut = (error: unknown, key: readonly unknown[] = []): void => {
  if (!(error instanceof ApiFailure) || error.status !== 401 || key[0] === "me") return;
  void queryClient.invalidateQueries({ queryKey: ["me"] });
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => noticeSignOut(error, queryKey) }),
  mutationCache: new MutationCache({ onError: (error) => noticeSignOut(error) }),
  defaultOptions: {
    queries: {
      // The server may be local.
      networkMode: "always",
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // Retries only while the server does not respond.
      retry: (count, error) => error instanceof ApiFailure && error.status === 0 && count < 2,
    },
    mutations: { networkMode: "always", retry: false },
  },
});
