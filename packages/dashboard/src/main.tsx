// The entry of the dashboard.
import "virtual:styles";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/hooks.ts";
import { createDashboardRouter } from "./app/router.tsx";
import { Toasts } from "./kit/overlays/toast.tsx";

const queryClient = createQueryClient(() => {
  const { pathname, href } = router.state.location;
  if (pathname === "/sign-in") return;
  queryClient.removeQueries({ queryKey: ["session"] });
  void router.navigate({ to: "/sign-in", search: { next: href } });
});
const router = createDashboardRouter(queryClient);

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    {/* The content security policy of the page allows no style elements. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
