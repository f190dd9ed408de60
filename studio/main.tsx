import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query-client.ts";
import { signInByLink } from "./api/sign-in-by-link.ts";
import { router } from "./router.tsx";
import { applyTheme, readTheme } from "./shell/theme.ts";
import { ToastProvider } from "./shell/toasts.tsx";
import "./styles.css";

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
