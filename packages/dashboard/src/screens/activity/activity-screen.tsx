import { Page } from "../../kit/page.tsx";
export const ActivityScreen = () => <Page title="Activity">…</Page>;
