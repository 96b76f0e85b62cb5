import { Component, Input } from "@angular/core";
import type { InboxNotification } from "@tidings/inbox";

@Component({
  selector: "app-notification-row",
  template: `<p [class.unread]="!notification.isRead">Angular: {{ notification.subject }}</p>`,
  styles: `
    p { margin: 0; padding: 12px 20px; }
    .unread { font-weight: 600; }
  `,
})
export class NotificationRow {
  @Input({ required: true }) notification!: InboxNotification;
}
