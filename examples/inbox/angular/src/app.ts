import "@tidings/inbox/element";
import {
  ApplicationRef,
  Component,
  CUSTOM_ELEMENTS_SCHEMA,
  createComponent,
  EnvironmentInjector,
  inject,
  signal,
} from "@angular/core";
import type { Counts, ItemRenderer } from "@tidings/inbox";
import { NotificationRow } from "./notification-row";

@Component({
  selector: "app-root",
  // Angular takes elements with a dash that it does not know for those of the browser.
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <header>
      <h1>{{ unread() }} unread</h1>
      <tidings-inbox
        url="http://localhost:3000"
        application-identifier="development"
        subscriber-id="ada"
        [renderItem]="renderItem"
        (counts)="onCounts($event)"
      ></tidings-inbox>
    </header>
  `,
  styles: `
    tidings-inbox:not(:defined) { display: inline-block; width: 40px; height: 40px; }
  `,
})
export class App {
  readonly unread = signal(0);
  private readonly application = inject(ApplicationRef);
  private readonly environmentInjector = inject(EnvironmentInjector);

  onCounts(event: Event): void {
    this.unread.set((event as CustomEvent<Counts>).detail.total);
  }

  readonly renderItem: ItemRenderer = (notification, mount) => {
    const row = createComponent(NotificationRow, {
      environmentInjector: this.environmentInjector,
      hostElement: mount.element,
    });
    row.setInput("notification", notification);
    this.application.attachView(row.hostView);
    mount.onUpdate((next) => row.setInput("notification", next));
    mount.onRemove(() => row.destroy());
    return mount.element;
  };
}
