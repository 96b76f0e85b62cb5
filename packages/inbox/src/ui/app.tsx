// The panel: in the popover of the bell, or in the page.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { InboxFilter, InboxState } from "../client/types.ts";
import { badgeText } from "./bell-labels.ts";
import { Feed, type View } from "./feed.tsx";
import { Icon } from "./icons.tsx";
import { OwnHeader } from "./own.tsx";
import { BellPopover, Menu } from "./popover.tsx";
import { Preferences } from "./preferences.tsx";
import { type Ui, UiContext, useInboxState, useUi } from "./ui.ts";

const filterOf = (view: View, tags: string[] | undefined): InboxFilter => ({
  ...(tags?.length && { tags }),
  ...(view !== "inbox" && { [view]: true }),
});

export function App(ui: Omit<Ui, "attempt">) {
  const { inbox, labels, isInline } = ui;
  const state = useInboxState(inbox);
  const [isOpen, setOpen] = useState(isInline);
  const [fault, setFault] = useState<string | null>(null);
  const attempt = useCallback(
    (work: Promise<unknown>) => {
      setFault(null);
      work.catch(() => setFault(labels.failed));
    },
    [labels],
  );
  // The same object as long as it says the same: all rows read it.
  const shared = useMemo(() => ({ ...ui, attempt }), [attempt, ...Object.values(ui)]);
  useEffect(() => {
    if (fault === null) return;
    const timer = setTimeout(() => setFault(null), 6_000);
    return () => clearTimeout(timer);
  }, [fault]);
  // Read when it is first needed, and again as soon as the service can be reached.
  useEffect(() => {
    if (isOpen && state.list === "none" && state.status !== "error") inbox.load().catch(() => {});
  }, [inbox, isOpen, state.status]);
  const panel = <Panel state={state} fault={fault} isOpen={isOpen} />;
  return (
    <UiContext.Provider value={shared}>
      {isInline ? (
        <section class="panel inline" part="panel" aria-label={labels.title}>
          {panel}
        </section>
      ) : (
        <BellPopover label={labels.title} onOpen={setOpen}>
          {panel}
        </BellPopover>
      )}
    </UiContext.Provider>
  );
}

function Panel({ state, fault, isOpen }: { state: InboxState; fault: string | null; isOpen: boolean }) {
  const { inbox, labels, tabs, attempt } = useUi();
  const [view, setView] = useState<View>("inbox");
  const [tab, setTab] = useState(0);
  const [isSettings, setSettings] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  const settingsButton = useRef<HTMLButtonElement>(null);
  const tags = tabs[tab]?.tags;
  const choose = (nextView: View, nextTab: number) => {
    setView(nextView);
    setTab(nextTab);
    void inbox.setFilter(filterOf(nextView, tabs[nextTab]?.tags)).catch(() => {});
  };
  const isFirst = useRef(true);
  useEffect(() => {
    // The focus follows between the list and the preferences, which replace each other.
    if (!isFirst.current) (isSettings ? title : settingsButton).current?.focus();
    isFirst.current = false;
  }, [isSettings]);
  const isNotice = state.status === "offline";
  return (
    <>
      {!isSettings && (
        <OwnHeader
          view={view}
          counts={state.counts}
          setView={(next) => choose(next, tab)}
          markAllRead={() => attempt(inbox.markAllRead(tags))}
          openPreferences={() => setSettings(true)}
        />
      )}
      <div class="header" part="header">
        {isSettings ? (
          <>
            <button
              type="button"
              class="tool flip"
              title={labels.back}
              aria-label={labels.back}
              onClick={() => setSettings(false)}
            >
              <Icon name="back" />
            </button>
            <h2 ref={title} tabIndex={-1}>
              {labels.preferences}
            </h2>
          </>
        ) : (
          <>
            <Menu
              label={labels.view}
              icon="down"
              text={labels.views[view]}
              entries={(["inbox", "unread", "archived", "snoozed"] as const).map((name) => ({
                label: labels.views[name],
                isChosen: name === view,
                run: () => choose(name, tab),
              }))}
            />
            <span class="space" />
            <button
              type="button"
              class="tool"
              title={labels.markAllRead}
              aria-label={labels.markAllRead}
              disabled={!state.counts?.total}
              onClick={() => attempt(inbox.markAllRead(tags))}
            >
              <Icon name="checks" />
            </button>
            <button
              ref={settingsButton}
              type="button"
              class="tool"
              title={labels.preferences}
              aria-label={labels.preferences}
              onClick={() => setSettings(true)}
            >
              <Icon name="settings" />
            </button>
            <Menu
              label={labels.more}
              icon="more"
              entries={[
                { label: labels.archiveAllRead, run: () => attempt(inbox.archiveAllRead(tags)) },
                { label: labels.archiveAll, run: () => attempt(inbox.archiveAll(tags)) },
              ]}
            />
          </>
        )}
        <CloseButton />
      </div>
      {isNotice && (
        <p class="notice" part="notice" role="status">
          {navigator.onLine ? labels.unreachable : labels.offline}
        </p>
      )}
      {isSettings ? (
        <Preferences preferences={state.preferences} />
      ) : (
        <>
          {tabs.length > 0 && <Tabs state={state} tab={tab} onChoose={(index) => choose(view, index)} />}
          {isOpen && <Feed key={`${view} ${tab}`} state={state} view={view} />}
        </>
      )}
      <Toast state={state} fault={fault} />
    </>
  );
}

/** For narrow screens, on which the panel covers the bell. */
function CloseButton() {
  const { labels, isInline } = useUi();
  if (isInline) return null;
  const close = (event: Event) => (event.currentTarget as Element).closest<HTMLElement>(".panel")!.hidePopover();
  return (
    <button type="button" class="tool close" title={labels.close} aria-label={labels.close} onClick={close}>
      <Icon name="close" />
    </button>
  );
}

function Tabs({ state, tab, onChoose }: { state: InboxState; tab: number; onChoose: (index: number) => void }) {
  const { inbox, tabs } = useUi();
  const [unread, setUnread] = useState<number[]>([]);
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isCurrent = true;
    inbox.countUnread(tabs.map(({ tags = [] }) => tags)).then(
      (counts) => isCurrent && setUnread(counts),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [inbox, tabs, state.counts]);
  const onKeyDown = (event: KeyboardEvent) => {
    const isRtl = getComputedStyle(row.current!).direction === "rtl";
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (tab + (isRtl ? -step : step) + tabs.length) % tabs.length;
    onChoose(next);
    (row.current!.children[next] as HTMLElement).focus();
  };
  return (
    <div ref={row} class="tabs" part="tabs" role="tablist" onKeyDown={onKeyDown}>
      {tabs.map(({ label }, index) => (
        <button
          key={label}
          type="button"
          role="tab"
          part="tab"
          aria-selected={index === tab}
          tabIndex={index === tab ? 0 : -1}
          onClick={() => onChoose(index)}
        >
          {label}
          {(unread[index] ?? 0) > 0 && <small>{badgeText(unread[index]!)}</small>}
        </button>
      ))}
    </div>
  );
}

function Toast({ state: { undoable }, fault }: { state: InboxState; fault: string | null }) {
  const { inbox, labels, attempt } = useUi();
  const text = fault ?? (undoable && labels.undone[undoable.kind]);
  return (
    <div class="toast-place" role="status">
      {text && (
        <div class="toast" part="toast">
          <span>{text}</span>
          {!fault && (
            <button type="button" onClick={() => attempt(inbox.undo())}>
              {labels.undo}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
