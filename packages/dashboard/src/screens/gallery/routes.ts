import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { present, type RawSearch, textParam } from "../../kit/search-params.ts";

type GallerySearch = { q?: string; template?: string };

/** `template`: the one that is open. */
const readGallerySearch = ({ q, template }: RawSearch): GallerySearch =>
  present({ q: textParam(q), template: textParam(template) });

const galleryRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/gallery",
  validateSearch: readGallerySearch,
  component: lazyRouteComponent(() => import("./gallery-screen.tsx"), "GalleryScreen"),
});

export const galleryRoutes = [galleryRoute] as const;
