import { LinkButton } from "../../kit/button.tsx";
import { Page } from "../../kit/page.tsx";
import { EmptyState } from "../../kit/states.tsx";
import { words } from "./words.ts";

export const HomeScreen = () => (
  <Page title={words.title}>
    <EmptyState
      icon="activity"
      title={words.start}
      text={words.startText}
      action={
        <LinkButton to="/activity" look="primary">
          {words.open}
        </LinkButton>
      }
    />
  </Page>
);
