// Generated from packages/inbox/src by `npm run generate`. Do not edit.
import type { TidingsInboxElement } from "./element-types.js";
declare global {
    interface HTMLElementTagNameMap {
        "tidings-inbox": TidingsInboxElement;
    }
}
