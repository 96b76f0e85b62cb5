// A new integration of one provider.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useChange, useOperation } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { staleAfterChange } from "../../health/use-try-now.ts";
import { Notice } from "../../kit/feedback/notice.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { IntegrationForm } from "./integration-form.tsx";
import css from "./integrations.module.css";
import { ProviderTile, tileOf } from "./provider-tile.tsx";
import { words } from "./words.ts";

const newIntegrationRoute = getRouteApi("/shell/integrations/new/$providerId");

export function NewIntegrationScreen() {
  const { providerId } = newIntegrationRoute.useParams();
  const { data, error, refetch } = useOperation("providers.list", { query: {} }, { staleTime: 3_600_000 });
  const create = useChange("integrations.create", staleAfterChange);
  const { confirm, dialog } = useConfirm();
  const navigate = useNavigate();
  const may = useMay();
  const provider = data?.find(({ id }) => id === providerId);
  const title = words.newTitle(provider?.name ?? providerId);
  return (
    <Page
      title={title}
      heading={
        provider && (
          <span className={css.heading}>
            <ProviderTile {...tileOf(provider)} />
            {title}
          </span>
        )
      }
      lead={
        provider?.docs && (
          <a href={provider.docs} target="_blank" rel="noreferrer">
            {words.docs}
          </a>
        )
      }
      back={{ to: "/integrations/new", label: words.backCatalogue }}
      isNarrow
    >
      {dialog}
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data && !provider && <EmptyState isBad title={words.missingProvider} text={providerId} />}
      {!may("integrations.create") && (
        <Notice icon="key">{kitWords.needsRole(requiredRole("integrations.create"))}</Notice>
      )}
      {provider && may("integrations.create") && (
        <IntegrationForm
          provider={provider}
          error={create.error}
          isBusy={create.isPending}
          onSubmit={(body) =>
            confirm({ title: words.addTitle(provider.name), label: words.adding }, () =>
              create.mutate(
                { body: { ...body, providerId: provider.id, channel: provider.channel } },
                {
                  onSuccess: ({ _id = "", name }) => {
                    showToast({ title: words.added(name) });
                    void navigate({ to: "/integrations/$integrationId", params: { integrationId: _id } });
                  },
                },
              ),
            )
          }
        />
      )}
    </Page>
  );
}
