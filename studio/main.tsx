import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { signInByLink } from "./api/sign-in-by-link.ts";
import { router } from "./router.tsx";
import { applyTheme, readTheme } from "./shell/theme.ts";
import { ToastProvider } from "./shell/toasts.tsx";
import "./styles.css";
import { ApiFailure } from "./api/api-request.ts";

const noticeSignOut = (error: unknown, key: readonly unknown[] = []): void => {
  if (!(error instanceof ApiFailure) || error.status !== 401 || key[0] === "me") return;
  void queryClient.invalidateQueries({ queryKey: ["me"] });
};

const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => noticeSignOut(error, queryKey) }),
  mutationCache: new MutationCache({ onError: (error) => noticeSignOut(error) }),
  defaultOptions: {
    queries: {
      // The server may run on this machine, so being offline does not matter.
      networkMode: "always",
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // Retries only while the server does not respond.
      retry: (count, error) => error instanceof ApiFailure && error.status === 0 && count < 2,
    },
    mutations: { networkMode: "always", retry: false },
  },
});

applyTheme(readTheme());
// First, so that the token leaves the URL before any other request.
await signInByLink();

createRoot(document.getElementById("page")!).render(
  <QueryClientProvider client={queryClient}>
    <ToastProvider>
      <RouterProvider router={router} />
    </ToastProvider>
  </QueryClientProvider>,
);
