// The frame around every screen: navigation, environment, account, command palette, notices.
import { useRouterState } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import type { Environment, Session } from "../api/auth.ts";
import { SessionProvider } from "../api/session.tsx";
import { Icon, Mark } from "../icons.tsx";
import { IconButton } from "../kit/inputs/button.tsx";
import { Dialog } from "../kit/overlays/dialog.tsx";
import { words } from "../words.ts";
import { OfflineBanner } from "./offline.tsx";
import css from "./shell.module.css";
import { SideNavigation } from "./side-navigation.tsx";
import { startTypeAhead } from "./type-ahead.ts";

const KeyboardMap = lazy(() => import("./keyboard-map.tsx").then((module) => ({ default: module.KeyboardMap })));
const Palette = lazy(() => import("./palette.tsx").then((module) => ({ default: module.Palette })));

type ShellProps = { session: Session; environment: Environment; children: ReactNode };

export function Shell({ session, environment, children }: ShellProps) {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [isMapOpen, setMapOpen] = useState(false);
  useQuestionMark(() => setMapOpen(true));
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isLoading = useRouterState({ select: (state) => state.status === "pending" });
  useShortcut(() => {
    if (!isPaletteOpen) startTypeAhead();
    setPaletteOpen(!isPaletteOpen);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen closes the drawer
  useEffect(() => setDrawerOpen(false), [path]);
  const isProduction = environment.type === "prod";
  const openPalette = () => {
    setDrawerOpen(false);
    startTypeAhead();
    setPaletteOpen(true);
  };
  const navigation = <SideNavigation session={session} environment={environment} onSearch={openPalette} />;
  return (
    <SessionProvider value={{ session, environment }}>
      <a className={css.skip} href={`${path}#main`} onClick={focusMain}>
        {words.skip}
      </a>
      {isProduction && <div className={css.productionLine} />}
      {isLoading && <div className={css.progress} />}
      <div className={css.shell}>
        <header className={css.side}>{navigation}</header>
        <div>
          <header className={css.bar}>
            <IconButton label={words.navigation.open} icon="menu" onClick={() => setDrawerOpen(true)} />
            <Mark />
            <span className={css.barEnd}>
              <span className={css.barEnvironment} data-production={isProduction}>
                {isProduction && <Icon name="zap" size={12} />}
                {environment.name}
              </span>
              <IconButton label={words.palette.open} icon="search" onClick={openPalette} />
            </span>
          </header>
          <OfflineBanner />
          <main id="main" className={css.main} tabIndex={-1}>
            {children}
          </main>
        </div>
      </div>
      <Dialog isOpen={isDrawerOpen} onClose={() => setDrawerOpen(false)} title={words.navigation.label} look="drawer">
        {navigation}
      </Dialog>
      <Suspense>{isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}</Suspense>
      <Suspense>{isMapOpen && <KeyboardMap onClose={() => setMapOpen(false)} />}</Suspense>
    </SessionProvider>
  );
}

function focusMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** Ctrl-K or Cmd-K, even while the focus is in a field. */
function useShortcut(onPress: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      onPress();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [onPress]);
}

/** A field, a menu or a dialog uses the key itself. */
const usesKeys = "input, textarea, select, [contenteditable=true], [role=dialog], [role=menu], [role=listbox]";

function useQuestionMark(onPress: () => void): void {
  const latest = useRef(onPress);
  latest.current = onPress;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isTyped = event.target instanceof Element && event.target.closest(usesKeys);
      if (event.key !== "?" || event.metaKey || event.ctrlKey || event.altKey || isTyped) return;
      if (document.querySelector("[role=dialog]")) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}
